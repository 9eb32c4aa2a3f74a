package syndication

import (
	"cmp"
	"context"
	"fmt"
	"mime"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	lru "github.com/hashicorp/golang-lru/v2"
	"github.com/hashicorp/golang-lru/v2/simplelru"
	"github.com/labstack/echo/v4"
	"golang.org/x/sync/errgroup"
	"golang.org/x/sync/singleflight"

	"inkfeed/cosmos/dependency"
	"inkfeed/domain"
	"inkfeed/domain/names"
	"inkfeed/domain/siteinfo"
	"inkfeed/views"
	"inkfeed/web/site"
	"inkfeed/web/site/response"
)

// feeds serves the newest posts of the site, of an author or with a tag, in three formats. Whether
// a feed has changed is decided from the list alone, which is in one partition.
type feeds struct {
	*site.Site
	store Store
	// documents caches documents by their entity tags, which identify their whole content. A
	// deleted post disappears from the feeds when a worker updates the list, as it disappears from
	// pages with the same list.
	documents simplelru.LRUCache[string, []byte]
	rendering *singleflight.Group
}

// The number of cached documents, and the maximum size of one in bytes.
const (
	maxCachedFeeds = 64
	maxCachedFeed  = 1 << 20
)

// feedTimeBudget is the time limit for reading and rendering the posts of a feed.
const feedTimeBudget = 15 * time.Second

func newFeeds(s *site.Site, store Store) feeds {
	return feeds{s, store, newCache(maxCachedFeeds), new(singleflight.Group)}
}

// newCache returns a cache of this many files, which must be positive.
func newCache(files int) simplelru.LRUCache[string, []byte] {
	cache, err := lru.New[string, []byte](files)
	if err != nil {
		panic(err)
	}
	return cache
}

func (h feeds) register(e *echo.Echo) {
	for _, format := range feedFormats {
		h.GetShared(e, "/feed"+format.ext, h.show(format, h.siteFeed))
		h.GetShared(e, "/@:username/feed"+format.ext, h.show(format, h.userFeed))
		h.GetShared(e, "/@:username/series/:series/feed"+format.ext, h.show(format, h.seriesFeed))
		h.GetShared(e, "/tags/:tag/feed"+format.ext, h.show(format, h.tagFeed))
	}
	site.Get(e, "/feed", h.explain(h.siteFeed))
	site.Get(e, "/@:username/feed", h.explain(h.userFeed))
	site.Get(e, "/@:username/series/:series/feed", h.explain(h.seriesFeed))
	site.Get(e, "/tags/:tag/feed", h.explain(h.tagFeed))
}

// explain answers browsers with a page about a feed, and redirects feed readers to the feed.
func (h feeds) explain(load func(echo.Context) (feed, []domain.Summary, error)) echo.HandlerFunc {
	return func(c echo.Context) error {
		f, list, err := load(c)
		to, moved := err.(errMoved)
		if err != nil && !moved {
			return err
		}
		c.Response().Header().Add("Vary", "Accept")
		switch {
		case !prefersPage(c.Request().Header.Get("Accept")):
			return site.MovedPermanently(c, cmp.Or(to.path, f.path)+feedFormats[0].ext)
		case moved:
			return site.MovedPermanently(c, to.path)
		}
		page, err := h.ReadingLayout(c, f.title)
		if err != nil {
			return err
		}
		page.AnnounceFeed(views.Feed{Title: f.title, Path: f.path})
		return h.Render(c, http.StatusOK, views.FeedGuide(views.FeedPage{LayoutData: page, Posts: list,
			Address: site.AbsoluteURL(h.BaseURL(c), f.path+feedFormats[0].ext)}))
	}
}

// prefersPage reports whether a client prefers a page to a feed, as browsers do. Feed readers may accept pages too, but
// with a lower weight. Of types with equal weights, the first counts.
func prefersPage(accept string) (page bool) {
	best := 0.0
	for kind := range strings.SplitSeq(accept, ",") {
		kind, parameters, err := mime.ParseMediaType(kind)
		if err != nil {
			continue
		}
		weight := 1.0
		if q := parameters["q"]; q != "" {
			weight, _ = strconv.ParseFloat(q, 64)
		}
		switch kind {
		case "text/html", "application/atom+xml", "application/rss+xml", "application/rdf+xml", "application/xml",
			"text/xml":
			if weight > best {
				best, page = weight, kind == "text/html"
			}
		}
	}
	return page
}

// errMoved reports that the feed has moved to another path.
type errMoved struct{ path string }

func (e errMoved) Error() string { return "moved to " + e.path }

func (h feeds) siteFeed(c echo.Context) (feed, []domain.Summary, error) {
	list, err := h.store.Feed.FrontPage(c.Request().Context(), 1)
	about := site.FrontFeed(c.Request().Context())
	description := h.Info().Description
	if description == "" {
		description = site.T(c, "The newest posts on {site}.", "site", about.Title)
	}
	page := "/"
	if !siteinfo.ShowsNewestPosts(c.Request().Context()) {
		page = site.NewestPostsPath
	}
	return feed{id: "/", title: about.Title, description: description, page: page, path: about.Path}, list.Items, err
}

func (h feeds) userFeed(c echo.Context) (feed, []domain.Summary, error) {
	u, other, err := site.UserAt(c, h.store.Users.ByName)
	if err != nil {
		return feed{}, nil, err
	}
	about := site.UserFeed(c.Request().Context(), u)
	if other {
		return feed{}, nil, errMoved{about.Path}
	}
	list, err := h.store.UserCopies.PostsOf(c.Request().Context(), u.ID, 1)
	return feed{id: "/users/" + u.ID, title: about.Title, description: h.BlogDescription(c.Request().Context(), u),
		language: u.WritingLanguage,
		page:     names.UserPath(u.Username), path: about.Path, author: u.Username, called: names.Called(u.Username,
			u.DisplayName), begun: u.Created}, list.Items, err
}

func (h feeds) tagFeed(c echo.Context) (feed, []domain.Summary, error) {
	name, key, err := site.TagAt(c)
	if err != nil {
		return feed{}, nil, err
	}
	about := site.TagFeed(c.Request().Context(), key)
	if name != key {
		return feed{}, nil, errMoved{about.Path}
	}
	list, err := h.store.Tags.PostsOf(c.Request().Context(), key, 1)
	return feed{id: "/tags/" + url.PathEscape(key), title: about.Title, description: site.T(c,
		"Posts on {site} tagged {tag}.", "site", h.Info().Title(), "tag", key),
		page: "/tags/" + url.PathEscape(key), path: about.Path}, list.Items, err
}

// show responds with a feed, or with status 304 if the client's copy is current. It decides that
// from the list, and reads the posts, one point read each, only to write the feed.
func (h feeds) show(format feedFormat, load func(echo.Context) (feed, []domain.Summary, error)) echo.HandlerFunc {
	return func(c echo.Context) error {
		// The feed contains neither likes nor comments.
		r := c.Request()
		c.SetRequest(r.WithContext(dependency.WithFacets(r.Context(), dependency.FacetTexts|dependency.FacetAccount)))
		f, list, err := load(c)
		if to, ok := err.(errMoved); ok {
			return site.MovedPermanently(c, to.path+format.ext)
		}
		if err != nil {
			return err
		}
		f.base, f.site = h.BaseURL(c), h.Info()
		f.path += format.ext
		var versions []postVersion
		f.list = make(map[string]domain.Summary, len(list))
		for _, s := range list {
			f.list[s.PostID] = s
			if s.Status.Listed() {
				versions = append(versions, newPostVersion(s.PostID, f.revision(s.Revision), s.Created, s.Edited,
					names.Called(s.AuthorName, s.AuthorDisplayName)))
			}
		}
		tag := f.tag(versions)
		if response.NotModified(c.Request(), tag) {
			h.head(c, f, tag)
			return c.NoContent(http.StatusNotModified)
		}
		body, ok := h.documents.Get(tag)
		if !ok {
			// One request renders the feed for all concurrent ones, and continues if it is
			// cancelled.
			made, err, _ := h.rendering.Do(tag, func() (any, error) {
				ctx, cancel := context.WithTimeout(context.WithoutCancel(c.Request().Context()), feedTimeBudget)
				defer cancel()
				return h.render(ctx, f, versions, format)
			})
			if err != nil {
				return err
			}
			rendered := made.(renderedFeed)
			tag, body = rendered.tag, rendered.body
		}
		h.head(c, f, tag)
		return c.Blob(http.StatusOK, format.contentType, body)
	}
}

// renderedFeed is a rendered feed.
type renderedFeed struct {
	tag  string
	body []byte
}

func (h feeds) render(ctx context.Context, f feed, versions []postVersion,
	format feedFormat) (made renderedFeed, err error) {
	if f.posts, err = h.read(ctx, versions); err != nil {
		return made, err
	}
	// A post may be newer than the list: compute the tag of what is sent.
	made.tag = f.tag(f.versionsOf(f.posts))
	texts, err := f.texts(h.Markdown)
	if err != nil {
		return made, err
	}
	if made.body, err = format.write(f, texts); err == nil && len(made.body) <= maxCachedFeed && !f.private {
		h.documents.Add(made.tag, made.body)
	}
	return made, err
}

// feedTime is how long proxies may cache a feed, in seconds.
const feedTime = 60

// head sets the header of a feed. It has no Last-Modified: a deletion or a rename changes the feed, but not the time of
// its newest text.
func (h feeds) head(c echo.Context, f feed, tag string) {
	header := c.Response().Header()
	header.Set("ETag", tag)
	header.Set("Cache-Control", site.CachePrivate)
	if f.private {
		return
	}
	if h.URL != "" { // the feed does not depend on the request's host
		header.Set("Cache-Control", fmt.Sprintf("public, max-age=%d", feedTime))
	}
	// Scripts on other sites may read the feed, since it is public.
	header.Set("Access-Control-Allow-Origin", "*")
	header.Set("Cross-Origin-Resource-Policy", "cross-origin")
}

// maxConcurrentReads is how many posts of a feed are read at a time.
const maxConcurrentReads = 5

// read returns the posts, without those that were deleted since the list was made.
func (h feeds) read(ctx context.Context, versions []postVersion) ([]domain.Post, error) {
	posts := make([]domain.Post, len(versions))
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(maxConcurrentReads)
	for i, v := range versions {
		group.Go(func() error {
			p, err := h.store.Posts.Get(ctx, v.id)
			if domain.Is(err, domain.NotFound) || err == nil && !p.Listed() {
				return nil
			}
			posts[i] = p
			return err
		})
	}
	if err := group.Wait(); err != nil {
		return nil, err
	}
	found := posts[:0]
	for _, p := range posts {
		if p.ID != "" {
			found = append(found, p)
		}
	}
	return found, nil
}
