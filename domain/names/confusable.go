package names

import (
	"strings"
	"unicode"

	"go.mau.fi/util/confusable"
	"golang.org/x/text/cases"
	"golang.org/x/text/unicode/norm"
)

// Skeleton is what names have in common that look the same, in any case of their letters:
// paypal, PayPaI and раураl have one. It is made of a name by the table of confusable
// characters of Unicode Technical Standard 39, and nothing to be shown.
func Skeleton(name string) string {
	// Each round may make letters that the next one's table has: I is l, and M is m, which
	// is rn.
	return settled(norm.NFKC.String(name), func(s string) string {
		return lookalikes.Replace(strings.Map(flat, cases.Fold().String(confusable.Skeleton(undotted(s)))))
	})
}

// undotted takes away the dot above letters that have one already, where nobody sees it.
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

// lookalikes are letters that the table lacks, each followed by the one that it looks like:
// small capitals, and strokes that stand beside Latin letters in East Asian names.
var lookalikes = strings.NewReplacer(strings.Split("ᴀ a ʙ b ᴄ c ᴅ d ᴇ e ꜰ f ɢ g ʜ h ɪ i ᴊ j ᴋ k ĸ k ʟ l ᴍ m ʍ m ɴ n ᴏ o ᴘ p ʀ r ꜱ s ᴛ t ᴜ u ᴠ v ᴡ w ʏ y ᴢ z 丨 l 一 - ー -", " ")...)

// flat makes one dash of all: - and _ differ too little.
func flat(r rune) rune {
	if unicode.In(r, unicode.Pd, unicode.Pc) {
		return '-'
	}
	return r
}
