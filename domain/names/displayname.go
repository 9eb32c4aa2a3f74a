package names

import (
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"

	"inkfeed/domain/locale"
	"inkfeed/domain/plaintext"
)

// MaxDisplayName is the maximum length of a display name, in characters.
const MaxDisplayName = 50

// DisplayName normalises a display name and returns why it cannot be used, or an empty message if it can. An empty name
// is valid: pages then show only the username.
//
// Two users may have the same display name, since the username stands beside it. A display name must not mislead: it
// contains no symbols, such as the check mark of verified accounts on other sites, and no title of an office.
func DisplayName(name string) (clean string, problem locale.Message) {
	name = strings.ToValidUTF8(name, "\uFFFD")
	if len(name) > 100*MaxDisplayName {
		return name, tooLongDisplayName()
	}
	name = plaintext.OneLine(norm.NFKC.String(name))
	if name == "" {
		return "", locale.Message{}
	}
	return name, displayNameProblem(name)
}

func tooLongDisplayName() locale.Message {
	return locale.M("Use at most {n} characters for your display name.", "n", MaxDisplayName)
}

func displayNameProblem(s string) locale.Message {
	if plaintext.Characters(s) > MaxDisplayName || len(s) > 8*MaxDisplayName {
		return tooLongDisplayName()
	}
	named, last := false, ' '
	for _, r := range s {
		switch {
		case r == '@':
			return locale.M("A display name can't contain @.")
		case unseen(r):
			return locale.M("Remove the invisible character from your display name.")
		case unicode.IsMark(r) && !unicode.In(last, unicode.L, unicode.M, unicode.Nd),
			!unicode.In(r, unicode.L, unicode.Mn, unicode.Mc, unicode.Nd) && !punctuates(r):
			return locale.M("Use only letters, numbers and punctuation in your display name.")
		}
		named = named || unicode.In(r, unicode.L, unicode.Nd)
		last = r
	}
	if !named {
		return locale.M("Use at least one letter or number in your display name.")
	}
	if message := inOneScript(s); !message.IsZero() {
		return message
	}
	if IsReserved(s) {
		return locale.M("This name is reserved. Choose another.")
	}
	return locale.Message{}
}

// punctuates reports whether r may stand between or around the words of a name.
func punctuates(r rune) bool {
	return r == ' ' || unicode.Is(unicode.P, r) && !strings.ContainsRune(`*\%#†‡※⁂`, r)
}
