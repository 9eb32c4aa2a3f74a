package domain

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"
)

// Kind says what went wrong in words every layer shares. The storage layer
// translates its failures into a kind once, and the web layer translates a kind
// into an HTTP status once.
type Kind uint8

const (
	Internal        Kind = iota // a fault of ours; nothing the caller can mend
	NotFound                    // the thing does not exist
	Invalid                     // the input breaks a rule; Fields says which
	Conflict                    // somebody else changed it meanwhile
	Unauthenticated             // nobody is signed in
	Forbidden                   // somebody is, but not the right person
	TooLarge                    // more bytes than the store takes
	Unavailable                 // throttled, timed out or unreachable: try again
	TooMany                     // more often than is allowed; Wait says when to try again
)

func (k Kind) String() string {
	names := [...]string{"internal", "not found", "invalid", "conflict",
		"unauthenticated", "forbidden", "too large", "unavailable", "too many"}
	if int(k) < len(names) {
		return names[k]
	}
	return fmt.Sprintf("kind %d", uint8(k))
}

// Error is a failure with a kind. Message and Fields are safe to show to the
// person who caused it; the cause (Err) is for logs only.
type Error struct {
	Kind    Kind
	Message string
	Fields  map[string]string // by form field name; only with Invalid
	Wait    time.Duration     // only with TooMany
	Err     error
}

func (e *Error) Error() string {
	var b strings.Builder
	b.WriteString(e.Kind.String())
	if e.Message != "" {
		b.WriteString(": " + e.Message)
	}
	for _, name := range slices.Sorted(maps.Keys(e.Fields)) {
		fmt.Fprintf(&b, ": %s: %s", name, e.Fields[name])
	}
	if e.Err != nil {
		b.WriteString(": " + e.Err.Error())
	}
	return b.String()
}

func (e *Error) Unwrap() error { return e.Err }

// KindOf reports the kind of the outermost Error in err's chain, and Internal
// when there is none.
func KindOf(err error) Kind {
	if e, ok := errors.AsType[*Error](err); ok {
		return e.Kind
	}
	return Internal
}

// Is reports whether err is of kind k. A nil error is of no kind.
func Is(err error, k Kind) bool { return err != nil && KindOf(err) == k }

// Errorf makes an error of kind k whose text is safe to show.
func Errorf(k Kind, format string, args ...any) error {
	return &Error{Kind: k, Message: fmt.Sprintf(format, args...)}
}

// FieldError makes an Invalid error about one form field.
func FieldError(field, message string) error {
	return &Error{Kind: Invalid, Fields: map[string]string{field: message}}
}

// fieldErrors collects complaints so that a form can show all of them at once.
type fieldErrors map[string]string

func (f fieldErrors) add(field, message string) {
	if message != "" && f[field] == "" {
		f[field] = message
	}
}

func (f fieldErrors) err() error {
	if len(f) == 0 {
		return nil
	}
	return &Error{Kind: Invalid, Fields: f}
}

// JoinErrors merges Invalid errors into one that names all their fields. Any
// error of another kind is returned alone.
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
			fields.add(name, message)
		}
	}
	return fields.err()
}
