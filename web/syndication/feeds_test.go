package syndication_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"inkfeed/domain"
	sitepkg "inkfeed/web/site"
	"inkfeed/web/webtest"
)

var feedChecks = map[string]struct {
	contentType string
	check       func(body, self string) error
}{
	".atom": {"application/atom+xml; charset=utf-8", checkAtom},
	".rss":  {"application/rss+xml; charset=utf-8", checkRSS},
	".json": {"application/feed+json; charset=utf-8", checkJSONFeed},
}

func TestFeedsFollowTheirSpecifications(t *testing.T) {
	s := webtest.NewSite(t)
	ada, ben := s.SignUp("ada"), s.SignUp("ben")
	cats := ada.CreatePost("Cats & <dogs>",
		"# Heading\n\nOf [cats](/about) and \"dogs\"[^1].\n\n"+
			"![A cat](/media/abcdefghijkmnpqrstuvwxyz23-1200x800.jpg)\n\n[^1]: Both.")
	s.ChangePost(cats.ID,
		func(p *domain.Post) { p.Tags = "Katzen,C++"; p.Edited = p.Created.Add(time.Hour); p.Revision = 2 })
	ben.CreatePost("吾輩は猫である", "吾輩は猫である。名前はまだ無い。")
	hidden := ada.CreatePost("Unlisted", "secret")
	s.ChangePost(hidden.ID, func(p *domain.Post) { p.Status = domain.Unlisted; p.Tags = "Katzen" })

	for ext, format := range feedChecks {
		for path, shows := range map[string][]string{
			"/feed":             {"Cats", "吾輩"},
			"/@ada/feed":        {"Cats"},
			"/tags/katzen/feed": {"Cats"},
			"/tags/c++/feed":    {"Cats"},
			"/tags/none/feed":   nil,
		} {
			t.Run(path+ext+" is valid", func(t *testing.T) {
				a := s.Anonymous().Get(path + ext).Want(200)
				if got := a.Header.Get("Content-Type"); got != format.contentType {
					t.Errorf("the content type is %q", got)
				}
				if err := format.check(a.Body, "http://example.com"+path+ext); err != nil {
					t.Errorf("%v\n%s", err, a.Body)
				}
				for _, word := range []string{"Cats", "吾輩"} {
					if strings.Contains(a.Body, word) != strings.Contains(strings.Join(shows, " "), word) {
						t.Errorf("%s is missing or unexpected in\n%s", word, a.Body)
					}
				}
				if strings.Contains(a.Body, "secret") {
					t.Errorf("the feed has an unlisted post")
				}
			})
		}
		t.Run("an empty"+ext+" is valid", func(t *testing.T) {
			empty := webtest.NewSite(t)
			empty.SignUp("cara")
			for _, path := range []string{"/feed" + ext, "/@cara/feed" + ext} {
				body := empty.Anonymous().Get(path).Want(200).Body
				if err := format.check(body, "http://example.com"+path); err != nil {
					t.Error(path, err)
				}
			}
		})
		t.Run("a hostile"+ext+" is valid", func(t *testing.T) {
			bad := webtest.NewSite(t)
			v := bad.SignUp("mallory")
			for i, text := range []string{
				"]]>", "\x00\x01\x1f\x7f\ufffe\uffff", "<script>alert(1)</script>&amp;&#0;&#x1;",
				"&#1; &#xFFFE; \u2028", "\xff\xfe", "-->", "[x](<a b>)[y](http://a/<b>)![z](//c)",
			} {
				p := v.CreatePost(fmt.Sprint(i), "x")
				bad.ChangePost(p.ID,
					func(p *domain.Post) { p.Title, p.Content, p.Tags = text, text, domain.Tags(text) })
			}
			body := bad.Anonymous().Get("/feed" + ext).Want(200).Body
			if err := format.check(body, "http://example.com/feed"+ext); err != nil {
				t.Error(err)
			}
		})
	}
	t.Run("Atom has the whole text with absolute addresses, dates, tags and the author", func(t *testing.T) {
		root, err := parseXML(s.Anonymous().Get("/@ada/feed.atom").Body)
		if err != nil {
			t.Fatal(err)
		}
		const ns = "http://www.w3.org/2005/Atom "
		entry := root.all(ns + "entry")[0]
		c := &complaints{}
		for name, want := range map[string]string{
			"id":        "http://example.com/posts/" + cats.ID,
			"title":     "Cats & <dogs>",
			"published": "2026-05-01T12:00:00Z",
			"updated":   "2026-05-01T13:00:00Z",
			"content": "<h2>Heading</h2>\n" +
				"<p>Of <a href=\"http://example.com/about\">cats</a> and “dogs”<sup>1</sup>.</p>\n" +
				"<figure><img src=\"http://example.com/media/abcdefghijkmnpqrstuvwxyz23-1200x800.jpg\" " +
				"width=\"1200\" height=\"800\" alt=\"A cat\"></figure>\n" +
				"<section>\n<ol>\n<li>\n<p>Both.</p>\n</li>\n</ol>\n</section>\n",
		} {
			if got := c.one(entry, ns+name); strings.ReplaceAll(got, "&#34;", `"`) != want &&
				!(name == "content" && strings.Contains(got, `"dogs"`)) {
				t.Errorf("%s is %q, want %q", name, got, want)
			}
		}
		if got := entry.all(ns + "link")[0].attr("href"); got != "http://example.com/posts/"+cats.ID+"/cats-dogs" {
			t.Errorf("the entry links to %s", got)
		}
		if tags := entry.all(ns + "category"); len(tags) != 2 || tags[0].attr("term") != "katzen" ||
			tags[1].attr("label") != "C++" {
			t.Errorf("the tags are %v", tags)
		}
	})
	t.Run("the id of a post stays the same when its title changes", func(t *testing.T) {
		before := s.Anonymous().Get("/feed.json").Body
		s.ChangePost(cats.ID, func(p *domain.Post) { p.Title = "Dogs"; p.Revision++ })
		after := s.Anonymous().Get("/feed.json").Body
		id := `"id":"http://example.com/posts/` + cats.ID + `"`
		if !strings.Contains(before, id) || !strings.Contains(after, id) || before == after {
			t.Error(after)
		}
	})
	t.Run("former usernames and other spellings redirect", func(t *testing.T) {
		ada.Post("/settings/username", "username", "ada2").Want(303)
		s.Anonymous().Get("/@ada/feed.rss").WantRedirect(301, "/@ada2/feed.rss")
		s.Anonymous().Get("/tags/Katzen/feed.json").WantRedirect(301, "/tags/katzen/feed.json")
		s.Anonymous().Get("/feed").WantRedirect(301, "/feed.atom")
	})
	t.Run("unknown authors, invalid tags and unknown formats are not found", func(t *testing.T) {
		for _, path := range []string{
			"/@nobody/feed.atom", "/@a%20b/feed.atom", "/tags/!/feed.atom",
			"/tags/" + strings.Repeat("x", 2001) + "/feed.atom", "/tags/%ff/feed.atom", "/feed.txt",
		} {
			s.Anonymous().Get(path).Want(404)
		}
	})
	t.Run("failures are answered with an error", func(t *testing.T) {
		for _, method := range []string{"Feed.FrontPage", "Posts.Get"} {
			fresh := webtest.NewSite(t)
			fresh.SignUp("ada").CreatePost("A", "b")
			fresh.Data.Fail(method)
			fresh.Anonymous().Get("/feed.atom").Want(503)
		}
		fresh := webtest.NewSite(t)
		fresh.Data.FailWith("Tags.PostsOf", webtest.StatusInternal)
		fresh.Anonymous().Get("/tags/a/feed.atom").Want(500)
	})
}

func TestFeedsSupportConditionalRequests(t *testing.T) {
	s := webtest.NewSite(t)
	ada := s.SignUp("ada")
	p := ada.CreatePost("One", "text")
	for ext := range feedChecks {
		t.Run(ext, func(t *testing.T) {
			path := "/feed" + ext
			again := func(header, value string) *webtest.Response {
				v := s.Anonymous()
				v.Header.Set(header, value)
				return v.Get(path)
			}
			asked := s.Data.Calls("Posts.Get")
			first := s.Anonymous().Get(path).Want(200)
			if n := s.Data.Calls("Posts.Get") - asked; n != len(s.Data.LiveItems("posts", "post")) {
				t.Errorf("%d reads for %d posts", n, len(s.Data.LiveItems("posts", "post")))
			}
			tag := first.Header.Get("ETag")
			if !strings.HasPrefix(tag, `"`) {
				t.Fatalf("the entity tag is %s", tag)
			}
			reads := s.Data.Calls("Posts.Get")
			for header, value := range map[string]string{
				"If-None-Match": tag,
				"if-none-match": `"x", W/` + tag,
			} {
				a := again(header, value).Want(304)
				if a.Body != "" || a.Header.Get("ETag") != tag {
					t.Errorf("%s: the body is %q, the entity tag %s", header, a.Body, a.Header.Get("ETag"))
				}
			}
			if n := s.Data.Calls("Posts.Get") - reads; n != 0 {
				t.Errorf("%d posts were read", n)
			}
			again("If-None-Match", `"x"`).Want(200)
			if n := s.Data.Calls("Posts.Get") - reads; n != 0 {
				t.Errorf("%d posts were read for a cached document", n)
			}
			s.ChangePost(p.ID, func(p *domain.Post) { p.LikeCount++; p.Version++ })
			again("If-None-Match", tag).Want(304)

			s.ChangePost(p.ID, func(p *domain.Post) {
				p.Content, p.Edited = "changed "+ext, later(p.Created, p.Edited).Add(time.Hour)
				p.Revision++
			})
			if a := again("If-None-Match", tag).Want(200); !strings.Contains(a.Body, "changed "+ext) {
				t.Errorf("the feed lacks the change: %s", a.Body)
			}
			tag = s.Anonymous().Get(path).Header.Get("ETag")
			ada.Post("/settings/username", "username", "ada"+strings.Trim(ext, ".")).Want(303)
			s.ChangePost(p.ID, func(p *domain.Post) { p.AuthorName = "ada" + strings.Trim(ext, ".") })
			if a := again("If-None-Match", tag).Want(200); !strings.Contains(a.Body, "@ada"+strings.Trim(ext, ".")) {
				t.Error(a.Body)
			}
			tag = s.Anonymous().Get(path).Header.Get("ETag")
			q := ada.CreatePost("Another", "text")
			again("If-None-Match", tag).Want(200)
			ada.Post("/posts/" + q.ID + "/erase").Want(303)
			again("If-None-Match", tag).Want(304) // the feed has its former content
		})
	}
}

func later(a, b time.Time) time.Time {
	if b.After(a) {
		return b
	}
	return a
}

func TestTheEntityTagDescribesTheSentFeed(t *testing.T) {
	s := webtest.NewSite(t)
	ada := s.SignUp("ada")
	p, gone := ada.CreatePost("One", "old"), ada.CreatePost("Two", "gone")
	s.Data.StopProjection()
	s.ChangePost(p.ID, func(p *domain.Post) { p.Content, p.Revision = "new", 2 })
	s.Data.Must(s.Data.Store.Posts.Delete(t.Context(), gone.ID, ada.User.ID))

	a := s.Anonymous().Get("/feed.atom").Want(200)
	if !strings.Contains(a.Body, "new") || strings.Contains(a.Body, "Two") {
		t.Fatal(a.Body)
	}
	s.Data.ResumeProjection()
	v := s.Anonymous()
	v.Header.Set("If-None-Match", a.Header.Get("ETag"))
	v.Get("/feed.atom").Want(304)
}

func TestFeedsUseTheConfiguredAddress(t *testing.T) {
	data := webtest.NewDatabase(t)
	c := webtest.Config(data, &strings.Builder{}, webtest.KeyOne)
	c.URL = "https://blog.example.org"
	s := &webtest.Site{T: t, Data: data}
	s.Restart(c)
	p := s.SignUp("ada").CreatePost("One", "text")
	for ext, format := range feedChecks {
		a := s.Anonymous().Get("/feed" + ext).Want(200)
		if err := format.check(a.Body, "https://blog.example.org/feed"+ext); err != nil ||
			strings.Contains(a.Body, "example.com") {
			t.Errorf("%v\n%s", err, a.Body)
		}
		if got := a.Header.Get("Cache-Control"); got != "public, max-age=60" {
			t.Errorf("Cache-Control is %q", got)
		}
	}
	s.Anonymous().Get(p.Path()).Has(`link[rel="canonical"][href="https://blog.example.org`+p.Path()+`"]`, "").
		Has(`meta[property="og:url"][content="https://blog.example.org`+p.Path()+`"]`, "")

	plain := webtest.NewSite(t)
	v := plain.Anonymous()
	v.Header.Set("X-Forwarded-Proto", "https")
	v.Get("/").Has(`link[rel="canonical"][href="https://example.com/"]`, "")
}

func TestParsingTheConfiguredAddress(t *testing.T) {
	for text, want := range map[string]string{
		"https://Blog.example.org": "https://blog.example.org",
		"http://127.0.0.1:8080/":   "http://127.0.0.1:8080",
		"https://[::1]:8080":       "https://[::1]:8080",
		"https://bücher.example":   "",
		"ftp://a":                  "",
		"a.b":                      "",
		"https://":                 "",
		"https://a/b":              "",
		"https://a?b":              "",
		"https://a#b":              "",
		"https://u@a":              "",
		"https://a b":              "",
		"":                         "",
	} {
		got, err := sitepkg.ParseURL(text)
		if got != want || (err == nil) != (want != "") {
			t.Errorf("%q is parsed as %q, error %v", text, got, err)
		}
	}
}

func FuzzFeeds(f *testing.F) {
	f.Add("A title", "# text\n\n[a](b) ![c](d)", "tag")
	f.Add("]]>\x00", "&#0;<script>\ufffe", "\x01")
	s := webtest.NewSite(f)
	p := s.SignUp("ada").CreatePost("x", "x")
	revision := 1
	f.Fuzz(func(t *testing.T, title, content, tags string) {
		if _, _, err := domain.CleanPost(title, content); err != nil {
			t.Skip("a post with this text is never stored")
		}
		s.T, s.Data.T, s.Data.Faults.T = t, t, t // a fuzz target must not use f
		revision++
		s.ChangePost(p.ID, func(p *domain.Post) {
			p.Title, p.Content, p.Tags, p.Revision = title, content, domain.Tags(tags), revision
		})
		for ext, format := range feedChecks {
			path := "/@ada/feed" + ext
			w := s.Serve(httptest.NewRequest(http.MethodGet, path, nil))
			if w.Code != http.StatusOK {
				t.Fatalf("%s is answered with %d", path, w.Code)
			}
			if err := format.check(w.Body.String(), "http://example.com"+path); err != nil {
				t.Errorf("%v of %q, %q\n%s", err, title, content, w.Body)
			}
		}
	})
}

func TestAFeedHasTheLanguageOfItsPosts(t *testing.T) {
	s := webtest.NewSite(t)
	ada := s.SignUp("ada")
	ada.CreatePost("Ein Bild", "![](/media/x.jpg)") // of unknown language
	ada.CreatePost("Der Fuchs", "Der schnelle braune Fuchs springt über den faulen Hund und läuft in den Wald.")
	ada.CreatePost("Noch ein Bild", "![](/media/x.jpg)")
	if a := s.Anonymous().Get("/feed.rss").Want(200); !strings.Contains(a.Body, "<language>de</language>") {
		t.Errorf("the feed has no language: %s", a.Body)
	}
	ada.CreatePost("The fox", "The quick brown fox jumps over the lazy dog and runs into the forest again.")
	if a := s.Anonymous().Get("/feed.rss").Want(200); strings.Contains(a.Body, "<language>") {
		t.Errorf("a feed in two languages has one: %s", a.Body)
	}
}

func TestAFeedIsSentAgainToAReaderThatComparesOnlyDates(t *testing.T) {
	s := webtest.NewSite(t)
	ada := s.SignUp("ada")
	older := ada.CreatePost("An older one", "text")
	ada.CreatePostWith("The newest one", "text", func(p *domain.Post) { p.Created = older.Created.Add(time.Hour) })
	first := s.Anonymous().Get("/feed.atom").Want(200)
	if date := first.Header.Get("Last-Modified"); date != "" {
		t.Errorf("the date %s suggests that a feed with this date is current", date)
	}
	reader := s.Anonymous()
	reader.Header.Set("If-Modified-Since", s.Data.Post(older.ID).Created.Add(time.Hour).UTC().Format(http.TimeFormat))
	ada.Post("/posts/" + older.ID + "/delete").Want(303)
	if a := reader.Get("/feed.atom").Want(200); strings.Contains(a.Body, "An older one") {
		t.Error("the feed still has the deleted post")
	}
}

func TestTheEntityTagDiffersBetweenEditsWithTheSameNumber(t *testing.T) {
	s := webtest.NewSite(t)
	ada := s.SignUp("ada")
	p := ada.CreatePost("One", "text")
	edit := func(text string, at time.Time) string {
		s.ChangePost(p.ID, func(p *domain.Post) { p.Content, p.Revision, p.Edited = text, 2, at })
		return s.Anonymous().Get("/feed.atom").Want(200).Header.Get("ETag")
	}
	lost := edit("lost in a restore", p.Created.Add(time.Hour))
	if edit("written after it", p.Created.Add(2*time.Hour)) == lost {
		t.Error("a reader with the feed from before the restore would keep it")
	}
}

func TestAFeedThatFailsHasNoValidators(t *testing.T) {
	s := webtest.NewSite(t)
	s.SignUp("ada").CreatePost("One", "text")
	s.Data.Fail("Posts.Get")
	a := s.Anonymous().Get("/feed.atom").Want(http.StatusServiceUnavailable)
	if tag := a.Header.Get("ETag"); tag != "" {
		t.Errorf("the error has the entity tag %q", tag)
	}
}

// Anonymous visitors may request feeds, so a feed of long posts must not cost the server as much as all their texts.
func TestAFeedOfLongPostsEndsInSummaries(t *testing.T) {
	s := webtest.NewSite(t)
	ada := s.SignUp("ada")
	long := strings.Repeat("A sentence of a long post, and \"more\" of it.\n\n", 2000)
	for range 12 {
		ada.CreatePost("Long & winding", long)
	}
	for _, ext := range []string{"atom", "rss", "json"} {
		a := ada.Get("/@ada/feed." + ext).Want(http.StatusOK)
		body := a.Body
		full, links := strings.Count(body, "of it."), strings.Count(body, "Long &amp")
		if len(body) > 2<<20 || full < 4*2000 || full > 8*2000 || links == 0 {
			t.Errorf("%s: %d bytes, %d sentences, %d links", ext, len(body), full, links)
		}
		if again := ada.Get("/@ada/feed." + ext).Body; again != body {
			t.Errorf("%s: the second response differs", ext)
		}
	}
}

func TestAFeedSummarisesAPostThatWasEditedAfterItsList(t *testing.T) {
	s := webtest.NewSite(t)
	ada := s.SignUp("ada")
	p := ada.CreatePost("A title", "The first text.")
	s.Data.StopProjection()
	if err := s.Data.EditPost(ada, p.ID, "A title", "The second text."); err != nil {
		t.Fatal(err)
	}
	const want = `"summary":"The second text."`
	if a := s.Anonymous().Get("/@ada/feed.json").Want(200); !strings.Contains(a.Body, want) {
		t.Errorf("%s is missing in\n%s", want, a.Body)
	}
}
