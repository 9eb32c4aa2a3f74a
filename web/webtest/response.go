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

// Cookie is one that an answer gives, the last one of that name.
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

// Response is the response to a request of a visitor. Body is the whole body.
type Response struct {
	*http.Response
	t       testing.TB
	Request string
	Body    string
}

// Want ends the test unless the response has that status.
func (a *Response) Want(status int) *Response {
	a.t.Helper()
	if a.StatusCode != status {
		a.t.Fatalf("%s: status %d, want %d\n%s", a.Request, a.StatusCode, status, a.Body)
	}
	return a
}

// WantRedirect ends the test unless the response leads to that address with that status.
func (a *Response) WantRedirect(status int, to string) *Response {
	a.t.Helper()
	a.Want(status)
	if got := a.Header.Get("Location"); got != to {
		a.t.Fatalf("%s: leads to %q, want %q", a.Request, got, to)
	}
	return a
}

// Page reads the answer as HTML.
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

// Has wants exactly one element of that selector whose text holds text.
func (a *Response) Has(selector, text string) *Response {
	a.t.Helper()
	found := a.Page().Find(selector)
	if found.Length() != 1 {
		a.t.Errorf("%s: %d of %s, want 1", a.Request, found.Length(), selector)
	} else if got := CollapseSpace(found.Text()); !strings.Contains(got, text) {
		a.t.Errorf("%s: %s says %q, want %q", a.Request, selector, got, text)
	}
	return a
}

// HasNo wants no element of that selector.
func (a *Response) HasNo(selector string) *Response {
	a.t.Helper()
	if n := a.Page().Find(selector).Length(); n != 0 {
		a.t.Errorf("%s: %d of %s, want none", a.Request, n, selector)
	}
	return a
}

// Value returns the value of a field of a form.
func (a *Response) Value(name string) string {
	a.t.Helper()
	field := a.Page().Find(`main [name="` + name + `"], #Page-comment-form [name="` + name + `"]`).First()
	if goquery.NodeName(field) == "textarea" {
		return field.Text()
	}
	return field.AttrOr("value", "")
}

// HasFieldError wants a message beside a field, tied to it, and in the summary.
func (a *Response) HasFieldError(field, message string) *Response {
	a.t.Helper()
	input := a.Page().Find(`[name="` + field + `"][aria-invalid], #` + field).First()
	a.Has("#"+input.AttrOr("id", field)+"-error", message)
	a.Has(`[role="alert"]`, message)
	if input.AttrOr("aria-invalid", "") != "true" {
		a.t.Errorf("%s: %s is not marked invalid", a.Request, field)
	}
	if !strings.Contains(input.AttrOr("aria-describedby", ""), input.AttrOr("id", field)+"-error") {
		a.t.Errorf("%s: %s is not tied to its message", a.Request, field)
	}
	return a
}

func CollapseSpace(s string) string { return strings.Join(strings.Fields(s), " ") }

// WantRetryAfter wants the answer to somebody who has to wait.
func (a *Response) WantRetryAfter(most time.Duration) *Response {
	a.t.Helper()
	a.Want(http.StatusTooManyRequests)
	if s, err := strconv.Atoi(a.Header.Get("Retry-After")); err != nil || s < 1 || time.Duration(s)*time.Second > most {
		a.t.Errorf("%s: Retry-After is %q", a.Request, a.Header.Get("Retry-After"))
	}
	return a
}

// JSON reads the answer to a script.
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
