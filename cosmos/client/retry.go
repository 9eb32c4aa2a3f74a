package client

import (
	"context"
	"errors"
	"net/http"
	"time"

	"github.com/Azure/azure-sdk-for-go/sdk/azcore/policy"
	"github.com/cenkalti/backoff/v5"

	"inkfeed/cosmos/trust"
	"inkfeed/domain"
)

// Number of attempts after transient failures, and the pauses between them. The caller's deadline
// ends the attempts earlier.
const (
	transientAttempts = 6
	firstPause        = 20 * time.Millisecond // doubled each time
)

// statusRetryWith is a status of Cosmos DB: a write ran at the same time as another one of the same
// item.
const statusRetryWith = 449

// Retry repeats a call while it fails with a transient error. The SDK itself repeats only calls that
// were answered with 429. Calls must tolerate being made twice, because an answer may be lost after
// the write.
func Retry(ctx context.Context, call func() error) error {
	// The pauses are random between half of firstPause, doubled each time, and all of it.
	pauses := backoff.ExponentialBackOff{InitialInterval: firstPause * 3 / 4, RandomizationFactor: 1. / 3,
		Multiplier: 2, MaxInterval: time.Minute}
	for attempt := 1; ; attempt++ {
		err := call()
		if err == nil || attempt == transientAttempts || ctx.Err() != nil || !transient(err) {
			return err
		}
		select {
		case <-ctx.Done():
			return err
		case <-time.After(pauses.NextBackOff()):
		}
	}
}

// transient reports whether a repeated call may succeed.
func transient(err error) bool {
	if failed, ok := errors.AsType[*batchError](err); ok && failed.status == http.StatusTooManyRequests {
		return true // the status of an operation in a batch, which the SDK ignores
	}
	if NoContainer(err) {
		return false
	}
	switch StatusOf(err) {
	case http.StatusRequestTimeout, http.StatusGone, statusRetryWith, http.StatusInternalServerError,
		http.StatusBadGateway, http.StatusServiceUnavailable, http.StatusGatewayTimeout:
		return true
	case 0:
		_, untrusted := errors.AsType[*trust.UntrustedError](err)
		return cutConnection(err) && !untrusted
	}
	return false
}

// unansweredError is the error of a request that got no answer, or only part of one.
type unansweredError struct{ err error }

func (e *unansweredError) Error() string { return e.err.Error() }
func (e *unansweredError) Unwrap() error { return e.err }

// deliveryErrors is the pipeline policy next to the transport. It marks each error of the transport as
// an unansweredError. Connection errors have many types, some private to net/http, so they cannot be
// recognised by type.
type deliveryErrors struct{}

func (deliveryErrors) Do(r *policy.Request) (*http.Response, error) {
	resp, err := r.Next()
	if err != nil {
		err = &unansweredError{err}
	}
	return resp, err
}

// cutConnection reports whether a request got no answer, or only part of one.
func cutConnection(err error) bool {
	_, cut := errors.AsType[*unansweredError](err)
	return cut
}

// Returning repeats a call as [Retry] does, and returns the call's value.
func Returning[T any](ctx context.Context, call func() (T, error)) (T, error) {
	var value T
	err := Retry(ctx, func() (err error) {
		value, err = call()
		return err
	})
	return value, err
}

// UpToDate reads a source that has a copy of the given version. A replica that lags behind may
// answer with an earlier version, so UpToDate repeats the read for some time. If the version is
// still earlier then, the copy has a version that the source never had.
func UpToDate[T any](ctx context.Context, version int, read func(context.Context) (T, error),
	versionOf func(T) int) (T, error) {
	pauses := backoff.ExponentialBackOff{InitialInterval: firstPause, Multiplier: 2, MaxInterval: time.Minute}
	for attempt := 1; ; attempt++ {
		source, err := read(ctx)
		if err != nil || versionOf(source) >= version || attempt == transientAttempts {
			return source, err
		}
		select {
		case <-ctx.Done():
			return source, ctx.Err()
		case <-time.After(pauses.NextBackOff()):
		}
	}
}

// Undecodable reports whether a call succeeded but the item in its answer could not be decoded.
func Undecodable(err error) bool {
	return err != nil && StatusOf(err) == 0 && KindOf(err) == domain.Internal
}
