package credential

import (
	"cmp"
	"context"
	"crypto/rand"
	"encoding/base64"
	"errors"
	"fmt"
	"net/url"
	"runtime"
	"time"

	"github.com/alexedwards/argon2id"
	"github.com/labstack/echo/v4"
	"golang.org/x/sync/semaphore"

	"inkfeed/domain"
	"inkfeed/domain/locale"
	"inkfeed/domain/throttle"
	"inkfeed/web/site"
)

// The minimum parameters of argon2id in OWASP's Password Storage Cheat Sheet.
const (
	argonMemory      = 19 * 1024 // KiB for a hash
	argonIterations  = 2
	argonParallelism = 1
	argonSalt        = 16 // bytes
	argonKey         = 32 // bytes
)

// Hasher hashes passwords and compares them with hashes.
type Hasher interface {
	// Hash returns the encoded hash to store.
	Hash(ctx context.Context, password string) (string, error)
	// Verify reports whether the password belongs to the hash. The hash is empty for a user who
	// does not exist.
	Verify(ctx context.Context, password, hash string) (bool, error)
}

// hasher implements Hasher with argon2id. A hash uses much memory and processor time on purpose. So
// only a few run at a time, on half of the processors, and the other half serves readers. A few
// more requests wait in a queue, and the rest fail at once with Unavailable.
type hasher struct {
	throttle   *throttle.Throttle
	params     *argon2id.Params
	places     int
	slots      *semaphore.Weighted
	gate       *semaphore.Weighted // bounds the hashes that are not preferred, with their rests
	maxWaiting int64               // see MaxHashQueue
	queue      queue
	dummyHash  string
	compare    func(password, hash string) (bool, error)
}

const (
	// MaxHashQueue is the number of places in the queue for a hash, and that of the places for preferred requests. A
	// slow machine hashes about as many passwords in maxHashWait.
	MaxHashQueue = 64
	maxHashWait  = 5 * time.Second
)

// NewHasher returns a hasher with the production parameters. It works in turns of the throttle, which may be nil.
func NewHasher(throttle *throttle.Throttle) *hasher {
	return NewHasherWith(throttle, &argon2id.Params{Memory: argonMemory, Iterations: argonIterations,
		Parallelism: argonParallelism, SaltLength: argonSalt, KeyLength: argonKey}, MaxHashQueue)
}

// NewHasherWith returns a hasher with these parameters, for which at most maxWaiting requests wait.
func NewHasherWith(throttle *throttle.Throttle, params *argon2id.Params, maxWaiting int64) *hasher {
	places := max(1, runtime.GOMAXPROCS(0)/2)
	return &hasher{
		throttle:   throttle,
		params:     params,
		maxWaiting: maxWaiting,
		places:     places,
		slots:      semaphore.NewWeighted(int64(places)),
		gate:       semaphore.NewWeighted(int64(places)),
		queue:      queue{counts: make(map[string]int64)},
		dummyHash:  randomHash(params),
		compare:    argon2id.ComparePasswordAndHash,
	}
}

// Hash returns the encoded hash to store.
func (p *hasher) Hash(ctx context.Context, password string) (string, error) {
	leave, err := p.enter(ctx)
	if err != nil {
		return "", err
	}
	defer leave()
	hash, err := argon2id.CreateHash(password, p.params)
	if err != nil {
		return "", fmt.Errorf("hash a password: %w", err)
	}
	return hash, nil
}

// Verify reports whether the password belongs to the hash. An empty hash stands for a user who does
// not exist: the comparison takes the same time and fails.
func (p *hasher) Verify(ctx context.Context, password, hash string) (bool, error) {
	leave, err := p.enter(ctx)
	if err != nil {
		return false, err
	}
	defer leave()
	match, err := p.compare(password, cmp.Or(hash, p.dummyHash))
	if err != nil {
		return false, fmt.Errorf("compare a password with its hash: %w", err)
	}
	return match && hash != "", nil
}

var errManyHashes = errors.New("too many requests wait for a password hash")

// enter waits for a slot, and then for a turn. The caller must call leave.
func (p *hasher) enter(ctx context.Context) (leave func(), err error) {
	preferred, waiting, quit := p.queue.join(ctx, p.maxWaiting)
	defer quit()
	var turn *throttle.Turn
	err = errManyHashes
	if waiting <= p.maxWaiting {
		ctx, cancel := context.WithTimeout(ctx, maxHashWait)
		defer cancel()
		if err = p.acquire(ctx, preferred); err == nil {
			if turn, err = p.throttle.Begin(ctx); err != nil {
				p.leave(preferred, 0)
			}
		}
	}
	if err != nil {
		return nil, &domain.Error{Kind: domain.Unavailable, Err: err,
			Message: locale.M("Too many people are logging in at the moment. Please try again in a few seconds.")}
	}
	begin := time.Now()
	return func() {
		turn.End()
		p.leave(preferred, time.Since(begin))
	}, nil
}

// acquire waits for a slot. Requests that are not preferred wait at the gate first, so that no such request is before a
// preferred one in the queue of the slots.
func (p *hasher) acquire(ctx context.Context, preferred bool) error {
	if !preferred {
		if err := p.gate.Acquire(ctx, 1); err != nil {
			return err
		}
	}
	err := p.slots.Acquire(ctx, 1)
	if err != nil && !preferred {
		p.gate.Release(1)
	}
	return err
}

// leave releases a slot. While other requests wait, the slot first rests in proportion to the time
// that the hash took. So under overload, hashes use a fifth of the processors. After a hash that is not preferred, the
// gate rests instead, and a preferred request can have the slot at once.
func (p *hasher) leave(preferred bool, took time.Duration) {
	rests := p.slots
	if !preferred {
		p.slots.Release(1)
		rests = p.gate
	}
	if p.queue.isEmpty() {
		rests.Release(1)
		return
	}
	time.AfterFunc(restAfter(took, p.places, runtime.GOMAXPROCS(0)), func() { rests.Release(1) })
}

// restAfter returns the rest after which this many places use a fifth of the processors.
func restAfter(took time.Duration, places, processors int) time.Duration {
	return took * time.Duration(5*places-processors) / time.Duration(processors)
}

// randomHash returns the hash of an unknown password.
func randomHash(p *argon2id.Params) string {
	random := make([]byte, p.SaltLength+p.KeyLength)
	_, _ = rand.Read(random) // never fails
	encode := base64.RawStdEncoding.EncodeToString
	return fmt.Sprintf("$argon2id$v=19$m=%d,t=%d,p=%d$%s$%s", p.Memory, p.Iterations, p.Parallelism,
		encode(random[:p.SaltLength]), encode(random[p.SaltLength:]))
}

// CheckNewPassword calls domain.CheckNewPassword with the given names of a user, and this site's name
// and host.
func CheckNewPassword(s *site.Site, c echo.Context, password string, names ...string) error {
	names = append(names, s.Info().Name)
	if base, err := url.Parse(s.BaseURL(c)); err == nil {
		names = append(names, base.Hostname())
	}
	return domain.CheckNewPassword(password, names...)
}

// PasswordNames returns the names that the user's password must not consist of.
func PasswordNames(u domain.User, c domain.Credentials) []string {
	return []string{u.Username, u.DisplayName, c.Email, c.PendingEmail}
}
