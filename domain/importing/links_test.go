package importing_test

import (
	"strings"
	"testing"

	"inkfeed/domain"
)

func TestListsOfTheOldBlogRedirectToListsHere(t *testing.T) {
	m, source := newStore(), hugoBlog(t)
	source["content/posts/many.md"] = "---\ntitle: Many\ndate: 2021-01-01\ntags: [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, " +
		"eleven]\n---\nText.\n"
	mustImport(t, m, source)
	lead := func(t *testing.T, wanted map[string]string) {
		t.Helper()
		for path, to := range wanted {
			if got := m.redirects[path]; got.To != to || got.PostID != "" || got.OwnerID != ada.ID {
				t.Errorf("%s leads to %+v, want %s", path, got, to)
			}
		}
	}
	lead(t, map[string]string{"/": "/@", "/feed": "/@/feed.rss", "/posts": "/@", "/tags/a": "/tags/a",
		"/archives": "/@/archive"})
	t.Run("to all posts if no post could keep the tag", func(t *testing.T) {
		lead(t, map[string]string{"/tags/eleven": "/@"})
	})
	t.Run("without writing them again", func(t *testing.T) {
		before := m.calls
		mustImport(t, m, source)
		unchanged := m.calls - before
		m.redirects = map[string]domain.Redirect{}
		mustImport(t, m, source)
		if m.redirects["/feed"].To != "" {
			t.Errorf("the second import made %d calls", unchanged)
		}
	})
	t.Run("to new targets after a change of the source", func(t *testing.T) {
		m = newStore()
		mustImport(t, m, source)
		source["content/posts/many.md"] = strings.Replace(source["content/posts/many.md"], "10, eleven", "eleven", 1)
		mustImport(t, m, source)
		lead(t, map[string]string{"/tags/eleven": "/tags/eleven"})
	})
	t.Run("unless a post gets the address later", func(t *testing.T) {
		source["content/archives.md"] = "---\ntitle: All\ndate: 2020-02-02\n---\nText.\n"
		mustImport(t, m, source)
		if got := m.redirects["/archives"]; got.PostID != m.idOf(t, "All") || got.To != "" {
			t.Errorf("its address leads to %+v", got)
		}
	})
	t.Run("unless the address redirects to another user's blog", func(t *testing.T) {
		bob := domain.User{ID: "u.23zyxwvutsrqpnmkjihgfedcba", Username: "bob", Created: now}
		r, err := importAs(t, m, bob, map[string]string{"_config.yml": "", "_posts/2020-01-01-x.md": "text"}, false)
		if err != nil || !reports(r, "lead to another author's here") {
			t.Errorf("%+v, %v", r.Problems, err)
		}
		lead(t, map[string]string{"/": "/@", "/feed": "/@/feed.rss"})
	})
	t.Run("and are listed in a record", func(t *testing.T) {
		named := make(map[string]bool)
		for _, record := range m.records {
			for _, path := range record.Paths {
				named[path] = true
			}
		}
		for path := range m.redirects {
			if !named[path] {
				t.Errorf("no record names %s", path)
			}
		}
	})
}

func TestLinkToAPostThatIsNotImportedStaysAsItWas(t *testing.T) {
	m := newStore()
	r := mustImport(t, m, map[string]string{
		"hugo.toml": "",
		"content/posts/one.md": "---\ntitle: One\ndate: 2020-01-01\n---\n[long](/posts/long/), " +
			"[empty](/posts/empty/), [two](/posts/two/)\n",
		"content/posts/two.md": "---\ntitle: Two\ndate: 2020-01-01\n---\nSee [long](long.md#end).\n",
		"content/posts/long.md": "---\ntitle: Long\ndate: 2020-01-01\n---\n" +
			strings.Repeat("word ", domain.MaxContent/5+1),
		"content/posts/empty.md": "---\ntitle: Empty\ndate: 2020-01-01\n---\n",
	})
	one, two := m.posts[m.idOf(t, "One")], m.posts[m.idOf(t, "Two")]
	if want := "[long](/posts/long/), [empty](/posts/empty/), [two](" + two.Path() + ")"; one.Content != want ||
		two.Content != "See [long](long.md#end)." {
		t.Errorf("the posts are %q and %q", one.Content, two.Content)
	}
	if r.Left != 2 || !reports(r,
		"links to 2 posts that are not imported stay as they were, the first to /posts/long/") {
		t.Errorf("the report is %+v", r)
	}
}

func TestPostThatIsTooLongOnlyWithNewAddressesKeepsItsOldOnes(t *testing.T) {
	m := newStore()
	fitting := "[x](a.md) " + strings.Repeat("word ", (domain.MaxContent-20)/5)
	r := mustImport(t, m, map[string]string{"a.md": "---\ntitle: A\ndate: 2020-01-01\n---\n" + fitting,
		"b.md": "---\ntitle: B\ndate: 2020-01-01\n---\n[a](a.md)\n"})
	a, b := m.posts[m.idOf(t, "A")], m.posts[m.idOf(t, "B")]
	if strings.TrimSpace(a.Content) != strings.TrimSpace(fitting) || r.Left != 0 ||
		!reports(r, "the text would be too long") {
		t.Errorf("%d characters, and the report is %+v", len(a.Content), r)
	}
	if b.Content != "[a]("+a.Path()+")" {
		t.Errorf("the other post is %q", b.Content)
	}
}

func TestLinksToDraftsAreReported(t *testing.T) {
	hugo := func(text string) map[string]string {
		return map[string]string{"hugo.toml": "", "content/posts/two.md": "---\ntitle: Two\ndraft: true\n---\ntext\n",
			"content/posts/three.md": "---\ntitle: Three\ndraft: true\n---\ntext\n",
			"content/posts/one.md":   "---\ntitle: One\n---\n" + text + "\n"}
	}
	ghost := func(two string) map[string]string {
		return map[string]string{"ghost.json": `{"db": [{"data": {"posts": [
			{"uuid": "1", "title": "One", "slug": "ghost-one", "status": "published", "html": "<p>` +
			`<a href=\"__GHOST_URL__/ghost-two/\">x</a></p>"},
			{"uuid": "2", "title": "Two", "slug": "ghost-two", ` + two + `, "html": "<p>text</p>"}]}}]}`}
	}
	wordpress := map[string]string{"wordpress.xml": `<?xml version="1.0"?><rss version="2.0" ` +
		`xmlns:content="http://purl.org/rss/1.0/modules/content/" xmlns:wp="http://wordpress.org/export/1.2/"><channel>
		<title>B</title><link>https://ada.example</link><wp:wxr_version>1.2</wp:wxr_version><wp:base_blog_url>` +
		`https://ada.example</wp:base_blog_url>
		<item><title>One</title><link>https://ada.example/one/</link><content:encoded>` +
		`<![CDATA[<a href="https://ada.example/?p=2">x</a>]]></content:encoded>
			<wp:post_id>1</wp:post_id><wp:status>publish</wp:status><wp:post_type>post</wp:post_type></item>
		<item><title>Two</title><link>https://ada.example/?p=2</link><content:encoded>text</content:encoded>
			<wp:post_id>2</wp:post_id><wp:status>draft</wp:status><wp:post_type>post</wp:post_type></item>` +
		`</channel></rss>`}
	for name, c := range map[string]struct {
		source map[string]string
		report string
	}{
		"of Hugo": {hugo("[x](/posts/two/)"), "one.md: a link leads to /posts/two/, which is a draft"},
		"several of Hugo": {hugo("[x](/posts/two/) [x](/posts/three/) [y](/posts/two/)"),
			"one.md: links lead to 2 drafts, the first to /posts/two/"},
		"of Ghost":     {ghost(`"status": "draft"`), "ghost-one: a link leads to /ghost-two/, which is a draft"},
		"of WordPress": {wordpress, "a link leads to https://ada.example/?p=2, which is a draft"},
	} {
		t.Run(name, func(t *testing.T) {
			m := newStore()
			r := mustImport(t, m, c.source)
			if len(r.Problems) != 1 || !reports(r, c.report) {
				t.Errorf("the report says %v", r.Problems)
			}
			two := "/posts/" + m.idOf(t, "Two") + "/"
			if text := m.posts[m.idOf(t, "One")].Content; !strings.Contains(text, two) {
				t.Errorf("the text is %q, without %s, the draft's future address", text, two)
			}
		})
	}
	t.Run("including posts for members in Ghost", func(t *testing.T) {
		r := mustImport(t, newStore(), ghost(`"status": "published", "visibility": "members"`))
		if len(r.Problems) != 2 || !reports(r, "/ghost-two/, which is a draft") {
			t.Errorf("the report says %v", r.Problems)
		}
	})
	t.Run("unless a published post has the same address", func(t *testing.T) {
		s := ghost(`"status": "draft"`)
		s["ghost.json"] = strings.Replace(s["ghost.json"], `{"uuid": "2"`,
			`{"uuid": "3", "title": "Three", "slug": "ghost-two", "status": "published", "html": "<p>text</p>"}, `+
				`{"uuid": "2"`, 1)
		m := newStore()
		if r := mustImport(t, m, s); len(r.Problems) != 0 {
			t.Errorf("the report says %v", r.Problems)
		}
	})
}

func TestLinksToMissingPagesAreReported(t *testing.T) {
	for _, c := range []struct{ text, report string }{
		{"[x](/tags/boats/)", "a link leads to /tags/boats/, which"},
		{"[x](/tags/boats/) [again](/tags/boats/) [y](https://ada.example/gone/)",
			"links lead to 2 addresses that the export does not have, the first to /tags/boats/"},
		{"[x](../gone.md)", "a link leads to ../gone.md"},
		{"[home](/) [home](https://ada.example) [here](#there) [two](/posts/two/#b) " +
			"[out](https://elsewhere.example/x) [mail](mailto:a@b.example)", ""},
	} {
		source := map[string]string{"hugo.toml": "baseURL = 'https://ada.example'",
			"content/posts/two.md": "---\ntitle: Two\n---\ntext\n",
			"content/posts/one.md": "---\ntitle: One\n---\n" + c.text + "\n"}
		r := mustImport(t, newStore(), source)
		if c.report == "" && len(r.Problems) > 0 || c.report != "" && (!reports(r, c.report) || len(r.Problems) != 1) {
			t.Errorf("%s: the report says %v", c.text, r.Problems)
		}
	}
}
