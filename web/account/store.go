package account

import (
	"context"

	"inkfeed/domain"
	"inkfeed/web/credential"
	"inkfeed/web/site"
)

// Store is the storage that signing up and logging in use. Errors are of the kinds of package domain.
type Store struct {
	Users          Users
	Accounts       Accounts
	Usernames      Usernames
	Credentials    credential.Credentials
	EmailAddresses EmailAddresses
	Settings       Settings
	Invitations    Invitations
	Audit          site.AuditLog
}

// Users finds users.
type Users interface {
	// Account returns a user, also a suspended one.
	Account(ctx context.Context, userID string) (domain.User, error)
	// AccountByName returns the user with this username, also a suspended one.
	AccountByName(ctx context.Context, username string) (domain.User, error)
}

// Accounts creates accounts.
type Accounts interface {
	// SignUp stores a new user. It fails with Invalid about "username" if the name is taken. The first user becomes an
	// administrator.
	SignUp(ctx context.Context, u domain.User, credentials domain.Credentials) (domain.User, error)
}

// Usernames knows which usernames are taken.
type Usernames interface {
	// CheckAvailable fails with Invalid about "username" if the username is taken or looks like a taken one.
	CheckAvailable(ctx context.Context, username string) error
}

// EmailAddresses stores the verified addresses of users.
type EmailAddresses interface {
	// Owner returns the user who has verified an address, also a suspended one.
	Owner(ctx context.Context, email string) (domain.User, error)
}

// Settings reads the settings of the whole site.
type Settings interface {
	// Get returns the settings.
	Get(ctx context.Context) (domain.Settings, error)
}

// Invitations counts the uses of invitations.
type Invitations interface {
	// Check fails with Invalid about "invitation" if the code cannot be used.
	Check(ctx context.Context, code string) error
	// UsedBy returns the invitation that the user has signed up with. It fails with NotFound or Invalid if there is
	// none.
	UsedBy(ctx context.Context, code, userID string) (domain.Invitation, error)
	// Use reserves a use of a code for a new account. It fails like Check.
	Use(ctx context.Context, code, userID string) error
	// Settle records that the account for which Use was called exists.
	Settle(ctx context.Context, code, userID string) error
	// GiveBack undoes Use, unless an account with this id exists.
	GiveBack(ctx context.Context, code, userID string) error
}
