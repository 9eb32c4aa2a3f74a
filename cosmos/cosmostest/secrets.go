package cosmostest

import (
	"crypto/rand"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"inkfeed/domain"
)

func (s *suite) mustSecret(t *testing.T, expires time.Time) domain.Secret {
	t.Helper()
	secret := domain.Secret{Kind: domain.SecretLogin, Digest: domain.SecretDigest(rand.Text()),
		UserID:  domain.NewUserID(nil),
		Payload: []byte{0, 255}, Expires: domain.Timestamp(expires)}
	check(t, s.Secrets.Put(t.Context(), secret))
	return secret
}

func (s *suite) secrets(t *testing.T) {
	soon := time.Now().Add(time.Hour)
	t.Run("is taken once", func(t *testing.T) {
		secret := s.mustSecret(t, soon)
		check(t, s.Secrets.Put(t.Context(), secret)) // an answer was lost
		for _, read := range []domain.Secret{must[domain.Secret](t)(s.Secrets.Get(t.Context(), secret.Kind,
			secret.Digest)),
			must[domain.Secret](t)(s.Secrets.Take(t.Context(), secret.Kind, secret.Digest))} {
			if read.UserID != secret.UserID || string(read.Payload) != string(secret.Payload) ||
				!read.Expires.Equal(secret.Expires) {
				t.Errorf("got %+v, want %+v", read, secret)
			}
		}
		_, err := s.Secrets.Take(t.Context(), secret.Kind, secret.Digest)
		wantKind(t, err, domain.NotFound)
	})
	t.Run("is given to one of many at once", func(t *testing.T) {
		secret := s.mustSecret(t, soon)
		var group sync.WaitGroup
		var taken atomic.Int32
		for range 8 {
			group.Go(func() {
				if _, err := s.Secrets.Take(t.Context(), secret.Kind, secret.Digest); err == nil {
					taken.Add(1)
				} else if !domain.Is(err, domain.NotFound) {
					t.Error(err)
				}
			})
		}
		group.Wait()
		if taken.Load() != 1 {
			t.Errorf("%d took it", taken.Load())
		}
	})
	t.Run("of another kind, of the past or of nobody is not there", func(t *testing.T) {
		secret, past := s.mustSecret(t, soon), s.mustSecret(t, time.Now().Add(-time.Second))
		for _, not := range []domain.Secret{{Kind: domain.SecretReset, Digest: secret.Digest}, past,
			{Kind: domain.SecretLogin, Digest: domain.SecretDigest("nobody's")},
			{Kind: domain.SecretLogin, Digest: ""}} {
			_, err := s.Secrets.Get(t.Context(), not.Kind, not.Digest)
			wantKind(t, err, domain.NotFound)
			_, err = s.Secrets.Try(t.Context(), not.Kind, not.Digest, 5)
			wantKind(t, err, domain.NotFound)
			_, err = s.Secrets.Take(t.Context(), not.Kind, not.Digest)
			wantKind(t, err, domain.NotFound)
		}
	})
	t.Run("bears so many tries, by many at once too", func(t *testing.T) {
		secret := s.mustSecret(t, soon)
		var group sync.WaitGroup
		var given atomic.Int32
		for range 8 {
			group.Go(func() {
				if _, err := s.Secrets.Try(t.Context(), secret.Kind, secret.Digest, 5); err == nil {
					given.Add(1)
				} else if !domain.Is(err, domain.NotFound) {
					t.Error(err)
				}
			})
		}
		group.Wait()
		if given.Load() != 5 {
			t.Errorf("%d tries, want 5", given.Load())
		}
		// What was tried often enough is there for who has it taken: who counts decides.
		must[domain.Secret](t)(s.Secrets.Take(t.Context(), secret.Kind, secret.Digest))
	})
}
