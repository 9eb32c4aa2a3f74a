package domain

import (
	"fmt"
	"strings"
	"time"

	"inkfeed/domain/names"
	"inkfeed/domain/plaintext"
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
	bio = strings.TrimSpace(plaintext.Clean(bio))
	if bio == "" {
		return "", nil
	}
	if message := checkText("The text", bio, MaxBio); message != "" {
		return bio, FieldError("bio", message)
	}
	return bio, nil
}

// Untested tells whether the account is younger than that, and nobody has vouched for it.
func (u User) Untested(than time.Duration, now time.Time) bool {
	return !u.Trusted && !u.Role.MayModerate() && now.Before(u.Created.Add(than))
}

// CleanUsername normalises a username and checks it as CheckUsername does.
func CleanUsername(s string) (string, error) {
	s = names.NormalUsername(s)
	return s, CheckUsername(s)
}

// CheckUsername returns an Invalid error about the field "username" if s cannot be a username.
// It accepts reserved words: see CheckReserved.
func CheckUsername(s string) error {
	if problem := names.UsernameProblem(s); problem != "" {
		return FieldError("username", problem)
	}
	return nil
}

// CheckReserved returns an Invalid error about the field "username" if a new name is, or looks like, a
// reserved word.
func CheckReserved(username string) error {
	if names.IsReserved(username) {
		return FieldError("username", fmt.Sprintf("The username %s is reserved. Choose another.", username))
	}
	return nil
}

// ErrUsernameTaken is the error for a username that another account has.
func ErrUsernameTaken(username string) error {
	return FieldError("username", fmt.Sprintf("The username %s is taken.", username))
}

// ErrUsernameConfusable is the error for a username that looks like that of another account.
func ErrUsernameConfusable(username string) error {
	return FieldError("username",
		fmt.Sprintf("The username %s looks too similar to another one. Choose another.", username))
}

// CleanDisplayName validates and normalises a display name. Its error is Invalid, about the field
// "displayName". The name may be empty.
func CleanDisplayName(name string) (string, error) {
	name, problem := names.DisplayName(name)
	if problem != "" {
		return name, FieldError("displayName", problem)
	}
	return name, nil
}
