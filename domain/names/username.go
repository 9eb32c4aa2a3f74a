// Package names holds the rules for usernames, display names and slugs. It recognises reserved names and names
// that look alike. Its functions return what is wrong with a name as messages; package domain makes form errors of it.
package names

import (
	"net/url"
	"slices"
	"strings"
	"unicode"

	"golang.org/x/text/cases"
	"golang.org/x/text/unicode/norm"

	"inkfeed/domain/locale"
	"inkfeed/domain/plaintext"
)

// Limits of a username, in characters and bytes.
const (
	MinUsername = 2
	MaxUsername = 30
	// maxUsernameBytes limits combining marks. It is far below the maximum length of an id in the database, also for
	// the username's key.
	maxUsernameBytes = 8 * MaxUsername
	// MaxTypedUsername is the maximum length of a username in bytes before NormalUsername changes it.
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

// UsernameProblem returns why s cannot be a username, or an empty message if it can. A username consists of letters,
// marks and digits of one script, with single - or _ between them, in NFKC. It may be a reserved name, because older
// accounts may have one: see IsReserved.
func UsernameProblem(s string) locale.Message {
	problem := usernameProblem(s)
	if problem.IsZero() {
		if key := NameKey(s); key != s { // the key writes ß as two letters
			problem = usernameProblem(key)
		}
	}
	return problem
}

func usernameProblem(s string) locale.Message {
	if s == "" {
		return locale.M("Choose a username.")
	}
	if len(s) > maxUsernameBytes || plaintext.Characters(s) < MinUsername || plaintext.Characters(s) > MaxUsername {
		return locale.M("Use {min} to {n} characters for your username.", "min", MinUsername, "n", MaxUsername)
	}
	characters := locale.M("Use letters and numbers only in your username, with single - or _ in between.")
	if strings.ContainsFunc(s, unicode.IsSpace) {
		return locale.M("A username has no spaces. Use letters and numbers, with single - or _ in between.")
	}
	joint := true // no joint or mark may come first
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
			// Letters of the script Common are symbols: apostrophes, strokes, raised letters.
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

// NameKey returns the key by which usernames are unique: see Fold.
func NameKey(username string) string { return Fold(username) }

// FormerNameKey returns the NameKey of releases that told i, ı and İ apart. A name stays reserved under this key, too.
// So users whose names have become equal keep them, and an earlier release finds the users of this one.
func FormerNameKey(username string) string {
	if IsASCII(username) {
		return strings.ToLower(username)
	}
	return settled(username, func(s string) string {
		return norm.NFKC.String(cases.Fold().String(norm.NFKC.String(s)))
	})
}

// NameKeys returns the keys under which a username is reserved and found, the most exact first.
func NameKeys(username string) []string {
	return slices.Compact([]string{FormerNameKey(username), NameKey(username)})
}

// settled applies a function to a text until the result no longer changes. Usually one application is enough. If the
// results form a cycle, as case folding does for some scripts, it returns the smallest text of the cycle.
func settled(s string, simpler func(string) string) string {
	var before []string
	for !slices.Contains(before, s) {
		before = append(before, s)
		s = simpler(s)
	}
	return slices.Min(before[slices.Index(before, s):])
}

// IsASCII reports whether a text has only ASCII characters.
func IsASCII(s string) bool {
	for i := range len(s) {
		if s[i] >= 0x80 {
			return false
		}
	}
	return true
}

// UserPath returns the canonical address of a user's page on this site, percent-encoded.
func UserPath(username string) string { return "/@" + url.PathEscape(username) }

// Called returns a user's display name and username as one plain text.
func Called(username, displayName string) string {
	if displayName == "" {
		return "@" + username
	}
	return displayName + " (@" + username + ")"
}
