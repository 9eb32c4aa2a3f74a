package verify

import (
	"context"
	"time"

	"inkfeed/cosmos/schema"
	"inkfeed/domain"
	"inkfeed/domain/siteinfo"
)

const verifiedPage = "p.aaaaaaaaaaaaaaaaaaaaaaaaaa"

// addPage adds a published static page to the world, without the work of the projector.
func addPage(ctx context.Context, w *world) error {
	_, err := w.Drafts.Publish(ctx, domain.SiteUser(), domain.Draft{PostID: verifiedPage, Title: "About",
		Content: "Text."}, time.Now())
	if err != nil {
		return err
	}
	picture := domain.Image{Name: worldImage, UserID: domain.SiteUserID, Bytes: 100, Created: w.ada.Created}
	picture.Name.Width = 7
	if _, err := w.Images.Begin(ctx, picture); err != nil {
		return err
	}
	_, err = w.Pages.Change(ctx, func(pages siteinfo.Pages) (siteinfo.Pages, error) {
		return domain.PutPage(pages, siteinfo.StaticPage{Path: "/about", PostID: verifiedPage})
	})
	return err
}

func refreshPage(ctx context.Context, w *world) error {
	text, err := w.Posts.Latest(ctx, verifiedPage)
	if err == nil {
		_, err = w.Pages.Refresh(ctx, text)
	}
	return err
}

func changePages(change func(*siteinfo.Pages)) worldStep {
	return func(ctx context.Context, w *world) error {
		_, err := w.Pages.Change(ctx, func(pages siteinfo.Pages) (siteinfo.Pages, error) {
			pages.List = append([]siteinfo.StaticPage(nil), pages.List...)
			change(&pages)
			return pages, nil
		})
		return err
	}
}

func brokenPages() []brokenCase {
	return []brokenCase{
		{rulePages, "a text that the list does not know", "it has no address", after(addPage, changePages(
			func(p *siteinfo.Pages) { p.List = nil }))},
		{rulePages, "a title that the projector has not copied", `the list has "", published false`, addPage},
		{rulePages, "an entry of a missing text", "there is no such text", changePages(func(p *siteinfo.Pages) {
			p.List = append(p.List, siteinfo.StaticPage{Path: "/x", PostID: domain.NewPageID(), Published: true})
		})},
		{rulePages, "two pages with one address", "two pages have the address /about", after(addPage, changePages(
			func(p *siteinfo.Pages) {
				p.Former = append(p.Former, siteinfo.FormerPath{Path: "/about", PostID: verifiedPage})
			}))},
		{rulePages, "an address that visitors cannot reach", "not in its normal form", after(addPage, changePages(
			func(p *siteinfo.Pages) { p.List[0].Path = "/About/" }))},
		{rulePages, "an entry of a deleted text", "the text is deleted", after(addPage,
			func(ctx context.Context, w *world) error {
				return w.Posts.Delete(ctx, verifiedPage, domain.SiteUserID)
			})},
		{ruleIDs, "a page of a user", "belongs to the site", after(addPage,
			func(ctx context.Context, w *world) error {
				return w.Container(schema.PostsContainer).Patch(ctx, verifiedPage, verifiedPage,
					set("/userId", w.ada.ID))
			})},
	}
}
