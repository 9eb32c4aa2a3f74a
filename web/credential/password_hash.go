package credential

import "context"

// HashPassword makes the hash that Users.Create takes, for accounts that no
// form makes. It takes tens of milliseconds, on purpose.
func HashPassword(ctx context.Context, password string) (string, error) {
	return NewPasswords().Hash(ctx, password)
}
