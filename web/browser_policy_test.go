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
	"inkfeed/web/webtest"
)

// violation matches console messages about violations of the Content Security Policy or the Permissions Policy.
var violation = regexp.MustCompile(`Content Security Policy|Permissions[- ]Policy`)

// withoutPage are the routes that show no visitor of this test a page, with the reason.
var withoutPage = map[string]string{
	"GET /sitemap-:number":             "the sitemap has parts only if there are more posts than fit into one",
	"GET /posts/:id":                   "redirects to the address with the slug",
	"GET /posts/:id/comments/:comment": "redirects to the page of comments that has it",
	"GET /posts":                       "is not found while the front page lists the posts of all authors",
	"GET /admin":                       "redirects to the accounts",
	"GET /.well-known/change-password": "redirects to the page where the password is changed",
	"GET /brand/:file":                 "is a picture, and this site has no logo",
	"GET /admin/setup":                 "is for a new site, see below",
}

// walker opens pages and reads the browser's console after each.
type walker struct {
	*webtest.Tab
	read   int // messages on the console that are already read
	walked int
	opened map[string]bool // addresses of the opened pages
	parts  map[string]bool // parts of the opened pages, see partsOf
}

func newWalker(b *webtest.Tab) *walker {
	return &walker{Tab: b, read: len(b.Console()), opened: map[string]bool{}, parts: map[string]bool{}}
}

// look requests an address and opens it in the browser if the response is a page. The same address is opened again for
// another visitor only if the page has a part that no page had before. look reports whether the status is 200.
func (w *walker) look(v *webtest.Visitor, path string) bool {
	w.T.Helper()
	a := v.Get(path)
	if a.StatusCode < http.StatusBadRequest && a.StatusCode != http.StatusOK {
		return false
	}
	if strings.HasPrefix(a.Header.Get("Content-Type"), "text/html") && a.StatusCode != http.StatusForbidden {
		isNew := !w.opened[path]
		for _, part := range partsOf(a.Page()) {
			isNew = isNew || !w.parts[part]
			w.parts[part] = true
		}
		if isNew {
			w.opened[path] = true
			w.SignInAs(v)
			w.Open(path)
			w.checkMessages(path)
		}
	}
	return a.StatusCode == http.StatusOK
}

// checkMessages checks that the open page violated none of its policies.
func (w *walker) checkMessages(what string) {
	w.T.Helper()
	w.WaitUntil("document.readyState === 'complete'")
	w.walked++
	messages := w.Console()
	for _, message := range messages[w.read:] {
		if violation.MatchString(message) {
			w.T.Errorf("%s: %s", what, message)
		}
	}
	w.read = len(messages)
}

// partsOf returns the elements of a page with the names of their attributes, without texts. A policy can forbid no more
// than these.
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

// checkReporting checks that the browser reports the violation on the page of forbidding.
func checkReporting(t *testing.T, b *webtest.Tab) {
	t.Helper()
	b.Open("/forbidden")
	for !slices.ContainsFunc(b.Console(), violation.MatchString) { // otherwise a silent console proves nothing
		b.Eval("1")
		if b.Ctx.Err() != nil {
			t.Fatal("the browser does not report violations")
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

// This test opens every page that the router knows, as each visitor. It finds new pages by itself.
func TestNoPageViolatesItsPolicies(t *testing.T) {
	if !exhaustive {
		t.Skip("make exhaustive opens every page in a browser")
	}
	ctx := webtest.Browser(t)
	s := newScene(t, "owner")
	olga, ben := s.actor, s.SignUp("ben")
	moderator, administrator := s.SignUpAs("maud", domain.RoleModerator), s.SignUpAs("anna", domain.RoleAdministrator)
	enrolled, leaver := s.SignUp("tess"), s.SignUp("lea")
	enrolled.EnableAuthenticator()
	_, err := s.Data.Store.AccountDeletions.ScheduleDeletion(s.Data.Context(), leaver.User.ID,
		time.Now().Add(webtest.DeletionGrace))
	s.Data.Must(err)
	s.Suspend(s.SignUp("sid"))
	spam := olga.CreatePost("Spam", "Buy this.")
	ben.Post("/posts/"+spam.ID+"/report", "reason", "other", "text", "Spam").Want(http.StatusSeeOther)
	ben.Post(s.address("POST /posts/:id/comments/:comment/report"), "reason", "spam").Want(http.StatusSeeOther)
	moderator.Post("/posts/"+spam.ID+"/moderate", "do", "hide", "why", "spam", "version", "1").Want(http.StatusSeeOther)
	ben.Post("/settings/blocks", "user", olga.User.ID).Want(http.StatusSeeOther)

	before := s.SignUp("nora") // confirmed the password long ago
	for _, session := range s.Data.Sessions() {
		if session.UserID == before.User.ID {
			s.Data.Must(s.Data.Store.Sessions.Confirm(s.Data.Context(), session.UserID, session.ID, time.Time{}))
		}
	}
	imported := domain.ImportJob{
		ID:       domain.NewID(),
		UserID:   ben.User.ID,
		State:    domain.ImportDone,
		FileName: "blog.zip",
		Created:  time.Now(),
	}
	_, err = s.Data.Store.ImportJobs.Put(s.Data.Context(), imported)
	s.Data.Must(err)

	visitors := []*webtest.Visitor{
		olga, s.Anonymous(), ben, moderator, administrator, s.HalfSignedIn("tess"), enrolled, leaver, before,
	}
	code := olga.Get("/settings/security/totp").Want(http.StatusOK).Page().Find(".qr-code img")
	scan := strings.TrimPrefix(code.AttrOr("src", ""), "/settings/security/totp/image")
	b := webtest.NewTab(t, ctx, webtest.Listen(t, forbidding(s.Handler)))
	checkReporting(t, b)
	w := newWalker(b)
	const ofDemoted = "GET /drafts/:id" // a page for authors who have lost the right to write
	for route := range decisions {      // every route, see TestEveryRouteIsDecided
		if !strings.HasPrefix(route, http.MethodGet+" ") {
			continue
		}
		if route == ofDemoted {
			continue
		}
		path, shown := s.address(route), false
		if route == "GET /settings/security/totp/image" {
			path += scan
		}
		for _, v := range visitors {
			shown = w.look(v, path) || shown
		}
		if _, excepted := withoutPage[route]; shown == excepted {
			t.Errorf("%s: %s is shown to a visitor: %t. newScene sets the parameters", route, path, shown)
		}
	}
	s.setRole(olga, domain.RoleReader)
	if path := s.address(ofDemoted); !w.look(olga, path) {
		t.Errorf("%s is not shown to an author who may no longer write", path)
	}
	s.setRole(olga, domain.RoleAuthor)
	for _, path := range []string{
		spam.Path(), "/posts/" + spam.ID + "/moderate", "/admin/users?name=ben", "/admin/users?name=sid", "/nothing",
		"/search?q=e", "/settings?kept=yes",
	} {
		for _, v := range visitors {
			w.look(v, path)
		}
	}
	w.SignInAs(enrolled)
	w.Open("/settings/security/recovery")
	w.checkMessages("the confirmation before the recovery codes")
	w.Click("main form button")
	w.WaitVisible("main .codes code")
	w.checkMessages("the recovery codes")
	if w.walked < 60 {
		t.Errorf("only %d pages were opened", w.walked)
	}

	unused := webtest.NewSiteOn(t, webtest.NewEmptyDatabase(t), webtest.KeyOne)
	first := unused.Anonymous()
	first.Post("/signup", "username", "ada", "password", webtest.Password).WantRedirect(303, "/admin/setup")
	b = webtest.NewTab(t, ctx, webtest.Listen(t, forbidding(unused.Handler)))
	if !newWalker(b).look(first, "/admin/setup") {
		t.Error("the setup of a new site is not shown to its administrator")
	}

	world := webtest.NewWorld(t)
	b = webtest.NewTab(t, ctx, webtest.Listen(t, forbidding(world.Handler)))
	checkReporting(t, b)
	full := newWalker(b)
	for _, path := range []string{world.Long.Path(), world.Arabic.Path(), "/", "/?page=2", "/@ada", "/search?q=e"} {
		full.look(world.Ada, path)
		full.look(world.Anonymous(), path)
	}
	t.Logf("%d pages, and %d full ones", w.walked, full.walked)
}
