package domain

import (
	"bytes"
	"crypto/rand"
	"crypto/sha512"
	"fmt"
	"io"
	"strings"
	"time"
)

// idAlphabet omits letters that are easily confused. It is lower case for readable addresses.
const idAlphabet = "abcdefghijkmnpqrstuvwxyz23456789"

// idLength characters of five bits make 130 bits, which cannot be guessed and do not collide.
const idLength = 26

// NewID returns an unguessable id that can be used in addresses and as a partition key.
func NewID() string { return newID(rand.Reader) }

// NewIDFrom is NewID with the randomness of r, for reproducible data. It panics if r fails.
func NewIDFrom(r io.Reader) string { return newID(r) }

func newID(r io.Reader) string {
	var raw [idLength]byte
	if _, err := io.ReadFull(r, raw[:]); err != nil {
		panic("domain: no randomness: " + err.Error())
	}
	for i, b := range raw {
		raw[i] = idAlphabet[int(b)%len(idAlphabet)]
	}
	return string(raw[:])
}

// userIDPrefix distinguishes user ids from usernames. Both are partition keys of the container users, and a username
// cannot contain a dot.
const userIDPrefix = "u."

// NewUserID returns a new user id with the randomness of r. If r is nil, it uses the system's randomness.
func NewUserID(r io.Reader) string {
	if r == nil {
		r = rand.Reader
	}
	return userIDPrefix + newID(r)
}

// IsUserID reports whether s has the form of a user id, as opposed to a
// username.
func IsUserID(s string) bool {
	rest, ok := strings.CutPrefix(s, userIDPrefix)
	return ok && IsID(rest)
}

// AttemptID returns the id for something that a user submits by a form. A form contains a random attempt id. The same
// text submitted twice from the same form, for example by a double click, gets the same id and is stored once.
// Without a valid attempt id the result is always new.
func AttemptID(attempt, authorID string, text ...string) string {
	if !IsID(attempt) {
		return NewID()
	}
	return derivedID(append([]string{attempt, authorID}, text...)...)
}

// derivedID returns an id that is a one-way function of some texts.
func derivedID(parts ...string) string {
	sum := sha512.New()
	for _, part := range parts {
		fmt.Fprintf(sum, "%d:%s", len(part), part)
	}
	return newID(bytes.NewReader(sum.Sum(nil)))
}

// Timestamp rounds a time down to the stored precision: whole milliseconds in UTC.
func Timestamp(t time.Time) time.Time { return t.UTC().Truncate(time.Millisecond) }

// IsID reports whether s has the form of an id from NewID. Other strings need no lookup.
func IsID(s string) bool {
	return len(s) == idLength && strings.Trim(s, idAlphabet) == ""
}

// A static page is a post of the site. It has an id of its own form, so that no feature for posts, such as comments or
// likes, takes it for one.

// pageIDPrefix distinguishes the ids of static pages from those of posts.
const pageIDPrefix = "p."

// SiteUserID is the author of all static pages. It has the form of neither a user's id nor a username, and there is no
// such user. So the pages do not depend on the account of an administrator.
const SiteUserID = "system.site"

// SiteUser returns the author of all static pages.
func SiteUser() User { return User{ID: SiteUserID, Role: RoleAdministrator, Trusted: true} }

// NewPageID returns an id for a new static page.
func NewPageID() string { return pageIDPrefix + NewID() }

// IsPageID reports whether s has the form of an id of a static page.
func IsPageID(s string) bool {
	rest, ok := strings.CutPrefix(s, pageIDPrefix)
	return ok && IsID(rest)
}

// IsTextID reports whether s has the form of an id of a post or of a static page.
func IsTextID(s string) bool { return IsID(s) || IsPageID(s) }

// IsOwnerID reports whether s may own posts or static pages and their drafts.
func IsOwnerID(s string) bool { return IsUserID(s) || s == SiteUserID }

// IsPage reports whether the post is a static page.
func (p Post) IsPage() bool { return IsPageID(p.ID) }

// AttemptTextID is AttemptID for the id of another text in place of a post or of a static page. The result is of the
// same form.
func AttemptTextID(postID, authorID string, text ...string) string {
	if rest, ok := strings.CutPrefix(postID, pageIDPrefix); ok {
		return pageIDPrefix + AttemptID(rest, authorID, text...)
	}
	return AttemptID(postID, authorID, text...)
}

// NewTextID returns a new id of the same form as that of a post or of a static page.
func NewTextID(like string) string {
	if IsPageID(like) {
		return NewPageID()
	}
	return NewID()
}
