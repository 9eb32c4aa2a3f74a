package workers

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"inkfeed/domain"
)

// sign is what the settings say.
type sign struct {
	mu           sync.Mutex
	registration domain.Registration
	err          error
}

func (s *sign) Get(context.Context) (domain.Settings, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return domain.Settings{Registration: s.registration}, s.err
}

func (s *sign) say(r domain.Registration, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.registration, s.err = r, err
}

func TestRegistrationWatcher(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, stop := context.WithCancel(t.Context())
		defer stop()
		var settings sign
		var changes atomic.Int32
		door := NewRegistrationWatcher(&settings, func() { changes.Add(1) }, slog.New(slog.DiscardHandler))
		go door.Run(ctx)
		expect := func(what string, closed bool, n int32) {
			t.Helper()
			synctest.Wait()
			if door.Closed() != closed || changes.Load() != n {
				t.Errorf("%s: closed is %t, told %d times", what, door.Closed(), changes.Load())
			}
		}
		expect("at first it is open", false, 0)
		settings.say(domain.RegistrationClosed, nil)
		expect("what another process sets is not known at once", false, 0)
		time.Sleep(registrationInterval)
		expect("but soon", true, 1)
		time.Sleep(3 * registrationInterval)
		expect("and told once", true, 1)
		settings.say(domain.RegistrationByCode, nil)
		door.Wake()
		expect("who is woken looks at once, and lets in who has an invitation", false, 2)
		settings.say(domain.RegistrationClosed, errors.New("no storage"))
		time.Sleep(2 * registrationInterval)
		expect("what cannot be found out stays as it was", false, 2)
		settings.say(domain.RegistrationClosed, nil)
		time.Sleep(registrationInterval)
		expect("until it can", true, 3)
	})
}
