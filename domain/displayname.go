package domain

import (
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"
)

// MaxDisplayName is the most characters of a display name.
const MaxDisplayName = 50

// CleanDisplayName validates and normalises what a user wants to be called, as an Invalid
// error about the field "displayName". It may be empty: the username is shown alone.
//
// Two users may have the same one, since the username stands beside it. But it says nothing
// that is not so: it has no signs, such as that of verified accounts elsewhere, and names no
// office.
func CleanDisplayName(name string) (string, error) {
	name = strings.ToValidUTF8(name, "\uFFFD")
	if len(name) > 100*MaxDisplayName {
		return name, FieldError("displayName", tooLongDisplayName)
	}
	name = oneLine(norm.NFKC.String(name))
	if name == "" {
		return "", nil
	}
	if message := displayNameProblem(name); message != "" {
		return name, FieldError("displayName", message)
	}
	return name, nil
}

const tooLongDisplayName = "Use at most 50 characters."

func displayNameProblem(s string) string {
	if Characters(s) > MaxDisplayName || len(s) > 8*MaxDisplayName {
		return tooLongDisplayName
	}
	named, last := false, ' '
	for _, r := range s {
		switch {
		case r == '@':
			return "A display name can't start with @."
		case unseen(r):
			return "Remove the invisible character."
		case unicode.IsMark(r) && !unicode.In(last, unicode.L, unicode.M, unicode.Nd),
			!unicode.In(r, unicode.L, unicode.Mn, unicode.Mc, unicode.Nd) && !punctuates(r):
			return "Use only letters, numbers and punctuation."
		}
		named = named || unicode.In(r, unicode.L, unicode.Nd)
		last = r
	}
	if !named {
		return "Use at least one letter or number."
	}
	if message := inOneScript(s); message != "" {
		return message
	}
	if isReserved(s) {
		return "This name is reserved. Choose another."
	}
	return ""
}

// punctuates tells whether r stands between or around the words of a name.
func punctuates(r rune) bool {
	return r == ' ' || unicode.Is(unicode.P, r) && !strings.ContainsRune(`*\%#†‡※⁂`, r)
}
