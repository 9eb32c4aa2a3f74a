package names

import (
	"slices"
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"

	"inkfeed/domain/locale"
	"inkfeed/domain/plaintext"
)

// scriptsTogether lists the scripts that may be mixed in a name, because one language uses them together. Otherwise
// names must be in one script, so that letters are what they look like. The list follows the highly restrictive
// profile of Unicode Technical Standard 39, without mixing Latin with Bopomofo or with single letters of Hangul, some
// of which, such as ㅇ and ㄥ, look like Latin letters.
var scriptsTogether = [][]string{
	{"Latin", "Han", "Hiragana", "Katakana"},
	{"Latin", "Han", "Hangul"},
	{"Han", "Hangul", hangulLetters},
	{"Han", "Bopomofo"},
}

// hangulLetters is a pseudo-script for the letters of Hangul that are not composed into syllables.
const hangulLetters = "Hangul_letters"

// scriptNames holds the names of unicode.Scripts in a fixed order.
var scriptNames = func() []string {
	var names []string
	for name := range unicode.Scripts {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}()

// scriptOf returns the script of a character, or "Common" or "Inherited" for characters that several scripts share.
func scriptOf(r rune) string {
	switch {
	case 'a' <= r && r <= 'z', 'A' <= r && r <= 'Z':
		return "Latin"
	case '0' <= r && r <= '9':
		return "Common"
	case r == 'ー': // used with both kana, and with no other script
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

// mixedScripts returns the scripts of a text in the order in which they occur, or nil if they may be mixed.
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

// inOneScript returns what is wrong with the scripts, digits and marks of a name, or an empty message.
func inOneScript(s string) locale.Message {
	if mixed := mixedScripts(s); mixed != nil {
		last := len(mixed) - 1
		list := scriptName(mixed[0])
		for _, script := range mixed[1:last] {
			list = locale.M("{list}, {text}", "list", list, "text", scriptName(script))
		}
		list = locale.M("{list} and {text}", "list", list, "text", scriptName(mixed[last]))
		return locale.M("Use letters from one alphabet only. Your name mixes {scripts}.", "scripts", list)
	}
	if mixedDigits(s) {
		return locale.M("Use digits of one script only, such as 0–9.")
	}
	if heaped(s) {
		return locale.M("Use fewer accents on one letter.")
	}
	return locale.Message{}
}

// scriptName returns the name of a script: translated if it is a common one, otherwise Unicode's.
func scriptName(script string) locale.Message {
	switch script {
	case "Latin":
		return locale.M("Latin|script")
	case "Greek":
		return locale.M("Greek|script")
	case "Cyrillic":
		return locale.M("Cyrillic|script")
	case "Armenian":
		return locale.M("Armenian|script")
	case "Hebrew":
		return locale.M("Hebrew|script")
	case "Arabic":
		return locale.M("Arabic|script")
	}
	return locale.Verbatim(strings.ReplaceAll(script, "_", " "))
}

// mixedDigits reports whether a text has decimal digits of two numeral systems.
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

// zeroOf returns the zero of a digit's numeral system. The digits of a system are consecutive, and each range of
// Unicode's table begins with a zero.
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

// The maximum number of consecutive nonspacing marks of one script, such as Thai or Hebrew, and of consecutive marks
// that combine with letters of any script.
const (
	maxMarks       = 4
	maxSharedMarks = 2
)

// heaped reports whether a letter has more marks than any language uses, or the same mark twice in a row. Marks that
// are part of a precomposed letter count, unless there are no others.
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

// accents returns the number of marks that are part of a precomposed letter.
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

// unseen reports whether names must not have a character because it is invisible or has no meaning of its own.
func unseen(r rune) bool { return unicode.Is(unicode.C, r) || plaintext.Invisible(r) }
