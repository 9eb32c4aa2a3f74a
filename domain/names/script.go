package names

import (
	"slices"
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"
)

// Names are of one script, so that a letter in them is what it looks like. These are the
// scripts that one language writes with at once: what Unicode Technical Standard 39 calls
// highly restrictive, but for Bopomofo and the single letters of Hangul, some of which are
// taken for Latin ones, such as ㅇ and ㄥ.
var scriptsTogether = [][]string{
	{"Latin", "Han", "Hiragana", "Katakana"},
	{"Latin", "Han", "Hangul"},
	{"Han", "Hangul", hangulLetters},
	{"Han", "Bopomofo"},
}

// hangulLetters are those that are not written together as syllables.
const hangulLetters = "Hangul_letters"

// scriptNames are those of unicode.Scripts, in one order.
var scriptNames = func() []string {
	var names []string
	for name := range unicode.Scripts {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}()

// scriptOf is the script of a character, "Common" or "Inherited" for what several share.
func scriptOf(r rune) string {
	switch {
	case 'a' <= r && r <= 'z', 'A' <= r && r <= 'Z':
		return "Latin"
	case '0' <= r && r <= '9':
		return "Common"
	case r == 'ー': // of both kana, and of nothing else
		return "Katakana"
	}
	if unicode.Is(unicode.Hangul, r) && (r < '가' || r > '힣') {
		return hangulLetters
	}
	for _, name := range scriptNames {
		if unicode.Is(unicode.Scripts[name], r) {
			return name
		}
	}
	return "Common"
}

// mixedScripts names the scripts of a text when they are not written together, in the
// order in which they come; nil when they are.
func mixedScripts(s string) []string {
	var found []string
	for _, r := range s {
		if name := scriptOf(r); name != "Common" && name != "Inherited" && !slices.Contains(found, name) {
			found = append(found, name)
		}
	}
	if len(found) < 2 {
		return nil
	}
	for _, together := range scriptsTogether {
		if !slices.ContainsFunc(found, func(name string) bool { return !slices.Contains(together, name) }) {
			return nil
		}
	}
	return found
}

// inOneScript says what is wrong with the scripts, digits and marks of a name, or "".
func inOneScript(s string) string {
	if mixed := mixedScripts(s); mixed != nil {
		list := strings.ReplaceAll(strings.Join(mixed[:len(mixed)-1], ", ")+" and "+mixed[len(mixed)-1], "_", " ")
		return "Use letters from one alphabet only. These are " + list + "."
	}
	if mixedDigits(s) {
		return "Use one kind of digits only."
	}
	if heaped(s) {
		return "Use fewer accents on one letter."
	}
	return ""
}

// mixedDigits tells whether a text has decimal digits of two systems.
func mixedDigits(s string) bool {
	zero := rune(-1)
	for _, r := range s {
		if !unicode.IsDigit(r) {
			continue
		}
		if z := zeroOf(r); zero >= 0 && z != zero {
			return true
		} else {
			zero = z
		}
	}
	return false
}

// zeroOf is the zero of a digit's system. Those of a system follow upon each other, and
// each range of the table begins with a zero.
func zeroOf(digit rune) rune {
	if '0' <= digit && digit <= '9' {
		return '0'
	}
	for _, some := range unicode.Nd.R16 {
		if lo := rune(some.Lo); lo <= digit && digit <= rune(some.Hi) {
			return digit - (digit-lo)%10
		}
	}
	for _, some := range unicode.Nd.R32 {
		if lo := rune(some.Lo); lo <= digit && digit <= rune(some.Hi) {
			return digit - (digit-lo)%10
		}
	}
	return digit
}

// How many nonspacing marks may follow upon each other: those of a script, as of Thai or
// Hebrew, and those that go with letters of any.
const (
	maxMarks       = 4
	maxSharedMarks = 2
)

// heaped tells whether more marks stand on a letter than any language writes, or one
// twice. Those that are part of a letter count, unless it has no others.
func heaped(s string) bool {
	marks, shared, last := 0, 0, rune(0)
	for _, r := range s {
		if !unicode.Is(unicode.Mn, r) {
			marks, shared = 0, accents(r)
		} else {
			marks++
			if unicode.Is(unicode.Inherited, r) {
				shared++
			}
			if marks > maxMarks || shared > maxSharedMarks || r == last {
				return true
			}
		}
		last = r
	}
	return false
}

// accents is how many marks are part of a letter.
func accents(letter rune) (n int) {
	if letter < 0x80 {
		return 0
	}
	for _, r := range norm.NFD.String(string(letter)) {
		if '\u0300' <= r && r <= '\u036f' {
			n++
		}
	}
	return n
}

// unseen tells of characters that show nothing, or only change how others are shown.
func unseen(r rune) bool {
	return unicode.In(r, unicode.C, unicode.Zl, unicode.Zp, unicode.Other_Default_Ignorable_Code_Point, unicode.Variation_Selector) ||
		r == '\u034F' || r == '\u17B4' || r == '\u17B5'
}
