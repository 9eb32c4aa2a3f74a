package query

import "encoding/json"

// Error is a mistake in a query, or something it asks for that is not served, with
// the service's code for it. Start and End are the offsets of the text at fault;
// both are 0 when there is no single place.
type Error struct {
	Code       string
	Message    string
	Start, End int
}

// Error returns the errors document that the service embeds in its messages.
func (e *Error) Error() string {
	type location struct {
		Start int `json:"start"`
		End   int `json:"end"`
	}
	type entry struct {
		Severity string    `json:"severity"`
		Location *location `json:"location,omitempty"`
		Code     string    `json:"code"`
		Message  string    `json:"message"`
	}
	one := entry{Severity: "Error", Code: e.Code, Message: e.Message}
	if e.End > 0 {
		one.Location = &location{e.Start, e.End}
	}
	text, _ := json.Marshal(map[string][]entry{"errors": {one}}) // cannot fail: strings and numbers
	return string(text)
}

func unsupported(what string) error {
	return &Error{Code: "SC2001", Message: what + " is not supported by this engine."}
}
