package credential

import (
	"context"

	"inkfeed/domain"
)

// Store is the storage of credentials and secrets. Errors are of the kinds of package domain.
type Store struct {
	Credentials Credentials
	Secrets     Secrets
}

// Credentials stores the credentials of users.
type Credentials interface {
	// Get returns the credentials of a user.
	Get(ctx context.Context, userID string) (domain.Credentials, error)
	// Set fails with Conflict if the credentials have changed since they were read. It stores the deliveries that the
	// change causes in the same transaction.
	Set(ctx context.Context, c domain.Credentials, outgoing ...domain.Delivery) (domain.Credentials, error)
}

// Secrets stores the secrets that a browser or a mail brings back once. The storage has only their digests. Expired
// secrets are NotFound.
type Secrets interface {
	// Put stores a secret.
	Put(ctx context.Context, secret domain.Secret) error
	// Get returns a secret and keeps it.
	Get(ctx context.Context, kind domain.SecretKind, digest string) (domain.Secret, error)
	// Try counts an attempt and returns the secret. It fails with NotFound after the given number of attempts.
	Try(ctx context.Context, kind domain.SecretKind, digest string, most int) (domain.Secret, error)
	// Take returns a secret, and no later call finds it, so that it is used only once.
	Take(ctx context.Context, kind domain.SecretKind, digest string) (domain.Secret, error)
}
