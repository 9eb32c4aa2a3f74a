package query

import "encoding/json"

// Error is an error in a query, or the use of an unsupported feature, with the service's error
// code. Start and End are offsets in the text; both are 0 if the error has no single place.
type Error struct {
	Code       string
	Message    string
	Start, End int
}

// Error returns the JSON document with the errors that the service embeds in its messages.
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
	text, _ := json.Marshal(map[string][]entry{"errors": {one}}) // cannot fail: only strings and numbers
	return string(text)
}

func unsupported(what string) error {
	return &Error{Code: "SC2001", Message: what + " is not supported by this engine."}
}
