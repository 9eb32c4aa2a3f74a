package syndication

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"time"

	lru "github.com/hashicorp/golang-lru/v2"
	"github.com/labstack/echo/v4"
	"golang.org/x/sync/errgroup"
	"golang.org/x/sync/singleflight"

	"inkfeed/domain"
	"inkfeed/domain/dependency"
	"inkfeed/domain/names"
	"inkfeed/web/site"
	"inkfeed/web/site/response"
)

// feeds are the newest posts of the site, of an author or with a tag, whole, in three
// formats each. What has not changed is found out from the list alone: one partition.
type feeds struct {
	*site.Site
	store Store
	// ready are documents by their entity tags, which say all that is in them. What is
	// taken back leaves them with the list, when a worker has heard of it, as it leaves the
	// pages that show the same list.
	ready   *lru.Cache[string, []byte]
	writing *singleflight.Group
}

// Of the documents that are kept ready there are so many, and none is larger, in bytes.
const (
	readyFeeds   = 64
	maxReadyFeed = 1 << 20
)

// feedPatience is for how long the posts of a feed are read.
const feedPatience = 15 * time.Second

func newFeeds(s *site.Site, store Store) feeds {
	ready, err := lru.New[string, []byte](readyFeeds)
	if err != nil {
		panic(err) // only of a size below one
	}
	return feeds{s, store, ready, new(singleflight.Group)}
}

func (h feeds) register(e *echo.Echo) {
	for _, format := range feedFormats {
		site.Get(e, "/feed"+format.ext, site.Shared(h.show(format, h.siteFeed)))
		site.Get(e, "/@:username/feed"+format.ext, site.Shared(h.show(format, h.userFeed)))
		site.Get(e, "/tags/:tag/feed"+format.ext, site.Shared(h.show(format, h.tagFeed)))
	}
	site.Get(e, "/feed", func(c echo.Context) error { return site.MovedPermanently(c, "/feed"+feedFormats[0].ext) })
}

// errElsewhere says that what is asked for has moved to a path.
type errElsewhere struct{ path string }

func (e errElsewhere) Error() string { return "moved to " + e.path }

func (h feeds) siteFeed(c echo.Context) (feed, []domain.Summary, error) {
	list, err := h.store.Feed.FrontPage(c.Request().Context(), 1)
	return feed{id: "/", title: site.Name, description: "The newest posts on " + site.Name + ".",
		page: "/", path: site.FrontFeed.Path}, list.Items, err
}

func (h feeds) userFeed(c echo.Context) (feed, []domain.Summary, error) {
	u, other, err := site.UserAt(c, h.store.Users.ByName)
	if err != nil {
		return feed{}, nil, err
	}
	about := site.UserFeed(u.Username)
	if other {
		return feed{}, nil, errElsewhere{about.Path}
	}
	list, err := h.store.Users.PostsOf(c.Request().Context(), u.ID, 1)
	return feed{id: "/users/" + u.ID, title: about.Title, description: "What " +
		names.Called(u.Username, u.DisplayName) + " writes on " + site.Name + ".",
		page: names.UserPath(u.Username), path: about.Path, author: u.Username, called: names.Called(u.Username,
			u.DisplayName), begun: u.Created}, list.Items, err
}

func (h feeds) tagFeed(c echo.Context) (feed, []domain.Summary, error) {
	name, key, err := site.TagAt(c)
	if err != nil {
		return feed{}, nil, err
	}
	about := site.TagFeed(key)
	if name != key {
		return feed{}, nil, errElsewhere{about.Path}
	}
	list, err := h.store.Tags.PostsOf(c.Request().Context(), key, 1)
	return feed{id: "/tags/" + url.PathEscape(key), title: about.Title, description: "Posts on " + site.Name +
		" tagged " + key + ".",
		page: "/tags/" + url.PathEscape(key), path: about.Path}, list.Items, err
}

// show answers with a feed, or with 304 when the reader has it. The list decides that; the
// posts are read, each by a point read, only for those who have not.
func (h feeds) show(format feedFormat, load func(echo.Context) (feed, []domain.Summary, error)) echo.HandlerFunc {
	return func(c echo.Context) error {
		// Likes and comments are not in it.
		r := c.Request()
		c.SetRequest(r.WithContext(dependency.WithFacets(r.Context(), dependency.FacetTexts|dependency.FacetAccount)))
		f, list, err := load(c)
		if to, ok := err.(errElsewhere); ok {
			return site.MovedPermanently(c, to.path+format.ext)
		}
		if err != nil {
			return err
		}
		f.base = h.BaseURL(c)
		f.path += format.ext
		var versions []postVersion
		var changed time.Time
		f.summaries = make(map[string]string, len(list))
		for _, s := range list {
			f.summaries[s.PostID] = s.Text
			if s.Status.Listed() {
				versions = append(versions, postVersion{s.PostID, s.Revision,
					names.Called(s.AuthorName, s.AuthorDisplayName)})
				changed = later(changed, s.Created, s.Edited)
			}
		}
		tag := f.tag(versions)
		h.head(c, format, tag, later(changed, f.begun))
		if response.NotModified(c.Request(), tag, changed) {
			return c.NoContent(http.StatusNotModified)
		}
		body, ok := h.ready.Get(tag)
		if !ok {
			// However many ask at once, one writes it; should that one go away, it is written
			// for the others.
			made, err, _ := h.writing.Do(tag, func() (any, error) {
				ctx, cancel := context.WithTimeout(context.WithoutCancel(c.Request().Context()), feedPatience)
				defer cancel()
				return h.make(ctx, f, versions, format)
			})
			if err != nil {
				return err
			}
			f := made.(madeFeed)
			h.head(c, format, f.tag, f.changed)
			body = f.body
		}
		return c.Blob(http.StatusOK, format.contentType, body)
	}
}

// madeFeed is a document of the posts as they were read.
type madeFeed struct {
	tag     string
	changed time.Time
	body    []byte
}

func (h feeds) make(ctx context.Context, f feed, versions []postVersion, format feedFormat) (made madeFeed, err error) {
	if f.posts, err = h.read(ctx, versions); err != nil {
		return made, err
	}
	// A post may be newer than the list says: the tag is of what is sent.
	made.tag, made.changed = f.tag(versionsOf(f.posts)), f.changed()
	if made.body, err = format.write(f, h.Markdown); err == nil && len(made.body) <= maxReadyFeed {
		h.ready.Add(made.tag, made.body)
	}
	return made, err
}

// feedTime is how long, in seconds, proxies may answer for the site.
const feedTime = 60

func (h feeds) head(c echo.Context, format feedFormat, tag string, changed time.Time) {
	header := c.Response().Header()
	header.Set("ETag", tag)
	if !changed.IsZero() {
		header.Set("Last-Modified", changed.UTC().Format(http.TimeFormat))
	}
	header.Set("Cache-Control", site.CachePrivate)
	if h.URL != "" { // it does not depend on what the request says
		header.Set("Cache-Control", fmt.Sprintf("public, max-age=%d", feedTime))
	}
	// Scripts of readers on other sites may read what everybody may.
	header.Set("Access-Control-Allow-Origin", "*")
	header.Set("Cross-Origin-Resource-Policy", "cross-origin")
}

// reading is how many posts of a feed are read at a time.
const reading = 5

// read gets the posts, without those that have gone since the list was made.
func (h feeds) read(ctx context.Context, versions []postVersion) ([]domain.Post, error) {
	posts := make([]domain.Post, len(versions))
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(reading)
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
	kept := posts[:0]
	for _, p := range posts {
		if p.ID != "" {
			kept = append(kept, p)
		}
	}
	return kept, nil
}
