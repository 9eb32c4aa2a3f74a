package web_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"reflect"
	"strings"
	"testing"
	"time"

	"inkfeed/domain"
	sitepkg "inkfeed/web/site"
)

var feedChecks = map[string]struct {
	contentType string
	check       func(body, self string) error
}{
	".atom": {"application/atom+xml; charset=utf-8", checkAtom},
	".rss":  {"application/rss+xml; charset=utf-8", checkRSS},
	".json": {"application/feed+json; charset=utf-8", checkJSONFeed},
}

// change rewrites a stored post behind the store's back. Its copies follow.
func (s *site) change(id string, change func(*domain.Post)) {
	s.t.Helper()
	p := s.data.post(id)
	listed := p.Listed()
	change(&p)
	s.data.change("posts", id, id, func(item map[string]any) {
		item["title"], item["content"], item["tags"] = p.Title, p.Content, p.Tags.List()
		item["revision"], item["version"] = p.Revision, item["version"].(float64)+1
		item["likeCount"], item["commentCount"] = p.LikeCount, p.CommentCount
		item["creationDate"] = p.Created
		if listed && !p.Listed() {
			item["withdrawn"] = true // tells the projector to remove its copies from the lists
		}
		for property, value := range map[string]any{"status": p.Status, "held": p.Held, "editDate": p.Edited} {
			if delete(item, property); !reflect.ValueOf(value).IsZero() {
				item[property] = value
			}
		}
	})
}

func TestFeeds(t *testing.T) {
	s := newSite(t)
	ada, ben := s.member("ada"), s.member("ben")
	cats := ada.aPost("Cats & <dogs>", "# Heading\n\nOf [cats](/about) and \"dogs\"[^1].\n\n![A cat](/media/abcdefghijkmnpqrstuvwxyz23-1200x800.jpg)\n\n[^1]: Both.")
	s.change(cats.ID, func(p *domain.Post) { p.Tags = "Katzen,C++"; p.Edited = p.Created.Add(time.Hour); p.Revision = 2 })
	ben.aPost("吾輩は猫である", "吾輩は猫である。名前はまだ無い。")
	hidden := ada.aPost("Unlisted", "secret")
	s.change(hidden.ID, func(p *domain.Post) { p.Status = domain.Unlisted; p.Tags = "Katzen" })

	for ext, format := range feedChecks {
		for path, shows := range map[string][]string{"/feed": {"Cats", "吾輩"}, "/@ada/feed": {"Cats"}, "/tags/katzen/feed": {"Cats"}, "/tags/c++/feed": {"Cats"}, "/tags/none/feed": nil} {
			t.Run(path+ext+" keeps to its specification", func(t *testing.T) {
				a := s.stranger().get(path + ext).want(200)
				if got := a.Header.Get("Content-Type"); got != format.contentType {
					t.Errorf("content type %q", got)
				}
				if err := format.check(a.body, "http://example.com"+path+ext); err != nil {
					t.Errorf("%v\n%s", err, a.body)
				}
				for _, word := range []string{"Cats", "吾輩"} {
					if strings.Contains(a.body, word) != strings.Contains(strings.Join(shows, " "), word) {
						t.Errorf("%s in\n%s", word, a.body)
					}
				}
				if strings.Contains(a.body, "secret") {
					t.Errorf("it tells of a post that is not listed")
				}
			})
		}
		t.Run("an empty"+ext+" keeps to its specification", func(t *testing.T) {
			empty := newSite(t)
			empty.member("cara")
			for _, path := range []string{"/feed" + ext, "/@cara/feed" + ext} {
				if err := format.check(empty.stranger().get(path).want(200).body, "http://example.com"+path); err != nil {
					t.Error(path, err)
				}
			}
		})
		t.Run("a hostile"+ext+" keeps to its specification", func(t *testing.T) {
			bad := newSite(t)
			v := bad.member("mallory")
			for i, text := range []string{"]]>", "\x00\x01\x1f\x7f\ufffe\uffff", "<script>alert(1)</script>&amp;&#0;&#x1;", "&#1; &#xFFFE; \u2028", "\xff\xfe", "-->", "[x](<a b>)[y](http://a/<b>)![z](//c)"} {
				p := v.aPost(fmt.Sprint(i), "x")
				bad.change(p.ID, func(p *domain.Post) { p.Title, p.Content, p.Tags = text, text, domain.Tags(text) })
			}
			if err := format.check(bad.stranger().get("/feed"+ext).want(200).body, "http://example.com/feed"+ext); err != nil {
				t.Error(err)
			}
		})
	}
	t.Run("Atom has the whole text with absolute addresses, dates, tags and the author", func(t *testing.T) {
		root, err := parseXML(s.stranger().get("/@ada/feed.atom").body)
		if err != nil {
			t.Fatal(err)
		}
		const ns = "http://www.w3.org/2005/Atom "
		entry := root.all(ns + "entry")[0]
		c := &complaints{}
		for name, want := range map[string]string{"id": "http://example.com/posts/" + cats.ID, "title": "Cats & <dogs>",
			"published": "2026-05-01T12:00:00Z", "updated": "2026-05-01T13:00:00Z",
			"content": "<h2>Heading</h2>\n<p>Of <a href=\"http://example.com/about\">cats</a> and “dogs”<sup>1</sup>.</p>\n" +
				"<figure><img src=\"http://example.com/media/abcdefghijkmnpqrstuvwxyz23-1200x800.jpg\" width=\"1200\" height=\"800\" alt=\"A cat\"></figure>\n" +
				"<section>\n<ol>\n<li>\n<p>Both.</p>\n</li>\n</ol>\n</section>\n"} {
			if got := c.one(entry, ns+name); strings.ReplaceAll(got, "&#34;", `"`) != want && !(name == "content" && strings.Contains(got, `"dogs"`)) {
				t.Errorf("%s is %q, want %q", name, got, want)
			}
		}
		if got := entry.all(ns + "link")[0].attr("href"); got != "http://example.com/posts/"+cats.ID+"/cats-dogs" {
			t.Errorf("it links to %s", got)
		}
		if tags := entry.all(ns + "category"); len(tags) != 2 || tags[0].attr("term") != "katzen" || tags[1].attr("label") != "C++" {
			t.Errorf("tags %v", tags)
		}
	})
	t.Run("a post's id stays when its title changes", func(t *testing.T) {
		before := s.stranger().get("/feed.json").body
		s.change(cats.ID, func(p *domain.Post) { p.Title = "Dogs"; p.Revision++ })
		after := s.stranger().get("/feed.json").body
		id := `"id":"http://example.com/posts/` + cats.ID + `"`
		if !strings.Contains(before, id) || !strings.Contains(after, id) || before == after {
			t.Error(after)
		}
	})
	t.Run("addresses of former names and other spellings lead to the right ones", func(t *testing.T) {
		ada.post("/settings/username", "username", "ada2").want(303)
		s.stranger().get("/@ada/feed.rss").wantRedirect(301, "/@ada2/feed.rss")
		s.stranger().get("/tags/Katzen/feed.json").wantRedirect(301, "/tags/katzen/feed.json")
		s.stranger().get("/feed").wantRedirect(301, "/feed.atom")
	})
	t.Run("of nobody and of no tag there is none", func(t *testing.T) {
		for _, path := range []string{"/@nobody/feed.atom", "/@a%20b/feed.atom", "/tags/!/feed.atom", "/tags/" + strings.Repeat("x", 2001) + "/feed.atom", "/tags/%ff/feed.atom", "/feed.txt"} {
			s.stranger().get(path).want(404)
		}
	})
	t.Run("what fails is said to be so", func(t *testing.T) {
		for _, method := range []string{"Feed.FrontPage", "Posts.Get"} {
			fresh := newSite(t)
			fresh.member("ada").aPost("A", "b")
			fresh.data.fail(method)
			fresh.stranger().get("/feed.atom").want(503)
		}
		fresh := newSite(t)
		fresh.data.failWith("Tags.PostsOf", statusInternal)
		fresh.stranger().get("/tags/a/feed.atom").want(500)
	})
}

func TestAFeedIsSentOnlyWhenItChanged(t *testing.T) {
	s := newSite(t)
	ada := s.member("ada")
	p := ada.aPost("One", "text")
	for ext := range feedChecks {
		t.Run(ext, func(t *testing.T) {
			path := "/feed" + ext
			again := func(header, value string) *answer {
				v := s.stranger()
				v.header.Set(header, value)
				return v.get(path)
			}
			asked := s.data.calls("Posts.Get")
			first := s.stranger().get(path).want(200)
			if n := s.data.calls("Posts.Get") - asked; n != len(s.data.live("posts", "post")) {
				t.Errorf("%d reads of %d posts", n, len(s.data.live("posts", "post")))
			}
			tag, date := first.Header.Get("ETag"), first.Header.Get("Last-Modified")
			if !strings.HasPrefix(tag, `"`) || date != s.data.post(p.ID).Created.Format(http.TimeFormat) && s.data.post(p.ID).Edited.IsZero() {
				t.Fatalf("ETag %s, Last-Modified %s", tag, date)
			}
			reads := s.data.calls("Posts.Get")
			for header, value := range map[string]string{"If-None-Match": tag, "if-none-match": `"x", W/` + tag, "If-Modified-Since": date} {
				a := again(header, value).want(304)
				if a.body != "" || a.Header.Get("ETag") != tag {
					t.Errorf("%s: %q, ETag %s", header, a.body, a.Header.Get("ETag"))
				}
			}
			if n := s.data.calls("Posts.Get") - reads; n != 0 {
				t.Errorf("%d posts were read", n)
			}
			again("If-None-Match", `"x"`).want(200)
			if n := s.data.calls("Posts.Get") - reads; n != 0 {
				t.Errorf("%d posts were read for a document that was ready", n)
			}
			s.change(p.ID, func(p *domain.Post) { p.LikeCount++; p.Version++ })
			again("If-None-Match", tag).want(304)

			v := s.stranger() // the tag counts more than the date
			v.header.Set("If-Modified-Since", date)
			v.header.Set("If-None-Match", `"x"`)
			v.get(path).want(200)

			s.change(p.ID, func(p *domain.Post) {
				p.Content, p.Edited = "changed "+ext, later(p.Created, p.Edited).Add(time.Hour)
				p.Revision++
			})
			for header, value := range map[string]string{"If-None-Match": tag, "If-Modified-Since": date} {
				if a := again(header, value).want(200); !strings.Contains(a.body, "changed "+ext) {
					t.Errorf("%s: %s", header, a.body)
				}
			}
			tag = s.stranger().get(path).Header.Get("ETag")
			ada.post("/settings/username", "username", "ada"+strings.Trim(ext, ".")).want(303)
			s.change(p.ID, func(p *domain.Post) { p.AuthorName = "ada" + strings.Trim(ext, ".") })
			if a := again("If-None-Match", tag).want(200); !strings.Contains(a.body, "@ada"+strings.Trim(ext, ".")) {
				t.Error(a.body)
			}
			tag = s.stranger().get(path).Header.Get("ETag")
			q := ada.aPost("Another", "text")
			again("If-None-Match", tag).want(200)
			ada.post("/posts/" + q.ID + "/delete").want(303)
			again("If-None-Match", tag).want(304) // it is again what it was
		})
	}
}

func later(a, b time.Time) time.Time {
	if b.After(a) {
		return b
	}
	return a
}

func TestATagIsOfWhatIsSent(t *testing.T) {
	s := newSite(t)
	ada := s.member("ada")
	p, gone := ada.aPost("One", "old"), ada.aPost("Two", "gone")
	s.data.stopProjection()
	s.change(p.ID, func(p *domain.Post) { p.Content, p.Revision = "new", 2 })
	s.data.must(s.data.store.Posts.Delete(t.Context(), gone.ID, ada.user.ID))

	a := s.stranger().get("/feed.atom").want(200)
	if !strings.Contains(a.body, "new") || strings.Contains(a.body, "Two") {
		t.Fatal(a.body)
	}
	s.data.resumeProjection()
	v := s.stranger()
	v.header.Set("If-None-Match", a.Header.Get("ETag"))
	v.get("/feed.atom").want(304)
}

func TestTheConfiguredAddress(t *testing.T) {
	data := newDatabase(t)
	c := config(data, &strings.Builder{}, keyOne)
	c.URL = "https://blog.example.org"
	s := &site{t: t, data: data}
	s.restart(c)
	p := s.member("ada").aPost("One", "text")
	for ext, format := range feedChecks {
		a := s.stranger().get("/feed" + ext).want(200)
		if err := format.check(a.body, "https://blog.example.org/feed"+ext); err != nil || strings.Contains(a.body, "example.com") {
			t.Errorf("%v\n%s", err, a.body)
		}
		if got := a.Header.Get("Cache-Control"); got != "public, max-age=60" {
			t.Errorf("Cache-Control %q", got)
		}
	}
	s.stranger().get(p.Path()).has(`link[rel="canonical"][href="https://blog.example.org`+p.Path()+`"]`, "").
		has(`meta[property="og:url"][content="https://blog.example.org`+p.Path()+`"]`, "")

	plain := newSite(t)
	v := plain.stranger()
	v.header.Set("X-Forwarded-Proto", "https")
	v.get("/").has(`link[rel="canonical"][href="https://example.com/"]`, "")
}

func TestParseURL(t *testing.T) {
	for text, want := range map[string]string{"https://Blog.example.org": "https://blog.example.org", "http://127.0.0.1:8080/": "http://127.0.0.1:8080",
		"https://[::1]:8080": "https://[::1]:8080", "https://bücher.example": "", "ftp://a": "", "a.b": "", "https://": "", "https://a/b": "", "https://a?b": "",
		"https://a#b": "", "https://u@a": "", "https://a b": "", "": ""} {
		got, err := sitepkg.ParseURL(text)
		if got != want || (err == nil) != (want != "") {
			t.Errorf("%q: %q, %v", text, got, err)
		}
	}
}

func FuzzFeeds(f *testing.F) {
	f.Add("A title", "# text\n\n[a](b) ![c](d)", "tag")
	f.Add("]]>\x00", "&#0;<script>\ufffe", "\x01")
	s := newSite(f)
	p := s.member("ada").aPost("x", "x")
	revision := 1
	f.Fuzz(func(t *testing.T, title, content, tags string) {
		s.t, s.data.t, s.data.faults.t = t, t, t // a fuzz target must not use f
		revision++
		s.change(p.ID, func(p *domain.Post) {
			p.Title, p.Content, p.Tags, p.Revision = title, content, domain.Tags(tags), revision
		})
		for ext, format := range feedChecks {
			path := "/@ada/feed" + ext
			w := s.serve(httptest.NewRequest(http.MethodGet, path, nil))
			if w.Code != http.StatusOK {
				t.Fatalf("%s: %d", path, w.Code)
			}
			if err := format.check(w.Body.String(), "http://example.com"+path); err != nil {
				t.Errorf("%v of %q, %q\n%s", err, title, content, w.Body)
			}
		}
	})
}

// Anybody may ask for a feed: it is no way to make a server write as much as all the posts
// together may hold.
func TestAFeedOfLongPostsEndsInSummaries(t *testing.T) {
	s := newSite(t)
	ada := s.member("ada")
	long := strings.Repeat("A sentence of a long post, and \"more\" of it.\n\n", 2000)
	for range 12 {
		ada.aPost("Long & winding", long)
	}
	for _, ext := range []string{"atom", "rss", "json"} {
		a := ada.get("/@ada/feed." + ext).want(http.StatusOK)
		body := a.body
		if full, links := strings.Count(body, "of it."), strings.Count(body, "Long &amp"); len(body) > 2<<20 || full < 4*2000 || full > 8*2000 || links == 0 {
			t.Errorf("%s: %d bytes, %d sentences, %d links", ext, len(body), full, links)
		}
		if again := ada.get("/@ada/feed." + ext).body; again != body {
			t.Errorf("%s: another the second time", ext)
		}
	}
}
