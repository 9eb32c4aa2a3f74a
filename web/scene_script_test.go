package web_test

import (
	"net/url"
	"strings"
	"unicode"
)

// script is the script of the names and texts of a scene.
type script string

const (
	latin script = "latin"
	// greek tells the texts of users from those of the interface, which are in Latin letters.
	greek script = "greek"
)

// write returns a text in the script, letter by letter.
func (s script) write(text string) string {
	if s == latin {
		return text
	}
	const letters, similar = "abcdefghijklmnopqrstuvwxyz", "αβκδεφγηιξκλμνοπθρστυβωχψζ"
	return strings.Map(func(r rune) rune {
		i := strings.IndexRune(letters, unicode.ToLower(r))
		switch {
		case i < 0:
			return r
		case unicode.IsUpper(r):
			return unicode.ToUpper([]rune(similar)[i])
		}
		return []rune(similar)[i]
	}, text)
}

// fill writes the fields of forms that take texts of users.
func (s script) fill(forms map[string]url.Values) map[string]url.Values {
	for route, form := range forms {
		for name, values := range form {
			if writtenFields[name] || name == "reason" && strings.HasSuffix(route, "/suspend") {
				form[name] = []string{s.write(values[0])}
			}
		}
	}
	return forms
}

// writtenFields are the fields whose values are texts of users.
var writtenFields = map[string]bool{"username": true, "account": true, "bio": true, "name": true, "title": true,
	"content": true, "tags": true, "text": true, "alt": true}
