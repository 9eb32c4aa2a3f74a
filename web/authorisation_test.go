package web_test

import (
	"bytes"
	"fmt"
	"io"
	"maps"
	"mime/multipart"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"

	"inkfeed/domain/palette"
	view "inkfeed/views/writing"
	"inkfeed/web"
	"inkfeed/web/webtest"
)

// actors are the columns of decisions, in their order.
var actors = []string{"anonymous", "owner", "demoted", "other", "reader", "moderator", "administrator", "suspended"}

// table parses decisions into a map from routes to actors to words.
func table(text string) map[string]map[string]string {
	rows := map[string]map[string]string{}
	lines := strings.Split(strings.TrimSpace(text), "\n")
	if header := strings.Fields(lines[0]); !slices.Equal(header, actors) {
		panic(fmt.Sprintf("the columns are %v, want %v", header, actors))
	}
	for _, line := range lines[1:] {
		words := strings.Fields(line)
		if len(words) == 0 {
			continue
		}
		if len(words) != 2+len(actors) {
			panic("not one word for each actor: " + line)
		}
		row := map[string]string{}
		for i, actor := range actors {
			row[actor] = words[2+i]
		}
		if route := words[0] + " " + words[1]; rows[route] == nil {
			rows[route] = row
		} else {
			panic("two lines for " + route)
		}
	}
	return rows
}

// methods are the methods that a route may have. A GET route also answers HEAD.
var methods = map[string]bool{http.MethodGet: true, http.MethodPost: true}

func TestEveryRouteIsDecided(t *testing.T) {
	routes, err := web.Routes(webtest.Config(webtest.NewDatabase(t), io.Discard, webtest.KeyOne))
	if err != nil {
		t.Fatal(err)
	}
	left := maps.Clone(decisions)
	for _, route := range routes {
		method, path, _ := strings.Cut(route, " ")
		if method == http.MethodHead && decisions["GET "+path] != nil {
			continue
		}
		if !methods[method] {
			t.Errorf("%s: no row of the table can have this method", route)
		}
		if decisions[route] == nil {
			t.Errorf("%s has no row: add it to authorisation_table_test.go", route)
		}
		delete(left, route)
	}
	for route := range left {
		t.Errorf("%s has a row, but there is no such route", route)
	}
}

// uploads are the routes that take a file.
var uploads = map[string]bool{"POST /images": true, "POST /settings/avatar": true, "POST /settings/header": true,
	"POST /settings/import": true, "POST /settings/following/import": true, "POST /settings/newsletter/import": true,
	"POST /admin/pages/import": true}

// queries are the query strings that routes need.
var queries = map[string]string{"GET /suggest/tags": "?q=g",
	"GET /mail/:key/confirm": "?list={asked}", "POST /mail/:key/confirm": "?list={asked}"}

func (s *scene) address(route string) string {
	_, path, _ := strings.Cut(route, " ")
	parts := strings.Split(path, "/")
	for i, part := range parts {
		before, param, ok := strings.Cut(part, ":")
		if !ok {
			continue
		}
		if param == "file" && parts[1] == "media" {
			param = "name"
		}
		if param == "id" && parts[1] == "drafts" && (strings.HasSuffix(path, "/delete") || route == "GET /drafts/:id") {
			param = "draft"
		}
		if param == "id" && parts[1] == "admin" {
			param = "account"
		}
		value, known := s.params[param]
		if !known {
			s.T.Fatalf("%s: the scene has no value for :%s", route, param)
		}
		parts[i] = before + url.PathEscape(value)
	}
	address := strings.Join(parts, "/") + strings.ReplaceAll(queries[route], "{asked}", s.asked().Key())
	if route == "GET /accent/:file" {
		return "/accent/1b4b86-" + palette.Version + ".css"
	}
	if route == "GET /static/texts/:file" {
		return view.TextsPath + s.textsOfEditor()
	}
	if route == "GET /oembed" {
		address += "?url=" + url.QueryEscape("http://example.com/posts/"+s.params["id"])
	}
	return address
}

func (s *scene) act(v *webtest.Visitor, route string) *webtest.Response {
	method, _, _ := strings.Cut(route, " ")
	address := s.address(route)
	switch {
	case uploads[route]:
		var b bytes.Buffer
		w := multipart.NewWriter(&b)
		if route == "POST /settings/newsletter/import" {
			_, _ = w.WriteField("source", typedText), w.WriteField("asked", "yes")
		}
		part, _ := w.CreateFormFile("file", "picture.png")
		file := webtest.GreyPNG(s.T, 5)
		if route == "POST /settings/following/import" {
			file = []byte(`<opml><body><outline xmlUrl="http://example.com/tags/` + s.params["tag"] +
				`"/></body></opml>`)
		}
		if route == "POST /settings/newsletter/import" {
			file = []byte("email\nimported@example.org\n")
		}
		_, _ = part.Write(file)
		_ = w.Close()
		as := *v
		as.Header = maps.Clone(v.Header)
		as.Header.Set("Content-Type", w.FormDataContentType())
		return as.Send(method, address, &b)
	case method == http.MethodPost:
		return v.Send(method, address, strings.NewReader(s.forms[route].Encode()))
	}
	return v.Send(method, address, nil)
}

// outcome returns the word of the table for a response.
func outcome(a *webtest.Response) string {
	location := a.Header.Get("Location")
	switch {
	case a.StatusCode == http.StatusSeeOther && strings.HasPrefix(location, "/login"),
		a.StatusCode == http.StatusUnauthorized && a.Header.Get("HX-Retarget") == "#Page-notice":
		return "login"
	case a.StatusCode == http.StatusUnauthorized && strings.Contains(a.Body, typedText) &&
		strings.Contains(a.Body, `href="/login`):
		return "kept"
	case a.StatusCode == http.StatusUnauthorized:
		return "401"
	case a.StatusCode == http.StatusForbidden && strings.Contains(a.Body, "This account has been suspended"):
		if strings.Contains(a.Body, typedText) {
			return "kept"
		}
		return "told"
	case a.StatusCode == http.StatusForbidden:
		return "no"
	case a.StatusCode == http.StatusNotFound:
		return "none"
	case a.StatusCode == http.StatusUnprocessableEntity:
		return "again"
	case a.StatusCode < http.StatusBadRequest:
		return "ok"
	}
	return a.Status
}

// ways are the ways in which each actor sends each request.
var ways = []struct {
	name string
	as   func(*webtest.Visitor) *webtest.Visitor
}{
	{"in a browser", func(v *webtest.Visitor) *webtest.Visitor { return v }},
	{"by htmx", (*webtest.Visitor).HTMX},
	{"from another site", crossSite},
}

// TestWhoMayDoWhat sends a request to each route as each actor. It compares all items of the database before and after
// each request during which the site has sent a write to the database.
func TestWhoMayDoWhat(t *testing.T) {
	for _, actor := range actors {
		t.Run(actor, func(t *testing.T) {
			t.Parallel()
			s := newScene(t, actor)
			m := &matrixColumn{actor: actor, scene: s, built: s.Data.Lines(), writes: s.Data.WriteRequests.Load()}
			for _, route := range slices.Sorted(maps.Keys(decisions)) {
				t.Run(route, func(t *testing.T) {
					for _, way := range ways {
						want := decisions[route][actor]
						if strings.HasPrefix(route, http.MethodPost) && way.name == "from another site" &&
							route != "POST /mail/:key/unsubscribe" { // RFC 8058
							want = "no"
						}
						anonymous := decisions[route]["anonymous"]
						if want == "told" && way.name == "by htmx" && strings.HasPrefix(route, http.MethodGet) &&
							(anonymous == "ok" || route == "GET /login/second") {
							want = anonymous // only pages tell a user who need not be signed in
						}
						if err := m.check(t, route, way.as, want); err != nil {
							t.Errorf("%s: %v", way.name, err)
						}
					}
				})
			}
		})
	}
}

// matrixColumn tries routes as one actor, in a new scene after each change of the database.
type matrixColumn struct {
	actor   string
	scene   *scene
	built   []string // the items of the scene as it was built
	writes  int64    // the write requests in this scene up to the last comparison with built
	changed bool     // whether the last request has changed an item
}

// check sends one request and returns an error if the outcome is not want. It also returns an error
// if the request changed the database, unless it is a POST with the outcome "ok".
func (m *matrixColumn) check(
	t *testing.T, route string, as func(*webtest.Visitor) *webtest.Visitor, want string,
) error {
	t.Helper()
	if m.changed {
		m.scene.Data.Close()
		m.scene = newScene(m.scene.T, m.actor)
		m.writes, m.changed = m.scene.Data.WriteRequests.Load(), false
	}
	sender := *m.scene.actor
	sender.Cookies = maps.Clone(sender.Cookies) // the response may change them
	a := m.scene.act(as(&sender), route)
	var changes []string
	if writes := m.scene.Data.WriteRequests.Load(); writes != m.writes {
		changes = webtest.Differences(m.built, m.scene.Data.Lines())
		m.writes, m.changed = writes, len(changes) > 0
	}
	wantOutcome := want
	if want == "idle" {
		wantOutcome = "ok"
	}
	if got := outcome(a); got != wantOutcome {
		return fmt.Errorf("%s, want %s: %d to %q\n%.300s", got, want, a.StatusCode, a.Header.Get("Location"),
			webtest.CollapseSpace(a.Body))
	}
	if len(changes) > 0 && (want != "ok" || !strings.HasPrefix(route, http.MethodPost)) {
		return fmt.Errorf("the outcome is %s, but the database has changed:\n%s", want, strings.Join(changes, "\n"))
	}
	return nil
}

// crossSite returns the visitor on a page of another site that sends a request to this one. The request has cookies,
// as if the browser ignored SameSite.
func crossSite(v *webtest.Visitor) *webtest.Visitor {
	c := *v
	c.Header = maps.Clone(v.Header)
	c.Header.Set("Sec-Fetch-Site", "cross-site")
	c.Header.Set("Origin", "https://evil.example")
	return &c
}
