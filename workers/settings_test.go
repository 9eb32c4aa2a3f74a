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
	"inkfeed/workers/loop"
)

// fakeSettings is a store of settings in memory.
type fakeSettings struct {
	mu       sync.Mutex
	settings domain.Settings
	err      error
}

func (s *fakeSettings) Get(context.Context) (domain.Settings, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.settings, s.err
}

func (s *fakeSettings) set(r domain.Registration, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.err = err; r != s.settings.Registration {
		s.settings.Registration = r
		s.settings.Version++
	}
}

func TestSettingsWatcher(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, stop := context.WithCancel(t.Context())
		defer stop()
		var settings fakeSettings
		var changes atomic.Int32
		watcher := NewSettingsWatcher(&settings, func() { changes.Add(1) }, nil, slog.New(slog.DiscardHandler))
		closed := func() bool { return watcher.Current().Registration == domain.RegistrationClosed }
		go watcher.Run(ctx)
		expect := func(when string, want bool, n int32) {
			t.Helper()
			synctest.Wait()
			if closed() != want || changes.Load() != n {
				t.Errorf("%s: closed is %t after %d changes", when, closed(), changes.Load())
			}
		}
		expect("at the start", false, 0)
		settings.set(domain.RegistrationClosed, nil)
		expect("just after another process has closed registration", false, 0)
		time.Sleep(watchInterval)
		expect("an interval later", true, 1)
		time.Sleep(3 * watchInterval)
		expect("without a further change", true, 1)
		settings.set(domain.RegistrationByCode, nil)
		watcher.Wake()
		expect("woken after a change to registration by invitation", false, 2)
		older := *watcher.Current()
		older.Version--
		watcher.Apply(older)
		expect("after an older state is applied", false, 2)
		settings.set(domain.RegistrationClosed, errors.New("no storage"))
		time.Sleep(2 * watchInterval)
		expect("while the settings cannot be read", false, 2)
		settings.set(domain.RegistrationClosed, nil)
		time.Sleep(watchInterval)
		expect("when they can be read again", true, 3)
		watcher.Apply(domain.Settings{Version: watcher.Current().Version + 1})
		expect("after this process has written a change", false, 4)
	})
}

func TestSettingsOfARestoredBackupAreTakenOverAfterAMinute(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, stop := context.WithCancel(t.Context())
		defer stop()
		settings := &fakeSettings{settings: domain.Settings{Version: 7, Registration: domain.RegistrationClosed}}
		watcher := NewSettingsWatcher(settings, func() {}, nil, slog.New(slog.DiscardHandler))
		go watcher.Run(ctx)
		synctest.Wait()
		settings.mu.Lock()
		settings.settings = domain.Settings{Version: 3, Registration: domain.RegistrationByCode}
		settings.mu.Unlock()
		time.Sleep(loop.RestoredAfter - time.Second)
		if watcher.Current().Version != 7 {
			t.Error("the watcher takes a replica that lags for a restored backup")
		}
		time.Sleep(2 * watchInterval)
		if got := watcher.Current(); got.Version != 3 || got.Registration != domain.RegistrationByCode {
			t.Errorf("a minute later the settings are %+v", got)
		}
	})
}
