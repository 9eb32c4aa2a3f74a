package web_test

import (
	"encoding/json"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/PuerkitoBio/goquery"

	"inkfeed/domain"
)

func TestAFormFromAnotherSiteIsRefused(t *testing.T) {
	s := newSite(t)
	ada := s.member("ada")
	p := ada.aPost("A title", "text")
	comment := deletePath(ada.comments(p, "mine")[0])
	post := "/posts/" + p.ID
	for _, header := range map[string][2]string{
		"another site":      {"Sec-Fetch-Site", "cross-site"},
		"a sibling host":    {"Sec-Fetch-Site", "same-site"},
		"an older browser":  {"Origin", "https://evil.example"},
		"a sandboxed frame": {"Origin", "null"},
	} {
		v := *ada
		v.header = http.Header{}
		v.header.Set(header[0], header[1])
		for _, path := range []string{"/signup", "/login", "/logout", "/posts", post, post + "/comments", post + "/like",
			post + "/unlike", post + "/delete", comment, "/settings/username", "/settings/delete"} {
			v.post(path, "username", "mallory", "password", password, "title", "T", "content", "C").want(403).has("h1", "Not allowed")
		}
		v.htmx().post(post+"/like").want(403).has("dialog", "another site")
		v.htmx().post(comment).want(403).has("dialog", "another site")
		v.get("/").want(200)
	}
	if s.data.calls("Posts.Like", "Posts.Create", "Users.Rename", "Posts.Delete", "Posts.DeleteComment", "Users.Delete") != 0 {
		t.Error("something was done")
	}
	ada.header.Set("Sec-Fetch-Site", "same-origin")
	ada.post(post + "/like").want(303)
}

func TestEveryAnswerIsConfined(t *testing.T) {
	s := newSite(t)
	ada := s.member("ada")
	css := ada.get("/").page().Find(`link[rel="stylesheet"]`).AttrOr("href", "")
	for _, a := range []*answer{ada.get("/"), ada.get("/nothing"), ada.get(css), ada.get("/favicon.ico"), ada.get("/healthz"),
		ada.post("/posts"), ada.post("/posts/x/delete"), ada.post("/settings/delete"), ada.get("/goodbye"), ada.post("/logout"), ada.send(http.MethodDelete, "/", nil), ada.htmx().post("/posts/x/like")} {
		for name, want := range map[string]string{
			"Content-Security-Policy": "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; font-src 'self'; " +
				"connect-src 'self'; manifest-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
			"X-Content-Type-Options": "nosniff",
			"Referrer-Policy":        "same-origin",
		} {
			if got := a.Header.Get(name); got != want {
				t.Errorf("%s: %s is %q", a.what, name, got)
			}
		}
	}
}

func TestNothingPersonalIsShared(t *testing.T) {
	s := newSite(t)
	ada := s.member("ada")
	p := ada.aPost("A title", "text")
	for _, path := range []string{"/", "/@ada", p.Path(), "/posts/" + p.ID + "/likes", "/settings", "/new", "/login", "/nothing",
		"/posts/" + p.ID + "/delete", deletePath(ada.comments(p, "mine")[0]), "/settings/delete"} {
		if got := ada.get(path).Header.Get("Cache-Control"); !strings.HasPrefix(got, "private") && got != "no-store" {
			t.Errorf("%s: Cache-Control is %q", path, got)
		}
	}
}

func TestAHistoryKeepsNothingPersonal(t *testing.T) {
	s := newSite(t)
	ada := s.member("ada")
	p := ada.aPost("A title", "text")
	for _, path := range []string{"/", "/@ada", p.Path(), "/posts/" + p.ID + "/comments", "/posts/" + p.ID + "/likes"} {
		for v, want := range map[*visitor]string{ada: "private, no-store", s.stranger(): "private, no-cache", ada.forgotten(): "private, no-cache"} {
			if got := v.get(path).want(200).Header.Get("Cache-Control"); got != want {
				t.Errorf("%s: Cache-Control is %q, want %q", path, got, want)
			}
		}
	}
}

// nasty is text that would do something if it were taken for HTML.
const nasty = `<script>alert(1)</script>"'><img src=x onerror=alert(2)><hx-partial hx-get="/">&lt;b&gt;`

func TestWhatUsersTypeIsText(t *testing.T) {
	s := newSite(t)
	ada := s.member("ada")
	// A username that no rule lets pass, as if a rule had failed. The projector would reserve it.
	s.data.stopProjection()
	s.data.changeUser(ada.user.ID, func(item map[string]any) { item["username"] = `ada"><script>alert(3)</script>` })
	ada.user = s.data.user(ada.user.ID)
	p := ada.aPost(nasty, nasty+"\n\n[x](javascript:alert(4)) <a href=\"javascript:alert(5)\" onclick=alert(6)>y</a>")
	comment := ada.comments(p, nasty, "[x](data:text/html,x)")[0]
	gone := "/posts/" + domain.NewID()
	ada.post("/posts/" + p.ID + "/like").want(303)
	summary := s.data.markdown.Summarize(p)
	s.data.must(s.data.store.Feed.Apply(t.Context(), []domain.Summary{summary}))
	s.data.must(s.data.store.Users.ApplySummary(t.Context(), summary))
	ada.get("/").has("main", nasty)

	for _, a := range []*answer{
		ada.get("/"), ada.get(p.Path()), ada.get("/posts/" + p.ID + "/comments"), ada.get("/posts/" + p.ID + "/likes"),
		ada.get("/posts/" + p.ID + "/edit"), ada.get("/settings"), ada.get("/new"),
		ada.htmx().get("/posts/" + p.ID + "/comments"), ada.htmx().post("/posts/"+p.ID+"/comments", "content", nasty),
		ada.post("/posts", "title", nasty, "content", ""), ada.post("/posts", "title", "", "content", nasty+"</textarea>"),
		ada.post("/posts/"+p.ID, "title", nasty, "content", nasty, "revision", "0"),
		ada.post("/settings/username", "username", nasty),
		ada.get("/posts/" + p.ID + "/delete"), ada.get(deletePath(comment)), ada.get("/settings/delete"),
		ada.get(deletePath(comment) + "?page=%22%3E%3Cscript%3E"), ada.post("/settings/delete", "password", nasty),
		ada.post(gone, "title", nasty, "content", nasty+"</textarea>"), ada.post(gone+"/comments", "content", nasty+"</textarea>"),
		ada.htmx().post(gone+"/comments", "content", nasty+"</textarea>"),
		s.stranger().post("/login", "username", nasty, "password", password, "next", `/"><script>`),
		s.stranger().post("/signup", "username", nasty, "password", password, "next", `/"><script>`),
		s.stranger().get("/login?next=/%22%3E%3Cscript%3E"), s.stranger().get("/" + strings.ReplaceAll(nasty, " ", "%20")),
		s.stranger().get("/?page=" + strings.ReplaceAll(nasty, " ", "%20")),
	} {
		onlyOurs(t, a)
	}
	ada.get(p.Path()).has("h1", nasty)
}

// onlyOurs wants nothing in a page that a user could have put there.
func onlyOurs(t *testing.T, a *answer) {
	t.Helper()
	doc := a.page()
	doc.Find("script").Each(func(_ int, s *goquery.Selection) {
		var posting map[string]any
		if len(s.Nodes[0].Attr) == 1 && s.AttrOr("type", "") == "application/ld+json" && // data, which nothing executes
			json.Unmarshal([]byte(s.Text()), &posting) == nil && posting["@type"] == "BlogPosting" {
			return
		}
		if src, ok := s.Attr("src"); !ok || !strings.HasPrefix(src, "/static/") || s.Text() != "" {
			t.Errorf("%s: a script: %s %q", a.what, src, s.Text())
		}
	})
	if n := doc.Find("img, iframe, object, embed, style, base, link[rel=import], [style]").Length(); n != 0 {
		t.Errorf("%s: %d foreign elements", a.what, n)
	}
	if n := doc.Find("hx-partial[hx-get]").Length(); n != 0 {
		t.Errorf("%s: htmx would act on what was typed", a.what)
	}
	doc.Find("*").Each(func(_ int, s *goquery.Selection) {
		for _, attr := range s.Nodes[0].Attr {
			if strings.HasPrefix(attr.Key, "on") {
				t.Errorf("%s: %s has %s", a.what, goquery.NodeName(s), attr.Key)
			}
			if v := strings.ToLower(strings.TrimSpace(attr.Val)); (attr.Key == "href" || attr.Key == "src" || attr.Key == "action") &&
				(strings.HasPrefix(v, "javascript:") || strings.HasPrefix(v, "data:")) {
				t.Errorf("%s: %s leads to %s", a.what, goquery.NodeName(s), attr.Val)
			}
		}
	})
}

func TestEveryPageIsWellMade(t *testing.T) {
	s := newSite(t)
	ada := s.member("ada")
	p := ada.aPost("A title", "# A heading\n\ntext")
	comment := ada.comments(p, "one")[0]
	gone := "/posts/" + domain.NewID()
	for _, v := range []*visitor{ada, s.stranger()} {
		for _, a := range []*answer{
			v.get("/"), v.get("/@ada"), v.get(p.Path()), v.get("/posts/" + p.ID + "/comments"), v.get("/posts/" + p.ID + "/likes"),
			v.get("/new"), v.get("/settings"), v.get("/posts/" + p.ID + "/edit"), v.get("/login"), v.get("/signup"), v.get("/nothing"),
			v.get("/posts/" + p.ID + "/delete"), v.get(deletePath(comment)), v.get(deletePath(comment) + "?page=1"),
			v.get("/settings/delete"), v.get("/goodbye"), v.post("/settings/delete"),
			v.get(p.Path() + "?deleted=yes"), v.get("/posts/" + p.ID + "/comments?deleted=yes"), v.get("/@ada?deleted=yes"),
			v.post(gone, "title", "T", "content", "C"), v.post(gone+"/comments", "content", "C"), v.get(gone),
			v.post("/posts", "title", ""), v.post("/posts/"+p.ID, "title", "T", "content", "C", "revision", "0"),
			v.post("/login"), v.post("/signup"), v.post("/posts/" + p.ID + "/comments"), v.send(http.MethodDelete, "/", nil),
		} {
			if a.StatusCode != http.StatusSeeOther {
				wellMade(t, a)
			}
		}
	}
}

func wellMade(t *testing.T, a *answer) {
	t.Helper()
	doc := a.page()
	for _, one := range []string{"h1", "title", `html[lang="en"]`, "main#Page-main", `meta[name="viewport"]`, `a.skip[href="#Page-main"]`,
		`nav[aria-label="Site"]`, `meta[name="htmx-config"]`} {
		if n := doc.Find(one).Length(); n != 1 {
			t.Errorf("%s: %d of %s", a.what, n, one)
		}
	}
	if title := doc.Find("title").Text(); !strings.HasSuffix(title, " · Inkfeed") || len(title) < 12 {
		t.Errorf("%s: the title is %q", a.what, title)
	}
	if !strings.HasPrefix(a.body, "<!doctype html>") {
		t.Errorf("%s: no doctype", a.what)
	}
	onlyOurs(t, a)
	doc.Find("link[href], script[src], [data-hx-get], [data-hx-post], form[action]").Each(func(_ int, s *goquery.Selection) {
		for _, name := range []string{"href", "src", "data-hx-get", "data-hx-post", "action"} {
			v, ok := s.Attr(name)
			if s.Is(`link[rel="canonical"], link[type$="+oembed"]`) { // for others to know, not to load
				v = strings.TrimPrefix(v, "http://example.com")
			}
			if ok && (!strings.HasPrefix(v, "/") || strings.HasPrefix(v, "//")) {
				t.Errorf("%s: %s=%q is not of this host", a.what, name, v)
			}
		}
	})
	ids := map[string]bool{}
	doc.Find("[id]").Each(func(_ int, s *goquery.Selection) {
		if id := s.AttrOr("id", ""); ids[id] {
			t.Errorf("%s: two elements are #%s", a.what, id)
		} else {
			ids[id] = true
		}
	})
	for _, attr := range []string{"aria-describedby", "aria-labelledby", "for"} {
		doc.Find("[" + attr + "]").Each(func(_ int, s *goquery.Selection) {
			for id := range strings.FieldsSeq(s.AttrOr(attr, "")) {
				if !ids[id] {
					t.Errorf("%s: %s names #%s, which is not there", a.what, attr, id)
				}
			}
		})
	}
	doc.Find("main input:not([type=hidden], [hidden]), textarea").Each(func(_ int, s *goquery.Selection) {
		if doc.Find(`label[for="`+s.AttrOr("id", "")+`"]`).Length() != 1 {
			t.Errorf("%s: a field without a label", a.what)
		}
	})
}

func TestAnIDOfAnotherKindFindsNothing(t *testing.T) {
	s := newSite(t)
	ada := s.member("ada")
	for _, id := range []string{ada.user.ID, "ada", domain.LikeID(ada.user.ID), "a%00b", strings.Repeat("a", 5000)} {
		ada.get("/posts/" + id).want(404)
		ada.post("/posts/" + id + "/like").want(404)
		ada.post("/posts/" + id + "/delete").want(404)
		for _, path := range []string{"/posts/" + id + "/comments/" + domain.NewID(), "/posts/" + domain.NewID() + "/comments/" + id} {
			ada.post(path + "/delete").want(404)
		}
	}
	if n := s.data.calls("Posts.Get") + s.data.calls("Posts.Own") + s.data.calls("Posts.Like") + s.data.calls("Posts.Delete") + s.data.calls("Posts.DeleteComment"); n != 0 {
		t.Errorf("the store was asked %d times", n)
	}
}

func TestNothingIsDeletedByAnAddressAlone(t *testing.T) {
	s := newSite(t)
	ada := s.member("ada")
	p := ada.aPost("A title", "text")
	c := ada.comments(p, "mine")[0]
	for _, path := range []string{"/posts/" + p.ID + "/delete", deletePath(c), "/settings/delete"} {
		ada.get(path + "?password=" + url.QueryEscape(password)).want(200)
		ada.htmx().get(path).want(200)
		ada.send(http.MethodDelete, path, nil).want(405)
	}
	if n := s.data.calls("Posts.Delete") + s.data.calls("Posts.DeleteComment") + s.data.calls("Users.Delete"); n != 0 {
		t.Errorf("%d deletions", n)
	}
}
