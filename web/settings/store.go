package settings

import (
	"context"
	"io"
	"time"

	"inkfeed/domain"
	"inkfeed/web/credential"
	"inkfeed/web/exporting"
	"inkfeed/web/site"
)

// Store is the storage that the settings use. Errors are of the kinds of package domain.
type Store struct {
	Users            site.Users
	Usernames        Usernames
	Profiles         Profiles
	Blocks           Blocks
	Follows          Follows
	Credentials      Credentials
	EmailAddresses   EmailAddresses
	AccountDeletions AccountDeletions
	Export           exporting.Export
	Files            Files
	Imports          Imports
}

// Usernames renames users.
type Usernames interface {
	// Rename changes a username. It fails with Invalid about "username" if the name is taken.
	Rename(ctx context.Context, userID, username string) (domain.User, error)
}

// Profiles stores what users choose for themselves.
type Profiles interface {
	// SetDisplayName changes a display name.
	SetDisplayName(ctx context.Context, userID, displayName string) (domain.User, error)
	// SetLanguage changes the language of the interface for a user.
	SetLanguage(ctx context.Context, userID, code string) error
	// SetProfile changes what a user says about themselves and their blog.
	SetProfile(ctx context.Context, userID string, p domain.Profile) error
	// SetHeader makes a picture the header of the user's page; the zero value removes the header. It fails with Invalid
	// about "picture" if the user has no such picture.
	SetHeader(ctx context.Context, userID string, header domain.Cover) error
	// SetAvatar sets the name of the user's avatar, empty for none. It fails with Conflict if that picture was deleted
	// because another was chosen at the same time.
	SetAvatar(ctx context.Context, userID, name string) error
}

// Blocks stores which users a user has blocked.
type Blocks interface {
	// Block blocks a user for another. It fails with Invalid if they are the same, and with NotFound if there is no
	// such user. Repeating it changes nothing.
	Block(ctx context.Context, userID, blockedID string, now time.Time) error
	// Unblock undoes Block. Repeating it changes nothing.
	Unblock(ctx context.Context, userID, blockedID string) error
	// List returns a page of the users whom a user has blocked, the latest first.
	List(ctx context.Context, userID string, page int) (domain.ListPage[domain.Block], error)
}

// Follows reads what users follow.
type Follows interface {
	// All returns all that a user follows, the latest first.
	All(ctx context.Context, userID string) ([]domain.Follow, error)
}

// Credentials stores the credentials of users, and ends their sessions.
type Credentials interface {
	credential.Credentials
	// PasswordHash returns the hash of a user's password, empty if the user has none.
	PasswordHash(ctx context.Context, userID string) (string, error)
	// EndSessions ends all sessions of a user, and the log-ins that wait for a second factor, on behalf of one of the
	// sessions. To keep that session, the caller raises its version by one. Repeating the call changes nothing. It
	// fails with NotFound if that session has ended.
	EndSessions(ctx context.Context, current domain.Session) error
}

// EmailAddresses stores the verified addresses of users.
type EmailAddresses interface {
	// Verify sets a user's verified address and returns the former verified one. It fails with Invalid about
	// "email" if another account has the address, and with Conflict if the credentials have changed since they were
	// read. It stores the deliveries that the change causes in the same transaction.
	Verify(ctx context.Context, read domain.Credentials, email string, outgoing ...domain.Delivery) (former string,
		err error)
	// Remove removes a user's address and returns the former verified one. It fails with Conflict, and stores
	// deliveries, like Verify.
	Remove(ctx context.Context, read domain.Credentials, outgoing ...domain.Delivery) (former string, err error)
}

// AccountDeletions deletes accounts.
type AccountDeletions interface {
	// Delete deletes an account, and in the background everything that the user wrote. It changes nothing if the
	// account is already deleted, and fails with Conflict if the site would have no administrator.
	Delete(ctx context.Context, userID string) error
	// ScheduleDeletion schedules the deletion of an account. A deletion that is already scheduled keeps its time.
	// Otherwise, the deliveries that the change causes are stored in the same transaction.
	ScheduleDeletion(ctx context.Context, userID string, at time.Time, outgoing ...domain.Delivery) (domain.User, error)
	// CancelDeletion cancels a scheduled deletion, and clears the problem of one that failed. It fails with NotFound
	// if the account is deleted. If a deletion was scheduled, the deliveries that the change causes are stored in the
	// same transaction.
	CancelDeletion(ctx context.Context, userID string, outgoing ...domain.Delivery) error
}

// Files stores uploaded exports.
type Files interface {
	// PutStream stores an uploaded file. It returns an error of r unchanged.
	PutStream(ctx context.Context, name string, r io.Reader) error
	// Delete deletes a file.
	Delete(ctx context.Context, name string) error
}

// Imports stores the imports that users make in the browser. An instance, perhaps this one, works on them in the
// background.
type Imports interface {
	// Get returns a user's job. It fails with NotFound if the user has never imported anything.
	Get(ctx context.Context, userID string) (domain.ImportJob, error)
	// Put replaces the version of a job that its ETag names, or creates the job if the ETag is empty. It fails with
	// Conflict if the stored job has another version.
	Put(ctx context.Context, j domain.ImportJob) (domain.ImportJob, error)
	// PutEntry adds an entry for a job, so that an instance looks at it.
	PutEntry(ctx context.Context, j domain.ImportJob) error
	// Entries lists the entries of all users.
	Entries(ctx context.Context) ([]domain.ImportEntry, error)
}
