package accounts

import (
	"fmt"
	"testing"

	"golang.org/x/sync/errgroup"

	"inkfeed/cosmos/cosmostest/fixture"
	"inkfeed/domain"
	"inkfeed/domain/siteinfo"
)

// staticPages checks that simultaneous changes of the list of static pages are all made, and that an address belongs to
// one page.
func (s *suite) staticPages(t *testing.T) {
	ctx := t.Context()
	if pages := fixture.Must[siteinfo.Pages](t)(s.Pages.Get(ctx)); !pages.Equal(siteinfo.Pages{}) {
		t.Errorf("the pages at first are %+v", pages)
	}
	put := func(p siteinfo.StaticPage) (siteinfo.Pages, error) {
		return s.Pages.Change(ctx, func(pages siteinfo.Pages) (siteinfo.Pages, error) {
			return domain.PutPage(pages, p)
		})
	}
	const changes = 5
	var group errgroup.Group
	for n := range changes {
		group.Go(func() error {
			_, err := put(siteinfo.StaticPage{PostID: domain.NewPageID(), Path: fmt.Sprintf("/page-%d", n),
				Label:      "Page",
				Navigation: n == 0, Footer: true})
			return err
		})
	}
	fixture.Check(t, group.Wait())
	pages := fixture.Must[siteinfo.Pages](t)(s.Pages.Get(ctx))
	if len(pages.List) != changes || pages.Version != changes {
		t.Fatalf("after %d changes: %+v", changes, pages)
	}
	_, err := put(siteinfo.StaticPage{PostID: domain.NewPageID(), Path: "/page-0"})
	fixture.WantKind(t, err, domain.Invalid)

	first := pages.List[0]
	text := domain.Post{ID: first.PostID, AuthorID: domain.SiteUserID, Title: "A title", Version: 2}
	for range 2 { // the second one changes nothing
		refreshed := fixture.Must[siteinfo.Pages](t)(s.Pages.Refresh(ctx, text))
		if page, _ := refreshed.ByID(first.PostID); page.Title != "A title" || !page.Published {
			t.Errorf("got %+v", page)
		}
	}
	first.Path = "/moved"
	fixture.Must[siteinfo.Pages](t)(put(first))
	pages = fixture.Must[siteinfo.Pages](t)(s.Pages.Get(ctx))
	if page, ok := pages.FormerlyAt("/page-0"); pages.Version != changes+2 {
		t.Errorf("version %d", pages.Version)
	} else if _, is0 := pages.At("/page-0"); !is0 && (!ok || page.Path != "/moved") {
		t.Errorf("got %+v", pages)
	}
}
