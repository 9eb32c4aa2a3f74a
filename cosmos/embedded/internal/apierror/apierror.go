// Package apierror defines the error responses of the protocol, with the service's status and
// substatus codes and messages.
package apierror

import (
	"errors"
	"fmt"
	"net/http"

	"inkfeed/cosmos/embedded/internal/charge"
	"inkfeed/cosmos/embedded/internal/query"
	"inkfeed/cosmos/embedded/internal/value"
)

// Substatus codes, which the service sends in the header x-ms-substatus.
const (
	SubNone            = 0
	SubKeyMismatch     = 1001
	SubRangeGone       = 1002
	SubSessionAhead    = 1002
	subOwnerMissing    = 1003
	SubCrossPartition  = 1004
	SubConditionFailed = 1110
	SubThrottled       = 3200
	subBatchResponse   = 3402
	SubControlPlane    = 5300
)

// Error is an error response of the protocol.
type Error struct {
	Status    int
	Substatus int
	message   string
	Units     float64 // request charge in write units, see charge.WriteUnit
	Extra     string  // the member additionalErrorInfo of the body
	NoCharge  bool
	RetryMS   int
}

func (e *Error) Error() string { return fmt.Sprintf("%d/%d: %s", e.Status, e.Substatus, e.message) }

// Codes maps each HTTP status to the code in the body of an error response.
var Codes = map[int]string{
	http.StatusBadRequest:            "BadRequest",
	http.StatusUnauthorized:          "Unauthorized",
	http.StatusForbidden:             "Forbidden",
	http.StatusNotFound:              "NotFound",
	http.StatusMethodNotAllowed:      "MethodNotAllowed",
	http.StatusConflict:              "Conflict",
	http.StatusGone:                  "Gone",
	http.StatusPreconditionFailed:    "PreconditionFailed",
	http.StatusRequestEntityTooLarge: "RequestEntityTooLarge",
	http.StatusTooManyRequests:       "TooManyRequests",
	http.StatusInternalServerError:   "InternalServerError",
	http.StatusNotImplemented:        "NotImplemented",
	http.StatusServiceUnavailable:    "ServiceUnavailable",
}

// New returns an error response with a status, a substatus and a message.
func New(status, substatus int, format string, args ...any) *Error {
	return &Error{Status: status, Substatus: substatus, message: fmt.Sprintf(format, args...)}
}

// BadRequest returns the error for an invalid request, 400.
func BadRequest(format string, args ...any) *Error {
	return New(http.StatusBadRequest, SubNone, format, args...)
}

// ItemMissing returns the error for a missing item, 404.
func ItemMissing() *Error {
	return New(http.StatusNotFound, SubNone,
		"Resource Not Found. Entity with the specified id does not exist in the system.")
}

// OwnerMissing returns the error for a resource whose database or container is missing: 404 with substatus 1003.
func OwnerMissing() *Error {
	return New(http.StatusNotFound, subOwnerMissing, "Resource Not Found. Owner resource does not exist.")
}

// Conflict returns the error for an id that is taken, 409.
func Conflict() *Error {
	e := New(http.StatusConflict, SubNone,
		"Entity with the specified id already exists in the system, or a unique index constraint is violated.")
	e.Units = charge.ConflictUnits
	return e
}

// UniqueKeyConflict returns the error for a violated unique key, 409. It costs more than Conflict.
func UniqueKeyConflict() *Error {
	e := Conflict()
	e.Units = charge.UniqueUnits
	return e
}

// PreconditionFailed returns the error for a false condition or another etag, 412.
func PreconditionFailed() *Error {
	e := New(http.StatusPreconditionFailed, SubNone,
		"Operation cannot be performed because one of the specified precondition is not met.")
	e.Units = charge.PreconditionUnits
	return e
}

// KeyMismatch returns the error for an item with another partition key than the request, 400.
func KeyMismatch() *Error {
	e := New(http.StatusBadRequest, SubKeyMismatch,
		"PartitionKey extracted from document doesn't match the one specified in the header.")
	e.Units = charge.KeyMismatchUnits
	return e
}

// Closed returns the error for requests after the engine was closed, 503.
func Closed() *Error {
	return New(http.StatusServiceUnavailable, SubNone, "The engine is closed.")
}

// DependencyFailed returns the result of a batch operation that was not run because an earlier
// operation failed.
func DependencyFailed() *Error {
	return New(http.StatusFailedDependency, SubNone, "An operation before this one failed.")
}

// TooLarge returns the error for a request or item beyond the size limit, 413.
func TooLarge() *Error {
	return New(http.StatusRequestEntityTooLarge, SubNone, "Request size is too large.")
}

// BatchResponseTooLarge returns the error for a batch whose response exceeds the size limit, 413.
func BatchResponseTooLarge() *Error {
	return New(http.StatusRequestEntityTooLarge, subBatchResponse, "The response to the batch is too large.")
}

// From converts any error into an error response. The second result reports whether err was meant
// for the client. The text of any other error is replaced by a general message.
func From(err error) (*Error, bool) {
	if e, ok := errors.AsType[*Error](err); ok {
		return e, true
	}
	if e, ok := errors.AsType[*query.Error](err); ok {
		return BadRequest("Message: %s", e.Error()), true
	}
	return New(http.StatusInternalServerError, SubNone, "The engine failed to serve the request."), false
}

// Body returns the JSON body of the error response.
func (e *Error) Body() []byte {
	b := append([]byte(`{"code":`), value.OfString(Codes[e.Status]).JSON()...)
	b = value.AppendString(append(b, `,"message":`...), e.message)
	if e.Extra != "" {
		b = value.AppendString(append(b, `,"additionalErrorInfo":`...), e.Extra)
	}
	return append(b, '}')
}
