package web_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"testing"

	"inkfeed/web"
	"inkfeed/web/site/response"
	"inkfeed/web/webtest"
)

// parameter matches a parameter of a route.
var parameter = regexp.MustCompile(`[:*][^/]*`)

// Every response has the security headers, for every route, method, visitor and status.
func TestEveryRouteAnswersWithTheHeaders(t *testing.T) {
	s := webtest.NewSite(t)
	ada := s.SignUp("ada")
	p := ada.CreatePost("A title", "text")
	routes, err := web.Routes(webtest.Config(webtest.NewDatabase(t), io.Discard, webtest.KeyOne))
	if err != nil {
		t.Fatal(err)
	}
	statuses := map[int]bool{}
	check := func(a *webtest.Response) {
		t.Helper()
		statuses[a.StatusCode] = true
		wantConfined(t, a)
		if got := a.Header.Get("Strict-Transport-Security"); got != "" {
			t.Errorf("%s: Strict-Transport-Security is %q on a connection without TLS", a.Request, got)
		}
	}
	for _, route := range routes {
		method, path, _ := strings.Cut(route, " ")
		for _, value := range []string{p.ID, "ada", "%00%ff"} {
			at := parameter.ReplaceAllString(path, value)
			for _, v := range []*webtest.Visitor{s.Anonymous(), ada.HTMX()} {
				// The request is malformed, so it changes nothing.
				check(v.Send(method, at, strings.NewReader("%zz")))
			}
		}
		check(s.Anonymous().Send(http.MethodDelete, parameter.ReplaceAllString(path, p.ID), nil))
	}
	check(ada.Send(http.MethodPost, "/posts", strings.NewReader(strings.Repeat("x", 5<<20))))
	check(ada.Post("/preview", "title", "T"))
	check(ada.Get("/healthz"))
	packed := s.Anonymous()
	packed.Header.Set("Content-Encoding", "gzip")
	check(packed.Post("/login").Want(http.StatusUnsupportedMediaType).Has("h1", "Not supported"))
	foreign := s.Anonymous()
	foreign.Header.Set("Sec-Fetch-Site", "cross-site")
	check(foreign.Post("/login"))
	for _, status := range []int{200, 303, 400, 401, 403, 404, 405, 413, 415} {
		if !statuses[status] {
			t.Errorf("no response has the status %d", status)
		}
	}
}

func wantConfined(t *testing.T, a *webtest.Response) {
	t.Helper()
	policy := a.Header.Get("Content-Security-Policy")
	if !strings.HasPrefix(policy, "default-src 'none';") || !strings.Contains(policy, "frame-ancestors 'none'") ||
		strings.Contains(policy, "unsafe") || strings.Contains(policy, "*") || strings.Contains(policy, "http") ||
		strings.Contains(policy, "data:") {
		t.Errorf("%s: Content-Security-Policy %q", a.Request, policy)
	}
	for name, want := range map[string]string{
		"X-Content-Type-Options":     "nosniff",
		"X-Frame-Options":            "DENY",
		"X-XSS-Protection":           "1; mode=block",
		"Cross-Origin-Opener-Policy": "same-origin",
	} {
		if got := a.Header.Get(name); got != want {
			t.Errorf("%s: %s is %q", a.Request, name, got)
		}
	}
	// Pages with a private link send no referrer at all.
	if got := a.Header.Get("Referrer-Policy"); got != "same-origin" && got != "no-referrer" {
		t.Errorf("%s: Referrer-Policy is %q", a.Request, got)
	}
	if got := a.Header.Get("Permissions-Policy"); !strings.Contains(got, "camera=()") ||
		!strings.Contains(got, "publickey-credentials-get=(self)") {
		t.Errorf("%s: Permissions-Policy %q", a.Request, got)
	}
	if a.Header.Get("Cross-Origin-Resource-Policy") == "" || a.Header.Get("Server") != "" ||
		a.Header.Get("X-Powered-By") != "" {
		t.Errorf("%s: the headers are %v", a.Request, a.Header)
	}
}

func TestStrictTransportSecurityIsSentBehindTLS(t *testing.T) {
	s := webtest.NewSite(t)
	v := s.Anonymous()
	v.Header.Set("X-Forwarded-Proto", "https")
	for _, path := range []string{"/", "/nothing", "/favicon.ico", "/healthz", "/drafts"} {
		if got := v.Get(path).Header.Get("Strict-Transport-Security"); got != "max-age=31536000" {
			t.Errorf("%s: Strict-Transport-Security is %q", path, got)
		}
	}
	// The operator can change the header.
	c := webtest.Config(s.Data, io.Discard, webtest.KeyOne)
	for setting, want := range map[string]string{
		"off":        "",
		"max-age=0":  "max-age=0",
		"max-age=60": "max-age=60",
		"Preload;max-age=63072000 ;INCLUDESUBDOMAINS": "max-age=63072000; includeSubDomains; preload",
	} {
		var err error
		if c.StrictTransport, err = response.ParseStrictTransport(setting); err != nil {
			t.Fatal(err)
		}
		other := *s
		if other.Handler, err = web.New(c); err != nil {
			t.Fatal(err)
		}
		v.Site = &other
		if got := v.Get("/").Header.Get("Strict-Transport-Security"); got != want {
			t.Errorf("%s: Strict-Transport-Security is %q", setting, got)
		}
	}
	for _, setting := range []string{
		"", "max-age", "max-age=", "max-age=-1", "max-age=1y", "includeSubDomains", "max-age=60; preload",
		"max-age=31536000; preload", "max-age=60; includeSubDomains; preload", "max-age=60\r\nX: y", "max-age=60; x",
	} {
		if got, err := response.ParseStrictTransport(setting); err == nil {
			t.Errorf("%q is accepted as %q", setting, got)
		}
	}
	// A client that is not a trusted proxy sets X-Forwarded-Proto.
	r := httptest.NewRequest(http.MethodGet, "/", nil)
	r.RemoteAddr = "198.51.100.1:1"
	r.Header.Set("X-Forwarded-Proto", "https")
	if got := s.Serve(r).Header().Get("Strict-Transport-Security"); got != "" {
		t.Errorf("X-Forwarded-Proto of an untrusted client has an effect: %q", got)
	}
}
