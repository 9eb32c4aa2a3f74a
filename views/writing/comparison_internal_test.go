package writing

import (
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"inkfeed/domain/plaintext"
)

// sides returns both versions of the rows of a text, without line ends.
func sides(groups [][]plaintext.Difference) (before, after string) {
	for _, group := range groups {
		for _, d := range group {
			if d.In != plaintext.Added {
				before += d.Text
			}
			if d.In != plaintext.Removed {
				after += d.Text
			}
		}
	}
	return withoutLineEnds(before), withoutLineEnds(after)
}

func withoutLineEnds(text string) string { return strings.ReplaceAll(text, "\n", "") }

func TestRowsOfAComparisonContainBothTexts(t *testing.T) {
	seed := uint64(time.Now().UnixNano())
	t.Logf("seed %d", seed)
	random := rand.New(rand.NewPCG(seed, 0))
	words := []string{"word ", "猫", "مرحبا ", "\n", "\n\n", "a. "}
	for range 300 {
		var before, after strings.Builder
		for range random.IntN(12) {
			word := strings.Repeat(words[random.IntN(len(words))], 1+random.IntN(2)*random.IntN(400))
			if random.IntN(4) > 0 {
				before.WriteString(word)
			}
			if random.IntN(4) > 0 {
				after.WriteString(word)
			}
		}
		groups := splitDifferences(plaintext.Differences(before.String(), after.String()))
		gotBefore, gotAfter := sides(groups)
		if gotBefore != withoutLineEnds(before.String()) || gotAfter != withoutLineEnds(after.String()) {
			t.Fatalf("%q and %q are shown as %v", before.String(), after.String(), groups)
		}
	}
}

func TestLongUnchangedTextIsFolded(t *testing.T) {
	line := strings.Repeat("Words that stay. ", 1000)
	for name, long := range map[string]string{
		"paragraphs":             strings.Repeat("Words that stay.\n\n", 1000),
		"one line":               line,
		"a line without spaces":  strings.Repeat("猫", 5_000),
		"a long first paragraph": line + "\n\n" + "Short.\n\n",
	} {
		before, after := Text{Content: "One. " + long + "last"}, Text{Content: "Uno. " + long + "final"}
		rows, differences := Compare(t.Context(), before, after).rows()
		if differences != 2 || len(rows) != 3 || !rows[1].folded() {
			t.Errorf("%s: %d differences in %d rows", name, differences, len(rows))
			continue
		}
		for _, row := range []comparedRow{rows[0], rows[2]} {
			before, after := sides([][]plaintext.Difference{row.pieces})
			if size := max(len(before), len(after)); size > maxUnchanged {
				t.Errorf("%s: difference %d has %d bytes", name, row.number, size)
			}
		}
	}
}
