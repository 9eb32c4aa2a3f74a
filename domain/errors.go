package domain

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"inkfeed/domain/locale"
)

// Kind classifies errors in terms that all layers share. The storage layer assigns a kind to its failures once, and
// the web layer maps kinds to HTTP statuses once.
type Kind uint8

const (
	Internal        Kind = iota // a fault of Inkfeed that the user cannot fix
	NotFound                    // the requested item does not exist
	Invalid                     // the input breaks a rule; Fields says which
	Conflict                    // another change was made meanwhile
	Unauthenticated             // the visitor is not logged in
	Forbidden                   // the user does not have permission
	TooLarge                    // too many bytes to store
	Unavailable                 // throttled, timed out or unreachable: retrying may help
	TooMany                     // a rate limit is exceeded; Wait says when to try again
)

// String returns the kind in words.
func (k Kind) String() string {
	names := [...]string{"internal", "not found", "invalid", "conflict",
		"unauthenticated", "forbidden", "too large", "unavailable", "too many"}
	if int(k) < len(names) {
		return names[k]
	}
	return fmt.Sprintf("kind %d", uint8(k))
}

// Error is an error with a kind. Message and Fields are safe to show to the user. Err is the cause, for logs only.
type Error struct {
	Kind    Kind
	Message locale.Message
	Fields  map[string]locale.Message // by form field name; only with Invalid
	Wait    time.Duration             // only with TooMany
	Err     error
}

// Error returns the message, the invalid fields and the cause, for logs.
func (e *Error) Error() string {
	var b strings.Builder
	b.WriteString(e.Kind.String())
	if !e.Message.IsZero() {
		b.WriteString(": " + e.Message.String())
	}
	for _, name := range slices.Sorted(maps.Keys(e.Fields)) {
		fmt.Fprintf(&b, ": %s: %s", name, e.Fields[name])
	}
	if e.Err != nil {
		b.WriteString(": " + e.Err.Error())
	}
	return b.String()
}

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }

// KindOf returns the kind of the outermost Error in err's chain, or Internal if there is none.
func KindOf(err error) Kind {
	if e, ok := errors.AsType[*Error](err); ok {
		return e.Kind
	}
	return Internal
}

// Is reports whether err has kind k. It returns false for a nil error.
func Is(err error, k Kind) bool { return err != nil && KindOf(err) == k }

// NewError returns an error of kind k. Its text, with the arguments of [locale.M], must be safe to show to the user.
func NewError(k Kind, text string, args ...any) error {
	return &Error{Kind: k, Message: locale.M(text, args...)}
}

// FieldError returns an Invalid error about one form field. The text and its arguments are those of [locale.M].
func FieldError(field, text string, args ...any) error {
	return &Error{Kind: Invalid, Fields: map[string]locale.Message{field: locale.M(text, args...)}}
}

// FieldMessage returns an Invalid error with a message about one form field.
func FieldMessage(field string, message locale.Message) error {
	return &Error{Kind: Invalid, Fields: map[string]locale.Message{field: message}}
}

// fieldErrors collects the errors of a form's fields, so that all are shown at once.
type fieldErrors map[string]locale.Message

// add notes the error of a field that has none yet. The text and its arguments are those of [locale.M].
func (f fieldErrors) add(field, text string, args ...any) {
	f.addMessage(field, locale.M(text, args...))
}

// addMessage is add for a message, which may be empty.
func (f fieldErrors) addMessage(field string, message locale.Message) {
	if !message.IsZero() && f[field].IsZero() {
		f[field] = message
	}
}

func (f fieldErrors) err() error {
	if len(f) == 0 {
		return nil
	}
	return &Error{Kind: Invalid, Fields: f}
}

// JoinErrors merges Invalid errors into one that names all their fields. It returns the first error of another kind
// alone.
func JoinErrors(errs ...error) error {
	fields := fieldErrors{}
	for _, err := range errs {
		if err == nil {
			continue
		}
		e, ok := err.(*Error)
		if !ok || e.Kind != Invalid {
			return err
		}
		for name, message := range e.Fields {
			fields.addMessage(name, message)
		}
	}
	return fields.err()
}
