package domain

import (
	"strings"
	"time"

	"inkfeed/domain/locale"
	"inkfeed/domain/names"
	"inkfeed/domain/plaintext"
)

// Limits of a user's profile and password, in characters.
const (
	MaxBio      = 1000
	MinPassword = 8
	MaxPassword = 200 // limits the time of hashing
)

// User is the public part of an account. Its credentials are stored separately.
type User struct {
	ID       string
	Username string
	Created  time.Time
	Role     Role
	// DisplayName is the name that is shown beside the username, or empty.
	DisplayName string
	Bio         string // Markdown, at most MaxBio characters
	Language    string // of the interface for this user, as the code of a locale; empty: as the browser asks
	Avatar      string // the name of one of the user's images, or empty
	// The number and size of the user's images, including the avatar. They count towards ImageQuota. See PictureCount.
	ImageCount int
	ImageBytes int64
	// NameVersion counts the user's changes of username, display name and avatar. The copies of these on posts,
	// comments and likes are current up to PropagatedVersion. While it is lower, the users projector has a change to
	// propagate.
	NameVersion       int
	PropagatedVersion int
	// SessionVersion is the lowest version of a session that is still valid: see Session.EndedFor.
	SessionVersion int
	// Trusted reports that a moderator has approved a text of the user. The user's texts are no longer held for
	// review: see package screening.
	Trusted bool
	// Suspended is when a moderator suspended the account, or zero. A suspended user and their texts are hidden from
	// everyone but moderators.
	Suspended    time.Time
	SuspendedFor string // the reason, which the user and moderators can read
	// ScheduledDeletion is when the account will be deleted at the user's request, or zero.
	ScheduledDeletion time.Time
	// DeletionProblem is why the scheduled deletion failed. It is kept until the user has seen it.
	DeletionProblem locale.Stored
	// Notifications is the number of all notifications that the user has received, including expired ones, and
	// NotificationsSeen the number of those that the user has seen.
	Notifications, NotificationsSeen int
	// Sample reports that the account belongs to the sample data.
	Sample bool
	// Unsettled reports that the list of administrators may not reflect the account's current role yet. The users
	// projector updates it.
	Unsettled bool
	// Deleted is when the user deleted the account, or zero. A deleted user is a marker for the workers.
	Deleted time.Time
	// Erased reports that everything that a deleted user wrote has been deleted, and that the usernames are available
	// again.
	Erased bool
}

// UnseenNotifications returns the number of notifications that the user has not seen yet.
func (u User) UnseenNotifications() int { return max(0, u.Notifications-u.NotificationsSeen) }

// Author is the current state of a user, with which the copies of the user's names and avatar are compared.
type Author struct {
	Name        string // the username
	DisplayName string // see User
	Avatar      string // see User
	Deleted     bool   // the account was deleted, so the user's texts must be deleted
	Suspended   bool   // the user's texts must be hidden
}

// NewUser returns the user for a registration. The error names each invalid field.
func NewUser(username string, now time.Time) (User, error) {
	username, err := CleanUsername(username)
	if err == nil {
		err = CheckReserved(username)
	}
	if err != nil {
		return User{}, err
	}
	return User{ID: NewUserID(nil), Username: username, Created: Timestamp(now),
		NameVersion: 1, PropagatedVersion: 1}, nil
}

// CleanBio validates and normalises a user's self-description, which may be empty. The error is Invalid, about the
// field "bio".
func CleanBio(bio string) (string, error) {
	bio = strings.TrimSpace(plaintext.Clean(bio))
	if bio == "" {
		return "", nil
	}
	if message := checkText(bodyTexts, bio, MaxBio); !message.IsZero() {
		return bio, FieldMessage("bio", message)
	}
	return bio, nil
}

// PictureCount returns the number of the user's pictures as lists show them: all images except the avatar.
func (u User) PictureCount() int {
	if u.Avatar != "" {
		return max(0, u.ImageCount-1)
	}
	return u.ImageCount
}

// Untrusted reports whether the account is younger than the given age and no moderator trusts it yet.
func (u User) Untrusted(than time.Duration, now time.Time) bool {
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
	if problem := names.UsernameProblem(s); !problem.IsZero() {
		return FieldMessage("username", problem)
	}
	return nil
}

// CheckReserved returns an Invalid error about the field "username" if a new name is, or looks like, a
// reserved word.
func CheckReserved(username string) error {
	if names.IsReserved(username) {
		return FieldError("username", "The username {name} is reserved. Choose another.", "name", username)
	}
	return nil
}

// ErrUsernameTaken is the error for a username that another account has.
func ErrUsernameTaken(username string) error {
	return FieldError("username", "The username {name} is taken.", "name", username)
}

// ErrUsernameConfusable is the error for a username that looks like that of another account.
func ErrUsernameConfusable(username string) error {
	return FieldError("username",
		"The username {name} looks too similar to another one. Choose another.", "name", username)
}

// CleanDisplayName validates and normalises a display name. Its error is Invalid, about the field
// "displayName". The name may be empty.
func CleanDisplayName(name string) (string, error) {
	name, problem := names.DisplayName(name)
	if !problem.IsZero() {
		return name, FieldMessage("displayName", problem)
	}
	return name, nil
}

// Role is a user's level of permissions. Each role includes the permissions of the roles before it.
type Role string

const (
	RoleReader        Role = "reader"        // can comment, like and bookmark posts
	RoleAuthor        Role = ""              // can write posts; the default
	RoleModerator     Role = "moderator"     // see Role.MayModerate
	RoleAdministrator Role = "administrator" // see Role.MayAdminister
)

// Roles returns all roles, from the fewest permissions to the most.
func Roles() []Role { return []Role{RoleReader, RoleAuthor, RoleModerator, RoleAdministrator} }

// String returns the role's name, as people type it.
func (r Role) String() string {
	if r == RoleAuthor {
		return "author"
	}
	return string(r)
}

// Label is the role in words: the noun for a user who has it.
func (r Role) Label() locale.Message {
	switch r {
	case RoleReader:
		return locale.M("reader|role")
	case RoleAuthor:
		return locale.M("author|role")
	case RoleModerator:
		return locale.M("moderator|role")
	}
	return locale.M("administrator|role")
}

// ParseRole returns the role with a name. The error is Invalid, about the field "role".
func ParseRole(name string) (Role, error) {
	for _, r := range Roles() {
		if r.String() == name {
			return r, nil
		}
	}
	return "", FieldError("role", "Choose a role: reader, author, moderator or administrator.")
}

// MayWrite reports whether users with the role may publish posts.
func (r Role) MayWrite() bool { return r != RoleReader }

// MayModerate reports whether users with the role may moderate other users' texts.
func (r Role) MayModerate() bool { return r == RoleModerator || r == RoleAdministrator }

// MayAdminister reports whether users with the role may manage accounts and the site.
func (r Role) MayAdminister() bool { return r == RoleAdministrator }

// BlocksPerPage is the number of blocked users on a page.
const BlocksPerPage = 50

// Block records that a user accepts no comments and likes from another user on their posts. There is at most one per
// pair of users.
type Block struct {
	UserID    string // the user who blocks
	BlockedID string
	Created   time.Time
	// Blocked is the blocked user's current data. It is zero if the account is deleted or suspended.
	Blocked User
}

// ErrBlocked is the error for a user whom a post's author has blocked.
func ErrBlocked(author string) error {
	return NewError(Forbidden, "You can't like or comment on posts by {author}.", "author", "@"+author)
}
