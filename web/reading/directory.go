package reading

import (
	"context"
	"net/http"
	"time"

	"github.com/labstack/echo/v4"

	"inkfeed/domain"
	"inkfeed/views"
	view "inkfeed/views/reading"
	"inkfeed/web/site"
)

// directory serves the lists of all tags and of all authors, from the search index of this process.
type directory struct{ handler }

func (h directory) register(e *echo.Echo) {
	h.GetSharedShell(e, views.TagsPath, h.unlessClaimed(h.tags))
	h.GetSharedShell(e, views.AuthorsPath, h.unlessClaimed(h.authors))
}

// directoryTime is how long the cache keeps a list, because it does not learn of changes of the index.
const directoryTime = time.Minute

// unlessClaimed leaves the path to a static page or an old address: see site.ClaimOf.
func (h directory) unlessClaimed(show func(c echo.Context, number int) error) echo.HandlerFunc {
	return func(c echo.Context) error {
		ctx := c.Request().Context()
		site.CacheFor(ctx, directoryTime)
		number, err := site.PageNumber(c)
		if err != nil {
			return err
		}
		_, claimed, err := site.ClaimOf(ctx, c.Path(), *h.StaticPages(), h.store.Redirects)
		if claimed {
			return site.ErrNoPage
		}
		if err != nil {
			return err
		}
		return show(c, number)
	}
}

// building reports whether the lists may lack entries. It is asked before they are read. The page is not cached then.
func (h directory) building(ctx context.Context) (bool, error) {
	building, err := h.store.Search.Building(ctx)
	if building {
		site.MarkIncomplete(ctx)
	}
	return building, err
}

// mostUsedTags is the number of tags that the list of tags shows at its top.
const mostUsedTags = 12

func (h directory) tags(c echo.Context, number int) (err error) {
	ctx, shown := c.Request().Context(), view.TagsPage{}
	if shown.Building, err = h.building(ctx); err != nil {
		return err
	}
	shown.Tags, err = h.store.Search.TagsByName(ctx, number)
	if err = site.PageOrNotFound(shown.Tags, err); err != nil {
		return err
	}
	if number == 1 && len(shown.Tags.Items) > mostUsedTags {
		if shown.MostUsed, err = h.store.Search.Tags(ctx, "", mostUsedTags); err != nil {
			return err
		}
	}
	if shown.LayoutData, err = h.ReadingLayout(c, site.T(c, "Tags")); err != nil {
		return err
	}
	shown.Canonical = site.CanonicalPath(views.TagsPath, number)
	return h.Render(c, http.StatusOK, view.Tags(shown))
}

// aboutLength is the maximum length of the beginning of a biography, in characters.
const aboutLength = 160

// authors shows the authors. The index has their names and numbers of posts. It reads each account with a point read,
// for the biography and because the account may be suspended by now.
func (h directory) authors(c echo.Context, number int) error {
	ctx, shown := c.Request().Context(), view.AuthorsPage{}
	building, err := h.building(ctx)
	if err != nil {
		return err
	}
	list, err := h.store.Search.Authors(ctx, number)
	if err := site.PageOrNotFound(list, err); err != nil {
		return err
	}
	shown.Building, shown.Authors.Number, shown.Authors.More = building, list.Number, list.More
	for _, a := range list.Items {
		u, err := h.Users.ByID(ctx, a.ID)
		if domain.Is(err, domain.NotFound) {
			continue
		}
		if err != nil {
			return err
		}
		shown.Authors.Items = append(shown.Authors.Items, view.AuthorRow{
			AuthorUse: domain.AuthorUse{User: u, Posts: a.Posts}, About: h.Markdown.Text(u.Bio, aboutLength)})
	}
	if shown.LayoutData, err = h.ReadingLayout(c, site.T(c, "Authors")); err != nil {
		return err
	}
	shown.Canonical = site.CanonicalPath(views.AuthorsPath, number)
	return h.Render(c, http.StatusOK, view.Authors(shown))
}
