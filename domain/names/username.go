// Package names holds the rules for usernames, display names and slugs. It recognises reserved names and names
// that look alike. Its functions return what is wrong with a name as text; package domain makes form errors of it.
package names

import (
	"fmt"
	"net/url"
	"slices"
	"strings"
	"unicode"

	"golang.org/x/text/cases"
	"golang.org/x/text/unicode/norm"

	"inkfeed/domain/plaintext"
)

// Limits of a username, in characters.
const (
	MinUsername = 2
	MaxUsername = 30
	// maxUsernameBytes bounds what is heaped on characters. It is far from what the
	// database takes as an id, also of what the name is unique by.
	maxUsernameBytes = 8 * MaxUsername
	// MaxTypedUsername is the most bytes of a username before NormalUsername changes it.
	MaxTypedUsername = 4 * maxUsernameBytes
)

// NormalUsername trims white space and applies NFKC, so that wide letters, ligatures and letters with
// separate marks are written in one way.
func NormalUsername(s string) string {
	s = strings.TrimSpace(s)
	if IsASCII(s) || len(s) > MaxTypedUsername {
		return s
	}
	return norm.NFKC.String(s)
}

// UsernameProblem returns why s cannot be a username, or "" if it can. A username consists of letters,
// marks and digits of one script, with single - or _ between them, in NFKC. Whether it is a reserved word
// is a separate question, because older accounts may have reserved names: see IsReserved.
func UsernameProblem(s string) string {
	problem := usernameProblem(s)
	if problem == "" {
		if key := NameKey(s); key != s { // ß is two letters there
			problem = usernameProblem(key)
		}
	}
	return problem
}

func usernameProblem(s string) string {
	if s == "" {
		return "Choose a username."
	}
	if len(s) > maxUsernameBytes || plaintext.Characters(s) < MinUsername || plaintext.Characters(s) > MaxUsername {
		return fmt.Sprintf("Use %d to %d characters for your username.", MinUsername, MaxUsername)
	}
	const characters = "Use letters and numbers only in your username, with single - or _ in between."
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
	if IsASCII(username) {
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

func IsASCII(s string) bool {
	for i := range len(s) {
		if s[i] >= 0x80 {
			return false
		}
	}
	return true
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
