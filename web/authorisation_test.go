package web_test

import (
	"bytes"
	"context"
	"fmt"
	"image"
	"image/png"
	"io"
	"maps"
	"mime/multipart"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"inkfeed/domain"
	"inkfeed/web"
)

// actors are the columns of decisions, in their order.
var actors = []string{"anonymous", "owner", "other", "moderator", "administrator", "suspended"}

// table reads decisions: by route, the words by actor.
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
			panic("not a word for each actor: " + line)
		}
		row := map[string]string{}
		for i, actor := range actors {
			row[actor] = words[2+i]
		}
		if route := words[0] + " " + words[1]; rows[route] == nil {
			rows[route] = row
		} else {
			panic("decided twice: " + route)
		}
	}
	return rows
}

// methods that a route may have: GET answers HEAD as well.
var methods = map[string]bool{http.MethodGet: true, http.MethodPost: true}

func TestEveryRouteIsDecided(t *testing.T) {
	routes, err := web.Routes(config(newFake(), io.Discard, keyOne))
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
			t.Errorf("%s: a method that nobody has decided about", route)
		}
		if decisions[route] == nil {
			t.Errorf("%s: who may do that? Decide in authorisation_table_test.go", route)
		}
		delete(left, route)
	}
	for route := range left {
		t.Errorf("%s is decided, but there is no such route", route)
	}
}

// scene is what the actors act on: everything that an address can name is the owner's.
type scene struct {
	*site
	actor  *visitor
	params map[string]string // of addresses
	forms  map[string]url.Values
}

func newScene(t testing.TB, actor string) *scene {
	t.Helper()
	s := newSite(t)
	owner := s.member("olga")
	s.give(owner, domain.RoleAuthor)
	p := owner.aPost("A title", "A text.")
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	edited, err := domain.NewEdit(p.ID, p.Revision, "A title", "Another text.", p.Created.Add(time.Hour))
	must(err)
	edited.Tags, err = domain.CleanTags("go")
	must(err)
	p, err = (fakePosts{s.data}).Edit(context.Background(), edited, owner.user.ID)
	must(err)
	comment := owner.comments(p, "Mine.")[0]
	name := owner.picture()
	draft, err := (fakeDrafts{s.data}).Save(context.Background(),
		domain.Draft{PostID: domain.NewID(), AuthorID: owner.user.ID, Title: "A draft", Content: "Not done."})
	must(err)
	secret, err := (fakeDrafts{s.data}).Share(context.Background(), owner.user.ID, draft.PostID)
	must(err)

	verify, reset := owner.tokens()
	invitation, err := domain.NewInvitation(owner.user, 1, 1, "", time.Now())
	must(err)
	must(fakeInvitations{s.data}.Create(context.Background(), invitation))
	scene := &scene{site: s, actor: s.stranger(), params: map[string]string{
		"id": p.ID, "slug": domain.Slug(p.Title), "comment": comment.ID, "username": "olga", "year": fmt.Sprint(p.Created.Year()),
		"tag": "go", "name": name, "secret": secret, "revision": "1", "number": "7.xml", "token": verify, "link": reset, "draft": draft.PostID,
		"account": owner.user.ID, "code": invitation.Code,
		"file": strings.TrimPrefix(s.stranger().get("/").page().Find(`link[rel="stylesheet"]`).AttrOr("href", ""), "/static/"),
	}}
	switch actor {
	case "anonymous":
	case "owner":
		scene.actor = owner
	default:
		scene.actor = s.member("actor")
		s.give(scene.actor, map[string]domain.Role{"moderator": domain.RoleModerator, "administrator": domain.RoleAdministrator}[actor])
		if actor == "suspended" {
			s.data.mu.Lock()
			u := s.data.users[scene.actor.user.ID]
			u.Suspended = time.Now()
			s.data.users[u.ID] = u
			s.data.mu.Unlock()
		}
	}
	scene.params["passkey"] = s.keep(owner, domain.Passkey{ID: "owners"})
	if scene.actor.user.ID != "" && scene.actor != owner {
		s.keep(scene.actor, domain.Passkey{ID: "actors"})
	}
	scene.forms = scene.validForms(p, comment, draft)
	return scene
}

// give gives a user a role behind the site's back.
func (s *site) give(v *visitor, role domain.Role) {
	s.data.mu.Lock()
	defer s.data.mu.Unlock()
	u := s.data.users[v.user.ID]
	u.Role = role
	s.data.users[u.ID] = u
}

// picture uploads one and returns its name.
func (v *visitor) picture() string {
	v.t.Helper()
	var b bytes.Buffer
	if err := png.Encode(&b, image.NewGray(image.Rect(0, 0, 4, 4))); err != nil {
		v.t.Fatal(err)
	}
	v.upload("/images", b.Bytes())
	v.data.mu.Lock()
	defer v.data.mu.Unlock()
	for name := range v.data.images {
		return name.String()
	}
	v.t.Fatal("the picture was not taken")
	return ""
}

// typedText is what the actors write.
const typedText = "What somebody has typed."

// validForms are what the owner could send at each address that takes more than an empty
// form: whoever may, succeeds.
func (s *scene) validForms(p domain.Post, comment domain.Comment, draft domain.Draft) map[string]url.Values {
	text := url.Values{"title": {"A title"}, "content": {typedText}, "tags": {""}, "do": {"publish"}}
	with := func(v url.Values, pairs ...string) url.Values {
		v = maps.Clone(v)
		for i := 0; i < len(pairs); i += 2 {
			v.Set(pairs[i], pairs[i+1])
		}
		return v
	}
	none := url.Values{}
	return map[string]url.Values{
		"POST /login":                                with(none, "username", "olga", "password", password),
		"POST /signup":                               with(none, "username", "somebody", "password", password),
		"POST /settings/username":                    with(none, "username", "renamed"),
		"POST /settings/profile":                     with(none, "bio", typedText),
		"POST /confirm":                              with(none, "password", password),
		"POST /passkeys/challenge":                   with(none, "for", "new"),
		"POST /settings/security/passkeys/new":       with(none, "name", "Phone"),
		"POST /settings/security/passkeys/:passkey":  with(none, "name", "Phone"),
		"POST /settings/password":                    with(none, "current", password, "password", newPassword),
		"POST /settings/email":                       with(none, "email", "somebody@example.org"),
		"POST /reset":                                with(none, "account", "olga"),
		"POST /reset/:link":                          with(none, "password", newPassword),
		"POST /settings/delete":                      with(none, "password", password),
		"POST /posts":                                with(text, "post", domain.NewID(), "revision", "0", "version", "0"),
		"POST /preview":                              with(text),
		"POST /drafts/:id":                           with(text, "post", p.ID, "revision", fmt.Sprint(p.Revision), "version", "0"),
		"POST /drafts/:id/delete":                    with(none, "version", fmt.Sprint(draft.Version)),
		"POST /posts/:id":                            with(text, "post", p.ID, "revision", fmt.Sprint(p.Revision), "version", "0"),
		"POST /posts/:id/versions/:revision/restore": with(none, "revision", fmt.Sprint(p.Revision)),
		"POST /posts/:id/comments":                   with(none, "content", typedText, "attempt", domain.NewID()),
		"POST /posts/:id/comments/:comment/edit":     with(none, "content", typedText, "began", ""),
		"POST /settings/blocks":                      with(none, "user", s.neighbour()),
		"POST /settings/blocks/remove":               with(none, "user", s.neighbour()),
		"POST /posts/:id/report":                     with(none, "reason", "other", "text", typedText),
		"POST /posts/:id/comments/:comment/report":   with(none, "reason", "other", "text", typedText),
		"POST /posts/:id/moderate":                   with(none, "do", "hide", "why", "spam", "version", "0"),
		"POST /posts/:id/comments/:comment/moderate": with(none, "do", "hide", "why", "spam", "version", "0"),
		"POST /admin/users/:id/role":                 with(none, "role", "reader"),
		"POST /admin/users/:id/suspend":              with(none, "reason", "Spam"),
		"POST /admin/invitations":                    with(none, "uses", "1", "days", "1"),
		"POST /admin/settings":                       with(none, "registration", "closed", "role", "reader", "days", "3", "version", "0"),
		"POST /images/:name":                         with(none, "alt", "A grey square"),
	}
}

// uploads take a file.
var uploads = map[string]bool{"POST /images": true, "POST /settings/avatar": true}

// queries are what addresses need besides.
var queries = map[string]string{"GET /suggest/tags": "?q=g"}

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
		if param == "id" && parts[1] == "drafts" && strings.HasSuffix(path, "/delete") {
			param = "draft"
		}
		if param == "id" && parts[1] == "admin" {
			param = "account"
		}
		value, known := s.params[param]
		if !known {
			s.t.Fatalf("%s: what is :%s? Say so in newScene", route, param)
		}
		parts[i] = before + value
	}
	address := strings.Join(parts, "/") + queries[route]
	if route == "GET /oembed" {
		address += "?url=" + url.QueryEscape("http://example.com/posts/"+s.params["id"])
	}
	return address
}

func (s *scene) act(v *visitor, route string) *answer {
	method, _, _ := strings.Cut(route, " ")
	address := s.address(route)
	switch {
	case uploads[route]:
		var b, file bytes.Buffer
		_ = png.Encode(&file, image.NewGray(image.Rect(0, 0, 5, 5)))
		w := multipart.NewWriter(&b)
		part, _ := w.CreateFormFile("file", "picture.png")
		_, _ = part.Write(file.Bytes())
		_ = w.Close()
		as := *v
		as.header = maps.Clone(v.header)
		as.header.Set("Content-Type", w.FormDataContentType())
		return as.send(method, address, &b)
	case method == http.MethodPost:
		return v.send(method, address, strings.NewReader(s.forms[route].Encode()))
	}
	return v.send(method, address, nil)
}

// outcome is the answer in a word of the table.
func outcome(a *answer) string {
	location := a.Header.Get("Location")
	switch {
	case a.StatusCode == http.StatusSeeOther && strings.HasPrefix(location, "/login"),
		a.StatusCode == http.StatusUnauthorized && strings.HasPrefix(a.Header.Get("HX-Redirect"), "/login"):
		return "login"
	case a.StatusCode == http.StatusUnauthorized && strings.Contains(a.body, typedText) && strings.Contains(a.body, `href="/login`):
		return "kept"
	case a.StatusCode == http.StatusUnauthorized:
		return "401"
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

// kept is all that the store has, as text.
func (f *fake) kept() string {
	f.mu.Lock()
	defer f.mu.Unlock()
	return fmt.Sprint(f.users, f.hashes, f.credentials, f.names, f.posts, f.comments, f.likes, f.deleted, f.drafts, f.versions, f.images,
		f.redirects, f.bookmarks, f.saved, f.reported, f.reviews, f.log, f.government)
}

func TestWhoMayDoWhat(t *testing.T) {
	for route, row := range decisions {
		method, _, _ := strings.Cut(route, " ")
		for _, actor := range actors {
			t.Run(route+"/"+actor, func(t *testing.T) {
				for way, as := range map[string]func(*visitor) *visitor{
					"in a browser":      func(v *visitor) *visitor { return v },
					"by htmx":           (*visitor).htmx,
					"from another site": (*visitor).crossSite,
				} {
					s := newScene(t, actor)
					before := s.data.kept()
					a := s.act(as(s.actor), route)
					want := row[actor]
					if method == http.MethodPost && way == "from another site" {
						want = "no"
					}
					got := outcome(a)
					idle := want == "idle"
					if idle {
						want = "ok"
					}
					if got != want {
						t.Errorf("%s: %s, want %s: %d to %q\n%.300s", way, got, want, a.StatusCode, a.Header.Get("Location"), squeeze(a.body))
					}
					if (got != "ok" || idle) && s.data.kept() != before {
						t.Errorf("%s: %s, and something has changed", way, row[actor])
					}
					if method == http.MethodGet && s.data.kept() != before {
						t.Errorf("%s: looking has changed something", way)
					}
				}
			})
		}
	}
}

// crossSite is the same browser on a page of another site that sends a request here. Cookies
// go along, as if SameSite did not hold.
func (v *visitor) crossSite() *visitor {
	c := *v
	c.header = maps.Clone(v.header)
	c.header.Set("Sec-Fetch-Site", "cross-site")
	c.header.Set("Origin", "https://evil.example")
	return &c
}
