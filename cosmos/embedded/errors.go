package embedded

import (
	"errors"
	"fmt"
	"net/http"

	"inkfeed/cosmos/embedded/internal/query"
	"inkfeed/cosmos/embedded/internal/value"
)

// The substatus codes that say more than a status.
const (
	subNone            = 0
	subKeyMismatch     = 1001
	subRangeGone       = 1002
	subSessionAhead    = 1002
	subOwnerMissing    = 1003
	subCrossPartition  = 1004
	subConditionFailed = 1110
	subThrottled       = 3200
	subControlPlane    = 5300
)

// apiError is a refusal as the client sees it.
type apiError struct {
	status    int
	substatus int
	message   string
	units     float64 // charge, in write units
	extra     string  // additionalErrorInfo
	noCharge  bool
	retryMS   int
}

func (e *apiError) Error() string { return fmt.Sprintf("%d/%d: %s", e.status, e.substatus, e.message) }

// codes are the names that error bodies give to the statuses.
var codes = map[int]string{
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

func failure(status, substatus int, format string, args ...any) *apiError {
	return &apiError{status: status, substatus: substatus, message: fmt.Sprintf(format, args...)}
}

func badRequest(format string, args ...any) *apiError {
	return failure(http.StatusBadRequest, subNone, format, args...)
}

func errItemMissing() *apiError {
	return failure(http.StatusNotFound, subNone, "Resource Not Found. Entity with the specified id does not exist in the system.")
}

func errOwnerMissing() *apiError {
	return failure(http.StatusNotFound, subOwnerMissing, "Resource Not Found. Owner resource does not exist.")
}

func errConflict() *apiError {
	e := failure(http.StatusConflict, subNone, "Entity with the specified id already exists in the system, or a unique index constraint is violated.")
	e.units = conflictUnits
	return e
}

func errUniqueKey() *apiError {
	e := errConflict()
	e.units = uniqueUnits
	return e
}

func errPrecondition() *apiError {
	e := failure(http.StatusPreconditionFailed, subNone, "Operation cannot be performed because one of the specified precondition is not met.")
	e.units = preconditionUnits
	return e
}

func errKeyMismatch() *apiError {
	e := failure(http.StatusBadRequest, subKeyMismatch, "PartitionKey extracted from document doesn't match the one specified in the header.")
	e.units = keyMismatchUnits
	return e
}

func errClosed() *apiError {
	return failure(http.StatusServiceUnavailable, subNone, "The engine is closed.")
}

// errDependency is the result of an operation that was not tried since one before it
// failed.
func errDependency() *apiError {
	return failure(http.StatusFailedDependency, subNone, "An operation before this one failed.")
}

func errTooLarge() *apiError {
	return failure(http.StatusRequestEntityTooLarge, subNone, "Request size is too large.")
}

// asAPIError turns any error into what the client is told. Only errors that are meant
// for it are shown; the second result tells whether err was one.
func asAPIError(err error) (*apiError, bool) {
	if e, ok := errors.AsType[*apiError](err); ok {
		return e, true
	}
	if e, ok := errors.AsType[*query.Error](err); ok {
		return badRequest("Message: %s", e.Error()), true
	}
	return failure(http.StatusInternalServerError, subNone, "The engine failed to serve the request."), false
}

// body is the JSON text of the error.
func (e *apiError) body() []byte {
	b := append([]byte(`{"code":`), value.OfString(codes[e.status]).JSON()...)
	b = value.AppendString(append(b, `,"message":`...), e.message)
	if e.extra != "" {
		b = value.AppendString(append(b, `,"additionalErrorInfo":`...), e.extra)
	}
	return append(b, '}')
}
