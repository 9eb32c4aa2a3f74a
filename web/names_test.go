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
)

func TestNamesOfAnyScript(t *testing.T) {
	s := newSite(t)
	tokyo := s.member("東京")
	path := "/@" + url.PathEscape("東京")
	t.Run("have a page, found however the address is written", func(t *testing.T) {
		tokyo.get(path).want(200).has("h1", "@東京").has(`link[rel="canonical"][href="http://example.com`+path+`"]`, "")
		tokyo.get(strings.ToLower(path)).want(200)
		s.member("Straße")
		s.stranger().get("/@STRASSE").wantRedirect(301, "/@"+url.PathEscape("Straße"))
	})
	t.Run("log in, also typed in wide letters or another case", func(t *testing.T) {
		s.member("Zoë")
		for _, typed := range []string{"zoë", "ZOE\u0308", "Ｚｏë"} {
			s.stranger().post("/login", "username", typed, "password", password).want(303)
		}
	})
	t.Run("that look like another's are refused beside the field", func(t *testing.T) {
		s.member("paypal")
		for _, name := range []string{"paypa1", "PayPaI", "pаypal", "раураӏ", "ada\u200bb", "admin"} {
			a := s.stranger().post("/signup", "username", name, "password", password).want(422).has("#username-error", "")
			if a.Value("username") != name {
				t.Errorf("%q is not typed any more: %q", name, a.Value("username"))
			}
		}
	})
	t.Run("change, and the former address leads on", func(t *testing.T) {
		tokyo.post("/settings/username", "username", "大阪").want(303)
		s.stranger().get(path).wantRedirect(301, "/@"+url.PathEscape("大阪"))
	})
	t.Run("of display are shown before the username, and refused when they deceive", func(t *testing.T) {
		tokyo.post("/settings/profile", "displayName", "大阪 太郎", "bio", "").want(303)
		osaka := "/@" + url.PathEscape("大阪")
		s.stranger().get(osaka).want(200).has("h1", "大阪 太郎").has("p.handle", "@大阪")
		for _, name := range []string{"Administrator", "Ada ✔", "Аda", "ad\u202ea", "@ada"} {
			a := tokyo.post("/settings/profile", "displayName", name, "bio", "My words").want(422).has("#displayName-error", "")
			if a.Value("displayName") != name || a.Value("bio") != "My words" {
				t.Errorf("%q is not typed any more: %q, %q", name, a.Value("displayName"), a.Value("bio"))
			}
		}
		s.stranger().get(osaka).has("h1", "大阪 太郎")
		tokyo.post("/settings/profile", "displayName", "", "bio", "").want(303)
		s.stranger().get(osaka).has("h1", "@大阪")
	})
}

// named is a member with a display name, by whom a post and a comment are to be.
func named(s *site, username, displayName string) *visitor {
	s.t.Helper()
	v := s.member(username)
	v.post("/settings/profile", "displayName", displayName, "bio", "").want(303)
	v.user.DisplayName = displayName
	return v
}

func TestADisplayNameStandsWhereverTheUserDoes(t *testing.T) {
	s := newSite(t)
	ada, eve := named(s, "ada", "Ada Lovelace"), named(s, "eve", "Eve Ninja")
	p := ada.aPost("A post", "text")
	c := eve.comments(p, "A comment")[0]
	eve.post("/posts/" + p.ID + "/like").want(303)
	ada.post("/posts/" + p.ID + "/bookmark").want(303)
	who := func(a *answer, selector, want string) {
		t.Helper()
		a.want(200)
		if got := squeeze(a.page().Find(selector).First().Text()); got != want {
			t.Errorf("%s: %s says %q, want %q", a.what, selector, got, want)
		}
	}
	post := s.stranger().get(p.Path())
	who(post, `a[rel="author"]`, "Ada Lovelace @ada")
	who(post, "#Page-comments .comment .meta a", "Eve Ninja @eve")
	who(s.stranger().get("/"), `a[href="/@ada"]`, "Ada Lovelace @ada")
	who(s.stranger().get("/search?q=post"), `main a[href="/@ada"]`, "Ada Lovelace @ada")
	who(s.stranger().get("/posts/"+p.ID+"/comments"), `main a[href="/@ada"]`, "Ada Lovelace @ada")
	who(s.stranger().get("/posts/"+p.ID+"/likes"), `main li a[href="/@eve"]`, "Eve Ninja @eve")
	who(ada.get("/bookmarks"), `main a[href="/@ada"]`, "Ada Lovelace @ada")
	who(ada.get("/posts/"+p.ID+"/comments/"+c.ID+"/reply"), ".quoted a", "Eve Ninja @eve")
	who(s.stranger().get("/@ada"), "h1", "Ada Lovelace")
	who(s.stranger().get("/@ada/archive"), `main a[href="/@ada"]`, "Ada Lovelace @ada")

	t.Run("also for programs", func(t *testing.T) {
		var posting struct {
			Author struct{ Name, AlternateName, URL string }
		}
		if err := json.Unmarshal([]byte(post.page().Find(`script[type="application/ld+json"]`).Text()), &posting); err != nil {
			t.Fatal(err)
		}
		if got := posting.Author; got.Name != "Ada Lovelace" || got.AlternateName != "@ada" || got.URL != "http://example.com/@ada" {
			t.Errorf("JSON-LD says %+v", got)
		}
		for path, want := range map[string]string{"/feed.atom": "<name>Ada Lovelace (@ada)</name>", "/@ada/feed.rss": "Ada Lovelace (@ada)</dc:creator>",
			"/feed.json": `"name":"Ada Lovelace (@ada)"`, "/oembed?url=" + url.QueryEscape("http://example.com"+p.Path()): `"author_name":"Ada Lovelace (@ada)"`} {
			if a := s.stranger().get(path).want(200); !strings.Contains(a.body, want) {
				t.Errorf("%s does not say %s:\n%.1500s", path, want, a.body)
			}
		}
		s.stranger().get("/@ada").has("title", "Ada Lovelace (@ada)").has(`meta[property="og:title"][content="Ada Lovelace (@ada)"]`, "")
	})
	t.Run("as one element, which no layout tears apart", func(t *testing.T) {
		if link := post.page().Find(`a[rel="author"]`); link.Children().Length() != 1 {
			t.Errorf("%d elements", link.Children().Length())
		}
	})
	t.Run("as text, whatever it is", func(t *testing.T) {
		amp := named(s, "amp", `'O' Neill & "Sons"`)
		q := amp.aPost("Another post", "text")
		who(s.stranger().get("/@amp"), "svg text", "O")
		who(s.stranger().get(q.Path()), `a[rel="author"]`, `'O' Neill & "Sons" @amp`)
		if a := s.stranger().get("/@amp/feed.atom").want(200); !strings.Contains(a.body, "<name>&#39;O&#39; Neill &amp; &#34;Sons&#34; (@amp)</name>") {
			t.Errorf("the feed says\n%.1500s", a.body)
		}
	})
}

// Names may run from right to left. Where one is not isolated it draws along what stands
// beside it: dates, punctuation, other names.
func TestNamesDoNotReorderWhatStandsBesideThem(t *testing.T) {
	s := newSite(t)
	latif, ben, mod := named(s, "لطيف", "عبد اللطيف"), named(s, "שלום", "1 שלום, 2"), s.staff("maxine", domain.RoleAdministrator)
	mod.user = s.user("maxine")
	p := latif.aTaggedPost("A post", "go")
	c := ben.comments(p, "A comment")[0]
	latif.reply(c, "A reply")
	ben.post("/posts/" + p.ID + "/like").want(303)
	latif.post("/posts/" + p.ID + "/like").want(303)
	ben.post("/posts/" + p.ID + "/bookmark").want(303)
	ben.post("/posts/"+p.ID+"/report", "reason", "spam", "text", "Look").want(303)
	latif.post("/settings/blocks", "user", ben.user.ID).want(303)
	empty := named(s, "علي", "علي")
	page := "/@" + url.PathEscape("لطيف")
	for _, at := range []struct {
		as    *visitor
		paths []string
	}{
		{s.stranger(), []string{"/", p.Path(), "/posts/" + p.ID + "/comments", "/posts/" + p.ID + "/likes", page, page + "/archive", "/tags/go",
			"/search?q=post", names.UserPath(empty.user.Username), names.UserPath(empty.user.Username) + "/archive"}},
		{latif, []string{"/", p.Path(), page, "/posts/" + p.ID + "/comments/" + c.ID + "/reply", "/posts/" + p.ID + "/comments/" + c.ID + "/report",
			"/settings?renamed=yes", "/settings/profile?saved=yes", "/settings/delete", "/settings/blocks", "/settings/security", "/drafts"}},
		{ben, []string{"/bookmarks", "/posts/" + p.ID + "/report", p.Path()}},
		{mod, []string{"/moderation", "/posts/" + p.ID + "/moderate", "/posts/" + p.ID + "/comments/" + c.ID + "/moderate",
			"/admin/users?name=" + url.QueryEscape("لطيف"), "/admin/log", p.Path()}},
	} {
		for _, path := range at.paths {
			a := at.as.get(path).want(200)
			found := 0
			a.page().Find("body").Find("*").Not("script, option, textarea").Contents().Each(func(_ int, n *goquery.Selection) {
				text := n.Nodes[0]
				if text.Type != html.TextNode || !strings.ContainsFunc(text.Data, rightToLeft) {
					return
				}
				found++
				if n.Closest("bdi, [dir], .visually-hidden, svg").Not("html").Length() == 0 {
					t.Errorf("%s: %q is not isolated", path, squeeze(text.Data))
				}
			})
			if found == 0 && !strings.HasPrefix(path, "/settings/") && path != "/drafts" && path != "/admin/log" {
				t.Errorf("%s names nobody", path)
			}
		}
	}
}

func rightToLeft(r rune) bool { return '\u0590' <= r && r <= '\u08ff' }
