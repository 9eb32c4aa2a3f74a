package domain

import (
	"fmt"
	"regexp"
	"strings"
	"time"
)

// Limits of a user's own data, in characters.
const (
	MinUsername = 2
	MaxUsername = 30
	MinPassword = 8
	MaxPassword = 200 // bounds what hashing costs
)

// User is an account as everybody may know it: its password is not here.
type User struct {
	ID       string
	Username string
	Created  time.Time
	// NameVersion counts the usernames this user has had. The copies of the name
	// on posts, comments and likes are current up to SpreadVersion; while it is
	// behind, the users projector has a rename to spread.
	NameVersion   int
	SpreadVersion int
	// Deleted is when the user deleted the account, zero: never. What is left of a
	// deleted user is a marker for the workers.
	Deleted time.Time
	// Erased says of a deleted user that everything the user wrote is gone, and the
	// usernames are free.
	Erased bool
}

// Author is what items that carry a user's name are compared with.
type Author struct {
	Name    string
	Deleted bool // the account: what it wrote is to go
}

// NewUser makes the user of a sign-up. The error names each bad field.
func NewUser(username string, now time.Time) (User, error) {
	username = strings.TrimSpace(username)
	if err := CheckUsername(username); err != nil {
		return User{}, err
	}
	return User{ID: NewUserID(nil), Username: username, Created: Timestamp(now),
		NameVersion: 1, SpreadVersion: 1}, nil
}

var usernamePattern = regexp.MustCompile(`^[A-Za-z0-9]+([_-][A-Za-z0-9]+)*$`)

// CheckUsername reports, as an Invalid error about the field "username", why s
// cannot be a username.
func CheckUsername(s string) error {
	switch {
	case s == "":
		return FieldError("username", "Choose a username.")
	case len(s) < MinUsername || len(s) > MaxUsername:
		return FieldError("username", fmt.Sprintf("A username has %d to %d characters.", MinUsername, MaxUsername))
	case !usernamePattern.MatchString(s):
		return FieldError("username", "Use letters a to z, digits, and single - or _ between them.")
	}
	return nil
}

// CheckPassword reports, as an Invalid error about the field "password", why s
// cannot be a password.
func CheckPassword(s string) error {
	switch n := Characters(s); {
	case n < MinPassword:
		return FieldError("password", fmt.Sprintf("A password has at least %d characters.", MinPassword))
	case n > MaxPassword || len(s) > bytesPerCharacter*MaxPassword:
		return FieldError("password", fmt.Sprintf("A password has at most %d characters.", MaxPassword))
	}
	return nil
}

// NameKey is what a username is unique by: letters of both cases are the same.
func NameKey(username string) string { return strings.ToLower(username) }

// ErrUsernameTaken says that another account holds the name.
func ErrUsernameTaken(username string) error {
	return FieldError("username", fmt.Sprintf("The username %s is taken.", username))
}

// JoinErrors merges Invalid errors into one that names all their fields. Any
// error of another kind is returned alone.
func JoinErrors(errs ...error) error {
	fields := fieldErrors{}
	for _, err := range errs {
		if err == nil {
			continue
		}
		e, ok := err.(*Error)
		if !ok || e.Kind != Invalid {
			return err
		}
		for name, message := range e.Fields {
			fields.add(name, message)
		}
	}
	return fields.err()
}
