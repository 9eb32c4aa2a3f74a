package reading

import (
	"context"
	"net/http"
	"slices"

	"github.com/a-h/templ"
	"github.com/labstack/echo/v4"

	"inkfeed/domain"
	"inkfeed/domain/siteinfo"
	"inkfeed/views"
	view "inkfeed/views/reading"
	"inkfeed/web/site"
)

// home serves the front page: the newest posts of all authors, one author's blog, or a static page. The newest posts
// then have a page of their own.
type home struct {
	handler
	author   user
	showPage func(c echo.Context, postID string) error // a static page
}

func (h home) register(e *echo.Echo) {
	h.GetSharedShell(e, "/", h.front)
	h.GetSharedShell(e, site.NewestPostsPath, h.newest)
}

func (h home) front(c echo.Context) error {
	if page := h.Info().FrontPage; page != "" {
		if err := h.showPage(c, page); !domain.Is(err, domain.NotFound) {
			return err
		}
		return h.list(c, "/") // deleted or unpublished meanwhile
	}
	author := h.Info().FrontUser
	if author == "" {
		return h.list(c, "/")
	}
	u, err := h.Users.ByID(c.Request().Context(), author)
	if domain.Is(err, domain.NotFound) { // deleted or suspended meanwhile
		return h.list(c, "/")
	}
	if err != nil {
		return err
	}
	return h.author.page(c, u, "/")
}

// newest serves the newest posts of all authors beside a front page that shows something else. Otherwise the path is
// free for the list of an imported blog that used to have it.
func (h home) newest(c echo.Context) error {
	if i := h.Info(); i.FrontUser == "" && i.FrontPage == "" {
		return site.ErrNoPage
	}
	return h.list(c, site.NewestPostsPath)
}

// list shows the newest posts of all authors.
func (h home) list(c echo.Context, path string) error {
	number, err := site.PageNumber(c)
	if err != nil {
		return err
	}
	page, err := h.ReadingLayout(c, site.T(c, "Newest posts"))
	if err != nil {
		return err
	}
	personal := func(u domain.User) bool {
		return number == 1 && path == "/" && u.PrefersFollowing && u.Following > 0
	}
	if personal(page.Viewer) && !page.Shell {
		return h.ShowFollowing(c)
	}
	// Viewers without mutes share a shell.
	site.SetGaps(c, site.Gaps{Ordinary: func(u domain.User) bool { return u.MuteCount == 0 },
		Fill: func(_ context.Context, u domain.User) (map[string]templ.Component, bool, error) {
			return map[string]templ.Component{views.FrontTabsGap: views.FrontTabs(u, false)}, !personal(u), nil
		}})
	ctx := c.Request().Context()
	mutes, err := site.MutesOf(ctx, h.store.Mutes, page.Viewer)
	if err != nil {
		return err
	}
	posts, err := h.newestPosts(ctx, number, mutes)
	if err := site.PageOrNotFound(posts, err); err != nil {
		return err
	}
	if len(posts.Items) == 0 { // an empty page invites each viewer differently to write the first post
		site.RefuseShell(c)
	}
	shown := view.HomePage{LayoutData: page, Path: path, Posts: posts, Mutes: len(mutes) > 0}
	if number == 1 {
		if shown.Featured, err = h.featured(ctx); err != nil {
			return err
		}
		shown.Featured = slices.DeleteFunc(shown.Featured, mutes.Hides)
		shown.Posts.Items = slices.DeleteFunc(slices.Clone(posts.Items), func(s domain.Summary) bool {
			return slices.ContainsFunc(shown.Featured, func(f domain.Summary) bool { return f.PostID == s.PostID })
		})
	}
	all := number == 1 && !posts.More && !shown.Mutes
	shown.OneAuthor = h.oneAuthor(ctx, slices.Concat(posts.Items, shown.Featured), all)
	shown.Description = h.Info().Description
	if shown.Description == "" {
		shown.Description = site.T(c, "The newest posts on {site}.", "site", h.Info().Title())
	}
	if siteinfo.ShowsNewestPosts(ctx) {
		path = "/" // these posts are the front page
	}
	shown.Canonical = site.CanonicalPath(path, number)
	return h.Render(c, http.StatusOK, view.Home(shown))
}

// newestPosts returns a page of the newest posts without those that mutes hide. The feed is short, so it is read from
// its beginning for viewers with mutes.
func (h home) newestPosts(ctx context.Context, number int, mutes domain.Mutes) (domain.ListPage[domain.Summary],
	error) {
	if len(mutes) == 0 {
		return h.store.Feed.FrontPage(ctx, number)
	}
	var shown []domain.Summary
	for page, more := 1, true; more && len(shown) <= number*domain.PostsPerPage; page++ {
		found, err := h.store.Feed.FrontPage(ctx, page)
		if err != nil {
			return found, err
		}
		more = found.More
		shown = append(shown, slices.DeleteFunc(slices.Clone(found.Items), mutes.Hides)...)
	}
	shown = shown[min((number-1)*domain.PostsPerPage, len(shown)):]
	return domain.Cut(shown, number, domain.PostsPerPage), nil
}

// featured returns the featured posts. It leaves out posts that are not public any more.
func (h home) featured(ctx context.Context) (posts []domain.Summary, err error) {
	for _, p := range h.Info().FeaturedPosts() {
		s, err := h.store.UserCopies.Post(ctx, p.AuthorID, p.PostID)
		if domain.Is(err, domain.NotFound) {
			continue
		}
		if err != nil {
			return nil, err
		}
		posts = append(posts, s)
	}
	return posts, nil
}

// oneAuthor reports whether all posts of the site are by one author. Only if all posts on a page are by one author, and
// they are not all posts, does it ask the search index. Without a complete index, it is not known.
func (h home) oneAuthor(ctx context.Context, posts []domain.Summary, all bool) bool {
	if h.Info().Looks.Front == "" || len(posts) == 0 || slices.ContainsFunc(posts, func(s domain.Summary) bool {
		return s.AuthorID != posts[0].AuthorID
	}) {
		return false
	}
	if all {
		return true
	}
	site.CacheFor(ctx, directoryTime)
	if building, err := h.store.Search.Building(ctx); building || err != nil {
		return false
	}
	authors, err := h.store.Search.Authors(ctx, 1)
	return err == nil && len(authors.Items) == 1
}
