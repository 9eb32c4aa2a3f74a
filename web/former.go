package web

import (
	"context"
	"net/http"
	"strings"

	"github.com/labstack/echo/v4"

	"inkfeed/domain"
)

// redirectFinder finds what an address that a post had elsewhere leads to. NotFound says
// that nothing was there.
type redirectFinder interface {
	Find(ctx context.Context, path string) (domain.Redirect, error)
}

// latestGetter gives what is left of a deleted post, too.
type latestGetter interface {
	Latest(ctx context.Context, postID string) (domain.Post, error)
}

// former knows where the posts that were imported used to be.
type former struct {
	redirects redirectFinder
	posts     latestGetter
}

// follow leads on from where a page would be not found. It costs one point read where a
// page can have been, and one more where one was.
func (f former) follow(next echo.HandlerFunc) echo.HandlerFunc {
	return func(c echo.Context) error {
		r := c.Request()
		if r.Method != http.MethodGet && r.Method != http.MethodHead || isFragment(c) {
			return next(c)
		}
		var found error
		old, ok := "", false
		if r.URL.Path == "/" {
			old, ok = domain.OldQuery(r.URL.Query()) // the front page is there, whatever is asked of it
		} else if found = next(c); found != nil {
			if status, _ := classify(found); status == http.StatusNotFound && !c.Response().Committed {
				old, ok = formerPath(r.URL.EscapedPath())
			}
		}
		if ok {
			to, err := f.find(r.Context(), old)
			if err != nil {
				return err
			}
			if to != "" {
				return moved(c, to)
			}
		}
		if r.URL.Path == "/" {
			return next(c)
		}
		return found
	}
}

// formerPath leaves out what was never anywhere else: this site's own posts and pictures.
func formerPath(path string) (string, bool) {
	if rest, ok := strings.CutPrefix(path, "/posts/"); ok {
		if id, _, _ := strings.Cut(rest, "/"); domain.IsID(id) {
			return "", false
		}
	}
	if strings.HasPrefix(path, domain.MediaPrefix) {
		return "", false
	}
	return domain.OldPath(path)
}

// errGone answers at the former address of a post that was deleted.
var errGone = echo.NewHTTPError(http.StatusGone)

// find is where a former address leads to, empty: nowhere.
func (f former) find(ctx context.Context, old string) (path string, err error) {
	to, err := f.redirects.Find(ctx, old)
	if domain.Is(err, domain.NotFound) {
		return "", nil
	}
	if err != nil {
		return "", err
	}
	switch post, err := f.posts.Latest(ctx, to.PostID); {
	case domain.Is(err, domain.NotFound), err == nil && !post.Deleted.IsZero():
		return "", errGone
	case err != nil:
		return "", err
	case !post.Open():
		return "", nil
	default:
		return post.Path(), nil
	}
}
