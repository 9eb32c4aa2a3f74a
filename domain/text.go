package domain

import (
	"strings"
	"unicode"

	"github.com/rivo/uniseg"
	"golang.org/x/text/language"
	"golang.org/x/text/message"
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
const bytesPerCharacter = 4

// checkText says what is wrong with a text that must have 1 to most characters,
// or "".
func checkText(what, s string, most int) string {
	switch {
	case strings.TrimSpace(s) == "":
		return what + " cannot be empty."
	case len(s) > most*bytesPerCharacter:
		return what + " is too long."
	case !exceeds(s, most):
		return ""
	}
	return message.NewPrinter(language.English).Sprintf("%s has %d characters. Use at most %d.",
		what, Characters(s), most)
}

// exceeds avoids counting what is plainly short enough or too long.
func exceeds(s string, most int) bool {
	return len(s) > most && (len(s) > most*bytesPerCharacter || Characters(s) > most)
}

// checkContent says what is wrong with the text of a post, or "".
func checkContent(s string) string {
	n := StoredBytes(s)
	switch {
	case strings.TrimSpace(s) == "":
		return "The post cannot be empty."
	case n <= MaxContent:
		return ""
	}
	return message.NewPrinter(language.English).Sprintf(
		"The post is too long: %d bytes, and the limit is %d. Shorten it or split it into parts.", n, MaxContent)
}

// StoredBytes is how many bytes a text takes in storage, where it is a string of JSON: quotes, line
// ends and some other characters are escaped.
func StoredBytes(s string) int {
	n := len(s)
	for i := 0; i < len(s); i++ {
		switch c := s[i]; {
		case c == '"', c == '\\', c == '\n', c == '\r', c == '\t', c == '\b', c == '\f':
			n++
		case c < ' ', c == '<', c == '>', c == '&': // \u003c
			n += 5
		case c == 0xe2 && i+2 < len(s) && s[i+1] == 0x80 && s[i+2]&^1 == 0xa8: // U+2028 and U+2029
			n += 3
		}
	}
	return n
}

// cleanText normalises what a browser sends: NFC, LF line ends, valid UTF-8, no
// control characters but newline and tab.
func cleanText(s string) string {
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
func cleanLine(s string) string { return oneLine(undirected(cleanText(s))) }

// undirected is s without the characters that override, embed or isolate a direction of
// writing: with them a text shows something else than it says, such as a link to another
// site or code that is not what runs (CVE-2021-42574), and may disorder what stands after
// it. What is written from right to left is shown so without them. The marks U+200E and
// U+200F, which only place punctuation, stay.
func undirected(s string) string {
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
	if !exceeds(s, limit) {
		return s
	}
	room := limit - 1 // the ellipsis
	end, used, state := 0, 0, -1
	for rest := s; rest != ""; {
		var word string
		word, rest, state = uniseg.FirstWordInString(rest, state)
		if end+len(word) > room*bytesPerCharacter {
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
	end, state, room := 0, -1, n*bytesPerCharacter
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
