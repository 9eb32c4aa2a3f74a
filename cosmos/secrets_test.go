package cosmos

import (
	"net/http"
	"sync/atomic"
	"testing"
	"time"

	"github.com/Azure/azure-sdk-for-go/sdk/azcore/policy"

	"inkfeed/cosmos/embedded"
	"inkfeed/domain"
)

func storedSecret(t *testing.T, s *Store) domain.Secret {
	t.Helper()
	secret := domain.Secret{Kind: domain.SecretLogin, Digest: domain.SecretDigest(domain.NewID()),
		UserID: domain.NewUserID(nil), Payload: []byte("payload"), Expires: time.Now().Add(time.Hour)}
	if err := s.Secrets.Put(t.Context(), secret); err != nil {
		t.Fatal(err)
	}
	return secret
}

func wantTaken(t *testing.T, s *Store, secret domain.Secret) {
	t.Helper()
	taken, err := s.Secrets.Take(t.Context(), secret.Kind, secret.Digest)
	if err != nil || taken.UserID != secret.UserID || string(taken.Payload) != "payload" || taken.Kind != secret.Kind {
		t.Errorf("taken: %+v, %v", taken, err)
	}
}

func wantNoSecret(t *testing.T, s *Store, secret domain.Secret) {
	t.Helper()
	for name, use := range map[string]func() (domain.Secret, error){
		"Get":  func() (domain.Secret, error) { return s.Secrets.Get(t.Context(), secret.Kind, secret.Digest) },
		"Try":  func() (domain.Secret, error) { return s.Secrets.Try(t.Context(), secret.Kind, secret.Digest, 5) },
		"Take": func() (domain.Secret, error) { return s.Secrets.Take(t.Context(), secret.Kind, secret.Digest) },
	} {
		if got, err := use(); !domain.Is(err, domain.NotFound) {
			t.Errorf("%s of a taken secret: %+v, %v", name, got, err)
		}
	}
}

func TestSecretIsTakenOnceAlthoughAnAnswerIsLost(t *testing.T) {
	for name, status := range map[string]int{"the connection is cut": 0, "the gateway fails": http.StatusBadGateway} {
		t.Run("when "+name, func(t *testing.T) {
			transport := &flaky{status: status, carryOut: true}
			store := newStore(t, func(engine policy.Transporter) policy.Transporter {
				transport.Transporter = engine
				return transport
			})
			secret := storedSecret(t, store)
			transport.failures = 1
			transport.countdown.Store(1)
			wantTaken(t, store, secret)
			transport.failures = 0
			transport.countdown.Store(0)
			wantNoSecret(t, store, secret)
		})
	}
	t.Run("when another call comes after the attempt that was carried out", func(t *testing.T) {
		engine := newEngine(t, embedded.Options{})
		transport := &late{Transporter: engine}
		store := openStore(t, engine, Options{Transport: transport})
		secret := storedSecret(t, store)
		transport.landed = func() { wantNoSecret(t, store, secret) }
		transport.armed = true
		wantTaken(t, store, secret)
	})
	t.Run("when another call comes before the repeated attempt", func(t *testing.T) {
		engine := newEngine(t, embedded.Options{})
		transport := &lost{Transporter: engine}
		store := openStore(t, engine, Options{Transport: transport})
		secret := storedSecret(t, store)
		transport.meanwhile = func() { wantTaken(t, store, secret) }
		transport.armed.Store(true)
		if got, err := store.Secrets.Take(t.Context(), secret.Kind, secret.Digest); !domain.Is(err, domain.NotFound) {
			t.Errorf("taken twice: %+v, %v", got, err)
		}
	})
}

// lost is a transport that loses one write, and does something else before the write is repeated.
type lost struct {
	policy.Transporter
	armed     atomic.Bool
	meanwhile func()
}

func (l *lost) Do(r *http.Request) (*http.Response, error) {
	if r.Method == http.MethodGet || !l.armed.CompareAndSwap(true, false) {
		return l.Transporter.Do(r)
	}
	l.meanwhile()
	return nil, http.ErrServerClosed
}
