package domain

import (
	"fmt"
	"testing"
	"time"

	"inkfeed/domain/siteinfo"
)

func TestPathsOfPagesAreNormalised(t *testing.T) {
	for typed, want := range map[string]string{
		"about": "/about", " /About/ ": "/about", "//club//History": "/club/history", "/%C3%BCber": "/über",
		"/u\u0308ber": "/über", "/日本語": "/日本語", "/terms-2026_v1.2": "/terms-2026_v1.2",
	} {
		if got, err := CleanPagePath(typed); err != nil || got != want {
			t.Errorf("%q: %q, %v; want %q", typed, got, err, want)
		}
	}
	for _, typed := range []string{"", "/", "//", "/a b", "/a?b", "/a#b", "/../a", "/a/.", "/a%2", "/<b>", "/@ada",
		"/\u202eabc d", fmt.Sprint("/", string(make([]byte, 200)))} {
		if got, err := CleanPagePath(typed); err == nil {
			t.Errorf("%q is accepted as %q", typed, got)
		}
	}
}

func TestListOfPages(t *testing.T) {
	put := func(pages siteinfo.Pages, id, path string) siteinfo.Pages {
		t.Helper()
		pages, err := PutPage(pages, siteinfo.StaticPage{PostID: id, Path: path})
		if err != nil {
			t.Fatal(err)
		}
		return pages
	}
	two := put(put(siteinfo.Pages{}, "a", "/a"), "b", "/b")
	t.Run("has each address once", func(t *testing.T) {
		if _, err := PutPage(two, siteinfo.StaticPage{PostID: "c", Path: "/a"}); !Is(err, Invalid) {
			t.Errorf("error %v", err)
		}
	})
	t.Run("is not changed by its changes", func(t *testing.T) {
		put(two, "a", "/c")
		MovePage(two, "a", 1)
		RefreshPage(two, Post{ID: "a", Title: "T", Version: 1})
		if two.List[0].Path != "/a" || two.List[0].Title != "" || len(two.Former) != 0 {
			t.Errorf("%+v", two)
		}
	})
	t.Run("keeps former addresses until they are used again", func(t *testing.T) {
		moved := put(two, "a", "/c")
		if page, ok := moved.FormerlyAt("/a"); !ok || page.Path != "/c" {
			t.Errorf("%+v", moved)
		}
		for _, again := range []siteinfo.Pages{put(moved, "a", "/a"), put(moved, "d", "/a"), RemovePage(moved, "a")} {
			if _, ok := again.FormerlyAt("/a"); ok {
				t.Errorf("%+v", again)
			}
		}
	})
	t.Run("forgets the oldest of too many former addresses", func(t *testing.T) {
		pages := two
		for n := range MaxFormer + 5 {
			pages = put(pages, "a", fmt.Sprintf("/a%d", n))
		}
		if _, ok := pages.FormerlyAt("/a"); ok || len(pages.Former) != MaxFormer {
			t.Errorf("%d former addresses", len(pages.Former))
		}
	})
	t.Run("has a limit", func(t *testing.T) {
		var pages siteinfo.Pages
		for n := range MaxPages {
			pages = put(pages, fmt.Sprint(n), fmt.Sprintf("/a%d", n))
		}
		if _, err := PutPage(pages, siteinfo.StaticPage{PostID: "x", Path: "/x"}); !Is(err, Invalid) {
			t.Errorf("error %v", err)
		}
	})
	t.Run("ignores an older state of a text", func(t *testing.T) {
		pages := RefreshPage(two, Post{ID: "a", Title: "New", Version: 3})
		pages = RefreshPage(pages, Post{ID: "a", Title: "Old", Version: 2})
		if page, _ := pages.ByID("a"); page.Title != "New" || !page.Published || page.PostVersion != 3 {
			t.Errorf("%+v", page)
		}
	})
	t.Run("shows whether a text is published, and loses a deleted one", func(t *testing.T) {
		pages := RefreshPage(two, Post{ID: "a", Title: "T", Version: 3, Status: Unpublished})
		if page, _ := pages.ByID("a"); page.Published {
			t.Errorf("%+v", page)
		}
		pages = RefreshPage(pages, Post{ID: "a", Version: 4, Deleted: time.Now()})
		if _, ok := pages.ByID("a"); ok {
			t.Errorf("%+v", pages)
		}
	})
	t.Run("finds a free address for a title", func(t *testing.T) {
		taken := func(path string) bool { return path == "/search" }
		for title, want := range map[string]string{"B": "/b-2", "Search": "/search-2", "": "/page", "C d": "/c-d"} {
			if got := FreePagePath(two, title, taken); got != want {
				t.Errorf("%q: %q, want %q", title, got, want)
			}
		}
	})
}

func TestIDsOfPagesAreNoIDsOfPosts(t *testing.T) {
	page, post := NewPageID(), NewID()
	if IsID(page) || !IsPageID(page) || IsPageID(post) || !IsTextID(page) || !IsTextID(post) || IsTextID("p."+page) {
		t.Error(page, post)
	}
	if IsUserID(SiteUserID) || !IsOwnerID(SiteUserID) {
		t.Error(SiteUserID)
	}
	if id := AttemptTextID(page, SiteUserID, "text"); !IsPageID(id) || id != AttemptTextID(page, SiteUserID, "text") {
		t.Error(id)
	}
}
