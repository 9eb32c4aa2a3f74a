package web_test

import (
	"io"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/PuerkitoBio/goquery"

	"inkfeed/domain"
)

// forbade is what a browser says of what the Content Security Policy forbids.
var forbade = regexp.MustCompile(`Content Security Policy|Permissions[- ]Policy`)

// unseen are the addresses that nobody here is shown anything at, with the reason.
var unseen = map[string]string{
	"GET /sitemap-:number":             "a sitemap has parts only where there are more posts than one part takes",
	"GET /posts/:id":                   "leads to the address with the slug",
	"GET /posts/:id/comments/:comment": "leads to the page of comments that it is on",
	"GET /feed":                        "leads to a feed",
	"GET /admin":                       "leads to the accounts",
}

// walker opens pages, and hears what the browser says about each.
type walker struct {
	*tab
	heard  int // complaints
	walked int
	opened map[string]bool // addresses
	parts  map[string]bool // of the pages that were opened, see partsOf
}

func newWalker(b *tab) *walker {
	return &walker{tab: b, heard: len(b.said()), opened: map[string]bool{}, parts: map[string]bool{}}
}

// look opens what a visitor gets at an address, if that is a page; again as another only if
// it has something that no page had so far. It tells whether there is anything at all.
func (w *walker) look(v *visitor, path string) bool {
	w.t.Helper()
	a := v.get(path)
	if a.StatusCode < http.StatusBadRequest && a.StatusCode != http.StatusOK {
		return false
	}
	if strings.HasPrefix(a.Header.Get("Content-Type"), "text/html") && a.StatusCode != http.StatusForbidden {
		isNew := !w.opened[path]
		for _, part := range partsOf(a.page()) {
			isNew = isNew || !w.parts[part]
			w.parts[part] = true
		}
		if isNew {
			w.opened[path] = true
			w.as(v)
			w.Open(path)
			w.hear(path)
		}
	}
	return a.StatusCode == http.StatusOK
}

// hear wants that the page that is open did nothing that its policy forbids.
func (w *walker) hear(what string) {
	w.t.Helper()
	w.eventually("document.readyState === 'complete'")
	w.walked++
	said := w.said()
	for _, complaint := range said[w.heard:] {
		if forbade.MatchString(complaint) {
			w.t.Errorf("%s: %s", what, complaint)
		}
	}
	w.heard = len(said)
}

// partsOf are all of a page that a policy could forbid, whatever its texts are.
func partsOf(doc *goquery.Document) (parts []string) {
	doc.Find("*").Each(func(_ int, s *goquery.Selection) {
		part := goquery.NodeName(s)
		for _, a := range s.Nodes[0].Attr {
			part += " " + a.Key
		}
		parts = append(parts, part)
	})
	return parts
}

// complaining waits until a tab has told of something that is forbidden: see forbidding.
func complaining(t *testing.T, b *tab) {
	t.Helper()
	b.Open("/forbidden")
	for !slices.ContainsFunc(b.said(), forbade.MatchString) { // so that silence can be believed
		b.eval("1")
		if b.ctx.Err() != nil {
			t.Fatal("the browser does not tell of what it forbids")
		}
	}
}

func forbidding(h http.Handler) http.Handler {
	return http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/forbidden" {
			rw.Header().Set("Content-Security-Policy", "default-src 'none'")
			_, _ = io.WriteString(rw, `<!doctype html><title>x</title><p style="color: red">x`)
			return
		}
		h.ServeHTTP(rw, r)
	})
}

// Every page that the router knows, as whoever may be at it: a new one is walked by itself.
func TestNoPageDoesWhatItsPolicyForbids(t *testing.T) {
	ctx := browser(t)
	s := newScene(t, "owner")
	olga, ben := s.actor, s.member("ben")
	moderator, administrator := s.staff("maud", domain.RoleModerator), s.staff("anna", domain.RoleAdministrator)
	enrolled, leaver := s.member("tess"), s.member("lea")
	enrolled.enrols()
	_, err := s.data.store.Users.ScheduleDeletion(s.data.ctx(), leaver.user.ID, time.Now().Add(grace))
	s.data.must(err)
	s.suspends(s.member("sid"))
	spam := olga.aPost("Spam", "Buy this.")
	ben.post("/posts/"+spam.ID+"/report", "reason", "other", "text", "Spam").want(http.StatusSeeOther)
	ben.post(s.address("POST /posts/:id/comments/:comment/report"), "reason", "spam").want(http.StatusSeeOther)
	moderator.post("/posts/"+spam.ID+"/moderate", "do", "hide", "why", "spam", "version", "1").want(http.StatusSeeOther)
	ben.post("/settings/blocks", "user", olga.user.ID).want(http.StatusSeeOther)

	before := s.member("nora") // confirmed long ago
	for _, session := range s.data.sessions() {
		if session.UserID == before.user.ID {
			s.data.must(s.data.store.Sessions.Confirm(s.data.ctx(), session.UserID, session.ID, time.Time{}))
		}
	}
	imported := domain.ImportJob{ID: domain.NewID(), UserID: ben.user.ID, State: domain.ImportDone, FileName: "blog.zip", Created: time.Now()}
	_, err = s.data.store.ImportJobs.Put(s.data.ctx(), imported)
	s.data.must(err)

	visitors := []*visitor{olga, s.stranger(), ben, moderator, administrator, s.half("tess"), enrolled, leaver, before}
	scan := strings.TrimPrefix(olga.get("/settings/security/totp").want(http.StatusOK).page().Find(".qr-code img").AttrOr("src", ""), "/settings/security/totp/image")
	b := newTab(t, ctx, serve(t, forbidding(s.handler)))
	complaining(t, b)
	w := newWalker(b)
	for route := range decisions { // all that there are: see TestEveryRouteIsDecided
		if !strings.HasPrefix(route, http.MethodGet+" ") {
			continue
		}
		path, shown := s.address(route), false
		if route == "GET /settings/security/totp/image" {
			path += scan
		}
		for _, v := range visitors {
			shown = w.look(v, path) || shown
		}
		if _, excepted := unseen[route]; shown == excepted {
			t.Errorf("%s: %s: shown to somebody is %t. What its parameters are is in newScene", route, path, shown)
		}
	}
	for _, path := range []string{spam.Path(), "/posts/" + spam.ID + "/moderate", "/admin/users?name=ben", "/admin/users?name=sid", "/nothing", "/search?q=e", "/settings?kept=yes"} {
		for _, v := range visitors {
			w.look(v, path)
		}
	}
	w.as(enrolled)
	w.Open("/settings/security/recovery")
	w.hear("the question before the recovery codes")
	w.click("main form button")
	w.sees("main .codes code")
	w.hear("the recovery codes")
	if w.walked < 60 {
		t.Errorf("only %d pages were walked", w.walked)
	}

	world := newWorld(t)
	b = newTab(t, ctx, serve(t, forbidding(world.handler)))
	complaining(t, b)
	full := newWalker(b)
	for _, path := range []string{world.long.Path(), world.arabic.Path(), "/", "/?page=2", "/@ada", "/search?q=e"} {
		full.look(world.ada, path)
		full.look(world.stranger(), path)
	}
	t.Logf("%d pages, and %d full ones", w.walked, full.walked)
}
