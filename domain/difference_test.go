package domain_test

import (
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"inkfeed/domain"
)

const (
	removed = domain.Removed
	kept    = domain.Kept
	added   = domain.Added
)

func TestDifferences(t *testing.T) {
	type d = domain.Difference
	for name, tt := range map[string]struct {
		before, after string
		want          []d
	}{
		"nothing at all":     {"", "", nil},
		"nothing":            {"same", "same", []d{{kept, "same"}}},
		"a word":             {"a good day", "a bad day", []d{{kept, "a "}, {removed, "good"}, {added, "bad"}, {kept, " day"}}},
		"never half a word":  {"reading", "reader", []d{{removed, "reading"}, {added, "reader"}}},
		"a word more":        {"one", "one two", []d{{kept, "one"}, {added, " two"}}},
		"a text taken away":  {"gone", "", []d{{removed, "gone"}}},
		"a new text":         {"", "new", []d{{added, "new"}}},
		"a paragraph":        {"One.\n\nTwo.\n\nThree.", "One.\n\nThree.", []d{{kept, "One.\n\n"}, {removed, "Two.\n\n"}, {kept, "Three."}}},
		"Chinese characters": {"吾輩は猫である", "吾輩は犬である", []d{{kept, "吾輩は"}, {removed, "猫"}, {added, "犬"}, {kept, "である"}}},
		"an Arabic word":     {"مرحبا بالعالم", "مرحبا بالجميع", []d{{kept, "مرحبا "}, {removed, "بالعالم"}, {added, "بالجميع"}}},
		"what a person sees": {"a 👩‍👩‍👧 b", "a 👨‍👩‍👧 b", []d{{kept, "a "}, {removed, "👩‍👩‍👧"}, {added, "👨‍👩‍👧"}, {kept, " b"}}},
	} {
		if got := domain.Differences(tt.before, tt.after); !reflect.DeepEqual(got, tt.want) {
			t.Errorf("%s: %v, want %v", name, got, tt.want)
		}
	}
}

// parts puts the two versions together again.
func parts(differences []domain.Difference) (before, after string) {
	var b, a strings.Builder
	for _, d := range differences {
		if d.In != added {
			b.WriteString(d.Text)
		}
		if d.In != removed {
			a.WriteString(d.Text)
		}
	}
	return b.String(), a.String()
}

func TestDifferencesOfALongTextTakeLittleTime(t *testing.T) {
	seed := uint64(time.Now().UnixNano())
	t.Logf("seed %d", seed)
	random := rand.New(rand.NewPCG(seed, 0))
	text := func() string { // more different words than there are runes of two bytes
		var b strings.Builder
		for b.Len() < domain.MaxContent {
			b.WriteString(string(rune('a'+random.IntN(26))) + string(rune(0x4E00+random.IntN(20000))) + " " + string(rune('a'+random.IntN(26))) + string(rune('a'+random.IntN(26))) + string(rune('a'+random.IntN(26))) + string(rune('a'+random.IntN(26))))
		}
		return b.String()
	}
	before, after := text(), text()
	gotBefore, gotAfter := parts(domain.Differences(before, after))
	if gotBefore != before || gotAfter != after {
		t.Error("the differences do not make up the versions")
	}
}

// Such texts took minutes: the words of one are found at every place of the other.
func TestDifferencesOfTextsThatRepeatThemselvesTakeLittleTime(t *testing.T) {
	for _, unit := range []string{"a ", "a b\n", "a\n", "()))) ", "漢"} {
		text := strings.Repeat(unit, domain.MaxContent/len(unit)/2)
		for _, tt := range [][2]string{{text, "x" + text + "y" + text}, {text + "x" + text, text + text + "y"}, {text + "z" + text[:len(unit)*100], text + text}} {
			if before, after := parts(domain.Differences(tt[0], tt[1])); before != tt[0] || after != tt[1] {
				t.Errorf("%q: the differences do not make up the versions", unit)
			}
		}
	}
}

func TestDifferencesOfALongTextAreWords(t *testing.T) {
	synctest.Test(t, differencesOfALongTextAreWords) // time stands still, so that the limit of time plays no part
}

func differencesOfALongTextAreWords(t *testing.T) {
	var text strings.Builder
	for i := 0; text.Len() < domain.MaxContent/2; i++ {
		fmt.Fprintf(&text, "This is line %d of a long text.\n", i)
	}
	before := text.String()
	after := strings.Replace(strings.Replace(before, "line 7 of", "row 7 of", 1), "line 9000 of a", "line 9000 of the", 1)
	var changed []string
	for _, d := range domain.Differences(before, after) {
		if d.In != kept {
			changed = append(changed, d.Text)
		}
	}
	if want := []string{"line", "row", "a", "the"}; !slices.Equal(changed, want) {
		t.Errorf("changed are %q, want %q", changed, want)
	}
}

func FuzzDifferencesMakeUpBothVersions(f *testing.F) {
	f.Add("a b c", "a c d")
	f.Add("\xff", "\xed\xa0\x80 x")
	f.Add("e\u0301 猫", "e 猫")
	f.Fuzz(func(t *testing.T, before, after string) {
		if b, a := parts(domain.Differences(before, after)); b != before || a != after {
			t.Errorf("%q and %q have become %q and %q", before, after, b, a)
		}
	})
}

func TestLengthOfATextInAnyScript(t *testing.T) {
	for text, want := range map[string]domain.Length{
		"":                          {},
		" — … !":                    {},
		"It's 3.5 well-known words": {Words: 5},
		"吾輩は猫である。":                  {Ideographs: 7},
		"Go を書く":                    {Words: 1, Ideographs: 3},
		"مرحبا بالعالم":             {Words: 2},
		"안녕 세상":                     {Words: 2},
		"สวัสดีชาวโลก":              {Words: 2},
	} {
		if got := domain.LengthOf(text); got != want {
			t.Errorf("%q: %+v, want %+v", text, got, want)
		}
	}
}

func TestReadingTakesAMinuteAtLeast(t *testing.T) {
	for l, want := range map[domain.Length]int{
		{}:                              1,
		{Words: 300}:                    1,
		{Words: 2380}:                   10,
		{Ideographs: 4000}:              10,
		{Words: 1190, Ideographs: 2000}: 10,
	} {
		if got := l.Minutes(); got != want {
			t.Errorf("%+v: %d minutes, want %d", l, got, want)
		}
	}
}
