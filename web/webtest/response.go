package webtest

import (
	"encoding/json"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/PuerkitoBio/goquery"
)

// Cookie returns the last cookie of this name that the response sets. It fails the test if there is none.
func (a *Response) Cookie(name string) *http.Cookie {
	a.t.Helper()
	for _, c := range slices.Backward(a.Cookies()) {
		if c.Name == name {
			return c
		}
	}
	a.t.Fatalf("%s: there is no cookie %s", a.Request, name)
	return nil
}

// Response is a response with its page.
type Response struct {
	*http.Response
	t       testing.TB
	Request string
	Body    string
}

// Want fails the test unless the response has this status.
func (a *Response) Want(status int) *Response {
	a.t.Helper()
	if a.StatusCode != status {
		a.t.Fatalf("%s: status %d, want %d\n%s", a.Request, a.StatusCode, status, a.Body)
	}
	return a
}

// WantRedirect fails the test unless the response redirects to this address with this status.
func (a *Response) WantRedirect(status int, to string) *Response {
	a.t.Helper()
	a.Want(status)
	if got := a.Header.Get("Location"); got != to {
		a.t.Fatalf("%s: redirects to %q, want %q", a.Request, got, to)
	}
	return a
}

// Page parses the response as HTML.
func (a *Response) Page() *goquery.Document {
	a.t.Helper()
	if ct := a.Header.Get("Content-Type"); ct != "text/html; charset=UTF-8" {
		a.t.Fatalf("%s: content type %q", a.Request, ct)
	}
	doc, err := goquery.NewDocumentFromReader(strings.NewReader(a.Body))
	if err != nil {
		a.t.Fatal(err)
	}
	return doc
}

// Has fails the test unless the selector matches exactly one element, whose text contains text.
func (a *Response) Has(selector, text string) *Response {
	a.t.Helper()
	found := a.Page().Find(selector)
	if found.Length() != 1 {
		a.t.Errorf("%s has %d elements %s, want 1", a.Request, found.Length(), selector)
	} else if got := CollapseSpace(found.Text()); !strings.Contains(got, text) {
		a.t.Errorf("%s: %s has %q, want %q", a.Request, selector, got, text)
	}
	return a
}

// HasNo fails the test if the selector matches an element.
func (a *Response) HasNo(selector string) *Response {
	a.t.Helper()
	if n := a.Page().Find(selector).Length(); n != 0 {
		a.t.Errorf("%s has %d elements %s, want none", a.Request, n, selector)
	}
	return a
}

// Value returns the value of a form field.
func (a *Response) Value(name string) string {
	a.t.Helper()
	field := a.Page().Find(`main [name="` + name + `"], #Page-comment-form [name="` + name + `"]`).First()
	if goquery.NodeName(field) == "textarea" {
		return field.Text()
	}
	if goquery.NodeName(field) == "select" {
		field = field.Find("option[selected]")
	}
	if field.AttrOr("type", "") == "radio" {
		field = field.Closest("fieldset").Find("[checked]")
	}
	return field.AttrOr("value", "")
}

// HasFieldError fails the test unless the message is in the summary and beside the field, with which it is associated.
func (a *Response) HasFieldError(field, message string) *Response {
	a.t.Helper()
	input := a.Page().Find(`[name="` + field + `"][aria-invalid], #` + field).First()
	a.Has("#"+input.AttrOr("id", field)+"-error", message)
	if input.AttrOr("type", "") == "radio" {
		input = input.Closest("fieldset")
	}
	a.Has(`[role="alert"]`, message)
	if input.AttrOr("aria-invalid", "") != "true" {
		a.t.Errorf("%s: %s is not marked invalid", a.Request, field)
	}
	if !strings.Contains(input.AttrOr("aria-describedby", ""), input.AttrOr("id", field)+"-error") {
		a.t.Errorf("%s: %s does not refer to its message", a.Request, field)
	}
	return a
}

// CollapseSpace replaces each run of white space by one space.
func CollapseSpace(s string) string { return strings.Join(strings.Fields(s), " ") }

// WantRetryAfter fails the test unless the response is status 429 with a wait of at most most.
func (a *Response) WantRetryAfter(most time.Duration) *Response {
	a.t.Helper()
	a.Want(http.StatusTooManyRequests)
	if s, err := strconv.Atoi(a.Header.Get("Retry-After")); err != nil || s < 1 || time.Duration(s)*time.Second > most {
		a.t.Errorf("%s: Retry-After is %q", a.Request, a.Header.Get("Retry-After"))
	}
	return a
}

// JSON parses the response to a script.
func (a *Response) JSON() (answer struct {
	URL, Alt, Markdown, Error string
	Width, Height             int
	Fields                    map[string]string
}) {
	a.t.Helper()
	if err := json.Unmarshal([]byte(a.Body), &answer); err != nil {
		a.t.Fatalf("%s: %v\n%s", a.Request, err, a.Body)
	}
	return answer
}
