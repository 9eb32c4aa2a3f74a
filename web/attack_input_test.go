package web_test

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/url"
	"reflect"
	"slices"
	"strings"
	"testing"

	"inkfeed/domain/names"
	"inkfeed/web/webtest"
)

// malformed maps descriptions to malformed values that a client may send in a form field.
var malformed = map[string]string{
	"nothing":              "",
	"spaces":               " \t ",
	"a megabyte":           strings.Repeat("a", 1<<20),
	"a megabyte of breaks": strings.Repeat("\n", 1<<20),
	"nested":               strings.Repeat("> ", 5000) + strings.Repeat("[", 5000) + strings.Repeat("*_", 5000),
	"a NUL":                "a\x00b",
	"controls":             "a\x07\x1b[31m\x7fb\u0085\u2028\u2029",
	"no UTF-8":             "a\xff\xfe\xc0\xafb",
	"half a surrogate":     "a\xed\xa0\x80b",
	"past Unicode":         "a\xf4\x90\x80\x80b",
	"a header":             "a\r\nSet-Cookie: forged=1\r\nX-Forged: 1\r\n\r\n<script>ran()</script>",
	"a line of a log":      "a\ntime=2026-01-01T00:00:00Z level=ERROR msg=forged",
	"overrides":            "a\u202eb\u2066c\u200fd\u200be\ufefff",
	"combining":            "a" + strings.Repeat("\u0301", 3000),
	"a path up":            "../../../../etc/passwd\x00.png",
	"a path up, encoded":   "..%2f..%2f..%252fetc%252fpasswd",
	"a template":           "{{7*7}}${7*7}<%= 7*7 %>#{7*7}",
	"a query":              "' OR '1'='1'; DROP TABLE c; --",
	"a query's string":     `a" OR c.type = "user" --`,
	"a JSON":               `{"$ne": null, "__proto__": {"role": "administrator"}}`,
	"a large number":       strings.Repeat("9", 400),
	"below zero":           "-9223372036854775809",
	"no number":            "NaN",
	"a date far off":       "292277026596-12-04T15:30:08Z",
	"a formula":            "=HYPERLINK(\"https://evil.example\")",
	"a shell's":            "`id`; $(id) | id & id",
	"an entity":            `<!DOCTYPE a [<!ENTITY b SYSTEM "file:///etc/passwd">]><a>&b;</a>`,
}

// wantSound checks that a response is not a server error, has headers of the site only, and that the request forged no
// line of the log.
func wantSound(t *testing.T, s *webtest.Site, a *webtest.Response) {
	t.Helper()
	// oEmbed requires 501 for an unknown format.
	if a.StatusCode >= http.StatusInternalServerError && a.StatusCode != http.StatusNotImplemented {
		t.Errorf("status %d: %.300s", a.StatusCode, webtest.CollapseSpace(a.Body))
	}
	if a.Header.Get("X-Forged") != "" || strings.Contains(strings.Join(a.Header.Values("Set-Cookie"), " "), "forged") {
		t.Errorf("the response has headers of the request: %v", a.Header)
	}
	if a.Header.Get("Content-Security-Policy") == "" {
		t.Error("the response has no Content-Security-Policy")
	}
	if to, err := url.Parse(a.Header.Get("Location")); err != nil || to.Host != "" && to.Host != "example.com" {
		t.Errorf("the response redirects to %q", a.Header.Get("Location"))
	}
	for line := range strings.Lines(s.Log.String()) {
		if !strings.HasPrefix(line, "time=") || strings.HasPrefix(line, "time=2026-01-01T00:00:00Z") {
			t.Errorf("the log has the line %.200q", line)
		}
	}
	s.Log.Reset()
}

func TestNoFormFailsWhateverIsSent(t *testing.T) {
	values := samples[string]{values: malformed, each: 3}
	for _, route := range slices.Sorted(maps.Keys(decisions)) {
		if method, _, _ := strings.Cut(route, " "); method != http.MethodPost {
			continue
		}
		t.Run(route, func(t *testing.T) {
			s := newScene(t, "owner")
			form := s.forms[route]
			for name := range maps.Keys(form) {
				for what, value := range values.next() {
					t.Run(name+" is "+what, func(t *testing.T) {
						sent := maps.Clone(form)
						sent.Set(name, value)
						wantSound(t, s.Site,
							s.actor.Send(http.MethodPost, s.address(route), strings.NewReader(sent.Encode())))
					})
				}
			}
			var zipped bytes.Buffer
			w := gzip.NewWriter(&zipped)
			_, _ = io.WriteString(w, form.Encode())
			_ = w.Close()
			for what, c := range map[string]struct{ kind, coding, body string }{
				"no kind":         {"", "", "title=a"},
				"an unknown kind": {"application/x-unknown", "", "title=a"},
				"JSON": {
					"application/json", "", `{"title": "a", "content": "b", "username": "c", "password": "d"}`,
				},
				"XML":                      {"text/xml", "", malformed["an entity"]},
				"parts without a boundary": {"multipart/form-data", "", "title=a"},
				"parts that do not end": {
					"multipart/form-data; boundary=x", "",
					"--x\r\nContent-Disposition: form-data; name=\"title\"\r\n\r\na",
				},
				"parts of bad names": {
					"multipart/form-data; boundary=x", "",
					"--x\r\nContent-Disposition: form-data; name=\"file\"; filename=\"../../x\x00.png\"\r\n" +
						"\r\na\r\n--x--\r\n",
				},
				"wrong escapes": {"application/x-www-form-urlencoded", "", "title=%zz&content=%&=%"},
				"semicolons":    {"application/x-www-form-urlencoded", "", "title=a;content=b"},
				"many fields":   {"application/x-www-form-urlencoded", "", strings.Repeat("a=b&", 100_000)},
				"one field many times": {
					"application/x-www-form-urlencoded", "", strings.Repeat("title=a&content=b&username=c&", 20_000),
				},
				"compressed":         {"application/x-www-form-urlencoded", "gzip", zipped.String()},
				"no compressed data": {"application/x-www-form-urlencoded", "gzip", "title=a"},
			} {
				t.Run(what, func(t *testing.T) {
					as := *s.actor
					as.Header = http.Header{"Content-Type": {c.kind}}
					if c.coding != "" {
						as.Header.Set("Content-Encoding", c.coding)
					}
					wantSound(t, s.Site, as.Send(http.MethodPost, s.address(route), strings.NewReader(c.body)))
				})
			}
			t.Run("rejects 80 MB", func(t *testing.T) {
				a := s.actor.Send(http.MethodPost, s.address(route),
					io.MultiReader(strings.NewReader("content="), strings.NewReader(strings.Repeat("a", 80<<20))))
				wantSound(t, s.Site, a)
				if form != nil && a.StatusCode < http.StatusBadRequest { // a form without fields is not read
					t.Errorf("status %d", a.StatusCode)
				}
			})
		})
	}
}

func TestNoAddressFailsWhateverItSays(t *testing.T) {
	s := newScene(t, "owner")
	values := samples[string]{values: malformed, each: 3}
	for _, route := range slices.Sorted(maps.Keys(decisions)) {
		method, path, _ := strings.Cut(route, " ")
		if method != http.MethodGet {
			continue
		}
		t.Run(route, func(t *testing.T) {
			for what, value := range values.next() {
				if len(value) > 4000 {
					value = value[:4000]
				}
				for _, name := range []string{"page", "q", "next", "url", "from", "done", "format", "zone"} {
					a := s.actor.Get(strings.SplitN(s.address(route), "?", 2)[0] + "?" + name + "=" +
						url.QueryEscape(value))
					t.Run(name+" is "+what, func(t *testing.T) { wantSound(t, s.Site, a) })
				}
				if strings.Contains(path, ":") {
					parts := strings.Split(s.address(route), "/")
					for i, part := range strings.Split(path, "/") {
						if before, _, named := strings.Cut(part, ":"); named {
							changed := slices.Clone(parts)
							changed[i] = before + url.PathEscape(value)
							a := s.actor.Get(strings.Join(changed, "/"))
							t.Run(part+" is "+what, func(t *testing.T) { wantSound(t, s.Site, a) })
						}
					}
				}
			}
		})
	}
}

// surplus are names of stored properties and of fields of the domain that no form has. A form that could set them would
// change something else.
var surplus = []string{
	"role", "Role", "user.role", "admin", "administrator", "userId", "UserID", "ID", "_id", "authorId", "AuthorID",
	"userUsername", "likeCount", "commentCount", "held", "Held", "authorSuspended", "suspended", "suspensionDate",
	"creationDate", "Created", "emailVerified", "passwordHash", "nameVersion", "imageBytes", "deletionDate", "type",
	"_etag", "ttl", "trusted", "confirmed",
}

// Unknown fields of a form change nothing: for example no role, no author of a post and no count.
func TestUnknownFormFieldsAreIgnored(t *testing.T) {
	for route := range decisions {
		if method, _, _ := strings.Cut(route, " "); method != http.MethodPost || uploads[route] {
			continue
		}
		t.Run(route, func(t *testing.T) {
			plain, more := newScene(t, "owner"), newScene(t, "owner")
			for _, name := range surplus {
				if form := more.forms[route]; form != nil && !form.Has(name) {
					form.Set(name, "administrator")
				}
			}
			a, b := plain.act(plain.actor, route), more.act(more.actor, route)
			if a.StatusCode != b.StatusCode {
				t.Errorf("status %d, but %d with more fields", a.StatusCode, b.StatusCode)
			}
			if a, b := facts(plain.Data), facts(more.Data); !reflect.DeepEqual(a, b) {
				t.Errorf("the store has\n%v\nwith more fields\n%v", a, b)
			}
		})
	}
}

// facts returns the stored properties without ids, times and texts, which differ between scenes.
func facts(d *webtest.Database) []string {
	d.T.Helper()
	var facts []string
	add := func(items []map[string]any, properties ...string) {
		for _, item := range items {
			var values []any
			for _, property := range properties {
				values = append(values, item[property])
			}
			_, deleted := item["deletionDate"]
			facts = append(facts, fmt.Sprint(append(values, deleted)...))
		}
	}
	for _, user := range d.Items("users", "user") {
		_, suspended := user["suspensionDate"]
		_, leaving := user["leavingDate"]
		facts = append(facts, fmt.Sprint(suspended, leaving))
		add([]map[string]any{user}, "username", "role", "displayName", "imageCount", "imageBytes", "nameVersion",
			"trusted")
	}
	add(d.Items("posts", "post"), "userUsername", "title", "status", "held", "commentCount", "likeCount", "revision",
		"version")
	add(d.Items("posts", "comment"), "userUsername", "content", "held", "replyCount")
	add(d.Items("posts", "like"), "userUsername")
	for _, draft := range d.Items("users", "draft") {
		_, scheduled := draft["publishDate"]
		facts = append(facts, fmt.Sprint(scheduled))
		add([]map[string]any{draft}, "title", "version", "revision")
	}
	slices.Sort(facts)
	return facts
}

func TestPathsNeverReachOtherFiles(t *testing.T) {
	s := webtest.NewSite(t)
	for _, prefix := range []string{"/", "/static/", "/media/", "/posts/", "/images/", "/preview/", "/@"} {
		for _, path := range []string{"../go.mod", "..%2fgo.mod", "..%5cgo.mod", "%2e%2e/go.mod", "....//go.mod",
			"..;/go.mod", "%252e%252e%252fgo.mod", "%c0%ae%c0%ae/go.mod", "/etc/passwd", "%2fetc%2fpasswd",
			"C:%5cwindows%5cwin.ini", "server.go", ".git/config", "session.key", "\u2024\u2024/go.mod",
			"go.mod%00.css", "."} {
			a := s.Anonymous().Get(prefix + path)
			wantSound(t, s, a)
			if a.StatusCode < 300 && prefix+path != "/." || strings.Contains(a.Body, "module inkfeed") ||
				strings.Contains(a.Body, "root:") {
				t.Errorf("%s: status %d\n%.200s", a.Request, a.StatusCode, a.Body)
			}
		}
	}
}

func TestRedirectsStayOnTheSite(t *testing.T) {
	targets := []string{
		"https://evil.example", "//evil.example", "///evil.example", "////evil.example", `/\evil.example`,
		`\/evil.example`, `\\evil.example`, "/\t/evil.example", "/\n/evil.example", "/\r/evil.example",
		"https:evil.example", "https:/evil.example", "http:///evil.example", "javascript:ran()", "data:text/html,x",
		"evil.example", "@evil.example", "https://example.com@evil.example", "https://example.com.evil.example",
		"/%2f/evil.example", "/%5cevil.example", "/..//evil.example", "/.//evil.example", "/;//evil.example",
		"/\u2215/evil.example", "/\uff0f/evil.example", "%2f%2fevil.example", "/\x00/evil.example",
		"https://evil.example\r\nX-Forged: 1", "?next=//evil.example", "#//evil.example",
		"//example.com//evil.example", "http://[::1]/", "blob:https://evil.example",
	}
	for _, route := range []string{
		"POST /login", "POST /signup", "POST /logout", "POST /posts/:id/like", "POST /posts/:id/bookmark",
		"POST /posts/:id/comments",
	} {
		if decisions[route] == nil {
			t.Fatalf("there is no route %s", route)
		}
		for _, target := range targets {
			actor := "owner"
			if route == "POST /login" || route == "POST /signup" {
				actor = "anonymous"
			}
			s := newScene(t, actor)
			form := url.Values{}
			maps.Copy(form, s.forms[route])
			for _, name := range []string{"next", "page", "return", "url"} {
				form.Set(name, target)
			}
			s.actor.Header.Set("Referer", target)
			a := s.actor.Send(http.MethodPost, s.address(route)+"?next="+url.QueryEscape(target),
				strings.NewReader(form.Encode()))
			if a.StatusCode != http.StatusSeeOther {
				t.Errorf("%s: status %d", a.Request, a.StatusCode)
			}
			wantSound(t, s.Site, a)
			if to := a.Header.Get("Location"); !strings.HasPrefix(to, "/") || strings.HasPrefix(to, "//") ||
				strings.ContainsAny(to, "\\\t\r\n") {
				t.Errorf("%s with %q redirects to %q", route, target, to)
			}
		}
	}
}

// Logging in always begins a new session. A session cookie that an attacker planted before is worthless.
func TestLoggingInNeverReusesAPlantedSession(t *testing.T) {
	s := webtest.NewSite(t)
	s.SignUp("ada")
	mallory := s.SignUp("mallory")
	for _, forced := range []map[string]string{maps.Clone(mallory.Cookies), {"inkfeed": "forged"}} {
		victim := s.Anonymous()
		victim.Cookies = maps.Clone(forced)
		victim.Post("/logout")
		victim.Cookies = maps.Clone(forced)
		victim.Post("/login", "username", "ada", "password", webtest.Password).Want(http.StatusSeeOther)
		attacker := s.Anonymous()
		attacker.Cookies = forced
		if body := attacker.Get("/settings"); body.StatusCode == http.StatusOK && strings.Contains(body.Body, "ada") {
			t.Error("the planted session belongs to ada now")
		}
		for name, value := range victim.Cookies {
			if value == forced[name] {
				t.Errorf("the cookie %s did not change", name)
			}
		}
		u, err := s.Data.Store.Users.ByName(t.Context(), "ada")
		if err != nil || names.NameKey(u.Username) != "ada" {
			t.Fatal(err)
		}
		victim.Get("/settings").Want(http.StatusOK)
	}
}
