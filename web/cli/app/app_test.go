package app

import (
	"context"
	"errors"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

func TestStoppingServerIsNotReady(t *testing.T) {
	serving, stop := context.WithCancel(t.Context())
	failure := errors.New("no data")
	if err := readyUntil(serving, func(context.Context) error { return failure })(t.Context()); err != failure {
		t.Errorf("without data: error %v, want %v", err, failure)
	}
	ready := readyUntil(serving, func(context.Context) error { return nil })
	if err := ready(t.Context()); err != nil {
		t.Errorf("before the stop: %v", err)
	}
	stop()
	if ready(t.Context()) == nil {
		t.Error("the server is ready after the stop")
	}
}

func TestRequestsShareTheCheckOfTheData(t *testing.T) {
	failure := errors.New("no data")
	t.Run("one check answers all requests of two seconds", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			checks, answer := 0, error(nil)
			ready := shared(func(context.Context) error { checks++; return answer })
			for range 20 { // two seconds
				if err := ready(t.Context()); err != nil {
					t.Errorf("error %v", err)
				}
				time.Sleep(checkValid / 20)
			}
			if checks != 1 {
				t.Errorf("%d checks, want 1", checks)
			}
			answer = failure
			if err := ready(t.Context()); err != failure || checks != 2 {
				t.Errorf("later: error %v after %d checks", err, checks)
			}
			if err := ready(t.Context()); err != failure || checks != 2 {
				t.Errorf("then: error %v after %d checks", err, checks)
			}
		})
	})
	t.Run("a request that ends does not end the check of the others", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			checks := 0
			ready := shared(func(ctx context.Context) error {
				checks++
				select {
				case <-time.After(time.Second):
					return nil
				case <-ctx.Done():
					return ctx.Err()
				}
			})
			impatient, cancel := context.WithTimeout(t.Context(), time.Second/2)
			defer cancel()
			var requests sync.WaitGroup
			requests.Go(func() {
				if ready(impatient) == nil {
					t.Error("the request that ended got an answer")
				}
			})
			synctest.Wait()
			for range 3 {
				requests.Go(func() {
					if err := ready(t.Context()); err != nil {
						t.Errorf("error %v", err)
					}
				})
			}
			requests.Wait()
			if checks != 1 {
				t.Errorf("%d checks, want 1", checks)
			}
		})
	})
}
