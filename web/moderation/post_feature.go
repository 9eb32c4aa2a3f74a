package moderation

import (
	"slices"

	"github.com/labstack/echo/v4"

	"inkfeed/domain"
	"inkfeed/domain/siteinfo"
	"inkfeed/web/site"
)

// postFeature lets administrators feature a post on the front page from its menu, and end that. Both lead back to the
// post.
type postFeature struct{ adminSettings }

func (h postFeature) register(e *echo.Echo) {
	e.POST("/posts/:id/feature", func(c echo.Context) error { return h.change(c, true) })
	e.POST("/posts/:id/unfeature", func(c echo.Context) error { return h.change(c, false) })
}

// change features a listed post before the others, or ends that. If the settings were changed at that moment, it fails
// with Conflict.
func (h postFeature) change(c echo.Context, featured bool) error {
	actor, err := h.Administrator(c)
	if err != nil {
		return err
	}
	ctx := c.Request().Context()
	p, err := site.PostAt(c, h.store.Posts.Get)
	if err != nil {
		return err
	}
	stored, err := h.store.Settings.Get(ctx)
	if err != nil {
		return err
	}
	posts := slices.DeleteFunc(stored.Info.FeaturedPosts(), func(f siteinfo.Post) bool { return f.PostID == p.ID })
	switch {
	case featured && !p.Listed():
		return domain.NewError(domain.Conflict, "Only a published post that everyone can see can be featured.")
	case featured && len(posts) == siteinfo.MaxFeatured:
		return domain.NewError(domain.Conflict,
			"{n} posts are featured already. Stop featuring one of them first.", "n", siteinfo.MaxFeatured)
	case featured:
		posts = slices.Insert(posts, 0, siteinfo.Post{PostID: p.ID, AuthorID: p.AuthorID})
	}
	changed := stored
	changed.Info.Featured = [siteinfo.MaxFeatured]siteinfo.Post{}
	copy(changed.Info.Featured[:], posts)
	if changed.Info != stored.Info {
		written, err := h.store.Settings.Set(ctx, changed)
		if err != nil {
			return err
		}
		h.Current.Apply(written)
		h.recordSettings(ctx, actor, stored, changed)
	}
	return site.SeeOther(c, p.Path())
}
