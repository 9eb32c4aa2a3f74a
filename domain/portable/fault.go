package portable

import (
	"errors"

	"inkfeed/domain"
	"inkfeed/domain/locale"
)

// Fault is an error in an export that users can understand. Err is the cause in the words of a library, which only
// the command and the logs show.
type Fault struct {
	Message locale.Message
	Err     error
}

// NewFault returns a fault with a cause, which may be nil.
func NewFault(message locale.Message, cause error) error { return &Fault{message, cause} }

// Error returns the message in English, and the cause.
func (f *Fault) Error() string {
	if f.Err == nil {
		return f.Message.String()
	}
	return f.Message.String() + ": " + f.Err.Error()
}

// Unwrap returns the cause.
func (f *Fault) Unwrap() error { return f.Err }

// Explain returns what pages say about an error of a reader: the message of the innermost fault in its chain, or that
// of a domain.Error.
func Explain(err error) locale.Message {
	message := locale.M("it cannot be read")
	if _, ok := errors.AsType[*domain.Error](err); ok {
		message = domain.Reason(err)
	}
	for {
		f, ok := errors.AsType[*Fault](err)
		if !ok {
			return message
		}
		message, err = f.Message, f.Err
	}
}

// InvalidExport returns the fault of a file that a reader of a program's exports does not understand.
func InvalidExport(program string, cause error) error {
	return NewFault(locale.M("it is not a valid export of {program}", "program", program), cause)
}

// AddMessage adds a problem of the whole export whose text depends on a number.
func (b *Blog) AddMessage(m locale.Message) { b.Problems = append(b.Problems, MessageProblem(m)) }

// MessageProblem returns a problem of the whole export, unless its place is set later. Its kind is its text.
func MessageProblem(m locale.Message) Problem {
	return Problem{Kind: m.String(), Text: m.String(), Message: m, KindMessage: m}
}
