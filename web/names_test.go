package web_test

import (
	"encoding/json"
	"net/url"
	"strings"
	"testing"

	"github.com/PuerkitoBio/goquery"
	"golang.org/x/net/html"

	"inkfeed/domain"
	"inkfeed/domain/names"
	"inkfeed/web/webtest"
)

func TestNamesMayHaveAnyScript(t *testing.T) {
	s := webtest.NewSite(t)
	tokyo := s.SignUp("東京")
	path := "/@" + url.PathEscape("東京")
	t.Run("have a page at any spelling of the address", func(t *testing.T) {
		tokyo.Get(path).Want(200).Has("h1", "@東京").
			Has(`link[rel="canonical"][href="http://example.com`+path+`"]`, "")
		tokyo.Get(strings.ToLower(path)).Want(200)
		s.SignUp("Straße")
		s.Anonymous().Get("/@STRASSE").WantRedirect(301, "/@"+url.PathEscape("Straße"))
	})
	t.Run("log in with wide letters or another case", func(t *testing.T) {
		s.SignUp("Zoë")
		for _, typed := range []string{"zoë", "ZOE\u0308", "Ｚｏë"} {
			s.Anonymous().Post("/login", "username", typed, "password", webtest.Password).Want(303)
		}
	})
	t.Run("are refused beside the field if they look like another name", func(t *testing.T) {
		s.SignUp("paypal")
		for _, name := range []string{"paypa1", "PayPaI", "pаypal", "раураӏ", "ada\u200bb", "admin"} {
			a := s.Anonymous().Post("/signup", "username", name, "password", webtest.Password).Want(422).
				Has("#username-error", "")
			if a.Value("username") != name {
				t.Errorf("%q is shown again as %q", name, a.Value("username"))
			}
		}
	})
	t.Run("change, and the former address redirects", func(t *testing.T) {
		tokyo.Post("/settings/username", "username", "大阪").Want(303)
		s.Anonymous().Get(path).WantRedirect(301, "/@"+url.PathEscape("大阪"))
	})
	t.Run("for display are shown before the username and refused if they deceive", func(t *testing.T) {
		tokyo.Post("/settings/profile", "displayName", "大阪 太郎", "bio", "").Want(303)
		osaka := "/@" + url.PathEscape("大阪")
		s.Anonymous().Get(osaka).Want(200).Has("h1", "大阪 太郎").Has("p.handle", "@大阪")
		for _, name := range []string{"Administrator", "Ada ✔", "Аda", "ad\u202ea", "@ada"} {
			a := tokyo.Post("/settings/profile", "displayName", name, "bio", "My words").Want(422).
				Has("#displayName-error", "")
			if a.Value("displayName") != name || a.Value("bio") != "My words" {
				t.Errorf("%q is shown again as %q, with the bio %q", name, a.Value("displayName"), a.Value("bio"))
			}
		}
		s.Anonymous().Get(osaka).Has("h1", "大阪 太郎")
		tokyo.Post("/settings/profile", "displayName", "", "bio", "").Want(303)
		s.Anonymous().Get(osaka).Has("h1", "@大阪")
	})
}

// named signs up a user with a display name.
func named(s *webtest.Site, username, displayName string) *webtest.Visitor {
	s.T.Helper()
	v := s.SignUp(username)
	v.Post("/settings/profile", "displayName", displayName, "bio", "").Want(303)
	v.User.DisplayName = displayName
	return v
}

func TestDisplayNamesAreShownWithTheUsername(t *testing.T) {
	s := webtest.NewSite(t)
	ada, eve := named(s, "ada", "Ada Lovelace"), named(s, "eve", "Eve Ninja")
	p := ada.CreatePost("A post", "text")
	c := eve.CreateComments(p, "A comment")[0]
	eve.Post("/posts/" + p.ID + "/like").Want(303)
	ada.Post("/posts/" + p.ID + "/bookmark").Want(303)
	shows := func(a *webtest.Response, selector, want string) {
		t.Helper()
		a.Want(200)
		if got := webtest.CollapseSpace(a.Page().Find(selector).First().Text()); got != want {
			t.Errorf("%s: %s shows %q, want %q", a.Request, selector, got, want)
		}
	}
	post := s.Anonymous().Get(p.Path())
	shows(post, `a[rel="author"]`, "Ada Lovelace") // one line of facts: the card below has the username
	shows(post, ".author-card a", "Ada Lovelace @ada")
	shows(post, "#Page-comments .comment .meta a", "Eve Ninja @eve")
	shows(s.Anonymous().Get("/"), `a[href="/@ada"]`, "Ada Lovelace @ada")
	shows(s.Anonymous().Get("/search?q=post"), `main a[href="/@ada"]`, "Ada Lovelace @ada")
	shows(s.Anonymous().Get("/posts/"+p.ID+"/comments"), `main a[href="/@ada"]`, "Ada Lovelace @ada")
	shows(s.Anonymous().Get("/posts/"+p.ID+"/likes"), `main li a[href="/@eve"]`, "Eve Ninja @eve")
	shows(ada.Get("/bookmarks"), `main a[href="/@ada"]`, "Ada Lovelace @ada")
	shows(ada.Get("/posts/"+p.ID+"/comments/"+c.ID+"/reply"), ".quoted a", "Eve Ninja @eve")
	shows(s.Anonymous().Get("/@ada"), "h1", "Ada Lovelace")
	shows(s.Anonymous().Get("/@ada/archive"), `main a[href="/@ada"]`, "Ada Lovelace @ada")

	t.Run("in feeds and metadata", func(t *testing.T) {
		var posting struct {
			Author struct{ Name, AlternateName, URL string }
		}
		linked := post.Page().Find(`script[type="application/ld+json"]`).Text()
		if err := json.Unmarshal([]byte(linked), &posting); err != nil {
			t.Fatal(err)
		}
		if got := posting.Author; got.Name != "Ada Lovelace" || got.AlternateName != "@ada" ||
			got.URL != "http://example.com/@ada" {
			t.Errorf("JSON-LD has the author %+v", got)
		}
		for path, want := range map[string]string{
			"/feed.atom":     "<name>Ada Lovelace (@ada)</name>",
			"/@ada/feed.rss": "Ada Lovelace (@ada)</dc:creator>",
			"/feed.json":     `"name":"Ada Lovelace (@ada)"`,
			"/oembed?url=" + url.QueryEscape("http://example.com"+p.Path()): `"author_name":"Ada Lovelace (@ada)"`} {
			if a := s.Anonymous().Get(path).Want(200); !strings.Contains(a.Body, want) {
				t.Errorf("%s lacks %s:\n%.1500s", path, want, a.Body)
			}
		}
		s.Anonymous().Get("/@ada").Has("title", "Ada Lovelace (@ada)").
			Has(`meta[property="og:title"][content="Ada Lovelace (@ada)"]`, "")
	})
	t.Run("in one element, so that the layout keeps both together", func(t *testing.T) {
		if link := post.Page().Find(".author-card p a").First(); link.Children().Length() != 1 {
			t.Errorf("%d elements", link.Children().Length())
		}
	})
	t.Run("as escaped text", func(t *testing.T) {
		amp := named(s, "amp", `'O' Neill & "Sons"`)
		q := amp.CreatePost("Another post", "text")
		shows(s.Anonymous().Get("/@amp"), "svg text", "O")
		shows(s.Anonymous().Get(q.Path()), `a[rel="author"]`, `'O' Neill & "Sons"`)
		shows(s.Anonymous().Get(q.Path()), ".author-card a", `'O' Neill & "Sons" @amp`)
		a := s.Anonymous().Get("/@amp/feed.atom").Want(200)
		if !strings.Contains(a.Body, "<name>&#39;O&#39; Neill &amp; &#34;Sons&#34; (@amp)</name>") {
			t.Errorf("the feed has\n%.1500s", a.Body)
		}
	})
}

// A name may be written from right to left. Unless it is isolated, it reorders the dates, punctuation and names beside
// it.
func TestNamesAreIsolatedFromTheTextBesideThem(t *testing.T) {
	s := webtest.NewSite(t)
	latif, ben := named(s, "لطيف", "عبد اللطيف"), named(s, "שלום", "1 שלום, 2")
	mod := s.SignUpAs("maxine", domain.RoleAdministrator)
	mod.User = s.User("maxine")
	p := latif.CreateTaggedPost("A post", "go")
	c := ben.CreateComments(p, "A comment")[0]
	latif.Reply(c, "A reply")
	ben.Post("/posts/" + p.ID + "/like").Want(303)
	latif.Post("/posts/" + p.ID + "/like").Want(303)
	ben.Post("/posts/" + p.ID + "/bookmark").Want(303)
	ben.Post("/posts/"+p.ID+"/report", "reason", "spam", "text", "Look").Want(303)
	latif.Post("/settings/blocks", "user", ben.User.ID).Want(303)
	empty := named(s, "علي", "علي")
	page := "/@" + url.PathEscape("لطيف")
	for _, at := range []struct {
		as    *webtest.Visitor
		paths []string
	}{
		{s.Anonymous(), []string{
			"/", p.Path(), "/posts/" + p.ID + "/comments", "/posts/" + p.ID + "/likes", page, page + "/archive",
			"/tags/go", "/search?q=post", names.UserPath(empty.User.Username),
			names.UserPath(empty.User.Username) + "/archive",
		}},
		{latif, []string{
			"/", p.Path(), page, "/posts/" + p.ID + "/comments/" + c.ID + "/reply",
			"/posts/" + p.ID + "/comments/" + c.ID + "/report", "/settings?renamed=yes", "/settings/profile?saved=yes",
			"/settings/delete", "/settings/blocks", "/settings/security", "/drafts",
		}},
		{ben, []string{"/bookmarks", "/posts/" + p.ID + "/report", p.Path()}},
		{mod, []string{
			"/moderation", "/posts/" + p.ID + "/moderate", "/posts/" + p.ID + "/comments/" + c.ID + "/moderate",
			"/admin/users?name=" + url.QueryEscape("لطيف"), "/admin/log", p.Path(),
		}},
	} {
		for _, path := range at.paths {
			a := at.as.Get(path).Want(200)
			found := 0
			a.Page().Find("body").Find("*").Not("script, option, textarea").Contents().
				Each(func(_ int, n *goquery.Selection) {
					text := n.Nodes[0]
					if text.Type != html.TextNode || !strings.ContainsFunc(text.Data, rightToLeft) {
						return
					}
					found++
					if n.Closest("bdi, [dir], .visually-hidden, svg").Not("html").Length() == 0 {
						t.Errorf("%s: %q is not isolated", path, webtest.CollapseSpace(text.Data))
					}
				})
			if found == 0 && !strings.HasPrefix(path, "/settings/") && path != "/drafts" && path != "/admin/log" {
				t.Errorf("%s shows no name", path)
			}
		}
	}
}

func rightToLeft(r rune) bool { return '\u0590' <= r && r <= '\u08ff' }
