package syndication

import (
	"context"
	"net/http"
	"slices"
	"strings"

	"github.com/labstack/echo/v4"

	"inkfeed/domain"
	"inkfeed/web/site"
)

// legacyRedirects redirects the addresses that imported posts, and lists of them, had elsewhere.
type legacyRedirects struct{ store Store }

// follow redirects requests for pages that are not found: from former addresses, and from addresses with a
// slash at the end. A request costs one point read if a page can have had its address, and one or two more if
// one had.
func (f legacyRedirects) follow(next echo.HandlerFunc) echo.HandlerFunc {
	return func(c echo.Context) error {
		r := c.Request()
		if r.Method != http.MethodGet && r.Method != http.MethodHead || site.IsFragment(c) {
			return next(c)
		}
		if r.URL.Path == "/" { // the front page is there, whatever is asked of it
			if old, ok := domain.OldQuery(r.URL.Query()); ok {
				if to, err := f.find(r.Context(), old, ""); err != nil || to != "" {
					return movedOr(c, to, err)
				}
			}
			return next(c)
		}
		found := next(c)
		if found == nil || c.Response().Committed {
			return found
		}
		// A path that only takes forms, such as /posts, may have been a page elsewhere.
		if status, _ := site.Classify(found); status != http.StatusNotFound && status != http.StatusMethodNotAllowed {
			return found
		}
		if old, feed, ok := formerPath(r.URL.EscapedPath()); ok {
			to, err := f.find(r.Context(), old, feed)
			if err != nil || to != "" && to != r.URL.EscapedPath() {
				return movedOr(c, to, err)
			}
		}
		if to, ok := withoutSlash(c); ok {
			return site.MovedPermanently(c, to)
		}
		return found
	}
}

func movedOr(c echo.Context, to string, err error) error {
	if err != nil {
		return err
	}
	return site.MovedPermanently(c, to)
}

// withoutSlash returns the address without the slashes at its end, if this site has a page there.
func withoutSlash(c echo.Context) (string, bool) {
	u := c.Request().URL
	bare := strings.TrimRight(u.EscapedPath(), "/")
	if bare == "" || len(bare) == len(u.EscapedPath()) || strings.HasPrefix(bare, "//") {
		return "", false
	}
	e := c.Echo()
	there := e.AcquireContext()
	defer e.ReleaseContext(there)
	there.Reset(c.Request(), nil)
	e.Router().Find(http.MethodGet, bare, there)
	if id := there.Param("id"); id != "" && !domain.IsID(id) {
		return "", false // nothing has such an id
	}
	isPage := func(r *echo.Route) bool { return r.Method == http.MethodGet && r.Path == there.Path() }
	if !slices.ContainsFunc(e.Routes(), isPage) {
		return "", false
	}
	if u.RawQuery != "" {
		bare += "?" + u.RawQuery
	}
	return bare, true
}

// formerPath is domain.OldList without the addresses that no other site had: those of this
// site's own posts and pictures.
func formerPath(path string) (list, feed string, ok bool) {
	if rest, ok := strings.CutPrefix(path, "/posts/"); ok {
		if id, _, _ := strings.Cut(rest, "/"); domain.IsID(id) {
			return "", "", false
		}
	}
	if strings.HasPrefix(path, domain.MediaPrefix) {
		return "", "", false
	}
	return domain.OldList(path)
}

// errGone answers at the former address of a post that was deleted.
var errGone = echo.NewHTTPError(http.StatusGone)

// commentsFeed is the end of the address at which WordPress had the comments of all posts.
const commentsFeed = "/comments/feed"

// find returns the path that a former address leads to, or the path of that list's feed if feed is not empty.
// It returns an empty path for an unknown address.
func (f legacyRedirects) find(ctx context.Context, old, feed string) (path string, err error) {
	if strings.HasSuffix(old, commentsFeed) {
		return "", errGone // nothing here is like it, and its subscribers need not ask again
	}
	to, err := f.store.Redirects.Find(ctx, old)
	switch {
	case domain.Is(err, domain.NotFound):
		return "", nil
	case err != nil:
		return "", err
	case to.PostID == "":
		return f.list(ctx, to, feed)
	}
	switch post, err := f.store.Posts.Latest(ctx, to.PostID); {
	case domain.Is(err, domain.NotFound):
		return "", f.missing(ctx, to)
	case err != nil:
		return "", err
	case !post.Deleted.IsZero():
		return "", errGone
	case !post.Open():
		return "", nil
	default:
		return post.Path(), nil
	}
}

// list returns the path of a list, empty when its owner has no page.
func (f legacyRedirects) list(ctx context.Context, to domain.Redirect, feed string) (string, error) {
	if !to.NeedsOwner() {
		return to.Target("", feed), nil
	}
	owner, err := f.store.Users.ByID(ctx, to.OwnerID)
	if domain.Is(err, domain.NotFound) {
		return "", nil
	}
	return to.Target(owner.Username, feed), err
}

// missing distinguishes a post that is yet to be published, which has a draft, from one that was deleted so
// long ago that nothing is left of it. Only the latter is gone.
func (f legacyRedirects) missing(ctx context.Context, to domain.Redirect) error {
	_, err := f.store.Drafts.Get(ctx, to.OwnerID, to.PostID)
	if domain.Is(err, domain.NotFound) {
		return errGone
	}
	return err
}
