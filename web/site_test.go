package web_test

import (
	"bytes"
	"context"
	"io"
	"log/slog"
	"maps"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/PuerkitoBio/goquery"
	"github.com/alexedwards/argon2id"

	"inkfeed/domain"
	"inkfeed/domain/picture"
	"inkfeed/web"
	"inkfeed/web/credential"
	"inkfeed/web/site/client"
	"inkfeed/web/site/response"
)

var (
	keyOne = bytes.Repeat([]byte{1}, 32)
	keyTwo = bytes.Repeat([]byte{2}, 32)
)

// pictures is what a process has one of.
var pictures = picture.NewMaker()

// testProxies has what httptest says that requests come from.
var testProxies, _ = client.ParseProxies("192.0.2.1")

const password = "correct horse battery"

// site is Inkfeed on a database of its own.
type site struct {
	t       testing.TB
	data    *database
	handler http.Handler
	log     *bytes.Buffer
}

func newSite(t testing.TB) *site {
	t.Helper()
	return newSiteOn(t, newDatabase(t), keyOne)
}

func newSiteOn(t testing.TB, data *database, keys ...[]byte) *site {
	t.Helper()
	log := &bytes.Buffer{}
	s := &site{t: t, data: data, log: log}
	s.restart(config(data, log, keys...))
	return s
}

// restart starts a server with another configuration.
func (s *site) restart(c web.Config) {
	s.t.Helper()
	var err error
	s.handler, err = web.New(c)
	if err != nil {
		s.t.Fatal(err)
	}
	s.handler = s.data.current(s.handler)
}

// current returns a handler that brings all copies up to date before each request.
func (d *database) current(h http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		d.catchUp()
		h.ServeHTTP(w, r)
	})
}

// cheapHashing are parameters with which passwords cost next to nothing to hash, so that a test can sign up many users.
var cheapHashing = &argon2id.Params{Memory: 64, Iterations: 1, Parallelism: 1, SaltLength: 16, KeyLength: 32}

// config is the configuration of a site on a database, with cheap passwords. It logs everything.
func config(d *database, log io.Writer, keys ...[]byte) web.Config {
	return web.Config{Users: d.store.Users, Sessions: d.store.Sessions, Secrets: d.store.Secrets, Mailer: d.mail,
		Posts: d.store.Posts, Drafts: d.store.Drafts, Feed: d.store.Feed, Tags: d.store.Tags, Search: d.search,
		Images: d.store.Images, Files: d.files, Pictures: pictures, Export: d.store.Export, Imports: d.store.ImportJobs,
		Redirects: d.store.Redirects, Reports: d.store.Reports, Reviews: d.store.Reviews, Audit: d.store.Audit,
		Settings: d.store.Settings, Invitations: d.store.Invitations,
		Passwords: credential.NewHasherWith(cheapHashing, credential.MaxHashQueue),
		Markdown:  d.markdown, SessionKeys: keys, Ready: func(context.Context) error { return nil },
		Behind:  func(context.Context) []string { return nil },
		Proxies: testProxies, StrictTransport: response.DefaultStrictTransport,
		Logger: slog.New(slog.NewTextHandler(log, &slog.HandlerOptions{Level: slog.LevelDebug}))}
}

// visitor is a browser with its cookies.
type visitor struct {
	*site
	user    domain.User
	cookies map[string]string
	header  http.Header // sent with every request
}

// stranger is a visitor who has never been here.
func (s *site) stranger() *visitor {
	return &visitor{site: s, cookies: map[string]string{}, header: http.Header{}}
}

// member signs up a user of that name.
func (s *site) member(name string) *visitor {
	s.t.Helper()
	v := s.stranger()
	v.post("/signup", "username", name, "password", password, "next", "/").wantRedirect(http.StatusSeeOther, "/")
	v.user = s.data.named(name)
	return v
}

// htmx is the same visitor, asking as htmx does.
func (v *visitor) htmx() *visitor {
	h := *v
	h.header = maps.Clone(v.header)
	h.header.Set("HX-Request", "true")
	return &h
}

// forgotten is the same browser after its session ended.
func (v *visitor) forgotten() *visitor {
	h := *v
	h.cookies = map[string]string{}
	return &h
}

func (v *visitor) get(path string) *answer {
	v.t.Helper()
	return v.send(http.MethodGet, path, nil)
}

// post sends a form of names and values in turn.
func (v *visitor) post(path string, fields ...string) *answer {
	v.t.Helper()
	form := url.Values{}
	for i := 0; i < len(fields); i += 2 {
		form.Set(fields[i], fields[i+1])
	}
	return v.send(http.MethodPost, path, strings.NewReader(form.Encode()))
}

func (v *visitor) send(method, path string, body io.Reader) *answer {
	v.t.Helper()
	r := httptest.NewRequest(method, path, body)
	maps.Copy(r.Header, v.header)
	if body != nil && r.Header.Get("Content-Type") == "" {
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	}
	for name, value := range v.cookies {
		r.AddCookie(&http.Cookie{Name: name, Value: value})
	}
	w := httptest.NewRecorder()
	v.handler.ServeHTTP(w, r)
	for _, c := range w.Result().Cookies() {
		if c.MaxAge < 0 {
			delete(v.cookies, c.Name)
		} else {
			v.cookies[c.Name] = c.Value
		}
	}
	return &answer{t: v.t, what: method + " " + path, Response: w.Result(), body: w.Body.String()}
}

// answer is a response with its page.
type answer struct {
	*http.Response
	t    testing.TB
	what string
	body string
}

func (a *answer) want(status int) *answer {
	a.t.Helper()
	if a.StatusCode != status {
		a.t.Fatalf("%s: status %d, want %d\n%s", a.what, a.StatusCode, status, a.body)
	}
	return a
}

func (a *answer) wantRedirect(status int, to string) *answer {
	a.t.Helper()
	a.want(status)
	if got := a.Header.Get("Location"); got != to {
		a.t.Fatalf("%s: leads to %q, want %q", a.what, got, to)
	}
	return a
}

// page reads the answer as HTML.
func (a *answer) page() *goquery.Document {
	a.t.Helper()
	if ct := a.Header.Get("Content-Type"); ct != "text/html; charset=UTF-8" {
		a.t.Fatalf("%s: content type %q", a.what, ct)
	}
	doc, err := goquery.NewDocumentFromReader(strings.NewReader(a.body))
	if err != nil {
		a.t.Fatal(err)
	}
	return doc
}

// has wants exactly one element of that selector whose text holds text.
func (a *answer) has(selector, text string) *answer {
	a.t.Helper()
	found := a.page().Find(selector)
	if found.Length() != 1 {
		a.t.Errorf("%s: %d of %s, want 1", a.what, found.Length(), selector)
	} else if got := squeeze(found.Text()); !strings.Contains(got, text) {
		a.t.Errorf("%s: %s says %q, want %q", a.what, selector, got, text)
	}
	return a
}

// hasNo wants no element of that selector.
func (a *answer) hasNo(selector string) *answer {
	a.t.Helper()
	if n := a.page().Find(selector).Length(); n != 0 {
		a.t.Errorf("%s: %d of %s, want none", a.what, n, selector)
	}
	return a
}

// Value is what stands in a field of a form.
func (a *answer) Value(name string) string {
	a.t.Helper()
	field := a.page().Find(`main [name="` + name + `"], #Page-comment-form [name="` + name + `"]`).First()
	if goquery.NodeName(field) == "textarea" {
		return field.Text()
	}
	return field.AttrOr("value", "")
}

// complains wants a message beside a field, tied to it, and in the summary.
func (a *answer) complains(field, message string) *answer {
	a.t.Helper()
	input := a.page().Find(`[name="` + field + `"][aria-invalid], #` + field).First()
	a.has("#"+input.AttrOr("id", field)+"-error", message)
	a.has(`[role="alert"]`, message)
	if input.AttrOr("aria-invalid", "") != "true" {
		a.t.Errorf("%s: %s is not marked invalid", a.what, field)
	}
	if !strings.Contains(input.AttrOr("aria-describedby", ""), input.AttrOr("id", field)+"-error") {
		a.t.Errorf("%s: %s is not tied to its message", a.what, field)
	}
	return a
}

// newForm is a POST of names and values in turn.
func newForm(path string, fields ...string) *http.Request {
	form := url.Values{}
	for i := 0; i < len(fields); i += 2 {
		form.Set(fields[i], fields[i+1])
	}
	r := httptest.NewRequest(http.MethodPost, path, strings.NewReader(form.Encode()))
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	return r
}

func (s *site) serve(r *http.Request) *httptest.ResponseRecorder {
	w := httptest.NewRecorder()
	s.handler.ServeHTTP(w, r)
	return w
}

func squeeze(s string) string { return strings.Join(strings.Fields(s), " ") }

// aPost writes a post of v's straight into the store. Each post of a site is a minute younger than the one before.
func (v *visitor) aPost(title, content string) domain.Post {
	v.t.Helper()
	return v.aPostWith(title, content, func(*domain.Post) {})
}

// aPostWith writes a post that change has changed.
func (v *visitor) aPostWith(title, content string, change func(*domain.Post)) domain.Post {
	v.t.Helper()
	at := time.Date(2026, 5, 1, 12, 0, 0, 0, time.UTC).Add(time.Duration(v.data.postsMade) * time.Minute)
	v.data.postsMade++
	p, err := domain.NewPost(v.user, title, content, at)
	if err != nil {
		v.t.Fatal(err)
	}
	change(&p)
	v.data.must(v.data.store.Posts.Create(v.data.ctx(), p))
	return p
}

// comments writes comments of v's straight into the store.
func (v *visitor) comments(p domain.Post, contents ...string) []domain.Comment {
	v.t.Helper()
	var made []domain.Comment
	for i, content := range contents {
		c, err := domain.NewComment(v.user, p.ID, content, p.Created.Add(time.Duration(i+1)*time.Minute))
		if err != nil {
			v.t.Fatal(err)
		}
		_, err = v.data.store.Posts.AddComment(v.data.ctx(), c)
		v.data.must(err)
		made = append(made, c)
	}
	return made
}

// give gives a user a role behind the site's back.
func (s *site) give(v *visitor, role domain.Role) {
	_, err := s.data.store.Users.SetRole(s.data.ctx(), v.user.ID, role)
	s.data.must(err)
}

// picture uploads a picture and returns its name.
func (v *visitor) picture() string {
	v.t.Helper()
	v.upload("/images", greyPNG(v.t, 4))
	images, err := v.data.store.Images.Of(v.data.ctx(), v.user.ID, 1)
	v.data.must(err)
	if len(images.Items) == 0 {
		v.t.Fatal("the picture was not taken")
	}
	return images.Items[0].Name.String()
}

// many is n texts that can be told apart.
func many(n int) []string {
	texts := make([]string, n)
	for i := range texts {
		texts[i] = "comment number " + string(rune('a'+i%26)) + strings.Repeat("i", i/26+1)
	}
	return texts
}
