package factor_test

import (
	"regexp"
	"slices"
	"strings"
	"testing"

	"inkfeed/web/factor"
)

func TestRecoveryCodes(t *testing.T) {
	codes := factor.NewRecoveryCodes()
	t.Run("are ten different ones without ambiguous letters", func(t *testing.T) {
		if n := len(slices.Compact(slices.Sorted(slices.Values(codes)))); n != 10 {
			t.Errorf("%d different codes, want 10", n)
		}
		for _, code := range codes {
			if !regexp.MustCompile(`^[0-9a-hjkmnp-tv-z]{4}(-[0-9a-hjkmnp-tv-z]{4}){3}$`).MatchString(code) {
				t.Error(code)
			}
		}
	})
	t.Run("are accepted in any spelling", func(t *testing.T) {
		code := codes[0]
		for _, typed := range []string{
			code, strings.ToUpper(code), strings.ReplaceAll(code, "-", ""),
			" " + strings.ReplaceAll(code, "-", " ") + "\n", strings.NewReplacer("0", "O", "1", "l").Replace(code),
		} {
			if got, ok := factor.ParseRecoveryCode(typed); !ok || got != code {
				t.Errorf("%q is parsed as %q, %t", typed, got, ok)
			}
		}
	})
	t.Run("are rejected if malformed", func(t *testing.T) {
		for _, typed := range []string{
			"", "123456", codes[0][1:], codes[0] + "0", "uuuu" + codes[0][4:], strings.Repeat("0", 1<<16), "\xff",
		} {
			if got, ok := factor.ParseRecoveryCode(typed); ok {
				t.Errorf("%q is parsed as %q", typed, got)
			}
		}
	})
	t.Run("have digests that depend on the user", func(t *testing.T) {
		if factor.RecoveryDigest("ada", codes[0]) == factor.RecoveryDigest("ben", codes[0]) ||
			factor.RecoveryDigests("ada", codes)[1] != factor.RecoveryDigest("ada", codes[1]) {
			t.Error("two digests are equal, or the order is wrong")
		}
	})
}

func FuzzParseRecoveryCode(f *testing.F) {
	f.Add("7h2k-9m4q-x0tp-3vbn")
	f.Add("OIL0 ")
	f.Fuzz(func(t *testing.T, typed string) {
		code, ok := factor.ParseRecoveryCode(typed)
		if again, okAgain := factor.ParseRecoveryCode(code); ok && (!okAgain || again != code) {
			t.Errorf("%q is parsed as %q, and that as %q", typed, code, again)
		}
	})
}
