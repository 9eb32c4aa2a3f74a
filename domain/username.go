package domain

import (
	"fmt"
	"net/url"
	"slices"
	"strings"
	"unicode"

	"golang.org/x/text/cases"
	"golang.org/x/text/unicode/norm"
)

// Limits of a username, in characters.
const (
	MinUsername = 2
	MaxUsername = 30
	// maxUsernameBytes bounds what is heaped on characters. It is far from what the
	// database takes as an id, also of what the name is unique by.
	maxUsernameBytes = 8 * MaxUsername
	// MaxTypedUsername is the most bytes of a username before CleanUsername normalises it.
	MaxTypedUsername = 4 * maxUsernameBytes
)

// CleanUsername normalises and checks what somebody typed as a username, as CheckUsername
// does.
func CleanUsername(s string) (string, error) {
	s = normalUsername(s)
	return s, CheckUsername(s)
}

// normalUsername makes one of the ways in which the same letters are typed: wide ones,
// ligatures and letters with their marks beside them are as usual.
func normalUsername(s string) string {
	s = strings.TrimSpace(s)
	if isASCII(s) || len(s) > MaxTypedUsername {
		return s
	}
	return norm.NFKC.String(s)
}

// CheckUsername reports, as an Invalid error about the field "username", why s cannot be
// the username of anybody: it has letters, marks and digits of one script, with single - or
// _ between them, in NFKC. That it is no reserved word is another question, for there may
// be users who have had one for long.
func CheckUsername(s string) error {
	message := usernameProblem(s)
	if message == "" {
		if key := NameKey(s); key != s { // ß is two letters there
			message = usernameProblem(key)
		}
	}
	if message == "" {
		return nil
	}
	return FieldError("username", message)
}

func usernameProblem(s string) string {
	if s == "" {
		return "Choose a username."
	}
	if len(s) > maxUsernameBytes || Characters(s) < MinUsername || Characters(s) > MaxUsername {
		return fmt.Sprintf("Use %d to %d characters.", MinUsername, MaxUsername)
	}
	const characters = "Use only letters and numbers, with single - or _ in between."
	joint := true // so far there is nothing that a joint or a mark could follow
	for _, r := range s {
		switch {
		case r == '-' || r == '_':
			if joint {
				return characters
			}
			joint = true
			continue
		case unseen(r), !unicode.In(r, unicode.L, unicode.Nd, unicode.Mn, unicode.Mc),
			unicode.IsMark(r) && joint,
			// Letters of no script are signs: apostrophes, strokes, raised letters.
			unicode.IsLetter(r) && scriptOf(r) == "Common":
			return characters
		}
		joint = false
	}
	if joint || !norm.NFKC.IsNormalString(s) {
		return characters
	}
	return inOneScript(s)
}

// NameKey is what a username is unique by: case makes no difference, in any script, nor
// does the way in which the same letters are typed.
func NameKey(username string) string {
	if isASCII(username) {
		return strings.ToLower(username)
	}
	return settled(username, func(s string) string {
		return norm.NFKC.String(cases.Fold().String(norm.NFKC.String(s)))
	})
}

// settled does to a text, again and again, what makes its letters simpler, until it stays
// as it is. Mostly once is enough. Of texts that become each other, as of some scripts
// whose cases are folded to and fro, it is the first one in order.
func settled(s string, simpler func(string) string) string {
	var before []string
	for !slices.Contains(before, s) {
		before = append(before, s)
		s = simpler(s)
	}
	return slices.Min(before[slices.Index(before, s):])
}

func isASCII(s string) bool {
	for i := range len(s) {
		if s[i] >= 0x80 {
			return false
		}
	}
	return true
}

// ErrUsernameTaken says that another account holds the name.
func ErrUsernameTaken(username string) error {
	return FieldError("username", fmt.Sprintf("The username %s is taken.", username))
}

// ErrUsernameConfusable says that the name looks like one that another account holds.
func ErrUsernameConfusable(username string) error {
	return FieldError("username", fmt.Sprintf("The username %s looks too similar to another one. Choose another.", username))
}

// UserPath is the canonical address of the user of that name on this site, percent-encoded.
func UserPath(username string) string { return "/@" + url.PathEscape(username) }

// Called is a user's display name, if there is one, and username in one plain text.
func Called(username, displayName string) string {
	if displayName == "" {
		return "@" + username
	}
	return displayName + " (@" + username + ")"
}
