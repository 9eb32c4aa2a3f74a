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

// idAlphabet has no letters that are easily mistaken for another, and is lower
// case so that an id reads well in an address.
const idAlphabet = "abcdefghijkmnpqrstuvwxyz23456789"

// idLength times five bits: 130 bits, beyond guessing and beyond collision.
const idLength = 26

// NewID makes an unguessable id, usable as it is in an address and as a
// partition key.
func NewID() string { return newID(rand.Reader) }

// NewIDFrom is NewID with the randomness of r, for data that must come out the
// same twice. It panics when r fails, as crypto/rand does.
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

// userIDPrefix keeps user ids and usernames apart: both are partition keys of
// the users container, and a username cannot contain a dot.
const userIDPrefix = "u."

// NewUserID makes the id of a user, from the randomness of r (nil: the
// system's).
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

// AttemptID is the id of something that an author sends by a form. The form bears
// an attempt, an id of its own: the same text sent twice by it, as a double click
// does, gets the same id and so is there once. Without an attempt every sending
// is new.
func AttemptID(attempt, authorID string, text ...string) string {
	if !IsID(attempt) {
		return NewID()
	}
	return derivedID(append([]string{attempt, authorID}, text...)...)
}

// derivedID is an id that follows from texts, and from which they do not follow.
func derivedID(parts ...string) string {
	sum := sha512.New()
	for _, part := range parts {
		fmt.Fprintf(sum, "%d:%s", len(part), part)
	}
	return newID(bytes.NewReader(sum.Sum(nil)))
}

// Timestamp rounds a time to what is stored: UTC, whole milliseconds.
func Timestamp(t time.Time) time.Time { return t.UTC().Truncate(time.Millisecond) }

// IsID reports whether s has the form of an id made by NewID. What does not is
// no id of anything, and need not be looked up.
func IsID(s string) bool {
	return len(s) == idLength && strings.Trim(s, idAlphabet) == ""
}
