package apierror

import (
	"errors"
	"fmt"
	"net/http"

	"inkfeed/cosmos/embedded/internal/charge"
	"inkfeed/cosmos/embedded/internal/query"
	"inkfeed/cosmos/embedded/internal/value"
)

// The substatus codes that say more than a status.
const (
	SubNone            = 0
	SubKeyMismatch     = 1001
	SubRangeGone       = 1002
	SubSessionAhead    = 1002
	subOwnerMissing    = 1003
	SubCrossPartition  = 1004
	SubConditionFailed = 1110
	SubThrottled       = 3200
	SubControlPlane    = 5300
)

// apiError is a refusal as the client sees it.
type Error struct {
	Status    int
	Substatus int
	message   string
	Units     float64 // charge, in write units
	Extra     string  // additionalErrorInfo
	NoCharge  bool
	RetryMS   int
}

func (e *Error) Error() string { return fmt.Sprintf("%d/%d: %s", e.Status, e.Substatus, e.message) }

// codes are the names that error bodies give to the statuses.
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

func New(status, substatus int, format string, args ...any) *Error {
	return &Error{Status: status, Substatus: substatus, message: fmt.Sprintf(format, args...)}
}

func BadRequest(format string, args ...any) *Error {
	return New(http.StatusBadRequest, SubNone, format, args...)
}

func ItemMissing() *Error {
	return New(http.StatusNotFound, SubNone, "Resource Not Found. Entity with the specified id does not exist in the system.")
}

func OwnerMissing() *Error {
	return New(http.StatusNotFound, subOwnerMissing, "Resource Not Found. Owner resource does not exist.")
}

func Conflict() *Error {
	e := New(http.StatusConflict, SubNone, "Entity with the specified id already exists in the system, or a unique index constraint is violated.")
	e.Units = charge.ConflictUnits
	return e
}

func UniqueKeyConflict() *Error {
	e := Conflict()
	e.Units = charge.UniqueUnits
	return e
}

func PreconditionFailed() *Error {
	e := New(http.StatusPreconditionFailed, SubNone, "Operation cannot be performed because one of the specified precondition is not met.")
	e.Units = charge.PreconditionUnits
	return e
}

func KeyMismatch() *Error {
	e := New(http.StatusBadRequest, SubKeyMismatch, "PartitionKey extracted from document doesn't match the one specified in the header.")
	e.Units = charge.KeyMismatchUnits
	return e
}

func Closed() *Error {
	return New(http.StatusServiceUnavailable, SubNone, "The engine is closed.")
}

// errDependency is the result of an operation that was not tried since one before it
// failed.
func DependencyFailed() *Error {
	return New(http.StatusFailedDependency, SubNone, "An operation before this one failed.")
}

func TooLarge() *Error {
	return New(http.StatusRequestEntityTooLarge, SubNone, "Request size is too large.")
}

// asAPIError turns any error into what the client is told. Only errors that are meant
// for it are shown; the second result tells whether err was one.
func From(err error) (*Error, bool) {
	if e, ok := errors.AsType[*Error](err); ok {
		return e, true
	}
	if e, ok := errors.AsType[*query.Error](err); ok {
		return BadRequest("Message: %s", e.Error()), true
	}
	return New(http.StatusInternalServerError, SubNone, "The engine failed to serve the request."), false
}

// body is the JSON text of the error.
func (e *Error) Body() []byte {
	b := append([]byte(`{"code":`), value.OfString(Codes[e.Status]).JSON()...)
	b = value.AppendString(append(b, `,"message":`...), e.message)
	if e.Extra != "" {
		b = value.AppendString(append(b, `,"additionalErrorInfo":`...), e.Extra)
	}
	return append(b, '}')
}
