package following

import (
	"context"
	"net/http"

	"github.com/labstack/echo/v4"

	"inkfeed/domain"
	"inkfeed/views"
	view "inkfeed/views/following"
	"inkfeed/web/site"
)

// personal serves the personal feed, and the choice of the front page.
type personal struct {
	handler
	feed feed
}

func (h personal) register(e *echo.Echo) {
	site.Get(e, views.FollowingPath, h.unlessClaimed)
	site.Get(e, views.FollowedPostsPath, h.show)
	e.POST(views.FrontChoicePath, h.choose)
}

// unlessClaimed leaves the path to a static page or an old address: see site.ClaimOf.
func (h personal) unlessClaimed(c echo.Context) error {
	_, claimed, err := site.ClaimOf(c.Request().Context(), c.Path(), *h.StaticPages(), h.store.Redirects)
	if claimed {
		return site.ErrNoPage
	}
	if err != nil {
		return err
	}
	return h.show(c)
}

func (h personal) show(c echo.Context) error {
	after := domain.Place(c.QueryParam("after"))
	if _, _, ok := after.Split(); !ok && after != "" {
		return site.ErrNoPage
	}
	return h.page(c, after, false)
}

// front shows the personal feed as the front page.
func (h personal) front(c echo.Context) error { return h.page(c, "", true) }

// maxEmpty is the number of pages without posts, because all are muted or hidden, that are left out.
const maxEmpty = 5

func (h personal) page(c echo.Context, after domain.Place, front bool) error {
	u, err := h.SignedIn(c)
	if err != nil {
		return err
	}
	page, err := h.ReadingLayout(c, site.T(c, "Following|posts"))
	if err != nil {
		return err
	}
	page.NoIndex = true
	shown := view.FollowingPage{LayoutData: page, Front: front, First: after == ""}
	ctx := c.Request().Context()
	for range maxEmpty {
		shown.Posts, shown.Next, err = h.feed.page(ctx, u, after)
		if err != nil {
			return err
		}
		if after = shown.Next; len(shown.Posts) > 0 || after == "" {
			break
		}
	}
	if len(shown.Posts) == 0 && shown.First && shown.Next == "" {
		if shown.Authors, shown.Tags, err = h.proposals(ctx, u); err != nil {
			return err
		}
	}
	// Never cached, so that going back shows the current posts.
	return h.RenderForm(c, http.StatusOK, view.Following(shown))
}

// maxProposals is the number of authors, and of tags, that an empty feed proposes.
const maxProposals = 8

// proposals returns authors and tags that a user may want to follow. They come from the search index.
func (h personal) proposals(ctx context.Context, u domain.User) (authors, tags []views.FollowRow, err error) {
	listed, err := h.store.Search.Authors(ctx, 1)
	if err != nil {
		return nil, nil, err
	}
	uses, err := h.store.Search.Tags(ctx, "", maxProposals)
	if err != nil {
		return nil, nil, err
	}
	mutes, err := site.MutesOf(ctx, h.store.Mutes, u)
	if err != nil {
		return nil, nil, err
	}
	var targets []target
	for _, a := range listed.Items {
		if a.ID == u.ID || len(targets) == maxProposals || mutes.Has(domain.MutePerson, a.ID) {
			continue
		}
		switch err := h.checkBlocks(ctx, u, a.User); {
		case err == nil:
			targets = append(targets, target{domain.AuthorSource(a.ID), a.User})
		case !domain.Is(err, domain.Forbidden):
			return nil, nil, err
		}
	}
	for _, use := range uses {
		if key := domain.TagKey(use.Name); !mutes.Has(domain.MuteTag, key) {
			targets = append(targets, target{Source: domain.TagSource(key)})
		}
	}
	rows, err := h.rows(ctx, u, targets, views.FollowedPostsPath)
	for _, r := range rows {
		switch {
		case r.Button.Following:
		case r.Tag != "":
			tags = append(tags, r)
		default:
			authors = append(authors, r)
		}
	}
	return authors, tags, err
}

// rows returns the rows of a list of authors and tags, with buttons for the viewer that lead back to next. An anonymous
// viewer is zero.
func (h handler) rows(ctx context.Context, viewer domain.User, targets []target, next string) (rows []views.FollowRow,
	err error) {
	var followed map[domain.Source]bool
	if viewer.Following > 0 && len(targets) > 0 {
		sources := make([]domain.Source, len(targets))
		for i, t := range targets {
			sources[i] = t.Source
		}
		if followed, err = h.store.Follows.Among(ctx, viewer.ID, sources); err != nil {
			return nil, err
		}
	}
	for _, t := range targets {
		row := views.FollowRow{Person: t.author, Tag: t.Tag}
		if t.AuthorID == "" || t.AuthorID != viewer.ID {
			row.Button = t.button(t.Key(), next)
			if viewer.ID != "" {
				row.Button = row.Button.For(followed[t.Source])
			}
		}
		rows = append(rows, row)
	}
	return rows, nil
}

// choose stores which posts the front page shows to a user.
func (h personal) choose(c echo.Context) error {
	sent, u, err := site.ReadForm(c, h.SignedIn)
	if err != nil {
		return err
	}
	prefers := sent.Get("feed") == "following"
	if prefers != u.PrefersFollowing {
		err = h.store.Profiles.SetPrefersFollowing(c.Request().Context(), u.ID, prefers)
	}
	if err != nil {
		return err
	}
	return site.SeeOther(c, "/")
}
