package domain_test

import (
	"net/url"
	"path"
	"testing"

	"inkfeed/domain"
)

func TestOldListFindsThePagesAndFeedsOfAList(t *testing.T) {
	for _, c := range []struct{ raw, list, feed string }{
		{"/tags/go/", "/tags/go", ""},
		{"/tags/go/page/2/", "/tags/go", ""},
		{"/blog/page12/index.html", "/blog", ""},
		{"/page/2/", "/", ""},
		{"/page2/", "/", ""},
		{"/index.xml", "/", ".rss"},
		{"/feed.xml", "/", ".atom"},
		{"/tags/c%2B%2B/index.xml", "/tags/c++", ".rss"},
		{"/blog/Atom.XML", "/blog", ".atom"},
		{"/notes/feed.json", "/notes", ".json"},
		{"/blog/news.xml", "/blog/news.xml", ""},
		{"/page/0", "/page/0", ""},
		{"/page/two", "/page/two", ""},
		{"/homepage/2", "/homepage/2", ""},
		{"/2019/05/old-post.html", "/2019/05/old-post", ""},
	} {
		if list, feed, ok := domain.OldList(c.raw); !ok || list != c.list || feed != c.feed {
			t.Errorf("%s belongs to list %q, feed %q, %v", c.raw, list, feed, ok)
		}
	}
	for _, none := range []string{"/data.json", "/", "/x%00y", "/photo.png/"} {
		if list, _, ok := domain.OldList(none); ok {
			t.Errorf("%s belongs to list %q, want none", none, list)
		}
	}
}

func TestRedirectToAListFollowsItsOwnersUsername(t *testing.T) {
	for _, c := range []struct{ to, feed, want string }{
		{"/@", "", "/@ada"},
		{"/@", ".rss", "/@ada/feed.rss"},
		{"/@/feed.atom", "", "/@ada/feed.atom"},
		{"/@/feed.atom", ".rss", "/@ada/feed.atom"},
		{"/@/archive/2019", "", "/@ada/archive/2019"},
		{"/@/archive/2019", ".rss", "/@ada/feed.rss"},
		{"/tags/c%23", "", "/tags/c%23"},
		{"/tags/c%23", ".atom", "/tags/c%23/feed.atom"},
	} {
		r := domain.Redirect{To: c.to}
		if got := r.Target("ada", c.feed); got != c.want || !r.IsList() {
			t.Errorf("%s with feed %q leads to %s, want %s", c.to, c.feed, got, c.want)
		}
	}
	for _, to := range []string{"", "/@bob", "/settings", "//elsewhere.example", "https://elsewhere.example",
		"/tags/../settings"} {
		if (domain.Redirect{To: to}).IsList() {
			t.Errorf("%q counts as a list", to)
		}
	}
}

func FuzzOldList(f *testing.F) {
	for _, seed := range []string{"/tags/go/page/2/", "/index.xml", "//page/2", "/%2e%2e/feed.xml",
		"/a/page/1/page/2"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, raw string) {
		list, feed, ok := domain.OldList(raw)
		if ok && (path.Clean(list) != list || list[0] != '/') {
			t.Errorf("%q belongs to list %q", raw, list)
		}
		if !ok && (list != "" || feed != "") {
			t.Errorf("%q is rejected, but gives %q, %q", raw, list, feed)
		}
		parent, ok := domain.ParentOf(list)
		if ok && (path.Clean(parent.Path) != parent.Path || parent.Path[0] != '/' || parent.Path == list) {
			t.Errorf("%q belongs to %q", list, parent.Path)
		}
		query := url.Values{"tag": {raw}, "feed": {raw}}
		if to, _, ok := domain.OldQuery("", query); ok && (path.Clean(to) != to || to[0] != '/') {
			t.Errorf("the tag %q is at %q", raw, to)
		}
	})
}
