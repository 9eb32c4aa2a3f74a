package domain

import (
	"fmt"
	"strings"
	"time"
)

// Limits of a user's own data, in characters.
const (
	MaxBio      = 1000
	MinPassword = 8
	MaxPassword = 200 // bounds what hashing costs
)

// User is an account as everybody may know it: its password is not here.
type User struct {
	ID       string
	Username string
	Created  time.Time
	Role     Role
	// DisplayName is the name in full, of any letters, empty: the username.
	DisplayName string
	Bio         string // Markdown, at most MaxBio characters
	Avatar      string // the name of an image of the user's, empty: none
	// What the user's pictures take of the ImageQuota, the avatar included.
	ImageCount int
	ImageBytes int64
	// NameVersion counts the names, of both kinds, this user has had. Their copies on
	// posts, comments and likes are current up to SpreadVersion; while it is behind, the
	// users projector has a rename to spread.
	NameVersion   int
	SpreadVersion int
	// SessionVersion is the lowest version of a session that is still valid: see Session.EndedFor.
	SessionVersion int
	// Trusted says that a moderator has approved something of the user's: nothing waits
	// for a review any more, see Screening.
	Trusted bool
	// Suspended is when a moderator suspended the account, zero: it is not. Nobody but
	// moderators finds a suspended user, nor what the user wrote.
	Suspended    time.Time
	SuspendedFor string // the reason, for the user and the moderators
	// ScheduledDeletion is when the account will be deleted, as the user has asked; zero: never.
	ScheduledDeletion time.Time
	// DeletionProblem is why the scheduled deletion failed, until the user has seen it.
	DeletionProblem string
	// Sample says that the account is of the sample data, and no person's.
	Sample bool
	// Unsettled says that the list of administrators may not know yet what the account has
	// become: the users projector sees to it.
	Unsettled bool
	// Deleted is when the user deleted the account, zero: never. What is left of a
	// deleted user is a marker for the workers.
	Deleted time.Time
	// Erased says of a deleted user that everything the user wrote is gone, and the
	// usernames are free.
	Erased bool
}

// Author is what items that carry a user's name are compared with.
type Author struct {
	Name        string // the username
	DisplayName string // see User
	Deleted     bool   // the account: what it wrote is to go
	Suspended   bool   // what the user wrote is to be hidden
}

// NewUser makes the user of a sign-up. The error names each bad field.
func NewUser(username string, now time.Time) (User, error) {
	username, err := CleanUsername(username)
	if err == nil {
		err = CheckReserved(username)
	}
	if err != nil {
		return User{}, err
	}
	return User{ID: NewUserID(nil), Username: username, Created: Timestamp(now),
		NameVersion: 1, SpreadVersion: 1}, nil
}

// CleanBio validates and normalises what a user says of themselves, as an Invalid error
// about the field "bio". It may be empty.
func CleanBio(bio string) (string, error) {
	bio = strings.TrimSpace(cleanText(bio))
	if bio == "" {
		return "", nil
	}
	if message := checkText("The text", bio, MaxBio); message != "" {
		return bio, FieldError("bio", message)
	}
	return bio, nil
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
