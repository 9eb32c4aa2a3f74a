package credential

import (
	"context"
	"runtime"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/alexedwards/argon2id"

	"inkfeed/domain"
)

// quickPasswords returns a hasher with cheap parameters.
func quickPasswords() *hasher {
	return NewHasherWith(nil,
		&argon2id.Params{Memory: 64, Iterations: 1, Parallelism: 1, SaltLength: 16, KeyLength: 32}, MaxHashQueue)
}

func TestAFloodOfLogInsIsRefusedAtOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := quickPasswords()
		places := max(1, runtime.GOMAXPROCS(0)/2)
		if err := p.slots.Acquire(t.Context(), int64(places)); err != nil { // as slow hashes would
			t.Fatal(err)
		}
		var line sync.WaitGroup
		errs := make(chan error, MaxHashQueue)
		for range MaxHashQueue {
			line.Go(func() {
				_, err := p.Verify(t.Context(), "password", "")
				errs <- err
			})
		}
		synctest.Wait()
		begin := time.Now()
		for range 100 {
			if _, err := p.Hash(t.Context(), "password"); !domain.Is(err, domain.Unavailable) {
				t.Fatalf("the queue is full, but the error is %v", err)
			}
		}
		if waited := time.Since(begin); waited != 0 { // by the clock of the bubble
			t.Errorf("refused log-ins waited %s", waited)
		}
		line.Wait()
		if waited := time.Since(begin); waited != maxHashWait {
			t.Errorf("queued log-ins waited %s", waited)
		}
		for range MaxHashQueue {
			if err := <-errs; !domain.Is(err, domain.Unavailable) {
				t.Errorf("a queued log-in ended with %v", err)
			}
		}
		p.slots.Release(int64(places))
		if _, err := p.Verify(t.Context(), "password", ""); err != nil {
			t.Errorf("after the flood: %v", err)
		}
	})
}

func TestACancelledLogInLeavesTheQueue(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := quickPasswords()
		places := int64(max(1, runtime.GOMAXPROCS(0)/2))
		_ = p.slots.Acquire(t.Context(), places)
		ctx, leave := context.WithCancel(t.Context())
		var line sync.WaitGroup
		for range MaxHashQueue {
			line.Go(func() { _, _ = p.Verify(ctx, "password", "") })
		}
		synctest.Wait()
		leave()
		line.Wait()
		done := make(chan error)
		go func() {
			_, err := p.Verify(t.Context(), "password", "")
			done <- err
		}()
		synctest.Wait()
		p.slots.Release(places)
		if err := <-done; err != nil {
			t.Error(err)
		}
	})
}

// The number of parallel hashes bounds their processors and memory.
func TestHashesLeaveHalfOfTheProcessors(t *testing.T) {
	p := quickPasswords()
	places := max(1, runtime.GOMAXPROCS(0)/2)
	var mu sync.Mutex
	running, most := 0, 0
	p.compare = func(string, string) (bool, error) {
		mu.Lock()
		running++
		most = max(most, running)
		mu.Unlock()
		runtime.Gosched()
		mu.Lock()
		running--
		mu.Unlock()
		return false, nil
	}
	var all sync.WaitGroup
	for range MaxHashQueue {
		all.Go(func() { _, _ = p.Verify(t.Context(), "password", "") })
	}
	all.Wait()
	if most > places {
		t.Errorf("%d hashes ran at a time, want at most %d", most, places)
	}
}

func TestHashesTakeAFifthOfTheProcessorsInAFlood(t *testing.T) {
	for processors := 1; processors <= 64; processors++ {
		places := max(1, processors/2)
		const took = time.Second
		busy := float64(places) * float64(took) /
			float64(took+restAfter(took, places, processors)) / float64(processors)
		if busy < 0.19 || busy > 0.21 {
			t.Errorf("hashes keep %.2f of %d processors busy", busy, processors)
		}
	}
	synctest.Test(t, func(t *testing.T) {
		p := quickPasswords()
		p.compare = func(string, string) (bool, error) {
			time.Sleep(10 * time.Millisecond)
			return false, nil
		}
		begin := time.Now()
		_, _ = p.Verify(t.Context(), "password", "")
		_, _ = p.Verify(t.Context(), "password", "") // the queue is empty, so there is no rest
		if took := time.Since(begin); took != 20*time.Millisecond {
			t.Errorf("two hashes in sequence took %s", took)
		}
		var line sync.WaitGroup
		begin = time.Now()
		for range 3 * p.places {
			line.Go(func() { _, _ = p.Verify(t.Context(), "password", "") })
		}
		line.Wait()
		rest := restAfter(10*time.Millisecond, p.places, runtime.GOMAXPROCS(0))
		if took := time.Since(begin); took < 30*time.Millisecond+rest {
			t.Errorf("three rounds of hashes took %s, with rests of %s", took, rest)
		}
		time.Sleep(time.Second) // until the last rest is over
	})
}

// An unknown user must cost as much time as a known one, since the time of a response would otherwise tell them apart.
// Both compare the password with a hash of the same parameters.
func TestAnUnknownUserCostsAHashOfTheSameParameters(t *testing.T) {
	p := NewHasher(nil)
	stored, err := p.Hash(t.Context(), "correct horse")
	if err != nil {
		t.Fatal(err)
	}
	var compared []argon2id.Params
	p.compare = func(password, hash string) (bool, error) {
		params, _, _, err := argon2id.DecodeHash(hash)
		if err != nil {
			return false, err
		}
		compared = append(compared, *params)
		return argon2id.ComparePasswordAndHash(password, hash)
	}
	for _, hash := range []string{stored, ""} {
		if ok, err := p.Verify(t.Context(), "wrong horse", hash); ok || err != nil {
			t.Errorf("a wrong password: %t, %v", ok, err)
		}
	}
	if len(compared) != 2 || compared[0] != compared[1] {
		t.Errorf("the parameters are %+v", compared)
	}
}
