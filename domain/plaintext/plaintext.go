// Package plaintext cleans, measures, cuts and compares plain text, and recognises its language.
package plaintext

import (
	"strings"
	"unicode"

	"github.com/rivo/uniseg"
	"golang.org/x/text/unicode/norm"
)

// Characters counts s as a reader does: user-perceived characters (extended
// grapheme clusters of Unicode Annex 29), so that an emoji of five code points
// is one. Limits of this package are in this unit,
// but for those of a post's text.
func Characters(s string) int { return uniseg.GraphemeClusterCount(s) }

// bytesPerCharacter bounds the bytes of a text of so many characters: a single
// character may have combining marks without end. It is what UTF-8 takes at most
// for one code point, and more than any script takes on average.
const BytesPerCharacter = 4

// exceeds avoids counting what is plainly short enough or too long.
func Exceeds(s string, most int) bool {
	return len(s) > most && (len(s) > most*BytesPerCharacter || Characters(s) > most)
}

// cleanText normalises what a browser sends: NFC, LF line ends, valid UTF-8, no
// control characters but newline and tab.
func Clean(s string) string {
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
	return norm.NFC.String(s)
}

// cleanLine is cleanText for a field of one line: all white space is folded, and nothing
// in it changes in which order it is read.
func CleanLine(s string) string { return OneLine(WithoutDirections(Clean(s))) }

// undirected is s without the characters that override, embed or isolate a direction of
// writing: with them a text shows something else than it says, such as a link to another
// site or code that is not what runs (CVE-2021-42574), and may disorder what stands after
// it. What is written from right to left is shown so without them. The marks U+200E and
// U+200F, which only place punctuation, stay.
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

// Truncate cuts s to at most limit characters at a word boundary (Unicode Annex
// 29, so it works for scripts without spaces too) and marks the cut with an
// ellipsis, which counts. A text within the limit comes back as it is; a first
// word longer than the limit is cut inside. The result has at most four bytes
// for each character of the limit, whatever marks are heaped on one.
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

// FirstCharacter is what a reader takes for the first one of s.
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
	if end == 0 { // one character that is too much by itself
		return strings.ToValidUTF8(s[:min(room, len(s))], "")
	}
	return s[:end]
}

func OneLine(s string) string { return strings.Join(strings.Fields(s), " ") }
