package syndication

import (
	"cmp"
	"context"
	"net/http"
	"slices"
	"strings"

	"github.com/labstack/echo/v4"

	"inkfeed/domain"
	"inkfeed/web/site"
)

// legacyRedirects redirects the addresses that imported posts, and lists of them, had on other
// sites.
type legacyRedirects struct{ store Store }

// follow is middleware that redirects requests for missing pages: from legacy addresses, and from
// addresses with a trailing slash. A request costs at most three point reads to find the redirect: of the query, of the
// address and of its parent. Most cost one. If there is a redirect, it costs one or two more.
func (f legacyRedirects) follow(next echo.HandlerFunc) echo.HandlerFunc {
	return func(c echo.Context) error {
		r := c.Request()
		if rest, ok := strings.CutPrefix(r.RequestURI, "/%40"); ok { // many programs encode the @
			status := http.StatusMovedPermanently
			if r.Method != http.MethodGet && r.Method != http.MethodHead {
				status = http.StatusPermanentRedirect // a form stays one
			}
			return site.Redirect(c, status, "/@"+rest)
		}
		if r.Method != http.MethodGet && r.Method != http.MethodHead || site.IsFragment(c) {
			return next(c)
		}
		if r.URL.Path == "/" { // the front page exists with any query
			if old, feed, ok := domain.OldQuery("", r.URL.Query()); ok {
				if to, err := f.find(r.Context(), old, feed); err != nil || to != "" {
					return redirectOr(c, to, err)
				}
			}
			return next(c)
		}
		found := next(c)
		if found == nil || c.Response().Committed {
			return found
		}
		// A path that only takes forms, such as /posts, may have been a page elsewhere.
		if status, _ := site.StatusAndMessage(found); status != http.StatusNotFound &&
			status != http.StatusMethodNotAllowed {
			return found
		}
		if old, feed, ok := legacyPath(r.URL.EscapedPath()); ok {
			to, err := f.findWithQuery(r, old, feed)
			if err != nil || to != "" && to != r.URL.EscapedPath() {
				return redirectOr(c, to, err)
			}
		}
		if to, ok := trimSlashes(c); ok {
			return site.MovedPermanently(c, to)
		}
		return found
	}
}

func redirectOr(c echo.Context, to string, err error) error {
	if err != nil {
		return err
	}
	return site.MovedPermanently(c, to)
}

// trimSlashes returns the address without its trailing slashes, if this site has a page there.
func trimSlashes(c echo.Context) (string, bool) {
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
		return "", false // not a valid id
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

// legacyPath is domain.OldList, except for addresses that only this site has: those of its own
// posts and pictures.
func legacyPath(path string) (list, feed string, ok bool) {
	if _, isPost := domain.PostIDIn(path); isPost || strings.HasPrefix(path, domain.MediaPrefix) {
		return "", "", false
	}
	return domain.OldList(path)
}

// errGone is the error for the legacy address of a deleted post.
var errGone = echo.NewHTTPError(http.StatusGone)

// findWithQuery is find for an address with a query, which may name a post, a list or a feed as on a front page.
func (f legacyRedirects) findWithQuery(r *http.Request, old, feed string) (path string, err error) {
	address, queried, ok := domain.OldQuery(strings.TrimSuffix(old, "/index.php"), r.URL.Query())
	switch {
	case ok && address == old:
		feed = queried
	case ok:
		if path, err = f.find(r.Context(), address, queried); err != nil || path != "" {
			return path, err
		}
	}
	return f.find(r.Context(), old, feed)
}

// find returns the path that a legacy address leads to or, if feed is not empty, the path of that
// list's feed. It returns an empty path for an unknown address, and for a reserved one, whoever claimed it.
func (f legacyRedirects) find(ctx context.Context, old, feed string) (path string, err error) {
	if domain.ClaimOf(old) == domain.ClaimNever {
		return "", nil
	}
	if domain.IsCommentsFeed(old) {
		return "", errGone // this site has no such feed; status 410 tells subscribers to stop asking
	}
	to, err := f.store.Redirects.Find(ctx, old)
	if parent, ok := domain.ParentOf(old); ok && domain.Is(err, domain.NotFound) {
		if to, err = f.store.Redirects.Find(ctx, parent.Path); parent.PostOnly && to.PostID == "" && err == nil {
			return "", nil
		}
		feed = cmp.Or(parent.Feed, feed)
	}
	switch {
	case domain.Is(err, domain.NotFound):
		return "", nil
	case err != nil:
		return "", err
	case to.PostID == "":
		return f.list(ctx, to, feed)
	}
	post, err := f.store.Posts.Latest(ctx, to.PostID)
	switch {
	case domain.Is(err, domain.NotFound):
		return "", f.missing(ctx, to)
	case err != nil:
		return "", err
	case !post.Deleted.IsZero():
		return "", errGone
	case !post.Open():
		return "", nil
	}
	// The address of the post contains its title, which a suspended author's post does not show.
	switch _, err := f.store.Users.ByID(ctx, post.AuthorID); {
	case domain.Is(err, domain.NotFound):
		return "", nil
	case err != nil:
		return "", err
	}
	return post.Path(), nil
}

// list returns the path of a list, or "" if its owner has no page.
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

// missing returns errGone if a post was deleted so long ago that nothing is left of it. A post that
// is yet to be published has a draft and is not gone.
func (f legacyRedirects) missing(ctx context.Context, to domain.Redirect) error {
	_, err := f.store.Drafts.Get(ctx, to.OwnerID, to.PostID)
	if domain.Is(err, domain.NotFound) {
		return errGone
	}
	return err
}
