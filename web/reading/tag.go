package reading

import (
	"context"
	"net/http"
	"slices"

	"github.com/a-h/templ"
	"github.com/labstack/echo/v4"

	"inkfeed/domain"
	"inkfeed/views"
	view "inkfeed/views/reading"
	"inkfeed/web/site"
)

// tag serves the list of posts with a tag.
type tag struct{ handler }

func (h tag) register(e *echo.Echo) {
	h.GetSharedShell(e, "/tags/:tag", h.show)
}

func (h tag) show(c echo.Context) error {
	number, err := site.PageNumber(c)
	if err != nil {
		return err
	}
	name, key, err := site.TagAt(c)
	if err != nil {
		return err
	}
	path := site.CanonicalPath(views.TagPath(key), number)
	if key != name {
		return site.MovedPermanently(c, path)
	}
	posts, err := h.store.Tags.PostsOf(c.Request().Context(), key, number)
	if err := site.PageOrNotFound(posts, err); err != nil {
		return err
	}
	if len(posts.Items) == 0 {
		return domain.NewError(domain.NotFound, "No posts are tagged “{tag}”.", "tag", key)
	}
	name = tagSpelling(key, posts.Items)
	page, err := h.ReadingLayout(c, name)
	if err != nil {
		return err
	}
	ctx, of := c.Request().Context(), domain.TagSource(key)
	followers, err := h.store.Follows.Followers(ctx, of)
	if err != nil {
		return err
	}
	button, reader := views.FollowTag(key, "tag", views.TagPath(key)), page.Viewer
	if page.Shell {
		reader = domain.User{}
	}
	shown := view.TagPage{Name: name, Key: key, Posts: posts, Counts: views.FollowCounts{Followers: followers.Count}}
	if shown.Follow, err = h.followButton(ctx, button, of, reader); err != nil {
		return err
	}
	if shown.Muted, err = h.isMuted(ctx, reader, domain.MuteTag, key); err != nil {
		return err
	}
	site.SetGaps(c, site.Gaps{Fill: func(ctx context.Context, viewer domain.User) (map[string]templ.Component, bool,
		error) {
		if muted, err := h.isMuted(ctx, viewer, domain.MuteTag, key); err != nil || muted {
			return nil, false, err
		}
		b, err := h.followButton(ctx, button, of, viewer)
		return map[string]templ.Component{view.FollowGap: views.Follow(b)}, true, err
	}})
	page.Canonical, page.Description = path, site.T(c, "Posts on {site} tagged {tag}.", "site", h.Info().Title(),
		"tag", name)
	page.AnnounceFeed(site.TagFeed(ctx, key))
	shown.LayoutData = page
	return h.Render(c, http.StatusOK, view.Tag(shown))
}

// tagSpelling returns the tag as the author of the first post spells it.
func tagSpelling(key string, posts []domain.Summary) string {
	for _, p := range posts {
		names := p.Tags.List()
		if i := slices.IndexFunc(names, func(name string) bool { return domain.TagKey(name) == key }); i >= 0 {
			return names[i]
		}
	}
	return key
}
