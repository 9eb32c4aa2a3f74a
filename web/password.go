package web

import (
	"context"
	"crypto/rand"
	"encoding/base64"
	"fmt"
	"runtime"

	"github.com/alexedwards/argon2id"
	"golang.org/x/sync/semaphore"

	"inkfeed/domain"
)

// What OWASP's Password Storage Cheat Sheet asks of argon2id at least.
const (
	argonMemory      = 19 * 1024 // KiB a hash
	argonIterations  = 2
	argonParallelism = 1
	argonSalt        = 16 // bytes
	argonKey         = 32 // bytes
)

// passwords hashes and verifies. A hash costs memory and a processor on purpose,
// so only a few run at a time: a flood of log-ins waits in line instead of
// taking both from readers.
type passwords struct {
	params *argon2id.Params
	slots  *semaphore.Weighted
	nobody string
}

func newPasswords() *passwords {
	return newPasswordsWith(&argon2id.Params{Memory: argonMemory, Iterations: argonIterations,
		Parallelism: argonParallelism, SaltLength: argonSalt, KeyLength: argonKey})
}

func newPasswordsWith(params *argon2id.Params) *passwords {
	return &passwords{
		params: params,
		slots:  semaphore.NewWeighted(int64(max(1, runtime.GOMAXPROCS(0)/2))),
		nobody: randomHash(params),
	}
}

// hash makes the encoded hash to store.
func (p *passwords) hash(ctx context.Context, password string) (string, error) {
	if err := p.enter(ctx); err != nil {
		return "", err
	}
	defer p.slots.Release(1)
	return argon2id.CreateHash(password, p.params)
}

// verify reports whether the password belongs to the hash. An empty hash stands
// for a user who does not exist: it takes the same time, and no password fits.
func (p *passwords) verify(ctx context.Context, password, hash string) (bool, error) {
	if err := p.enter(ctx); err != nil {
		return false, err
	}
	defer p.slots.Release(1)
	if hash == "" {
		_, err := argon2id.ComparePasswordAndHash(password, p.nobody)
		return false, err
	}
	return argon2id.ComparePasswordAndHash(password, hash)
}

func (p *passwords) enter(ctx context.Context) error {
	if err := p.slots.Acquire(ctx, 1); err != nil {
		return &domain.Error{Kind: domain.Unavailable, Message: "Too many people are logging in at the moment.", Err: err}
	}
	return nil
}

// randomHash is the hash of a password that nobody knows, us included.
func randomHash(p *argon2id.Params) string {
	random := make([]byte, p.SaltLength+p.KeyLength)
	_, _ = rand.Read(random) // never fails
	encode := base64.RawStdEncoding.EncodeToString
	return fmt.Sprintf("$argon2id$v=19$m=%d,t=%d,p=%d$%s$%s", p.Memory, p.Iterations, p.Parallelism,
		encode(random[:p.SaltLength]), encode(random[p.SaltLength:]))
}
