package web

import (
	"net/http"
	"slices"

	"github.com/labstack/echo/v4"

	"inkfeed/domain"
	"inkfeed/views"
)

// tag is the page of a tag: the posts that have it.
type tag struct {
	*site
	tags tagLister
}

func (h tag) register(e *echo.Echo) {
	get(e, "/tags/:tag", h.framed(h.show))
}

func (h tag) show(c echo.Context) error {
	number, err := pageNumber(c)
	if err != nil {
		return err
	}
	name, key, err := tagOf(c)
	if err != nil {
		return err
	}
	path := canonical(views.TagPath(key), number)
	if key != name {
		return moved(c, path)
	}
	posts, err := h.tags.PostsOf(c.Request().Context(), key, number)
	if err := listed(posts, err); err != nil {
		return err
	}
	if len(posts.Items) == 0 {
		return domain.Errorf(domain.NotFound, "No posts are tagged “%s”.", key)
	}
	name = spelled(key, posts.Items)
	page, err := h.page(c, name)
	if err != nil {
		return err
	}
	page.Canonical, page.Description = path, "Posts on Inkfeed tagged "+name+"."
	page.Feeds = append(page.Feeds, tagFeed(key))
	return h.render(c, http.StatusOK, views.Tag(views.TagPage{Page: page, Name: name, Key: key, Posts: posts}))
}

// spelled is how the author of the first of the posts spells a tag.
func spelled(key string, posts []domain.Summary) string {
	for _, p := range posts {
		names := p.Tags.List()
		if i := slices.IndexFunc(names, func(name string) bool { return domain.TagKey(name) == key }); i >= 0 {
			return names[i]
		}
	}
	return key
}
