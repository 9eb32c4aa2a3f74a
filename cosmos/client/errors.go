package client

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"github.com/Azure/azure-sdk-for-go/sdk/azcore"
	"github.com/Azure/azure-sdk-for-go/sdk/azcore/runtime"

	"inkfeed/cosmos/identity"
	"inkfeed/domain"
	"inkfeed/domain/locale"
)

// StatusOf returns the HTTP status of a failed SDK call, and 0 for other errors. All storage code
// that depends on a status uses StatusOf.
//
// A 404 from StatusOf means that the item does not exist. The service also answers 404 when a
// replica has not caught up with the session token, and when the container does not exist. Neither
// says anything about the item, so StatusOf returns 503 for both; see behindSession and
// [NoContainer].
//
// A 403 from StatusOf means that the account refuses the server: because of its key, its role or the firewall. The
// service also answers 403 to a write for which its logical partition has no room. StatusOf then returns 413.
func StatusOf(err error) int {
	if behindSession(err) || notFound(err) && substatusOf(err) == substatusOwnerNotFound {
		return http.StatusServiceUnavailable
	}
	status := 0
	if e, ok := errors.AsType[*azcore.ResponseError](err); ok {
		status = e.StatusCode
	} else if e, ok := errors.AsType[*batchError](err); ok {
		status = e.status
	}
	if status == http.StatusForbidden && IsPartitionFull(err) {
		return http.StatusRequestEntityTooLarge
	}
	return status
}

// Substatuses that change the meaning of a 404. With a 410, 1002 means something else.
const (
	SubstatusReadSessionNotAvailable = "1002"
	substatusOwnerNotFound           = "1003"
)

// substatusPartitionFull is the substatus of a 403 if a logical partition has reached its limit of 20 GB.
const substatusPartitionFull = "1014"

func notFound(err error) bool {
	e, ok := errors.AsType[*azcore.ResponseError](err)
	return ok && e.StatusCode == http.StatusNotFound
}

// behindSession reports whether a replica refused a request because it has not caught up with the
// request's session token. Another replica, or the same one a moment later, can answer.
func behindSession(err error) bool {
	return notFound(err) && substatusOf(err) == SubstatusReadSessionNotAvailable
}

// NoContainer reports whether a query, or the read of a container or database, failed because
// that container or database does not exist. It must not be used for requests about one item.
func NoContainer(err error) bool { return notFound(err) && !behindSession(err) }

// Translate converts a storage error to a domain error with the kind of [KindOf]. It returns domain
// errors unchanged. The exported methods of the stores call it once, after they have handled the
// statuses that have a special meaning for them.
func Translate(err error) error {
	if err == nil {
		return nil
	}
	if _, ok := errors.AsType[*domain.Error](err); ok {
		return err
	}
	e := &domain.Error{Kind: KindOf(err), Err: &callError{err}}
	if e.Kind == domain.TooLarge && IsPartitionFull(err) {
		e.Message = locale.M("There is no room left to store this. Please contact this site's administrator.")
	}
	return e
}

// callError shortens the SDK's error from about ten lines to one, without the ids of items.
type callError struct{ err error }

func (e *callError) Unwrap() error { return e.err }

func (e *callError) Error() string {
	if unanswered, ok := errors.AsType[*url.Error](e.err); ok { // its text has the whole address
		place := "an address"
		if u, err := url.Parse(unanswered.URL); err == nil {
			place = u.Host + withoutItem(u.Path)
		}
		return fmt.Sprintf("cosmos: %s %s: %v", unanswered.Op, place, unanswered.Err)
	}
	failed, ok := errors.AsType[*azcore.ResponseError](e.err)
	if !ok || failed.RawResponse == nil || failed.RawResponse.Request == nil {
		return "cosmos: " + e.err.Error()
	}
	request := failed.RawResponse.Request
	text := fmt.Sprintf("cosmos: %s %s: %s", request.Method, withoutItem(request.URL.Path), failed.RawResponse.Status)
	if failed.StatusCode == http.StatusForbidden { // the reason is in the substatus
		text += ", substatus " + cmp.Or(substatusOf(e.err), "0")
	}
	if id := failed.RawResponse.Header.Get("x-ms-activity-id"); id != "" {
		text += ", activity " + id
	}
	return text
}

// withoutItem returns a resource path without the id of an item, which can be a name or a secret: errors are logged.
func withoutItem(path string) string {
	const items = "/docs/"
	if at := strings.Index(path, items); at >= 0 && ContainerOf(path) != "" {
		return path[:at+len(items)] + "…"
	}
	return path
}

// KindOf returns the kind of domain error that a storage error stands for.
func KindOf(err error) domain.Kind {
	switch StatusOf(err) {
	case http.StatusNotFound:
		return domain.NotFound
	case http.StatusConflict, http.StatusPreconditionFailed:
		return domain.Conflict
	case http.StatusRequestEntityTooLarge:
		return domain.TooLarge
	case http.StatusUnauthorized, http.StatusForbidden, // because of the key, a role or the firewall
		http.StatusRequestTimeout, http.StatusTooManyRequests, http.StatusGone,
		statusRetryWith, http.StatusInternalServerError, http.StatusBadGateway,
		http.StatusServiceUnavailable, http.StatusGatewayTimeout:
		return domain.Unavailable
	case 0:
		if _, tokenless := errors.AsType[*identity.TokenError](err); tokenless {
			return domain.Unavailable
		}
		if cutConnection(err) || errors.Is(err, context.DeadlineExceeded) || errors.Is(err, context.Canceled) {
			return domain.Unavailable
		}
	}
	return domain.Internal
}

// Missing reports whether a call failed because the item does not exist.
func Missing(err error) bool { return StatusOf(err) == http.StatusNotFound }

// ConditionFailed reports whether a write failed because its condition was not met, such as an unchanged ETag.
func ConditionFailed(err error) bool { return StatusOf(err) == http.StatusPreconditionFailed }

func substatusOf(err error) string {
	if e, ok := errors.AsType[*azcore.ResponseError](err); ok && e.RawResponse != nil {
		return e.RawResponse.Header.Get("x-ms-substatus")
	}
	if e, ok := errors.AsType[*batchError](err); ok {
		return e.substatus
	}
	return ""
}

// substatusOfOperation returns the substatus of an operation of a batch. It is in the operation's result, which the SDK
// does not decode completely, and may be in the header of the response, too.
func substatusOfOperation(resp *http.Response, operation int) string {
	var results []struct {
		Substatus int `json:"subStatusCode"`
	}
	body, err := runtime.Payload(resp) // the SDK has kept it
	if err == nil && json.Unmarshal(body, &results) == nil && operation < len(results) &&
		results[operation].Substatus != 0 {
		return strconv.Itoa(results[operation].Substatus)
	}
	return resp.Header.Get("x-ms-substatus")
}

// IsPartitionFull reports whether a write was refused because its logical partition has reached its limit of 20 GB.
func IsPartitionFull(err error) bool { return substatusOf(err) == substatusPartitionFull }

// batchError reports the operation that made a transactional batch fail. The service has written
// nothing of the batch.
type batchError struct {
	operation int // its index in the batch
	status    int
	substatus string
}

func (e *batchError) Error() string {
	return fmt.Sprintf("transactional batch: operation %d: %d %s, substatus %s", e.operation, e.status,
		http.StatusText(e.status), cmp.Or(e.substatus, "0"))
}

// LostRace reports whether a conditional write failed because another writer came first: the item
// now exists, has another version, or is gone.
func LostRace(err error) bool {
	switch StatusOf(err) {
	case http.StatusConflict, http.StatusPreconditionFailed, http.StatusNotFound:
		return true
	}
	return false
}

// IsFailedBatch reports whether a batch failed because one of its operations failed.
func IsFailedBatch(err error) bool {
	_, ok := errors.AsType[*batchError](err)
	return ok
}

// FailedBatch reports whether a batch failed because any of its operations failed with the status.
func FailedBatch(err error, status int) bool { return IsFailedBatch(err) && StatusOf(err) == status }

// FailedOperation returns the index, counted from 0, of the operation that made a batch fail. It returns -1 for any
// other error.
func FailedOperation(err error) int {
	if e, ok := errors.AsType[*batchError](err); ok {
		return e.operation
	}
	return -1
}

// FailedAt reports whether a batch failed because the operation with that index, counted from 0,
// failed with the status.
func FailedAt(err error, operation, status int) bool {
	return FailedOperation(err) == operation && FailedBatch(err, status)
}

// UnlessGone returns nil for an error that means that an item is gone or has changed, and err
// otherwise.
func UnlessGone(err error) error {
	if kind := KindOf(err); kind == domain.NotFound || kind == domain.Conflict {
		return nil
	}
	return err
}
