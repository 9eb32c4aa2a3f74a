package value_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"inkfeed/cosmos/embedded/internal/value"
)

// TestStringsAtEveryOffset parses and formats strings whose special characters are at every offset,
// since both look at several bytes at a time.
func TestStringsAtEveryOffset(t *testing.T) {
	parts := []string{`\"`, `\\`, `\n`, `\u0001`, `\u00e9`, `\ud83d\ude00`, `\ud83d`, `é`, `😀`, "\x7f", "\x80", "\xff ",
		`/`}
	for _, first := range parts {
		for _, second := range parts {
			for before := range 18 {
				for between := range 10 {
					text := `"` + strings.Repeat("x", before) + first + strings.Repeat("!", between) + second + `~"`
					var want string
					if err := json.Unmarshal([]byte(text), &want); err != nil {
						t.Fatal(err)
					}
					v, err := value.Parse(text)
					if err != nil || v.Str() != want && utf8.ValidString(text) {
						t.Fatalf("%q is %q, not %q: %v", text, v.Str(), want, err)
					}
					var again string
					if err := json.Unmarshal([]byte(v.JSON()), &again); err != nil || again != v.Str() {
						t.Fatalf("%q is written as %q: %v", v.Str(), v.JSON(), err)
					}
				}
			}
		}
	}
	for c := range byte(' ') {
		for before := range 18 {
			text := fmt.Sprintf(`"%s%c"`, strings.Repeat("x", before), c)
			if _, err := value.Parse(text); err == nil {
				t.Errorf("%q is accepted", text)
			}
			if _, err := value.Parse(`"\n` + text[1:]); err == nil {
				t.Errorf("%q is accepted after an escape", text)
			}
		}
	}
	for before := range 18 {
		for _, end := range []string{"", `\`, `\"`, `\u12`} {
			text := `"` + strings.Repeat("x", before) + end
			if _, err := value.Parse(text); err == nil {
				t.Errorf("%q is accepted", text)
			}
		}
	}
}
