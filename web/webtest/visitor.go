package webtest

import (
	"context"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"

	"inkfeed/domain"
)

// Visitor is a browser with its cookies.
type Visitor struct {
	*Site
	User    domain.User
	Cookies map[string]string
	Header  http.Header // sent with every request
}

// Anonymous returns a visitor without cookies.
func (s *Site) Anonymous() *Visitor {
	return &Visitor{Site: s, Cookies: map[string]string{}, Header: http.Header{}}
}

// SignUp signs up a user with this username.
func (s *Site) SignUp(name string) *Visitor {
	s.T.Helper()
	v := s.Anonymous()
	v.Post("/signup", "username", name, "password", Password, "next", "/").Want(http.StatusSeeOther)
	v.User = s.Data.UserNamed(name)
	return v
}

// HTMX returns the same visitor, whose requests come from htmx.
func (v *Visitor) HTMX() *Visitor {
	h := *v
	h.Header = maps.Clone(v.Header)
	h.Header.Set("HX-Request", "true")
	h.Header.Set("HX-Request-Type", "partial")
	return &h
}

// WithoutSession returns the same browser after its session has ended.
func (v *Visitor) WithoutSession() *Visitor {
	h := *v
	h.Cookies = map[string]string{}
	return &h
}

// Get requests a page.
func (v *Visitor) Get(path string) *Response {
	v.T.Helper()
	return v.Send(http.MethodGet, path, nil)
}

// Post submits a form with fields, given as alternating names and values.
func (v *Visitor) Post(path string, fields ...string) *Response {
	v.T.Helper()
	form := url.Values{}
	for i := 0; i < len(fields); i += 2 {
		form.Set(fields[i], fields[i+1])
	}
	return v.Send(http.MethodPost, path, strings.NewReader(form.Encode()))
}

// PostAndLeave submits a form and closes the page when the server calls a method of the store, which is named as in
// Faults. The browser gets no response.
func (v *Visitor) PostAndLeave(method, path string, fields ...string) {
	v.T.Helper()
	ctx, cancel := context.WithCancel(v.T.Context())
	v.Data.Before(method, cancel)
	r := NewForm(path, fields...).WithContext(ctx)
	for name, value := range v.Cookies {
		r.AddCookie(&http.Cookie{Name: name, Value: value})
	}
	v.Serve(r)
}

// Send sends a request with the visitor's cookies.
func (v *Visitor) Send(method, path string, body io.Reader) *Response {
	v.T.Helper()
	r := httptest.NewRequest(method, path, body)
	maps.Copy(r.Header, v.Header)
	if body != nil && r.Header.Get("Content-Type") == "" {
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	}
	for name, value := range v.Cookies {
		r.AddCookie(&http.Cookie{Name: name, Value: value})
	}
	w := httptest.NewRecorder()
	v.Handler.ServeHTTP(w, r)
	for _, c := range w.Result().Cookies() {
		if c.MaxAge < 0 {
			delete(v.Cookies, c.Name)
		} else {
			v.Cookies[c.Name] = c.Value
		}
	}
	return &Response{t: v.T, Request: method + " " + path, Response: w.Result(), Body: w.Body.String()}
}

// NewForm returns a POST request with form fields, given as alternating names and values.
func NewForm(path string, fields ...string) *http.Request {
	form := url.Values{}
	for i := 0; i < len(fields); i += 2 {
		form.Set(fields[i], fields[i+1])
	}
	r := httptest.NewRequest(http.MethodPost, path, strings.NewReader(form.Encode()))
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	return r
}

// Serve handles a request and returns the recorded response.
func (s *Site) Serve(r *http.Request) *httptest.ResponseRecorder {
	w := httptest.NewRecorder()
	s.Handler.ServeHTTP(w, r)
	return w
}
