package search

import (
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"
)

func TestTheBeginningOfALongTextHasTheExtractOfTheWholeText(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	words := []string{"sea", "gull", "harbour", "Straße,", "北京大学", "c++", "wave.", "…", "👍🏽", "e\u0301te\u0301",
		"gulls", "sailing", "-", "boat"}
	queries := []string{"sea", "harbour gull", `"sea gull"`,
		"gull harbour boat -wave", "京大 sea", "by:ada sea", "by:ada",
		"nothing"}
	for range 50 {
		var b strings.Builder
		common := 1 + r.IntN(len(words))
		filler := []string{"filler", "माता"}[r.IntN(2)]
		for range r.IntN(3000) {
			word := filler
			if r.IntN(60) == 0 {
				word = words[r.IntN(common)]
			}
			b.WriteString(word)
			b.WriteString([]string{" ", " ", " ", "\n\n", "  ", "—"}[r.IntN(6)])
		}
		for _, text := range queries {
			q := parse(text)
			want, _ := q.extractOf(b.String(), false)
			if got := q.extract(b.String()); !reflect.DeepEqual(got, want) {
				t.Fatalf("%q in %q:\ngot  %v\nwant %v", text, b.String(), got, want)
			}
		}
	}
}
