package domain

import (
	"strings"

	"golang.org/x/text/language"
	"golang.org/x/text/message"

	"inkfeed/domain/plaintext"
)

// checkText returns a message about a text that is empty or has more than the given number of characters, or an empty
// string.
func checkText(what, s string, most int) string {
	switch {
	case strings.TrimSpace(s) == "":
		return what + " can't be empty."
	case len(s) > most*plaintext.BytesPerCharacter:
		return what + " is too long. Use at most " + plaintext.Grouped(most) + " characters."
	case !plaintext.Exceeds(s, most):
		return ""
	}
	return message.NewPrinter(language.English).Sprintf("%s has %d characters. Use at most %d.",
		what, plaintext.Characters(s), most)
}

// checkContent returns a message about an invalid text of a post, or an empty string.
func checkContent(s string) string {
	n := StoredBytes(s)
	switch {
	case strings.TrimSpace(s) == "":
		return "The post can't be empty."
	case n <= MaxContent:
		return ""
	}
	return message.NewPrinter(language.English).Sprintf(
		"The post is too long (%d of at most %d bytes). Shorten it or split it into parts.", n, MaxContent)
}

// StoredBytes returns the size of a text in storage, where it is a JSON string: quotes, line breaks and some other
// characters are escaped.
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
