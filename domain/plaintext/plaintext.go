// Package plaintext cleans, measures, cuts and compares plain text, and recognises its language.
package plaintext

import (
	"regexp"
	"strings"
	"unicode"

	"github.com/rivo/uniseg"
	"golang.org/x/text/unicode/norm"
)

// Characters returns the number of user-perceived characters (extended grapheme clusters of Unicode Annex 29), so
// that an emoji of five code points counts as one. Most limits of package domain are in this unit.
func Characters(s string) int { return uniseg.GraphemeClusterCount(s) }

// BytesPerCharacter limits the bytes of a text with a given number of characters, because a character may have any
// number of combining marks. UTF-8 takes at most four bytes per code point, which is more than any script takes on
// average.
const BytesPerCharacter = 4

// Exceeds reports whether s has more than most characters. It does not count the characters of texts that are clearly
// short enough or too long.
func Exceeds(s string, most int) bool {
	return len(s) > most && (len(s) > most*BytesPerCharacter || Characters(s) > most)
}

// Clean normalises what a browser sends: valid UTF-8 in NFC, LF line ends, and no control characters except newline
// and tab. Addresses with a host are not composed, because other hosts compare bytes. A text of which nothing is Shown
// becomes empty.
func Clean(s string) string {
	if !Shown(s) {
		return ""
	}
	s = strings.ReplaceAll(strings.ToValidUTF8(s, "\uFFFD"), "\r\n", "\n")
	s = strings.Map(func(r rune) rune {
		if r == '\r' {
			return '\n'
		}
		if unicode.IsControl(r) && r != '\n' && r != '\t' {
			return -1
		}
		return r
	}, s)
	if norm.NFC.IsNormalString(s) {
		return s
	}
	var b strings.Builder
	end := 0
	for _, address := range addresses.FindAllStringIndex(s, -1) {
		b.WriteString(norm.NFC.String(s[end:address[0]]) + s[address[0]:address[1]])
		end = address[1]
	}
	return b.String() + norm.NFC.String(s[end:])
}

// addresses matches addresses with a host, up to a space.
var addresses = regexp.MustCompile(`(?://|(?i:www\.))[^\s\p{Z}<>]+`)

// CleanLine is Clean for a field of one line: it also collapses white space and removes characters that change the
// direction of writing.
func CleanLine(s string) string { return OneLine(WithoutDirections(Clean(s))) }

// WithoutDirections removes the characters that override, embed or isolate a direction of writing. With them a text
// can show something else than it says, such as a link to another site or code that is not what runs
// (CVE-2021-42574), and can disorder the text after it. Right-to-left scripts are displayed correctly without them.
// The marks U+200E and U+200F, which only place punctuation, stay.
func WithoutDirections(s string) string {
	if !strings.Contains(s, "\xe2\x80") && !strings.Contains(s, "\xe2\x81") {
		return s
	}
	return strings.Map(func(r rune) rune {
		if r >= 0x202A && r <= 0x202E || r >= 0x2066 && r <= 0x2069 {
			return -1
		}
		return r
	}, s)
}

// Truncate cuts s at a word boundary (Unicode Annex 29, so it works for scripts without spaces too) to at most limit
// characters, including the ellipsis that it appends. It returns shorter texts unchanged. It cuts inside of the first
// word if that exceeds the limit. The result has at most four bytes per character of the limit.
func Truncate(s string, limit int) string {
	if !Exceeds(s, limit) {
		return s
	}
	room := limit - 1 // the ellipsis
	end, used, state := 0, 0, -1
	for rest := s; rest != ""; {
		var word string
		word, rest, state = uniseg.FirstWordInString(rest, state)
		if end+len(word) > room*BytesPerCharacter {
			break
		}
		n := Characters(word)
		if used+n > room {
			break
		}
		used += n
		end += len(word)
	}
	cut := strings.TrimRightFunc(s[:end], func(r rune) bool {
		return unicode.IsSpace(r) || strings.ContainsRune(".,;:–—-(", r)
	})
	if cut == "" {
		cut = firstCharacters(s, room)
	}
	return cut + "…"
}

// FirstCharacter returns the first user-perceived character of s.
func FirstCharacter(s string) string {
	first, _, _, _ := uniseg.FirstGraphemeClusterInString(s, -1)
	return first
}

func firstCharacters(s string, n int) string {
	end, state, room := 0, -1, n*BytesPerCharacter
	for rest := s; rest != "" && n > 0; n-- {
		var cluster string
		cluster, rest, _, state = uniseg.FirstGraphemeClusterInString(rest, state)
		if end+len(cluster) > room {
			break
		}
		end += len(cluster)
	}
	if end == 0 { // a single character that exceeds the limit
		return strings.ToValidUTF8(s[:min(room, len(s))], "")
	}
	return s[:end]
}

// OneLine collapses white space, including line breaks, to single spaces and trims it at both ends.
func OneLine(s string) string { return strings.Join(strings.Fields(s), " ") }
