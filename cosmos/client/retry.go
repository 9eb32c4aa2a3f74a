package client

import (
	"context"
	"errors"
	"math/rand/v2"
	"net/http"
	"time"

	"github.com/Azure/azure-sdk-for-go/sdk/azcore/policy"
	"github.com/cenkalti/backoff/v5"

	"inkfeed/domain"
)

// How often a call is made again after a passing failure, and how long the
// pauses are. The caller's deadline ends the attempts earlier.
const (
	passingAttempts = 6
	firstPause      = 20 * time.Millisecond // doubled each time
	maxChangePause  = 200 * time.Millisecond
)

// statusRetryWith is Cosmos DB's own: a write met another one of the same item.
const statusRetryWith = 449

// Retry makes a call again while its failure is a passing one. The SDK does so
// for 429 only: it marks other answers as final, also those that the service
// asks to try again. Every write of this package bears being made twice, since
// an answer may be lost after the write.
func Retry(ctx context.Context, call func() error) error {
	// The pauses are random between half of firstPause, doubled each time, and all of it.
	pauses := backoff.ExponentialBackOff{InitialInterval: firstPause * 3 / 4, RandomizationFactor: 1. / 3,
		Multiplier: 2, MaxInterval: time.Minute}
	for attempt := 1; ; attempt++ {
		err := call()
		if err == nil || attempt == passingAttempts || ctx.Err() != nil || !passing(err) {
			return err
		}
		select {
		case <-ctx.Done():
			return err
		case <-time.After(pauses.NextBackOff()):
		}
	}
}

// PauseAfter waits before the next attempt of a loop that reads an item and writes it back unless
// another writer came first. The random wait grows with the number of attempts so far, up to
// maxChangePause. The function returns the context's error if the context ends first.
func PauseAfter(ctx context.Context, attempt int) error {
	pause := min(firstPause<<min(attempt-1, 10), maxChangePause)
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(rand.N(pause)):
		return nil
	}
}

// passing reports whether a failure may be over a moment later.
func passing(err error) bool {
	if failed, ok := errors.AsType[*batchError](err); ok && failed.status == http.StatusTooManyRequests {
		return true // told inside a batch's answer, where the SDK does not look
	}
	if NoContainer(err) {
		return false
	}
	switch StatusOf(err) {
	case http.StatusRequestTimeout, http.StatusGone, statusRetryWith, http.StatusInternalServerError,
		http.StatusBadGateway, http.StatusServiceUnavailable, http.StatusGatewayTimeout:
		return true
	case 0:
		return cutConnection(err)
	}
	return false
}

// unanswered says that a request got no answer, or only a part of one.
type unanswered struct{ err error }

func (e *unanswered) Error() string { return e.err.Error() }
func (e *unanswered) Unwrap() error { return e.err }

// delivery is the pipeline policy next to the transport. Whatever fails there is a
// matter of the connection: its errors are of many types, those of HTTP/2 private
// to net/http, so they are told by where they come from.
type delivery struct{}

func (delivery) Do(r *policy.Request) (*http.Response, error) {
	resp, err := r.Next()
	if err != nil {
		err = &unanswered{err}
	}
	return resp, err
}

// cutConnection reports whether there was no answer, or only a part of one.
func cutConnection(err error) bool {
	_, cut := errors.AsType[*unanswered](err)
	return cut
}

// Returning is retry for a call that returns something.
func Returning[T any](ctx context.Context, call func() (T, error)) (T, error) {
	var value T
	err := Retry(ctx, func() (err error) {
		value, err = call()
		return err
	})
	return value, err
}

// RewriteAttempts bounds how often a copy is compared anew because it changed.
const RewriteAttempts = 20

// UpToDate reads a source of which there is a copy of that version already. A replica
// may answer that has not heard of it yet, so an earlier state counts only when it is
// still there after some time: then no version of the source has given the copy.
func UpToDate[T any](ctx context.Context, version int, read func(context.Context) (T, error), versionOf func(T) int) (T, error) {
	pauses := backoff.ExponentialBackOff{InitialInterval: firstPause, Multiplier: 2, MaxInterval: time.Minute}
	for attempt := 1; ; attempt++ {
		source, err := read(ctx)
		if err != nil || versionOf(source) >= version || attempt == passingAttempts {
			return source, err
		}
		select {
		case <-ctx.Done():
			return source, ctx.Err()
		case <-time.After(pauses.NextBackOff()):
		}
	}
}

// Misshapen tells an answer that cannot be decoded from a call that failed.
func Misshapen(err error) bool {
	return err != nil && StatusOf(err) == 0 && KindOf(err) == domain.Internal
}
