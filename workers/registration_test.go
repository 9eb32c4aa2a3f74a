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

// fakeSettings is a store of settings in memory.
type fakeSettings struct {
	mu           sync.Mutex
	registration domain.Registration
	err          error
}

func (s *fakeSettings) Get(context.Context) (domain.Settings, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return domain.Settings{Registration: s.registration}, s.err
}

func (s *fakeSettings) set(r domain.Registration, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.registration, s.err = r, err
}

func TestRegistrationWatcher(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, stop := context.WithCancel(t.Context())
		defer stop()
		var settings fakeSettings
		var changes atomic.Int32
		watcher := NewRegistrationWatcher(&settings, func() { changes.Add(1) }, slog.New(slog.DiscardHandler))
		go watcher.Run(ctx)
		expect := func(when string, closed bool, n int32) {
			t.Helper()
			synctest.Wait()
			if watcher.Closed() != closed || changes.Load() != n {
				t.Errorf("%s: closed is %t after %d changes", when, watcher.Closed(), changes.Load())
			}
		}
		expect("at the start", false, 0)
		settings.set(domain.RegistrationClosed, nil)
		expect("just after another process has closed registration", false, 0)
		time.Sleep(registrationInterval)
		expect("an interval later", true, 1)
		time.Sleep(3 * registrationInterval)
		expect("without a further change", true, 1)
		settings.set(domain.RegistrationByCode, nil)
		watcher.Wake()
		expect("woken after a change to registration by invitation", false, 2)
		settings.set(domain.RegistrationClosed, errors.New("no storage"))
		time.Sleep(2 * registrationInterval)
		expect("while the settings cannot be read", false, 2)
		settings.set(domain.RegistrationClosed, nil)
		time.Sleep(registrationInterval)
		expect("when they can be read again", true, 3)
	})
}
