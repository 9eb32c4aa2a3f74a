package domain

import (
	"fmt"
	"strings"
	"testing"

	"inkfeed/domain/siteinfo"
)

func TestPlacingImportedPages(t *testing.T) {
	page := func(id, path string, former ...string) ImportedPage {
		return ImportedPage{StaticPage: siteinfo.StaticPage{PostID: id, Path: path}, Former: former}
	}
	none := func(string) bool { return false }
	here := siteinfo.Pages{List: []siteinfo.StaticPage{{PostID: "a", Path: "/about"}},
		Former: []siteinfo.FormerPath{{Path: "/us", PostID: "a"}}}
	t.Run("adds them at their addresses, in their order", func(t *testing.T) {
		after, placed := PlacePages(here, []ImportedPage{page("b", "/b", "/old-b"), page("c", "/c")}, none)
		if len(after.List) != 3 || after.List[1].Path != "/b" || after.List[2].Path != "/c" || !placed[0].Added {
			t.Errorf("%+v, %+v", after, placed)
		}
		if old, ok := after.FormerlyAt("/old-b"); !ok || old.PostID != "b" {
			t.Errorf("%+v", after.Former)
		}
		if len(here.List) != 1 || len(here.Former) != 1 {
			t.Errorf("the list before has changed: %+v", here)
		}
	})
	t.Run("gives a free address to one whose address something else has", func(t *testing.T) {
		taken := func(path string) bool { return path == "/search" }
		for path, want := range map[string]string{"/about": "/about-2", "/us": "/us-2", "/search": "/search-2",
			"/a b": "/the-title", "": "/the-title"} {
			p := page("b", path)
			p.Title = "The title"
			after, placed := PlacePages(here, []ImportedPage{p}, taken)
			if placed[0].Wanted != path || placed[0].Page.Path != want || after.List[1].Path != want {
				t.Errorf("%q: %+v", path, placed)
			}
			if _, ok := after.FormerlyAt("/us"); !ok {
				t.Errorf("%q: the former address of another page is lost", path)
			}
		}
	})
	t.Run("leaves former addresses to what has them", func(t *testing.T) {
		after, _ := PlacePages(here, []ImportedPage{page("b", "/b", "/about", "/us", "/search", "/b", "/x y")},
			func(path string) bool { return path == "/search" })
		if len(after.Former) != 1 {
			t.Errorf("%+v", after.Former)
		}
	})
	t.Run("leaves the former addresses that the site has, however many are imported", func(t *testing.T) {
		var many []string
		for n := range 2 * MaxFormer {
			many = append(many, fmt.Sprint("/former-", n))
		}
		after, _ := PlacePages(here, []ImportedPage{page("b", "/b", many...)}, none)
		if _, ok := after.FormerlyAt("/us"); !ok || len(after.Former) != MaxFormer {
			t.Errorf("%d former addresses, the site's own among them: %v", len(after.Former), ok)
		}
	})
	t.Run("finds an address when hundreds are taken", func(t *testing.T) {
		taken := func(path string) bool {
			n, isPage := strings.CutPrefix(path, "/page-")
			return path == "/page" || isPage && len(n) < 4
		}
		if _, placed := PlacePages(here, []ImportedPage{page("b", "")}, taken); placed[0].Page.Path != "/page-1000" {
			t.Errorf("%+v", placed)
		}
	})
	t.Run("leaves a page that is here as it is", func(t *testing.T) {
		after, placed := PlacePages(here, []ImportedPage{page("a", "/other"), page("a", "/about")}, none)
		if !after.Equal(here) || placed[0].Added || !placed[0].Kept || placed[1].Kept {
			t.Errorf("%+v, %+v", after, placed)
		}
	})
	t.Run("leaves out what exceeds the limit", func(t *testing.T) {
		var all []ImportedPage
		for n := range MaxPages + 1 {
			all = append(all, page(fmt.Sprint(n), fmt.Sprint("/p", n)))
		}
		after, placed := PlacePages(siteinfo.Pages{}, all, none)
		if len(after.List) != MaxPages || placed[MaxPages-1].Full || !placed[MaxPages].Full {
			t.Errorf("%d pages", len(after.List))
		}
	})
	t.Run("leaves out a label that is too long", func(t *testing.T) {
		p := page("b", "/b")
		p.Label = string(make([]byte, 200)) + fmt.Sprintf("%0200d", 1)
		if after, _ := PlacePages(here, []ImportedPage{p}, none); after.List[1].Label != "" {
			t.Errorf("%+v", after.List[1])
		}
	})
}
