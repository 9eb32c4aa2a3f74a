package markup_test

import (
	"strings"
	"testing"

	"inkfeed/domain/portable/markup"
)

// A quadratic translation of this text would exceed the time limit of the test.
func TestHTMLWithManyBracketsIsTranslatedInLinearTime(t *testing.T) {
	const n = 1 << 20
	got, err := (&markup.Translator{}).HTML(strings.Repeat("[", n))
	if brackets := strings.ReplaceAll(got, `\`, ""); err != nil || brackets != strings.Repeat("[", n) {
		t.Errorf("%d brackets, error %v; want %d brackets", len(brackets), err, n)
	}
}
