package web_test

import (
	"encoding/json"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/PuerkitoBio/goquery"

	"inkfeed/domain"
	"inkfeed/web/webtest"
)

func TestFormsFromOtherSitesAreRefused(t *testing.T) {
	s := webtest.NewSite(t)
	ada := s.SignUp("ada")
	p := ada.CreatePost("A title", "text")
	comment := webtest.DeletePath(ada.CreateComments(p, "mine")[0])
	post := "/posts/" + p.ID
	for _, header := range map[string][2]string{
		"another site":      {"Sec-Fetch-Site", "cross-site"},
		"a sibling host":    {"Sec-Fetch-Site", "same-site"},
		"an older browser":  {"Origin", "https://evil.example"},
		"a sandboxed frame": {"Origin", "null"},
	} {
		v := *ada
		v.Header = http.Header{}
		v.Header.Set(header[0], header[1])
		for _, path := range []string{
			"/signup", "/login", "/logout", "/posts", post, post + "/comments", post + "/like", post + "/unlike",
			post + "/delete", comment, "/settings/username", "/settings/delete",
		} {
			v.Post(path, "username", "mallory", "password", webtest.Password, "title", "T", "content", "C").Want(403).
				Has("h1", "Not allowed")
		}
		v.HTMX().Post(post+"/like").Want(403).Has("dialog", "another site")
		v.HTMX().Post(comment).Want(403).Has("dialog", "another site")
		v.Get("/").Want(200)
	}
	if s.Data.Calls("Posts.Like", "Posts.CreateReturning", "Usernames.Rename", "Posts.Delete", "Posts.DeleteComment",
		"AccountDeletions.Delete") != 0 {
		t.Error("a refused form changed something")
	}
	ada.Header.Set("Sec-Fetch-Site", "same-origin")
	ada.Post(post + "/like").Want(303)
}

func TestEveryResponseHasTheSecurityHeaders(t *testing.T) {
	s := webtest.NewSite(t)
	ada := s.SignUp("ada")
	css := ada.Get("/").Page().Find(`link[rel="stylesheet"]`).AttrOr("href", "")
	for _, a := range []*webtest.Response{
		ada.Get("/"), ada.Get("/nothing"), ada.Get(css), ada.Get("/favicon.ico"), ada.Get("/healthz"),
		ada.Post("/posts"), ada.Post("/posts/x/delete"), ada.Post("/settings/delete"), ada.Get("/goodbye"),
		ada.Post("/logout"), ada.Send(http.MethodDelete, "/", nil), ada.HTMX().Post("/posts/x/like"),
	} {
		for name, want := range map[string]string{
			"Content-Security-Policy": "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; " +
				"font-src 'self'; connect-src 'self'; manifest-src 'self'; form-action 'self'; base-uri 'none'; " +
				"frame-ancestors 'none'",
			"X-Content-Type-Options": "nosniff",
			"Referrer-Policy":        "same-origin",
		} {
			if got := a.Header.Get(name); got != want {
				t.Errorf("%s: %s is %q", a.Request, name, got)
			}
		}
	}
}

func TestSharedCachesKeepNoPersonalPages(t *testing.T) {
	s := webtest.NewSite(t)
	ada := s.SignUp("ada")
	p := ada.CreatePost("A title", "text")
	for _, path := range []string{
		"/", "/@ada", p.Path(), "/posts/" + p.ID + "/likes", "/settings", "/new", "/login", "/nothing",
		"/posts/" + p.ID + "/delete", webtest.DeletePath(ada.CreateComments(p, "mine")[0]), "/settings/delete",
	} {
		if got := ada.Get(path).Header.Get("Cache-Control"); !strings.HasPrefix(got, "private") && got != "no-store" {
			t.Errorf("%s: Cache-Control is %q", path, got)
		}
	}
}

func TestBrowsersKeepNoPersonalPages(t *testing.T) {
	s := webtest.NewSite(t)
	ada := s.SignUp("ada")
	p := ada.CreatePost("A title", "text")
	for _, path := range []string{"/", "/@ada", p.Path(), "/posts/" + p.ID + "/comments", "/posts/" + p.ID + "/likes"} {
		for v, want := range map[*webtest.Visitor]string{
			ada:                  "private, no-store",
			s.Anonymous():        "private, no-cache",
			ada.WithoutSession(): "private, no-cache",
		} {
			if got := v.Get(path).Want(200).Header.Get("Cache-Control"); got != want {
				t.Errorf("%s: Cache-Control is %q, want %q", path, got, want)
			}
		}
	}
}

// nasty is text that would run code or change the page if it were used as HTML.
const nasty = `<script>alert(1)</script>"'><img src=x onerror=alert(2)><hx-partial hx-get="/">&lt;b&gt;`

func TestTextsOfUsersAreEscaped(t *testing.T) {
	s := webtest.NewSite(t)
	ada := s.SignUp("ada")
	// A username that every rule forbids, as if a rule had failed. The projector would reserve it.
	s.Data.StopProjection()
	s.Data.ChangeUser(ada.User.ID, func(item map[string]any) { item["username"] = `ada"><script>alert(3)</script>` })
	ada.User = s.Data.User(ada.User.ID)
	p := ada.CreatePost(nasty,
		nasty+"\n\n[x](javascript:alert(4)) <a href=\"javascript:alert(5)\" onclick=alert(6)>y</a>")
	comment := ada.CreateComments(p, nasty, "[x](data:text/html,x)")[0]
	gone := "/posts/" + domain.NewID()
	ada.Post("/posts/" + p.ID + "/like").Want(303)
	summary := s.Data.Markdown.Summarize(p)
	s.Data.Must(s.Data.Store.Feed.Apply(t.Context(), []domain.Summary{summary}))
	s.Data.Must(s.Data.Store.UserCopies.ApplySummary(t.Context(), summary))
	ada.Get("/").Has("main", nasty)

	for _, a := range []*webtest.Response{
		ada.Get("/"), ada.Get(p.Path()), ada.Get("/posts/" + p.ID + "/comments"), ada.Get("/posts/" + p.ID + "/likes"),
		ada.Get("/posts/" + p.ID + "/edit"), ada.Get("/settings"), ada.Get("/new"),
		ada.HTMX().Get("/posts/" + p.ID + "/comments"), ada.HTMX().Post("/posts/"+p.ID+"/comments", "content", nasty),
		ada.Post("/posts", "title", nasty, "content", ""),
		ada.Post("/posts", "title", "", "content", nasty+"</textarea>"),
		ada.Post("/posts/"+p.ID, "title", nasty, "content", nasty, "revision", "0"),
		ada.Post("/settings/username", "username", nasty),
		ada.Get("/posts/" + p.ID + "/delete"), ada.Get(webtest.DeletePath(comment)), ada.Get("/settings/delete"),
		ada.Get(webtest.DeletePath(comment) + "?page=%22%3E%3Cscript%3E"),
		ada.Post("/settings/delete", "password", nasty),
		ada.Post(gone, "title", nasty, "content", nasty+"</textarea>"),
		ada.Post(gone+"/comments", "content", nasty+"</textarea>"),
		ada.HTMX().Post(gone+"/comments", "content", nasty+"</textarea>"),
		s.Anonymous().Post("/login", "username", nasty, "password", webtest.Password, "next", `/"><script>`),
		s.Anonymous().Post("/signup", "username", nasty, "password", webtest.Password, "next", `/"><script>`),
		s.Anonymous().Get("/login?next=/%22%3E%3Cscript%3E"),
		s.Anonymous().Get("/" + strings.ReplaceAll(nasty, " ", "%20")),
		s.Anonymous().Get("/?page=" + strings.ReplaceAll(nasty, " ", "%20")),
	} {
		wantOwnMarkup(t, a)
	}
	ada.Get(p.Path()).Has("h1", nasty)
}

// wantOwnMarkup reports an error if the page contains markup that a user injected, such as a script.
func wantOwnMarkup(t *testing.T, a *webtest.Response) {
	t.Helper()
	doc := a.Page()
	doc.Find("script").Each(func(_ int, s *goquery.Selection) {
		var described map[string]any // a post, or the blog of an author

		isData := len(s.Nodes[0].Attr) == 1 && s.AttrOr("type", "") == "application/ld+json" // never executed
		if isData && json.Unmarshal([]byte(s.Text()), &described) == nil &&
			(described["@type"] == "BlogPosting" || described["@type"] == "Blog") {
			return
		}
		if src, ok := s.Attr("src"); !ok || !strings.HasPrefix(src, "/static/") || s.Text() != "" {
			t.Errorf("%s has a foreign script: %s %q", a.Request, src, s.Text())
		}
	})
	if n := doc.Find("img, iframe, object, embed, style, base, link[rel=import], [style]").Length(); n != 0 {
		t.Errorf("%s has %d foreign elements", a.Request, n)
	}
	if n := doc.Find("hx-partial[hx-get]").Length(); n != 0 {
		t.Errorf("%s has a typed element that htmx acts on", a.Request)
	}
	doc.Find("*").Each(func(_ int, s *goquery.Selection) {
		for _, attr := range s.Nodes[0].Attr {
			if strings.HasPrefix(attr.Key, "on") {
				t.Errorf("%s: %s has the attribute %s", a.Request, goquery.NodeName(s), attr.Key)
			}
			v := strings.ToLower(strings.TrimSpace(attr.Val))
			if (attr.Key == "href" || attr.Key == "src" || attr.Key == "action") &&
				(strings.HasPrefix(v, "javascript:") || strings.HasPrefix(v, "data:")) {
				t.Errorf("%s: %s links to %s", a.Request, goquery.NodeName(s), attr.Val)
			}
		}
	})
}

func TestEveryPageIsWellFormed(t *testing.T) {
	s := webtest.NewSite(t)
	ada := s.SignUp("ada")
	p := ada.CreatePost("A title", "# A heading\n\ntext")
	comment := ada.CreateComments(p, "one")[0]
	gone := "/posts/" + domain.NewID()
	for _, v := range []*webtest.Visitor{ada, s.Anonymous()} {
		for _, a := range []*webtest.Response{
			v.Get("/"), v.Get("/@ada"), v.Get(p.Path()), v.Get("/posts/" + p.ID + "/comments"),
			v.Get("/posts/" + p.ID + "/likes"),
			v.Get("/new"), v.Get("/settings"), v.Get("/posts/" + p.ID + "/edit"), v.Get("/login"), v.Get("/signup"),
			v.Get("/nothing"),
			v.Get("/posts/" + p.ID + "/delete"), v.Get(webtest.DeletePath(comment)),
			v.Get(webtest.DeletePath(comment) + "?page=1"),
			v.Get("/settings/delete"), v.Get("/goodbye"), v.Post("/settings/delete"),
			v.Get(p.Path() + "?deleted=yes"), v.Get("/posts/" + p.ID + "/comments?deleted=yes"),
			v.Get("/@ada?deleted=yes"),
			v.Post(gone, "title", "T", "content", "C"), v.Post(gone+"/comments", "content", "C"), v.Get(gone),
			v.Post("/posts", "title", ""), v.Post("/posts/"+p.ID, "title", "T", "content", "C", "revision", "0"),
			v.Post("/login"), v.Post("/signup"), v.Post("/posts/" + p.ID + "/comments"),
			v.Send(http.MethodDelete, "/", nil),
		} {
			if a.StatusCode != http.StatusSeeOther {
				wantWellFormed(t, a)
			}
		}
	}
}

func wantWellFormed(t *testing.T, a *webtest.Response) {
	t.Helper()
	doc := a.Page()
	for _, one := range []string{
		"h1", "title", `html[lang="en"]`, "main#Page-main", `meta[name="viewport"]`, `a.skip[href="#Page-main"]`,
		`nav[aria-label="Site"]`, `meta[name="htmx-config"]`,
	} {
		if n := doc.Find(one).Length(); n != 1 {
			t.Errorf("%s has %d elements %s, want 1", a.Request, n, one)
		}
	}
	uses, scripts := strings.Contains(a.Body, "data-hx-"), doc.Find(`script[src*="htmx"]`).Length()
	if uses != (scripts == 1) {
		t.Errorf("%s uses htmx: %t, and has %d scripts of it", a.Request, uses, scripts)
	}
	if title := doc.Find("title").Text(); !strings.HasSuffix(title, " · Inkfeed") || len(title) < 12 {
		t.Errorf("%s: the title is %q", a.Request, title)
	}
	if !strings.HasPrefix(a.Body, "<!doctype html>") {
		t.Errorf("%s has no doctype", a.Request)
	}
	wantOwnMarkup(t, a)
	doc.Find("link[href], script[src], [data-hx-get], [data-hx-post], form[action]").
		Each(func(_ int, s *goquery.Selection) {
			for _, name := range []string{"href", "src", "data-hx-get", "data-hx-post", "action"} {
				v, ok := s.Attr(name)
				if s.Is(`link[rel="canonical"], link[type$="+oembed"]`) { // metadata with an absolute address
					v = strings.TrimPrefix(v, "http://example.com")
				}
				if ok && (!strings.HasPrefix(v, "/") || strings.HasPrefix(v, "//")) {
					t.Errorf("%s: %s=%q is on another host", a.Request, name, v)
				}
			}
		})
	ids := map[string]bool{}
	doc.Find("[id]").Each(func(_ int, s *goquery.Selection) {
		if id := s.AttrOr("id", ""); ids[id] {
			t.Errorf("%s: two elements have the id %s", a.Request, id)
		} else {
			ids[id] = true
		}
	})
	for _, attr := range []string{"aria-describedby", "aria-labelledby", "for"} {
		doc.Find("[" + attr + "]").Each(func(_ int, s *goquery.Selection) {
			for id := range strings.FieldsSeq(s.AttrOr(attr, "")) {
				if !ids[id] {
					t.Errorf("%s: %s refers to #%s, which does not exist", a.Request, attr, id)
				}
			}
		})
	}
	doc.Find("main input:not([type=hidden], [hidden]), textarea").Each(func(_ int, s *goquery.Selection) {
		if doc.Find(`label[for="`+s.AttrOr("id", "")+`"]`).Length() != 1 {
			t.Errorf("%s has a field without a label", a.Request)
		}
	})
}

func TestMalformedIDsAreNotFound(t *testing.T) {
	s := webtest.NewSite(t)
	ada := s.SignUp("ada")
	for _, id := range []string{ada.User.ID, "ada", domain.LikeID(ada.User.ID), "a%00b", strings.Repeat("a", 5000)} {
		ada.Get("/posts/" + id).Want(404)
		ada.Post("/posts/" + id + "/like").Want(404)
		ada.Post("/posts/" + id + "/delete").Want(404)
		for _, path := range []string{
			"/posts/" + id + "/comments/" + domain.NewID(), "/posts/" + domain.NewID() + "/comments/" + id,
		} {
			ada.Post(path + "/delete").Want(404)
		}
	}
	if n := s.Data.Calls("Posts.Get") + s.Data.Calls("Posts.Own") + s.Data.Calls("Posts.Like") +
		s.Data.Calls("Posts.Delete") + s.Data.Calls("Posts.DeleteComment"); n != 0 {
		t.Errorf("the malformed ids caused %d storage requests", n)
	}
}

func TestGETDeletesNothing(t *testing.T) {
	s := webtest.NewSite(t)
	ada := s.SignUp("ada")
	p := ada.CreatePost("A title", "text")
	c := ada.CreateComments(p, "mine")[0]
	for _, path := range []string{"/posts/" + p.ID + "/delete", webtest.DeletePath(c), "/settings/delete"} {
		ada.Get(path + "?password=" + url.QueryEscape(webtest.Password)).Want(200)
		ada.HTMX().Get(path).Want(200)
		ada.Send(http.MethodDelete, path, nil).Want(405)
	}
	n := s.Data.Calls("Posts.Delete") + s.Data.Calls("Posts.DeleteComment") + s.Data.Calls("AccountDeletions.Delete")
	if n != 0 {
		t.Errorf("%d deletions", n)
	}
}
