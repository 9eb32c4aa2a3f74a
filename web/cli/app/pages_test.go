package app

import (
	"testing"
	"time"

	"inkfeed/domain"
	"inkfeed/domain/siteinfo"
)

// TestStaticPagesInvalidateWhatShowsThem checks which pages a change of a static page drops from the cache.
func TestStaticPagesInvalidateWhatShowsThem(t *testing.T) {
	s := newSingleServer(t)
	post, _ := s.publish(t)
	page := domain.Draft{PostID: domain.NewPageID(), Title: "About", Content: "This is the text that we have."}
	publish := func(title, content string) {
		t.Helper()
		page.Title, page.Content = title, content
		text, err := s.store.Drafts.Publish(t.Context(), domain.SiteUser(), page, time.Now())
		if err != nil {
			t.Fatal(err)
		}
		page.Revision = text.Revision
		pages, err := s.store.Pages.Refresh(t.Context(), text)
		if err != nil {
			t.Fatal(err)
		}
		s.pageList.Apply(pages)
	}
	put := func(entry siteinfo.StaticPage) {
		t.Helper()
		pages, err := s.store.Pages.Change(t.Context(), func(pages siteinfo.Pages) (siteinfo.Pages, error) {
			return domain.PutPage(pages, entry)
		})
		if err != nil {
			t.Fatal(err)
		}
		s.pageList.Apply(pages)
	}
	put(siteinfo.StaticPage{PostID: page.PostID, Path: "/about", Footer: true})
	publish("About", "This is the text that we have.")
	for _, change := range []struct {
		name           string
		do             func()
		path           string // of the page afterwards
		dropsEverybody bool
	}{
		{"its text", func() { publish("About", "And this is another text that we have.") }, "/about", false},
		{"its title, to which every page links", func() {
			publish("About us", "And this is another text that we have.")
		}, "/about", true},
		{"its address", func() {
			put(siteinfo.StaticPage{PostID: page.PostID, Path: "/us", Footer: true})
		}, "/us", true},
		{"its place", func() {
			put(siteinfo.StaticPage{PostID: page.PostID, Path: "/us", Navigation: true})
		}, "/us", true},
		{"nothing", func() {
			put(siteinfo.StaticPage{PostID: page.PostID, Path: "/us", Navigation: true})
		}, "", false},
	} {
		t.Run("a change of "+change.name, func(t *testing.T) {
			entry, _ := s.pageList.Current().ByID(page.PostID)
			for _, path := range []string{entry.Path, post.Path()} {
				s.get(path)
				if !s.caches(path) {
					t.Fatalf("%s is not cached before the change", path)
				}
			}
			change.do()
			if s.caches(post.Path()) == change.dropsEverybody {
				t.Errorf("whether the page of a post is dropped: %t", !change.dropsEverybody)
			}
			if change.path != "" && s.caches(change.path) {
				t.Errorf("%s is still cached", change.path)
			}
		})
	}
}
