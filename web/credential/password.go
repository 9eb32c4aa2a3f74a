package credential

import (
	"context"
	"crypto/rand"
	"encoding/base64"
	"errors"
	"fmt"
	"net/url"
	"runtime"
	"sync/atomic"
	"time"

	"github.com/alexedwards/argon2id"
	"github.com/labstack/echo/v4"
	"golang.org/x/sync/semaphore"

	"inkfeed/domain"
	"inkfeed/web/site"
)

// What OWASP's Password Storage Cheat Sheet asks of argon2id at least.
const (
	argonMemory      = 19 * 1024 // KiB a hash
	argonIterations  = 2
	argonParallelism = 1
	argonSalt        = 16 // bytes
	argonKey         = 32 // bytes
)

// Hasher hashes passwords, and compares them with hashes.
type Hasher interface {
	// hash makes the encoded hash to store.
	Hash(ctx context.Context, password string) (string, error)
	// verify reports whether the password belongs to the hash, which is empty for a user who does not exist.
	Verify(ctx context.Context, password, hash string) (bool, error)
}

// passwords hashes and verifies. A hash costs memory and a processor on purpose,
// so only a few run at a time, on half of the processors: the rest is left to readers.
// A few more wait in line, for a moment; of a flood the others are told at once to come
// again.
type passwords struct {
	params  *argon2id.Params
	places  int
	slots   *semaphore.Weighted
	line    int64 // how many may wait, see maxHashesWaiting
	waiting atomic.Int64
	nobody  string
	compare func(password, hash string) (bool, error)
}

const (
	// MaxQueue is how many wait: as many as are done in about the time that
	// anybody waits, on a slow machine.
	MaxQueue    = 64
	maxHashWait = 5 * time.Second
)

func NewPasswords() *passwords {
	return NewPasswordsWith(&argon2id.Params{Memory: argonMemory, Iterations: argonIterations,
		Parallelism: argonParallelism, SaltLength: argonSalt, KeyLength: argonKey}, MaxQueue)
}

// NewPasswordsWith makes passwords of which at most so many wait in line.
func NewPasswordsWith(params *argon2id.Params, line int64) *passwords {
	places := max(1, runtime.GOMAXPROCS(0)/2)
	return &passwords{
		params:  params,
		line:    line,
		places:  places,
		slots:   semaphore.NewWeighted(int64(places)),
		nobody:  randomHash(params),
		compare: argon2id.ComparePasswordAndHash,
	}
}

// Hash makes the encoded hash to store.
func (p *passwords) Hash(ctx context.Context, password string) (string, error) {
	leave, err := p.enter(ctx)
	if err != nil {
		return "", err
	}
	defer leave()
	return argon2id.CreateHash(password, p.params)
}

// Verify reports whether the password belongs to the hash. An empty hash stands
// for a user who does not exist: it takes the same time, and no password fits.
func (p *passwords) Verify(ctx context.Context, password, hash string) (bool, error) {
	leave, err := p.enter(ctx)
	if err != nil {
		return false, err
	}
	defer leave()
	if hash == "" {
		_, err := p.compare(password, p.nobody)
		return false, err
	}
	return p.compare(password, hash)
}

var errManyHashes = errors.New("too many passwords wait to be hashed")

// enter waits for a place. What it returns must be called.
func (p *passwords) enter(ctx context.Context) (leave func(), err error) {
	defer p.waiting.Add(-1)
	err = errManyHashes
	if p.waiting.Add(1) <= p.line {
		ctx, cancel := context.WithTimeout(ctx, maxHashWait)
		defer cancel()
		err = p.slots.Acquire(ctx, 1)
	}
	if err != nil {
		return nil, &domain.Error{Kind: domain.Unavailable, Message: "Too many people are logging in at the moment.",
			Err: err}
	}
	begin := time.Now()
	return func() { p.leave(time.Since(begin)) }, nil
}

// leave gives up a place. While others wait it rests first, after a hash that took so long:
// in a flood hashes take a fifth of the processors, and readers have the others.
func (p *passwords) leave(took time.Duration) {
	if p.waiting.Load() == 0 {
		p.slots.Release(1)
		return
	}
	time.AfterFunc(restAfter(took, p.places, runtime.GOMAXPROCS(0)), func() { p.slots.Release(1) })
}

// restAfter is so long that as many places take a fifth of the processors.
func restAfter(took time.Duration, places, processors int) time.Duration {
	return took * time.Duration(5*places-processors) / time.Duration(processors)
}

// randomHash is the hash of a password that nobody knows, us included.
func randomHash(p *argon2id.Params) string {
	random := make([]byte, p.SaltLength+p.KeyLength)
	_, _ = rand.Read(random) // never fails
	encode := base64.RawStdEncoding.EncodeToString
	return fmt.Sprintf("$argon2id$v=19$m=%d,t=%d,p=%d$%s$%s", p.Memory, p.Iterations, p.Parallelism,
		encode(random[:p.SaltLength]), encode(random[p.SaltLength:]))
}

// CheckNewPassword calls domain.CheckNewPassword with the given names of a user and this site's
// host.
func CheckNewPassword(s *site.Site, c echo.Context, password string, names ...string) error {
	if base, err := url.Parse(s.BaseURL(c)); err == nil {
		names = append(names, base.Hostname())
	}
	return domain.CheckNewPassword(password, names...)
}

// PasswordNames returns the names that the user's password must not consist of.
func PasswordNames(u domain.User, c domain.Credentials) []string {
	return []string{u.Username, u.DisplayName, c.Email, c.PendingEmail}
}
