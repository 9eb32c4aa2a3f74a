package names

import (
	"strings"
	"unicode"

	"go.mau.fi/util/confusable"
	"golang.org/x/text/cases"
	"golang.org/x/text/unicode/norm"
)

// Skeleton returns a text that is equal for names that look alike, ignoring case: paypal, PayPaI and раураl have the
// same skeleton. It is based on the table of confusable characters of Unicode Technical Standard 39. It is not for
// display.
func Skeleton(name string) string {
	// Each round may produce letters that the table maps again in the next: I maps to l, and M to m, which maps to
	// rn.
	return settled(norm.NFKC.String(name), func(s string) string {
		return lookalikes.Replace(strings.Map(flat, cases.Fold().String(confusable.Skeleton(undotted(s)))))
	})
}

// undotted removes dots above letters that have a dot already, where they are invisible.
func undotted(s string) string {
	s = norm.NFD.String(s)
	var b strings.Builder
	last := rune(0)
	for _, r := range s {
		if r == '\u0307' && unicode.Is(unicode.Soft_Dotted, last) {
			continue
		}
		b.WriteRune(r)
		last = r
	}
	return b.String()
}

// lookalikes are letters that the table lacks, each followed by the letter that it resembles: small capitals, and
// strokes that occur beside Latin letters in East Asian names.
var lookalikes = strings.NewReplacer(strings.Split("ᴀ a ʙ b ᴄ c ᴅ d ᴇ e ꜰ f ɢ g ʜ h ɪ i ᴊ j ᴋ k ĸ k ʟ l ᴍ m ʍ m "+
	"ɴ n ᴏ o ᴘ p ʀ r ꜱ s ᴛ t ᴜ u ᴠ v ᴡ w ʏ y ᴢ z 丨 l 一 - ー -", " ")...)

// flat maps all dashes and underscores to one dash, because they look too similar.
func flat(r rune) rune {
	if unicode.In(r, unicode.Pd, unicode.Pc) {
		return '-'
	}
	return r
}
