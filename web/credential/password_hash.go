package credential

import "context"

// HashPassword hashes a password for accounts that are not created by a form. It takes tens of
// milliseconds on purpose.
func HashPassword(ctx context.Context, password string) (string, error) {
	return NewHasher(nil).Hash(ctx, password)
}
