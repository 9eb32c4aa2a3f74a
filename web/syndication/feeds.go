package syndication

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"html"
	"net/http"
	"net/url"
	"runtime/debug"
	"strings"
	"time"

	lru "github.com/hashicorp/golang-lru/v2"
	"github.com/labstack/echo/v4"
	"golang.org/x/sync/errgroup"
	"golang.org/x/sync/singleflight"

	"inkfeed/domain"
	"inkfeed/domain/dependency"
	"inkfeed/domain/markdown"
	"inkfeed/domain/names"
	"inkfeed/domain/plaintext"
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
	documents *lru.Cache[string, []byte]
	rendering *singleflight.Group
}

// The number of cached documents, and the maximum size of one in bytes.
const (
	maxCachedFeeds = 64
	maxCachedFeed  = 1 << 20
)

// Limits of the full texts in a feed, in bytes of source and of HTML. Posts beyond them have
// summaries only. Few feeds reach the limits; they bound the work that an anonymous request can
// cause.
const (
	maxFeedSource = 512 << 10
	maxFeedHTML   = 512 << 10
)

// feedTimeBudget is the time limit for reading and rendering the posts of a feed.
const feedTimeBudget = 15 * time.Second

func newFeeds(s *site.Site, store Store) feeds {
	ready, err := lru.New[string, []byte](maxCachedFeeds)
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

// feed is a list of posts for feed readers.
type feed struct {
	base        string // the site's address
	id          string // never changes
	title       string
	description string
	page        string // the path of the page with the same list
	path        string // the path of the feed, with its extension
	author      string // the username, if all posts are by one user
	called      string // the author's display name and username
	begun       time.Time
	posts       []domain.Post
	summaries   map[string]string // from the list, by post id
}

// feedFormat is a format of feeds.
type feedFormat struct {
	ext, contentType string
	write            func(feed, *markdown.Renderer) ([]byte, error)
}

var feedFormats = []feedFormat{
	{".atom", "application/atom+xml; charset=utf-8", writeAtom},
	{".rss", "application/rss+xml; charset=utf-8", writeRSS},
	{".json", "application/feed+json; charset=utf-8", writeJSONFeed},
}

// errMoved reports that the feed has moved to another path.
type errMoved struct{ path string }

func (e errMoved) Error() string { return "moved to " + e.path }

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
		return feed{}, nil, errMoved{about.Path}
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
		return feed{}, nil, errMoved{about.Path}
	}
	list, err := h.store.Tags.PostsOf(c.Request().Context(), key, 1)
	return feed{id: "/tags/" + url.PathEscape(key), title: about.Title, description: "Posts on " + site.Name +
		" tagged " + key + ".",
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
		body, ok := h.documents.Get(tag)
		if !ok {
			// One request renders the feed for all concurrent ones, and continues if it is
			// cancelled.
			made, err, _ := h.rendering.Do(tag, func() (any, error) {
				ctx, cancel := context.WithTimeout(context.WithoutCancel(c.Request().Context()), feedTimeBudget)
				defer cancel()
				return h.make(ctx, f, versions, format)
			})
			if err != nil {
				return err
			}
			f := made.(renderedFeed)
			h.head(c, format, f.tag, f.changed)
			body = f.body
		}
		return c.Blob(http.StatusOK, format.contentType, body)
	}
}

// renderedFeed is a rendered feed.
type renderedFeed struct {
	tag     string
	changed time.Time
	body    []byte
}

func (h feeds) make(ctx context.Context, f feed, versions []postVersion,
	format feedFormat) (made renderedFeed, err error) {
	if f.posts, err = h.read(ctx, versions); err != nil {
		return made, err
	}
	// A post may be newer than the list: compute the tag of what is sent.
	made.tag, made.changed = f.tag(versionsOf(f.posts)), f.changed()
	if made.body, err = format.write(f, h.Markdown); err == nil && len(made.body) <= maxCachedFeed {
		h.documents.Add(made.tag, made.body)
	}
	return made, err
}

// feedTime is how long proxies may cache a feed, in seconds.
const feedTime = 60

func (h feeds) head(c echo.Context, format feedFormat, tag string, changed time.Time) {
	header := c.Response().Header()
	header.Set("ETag", tag)
	if !changed.IsZero() {
		header.Set("Last-Modified", changed.UTC().Format(http.TimeFormat))
	}
	header.Set("Cache-Control", site.CachePrivate)
	if h.URL != "" { // the feed does not depend on the request's host
		header.Set("Cache-Control", fmt.Sprintf("public, max-age=%d", feedTime))
	}
	// Scripts on other sites may read the feed, since it is public.
	header.Set("Access-Control-Allow-Origin", "*")
	header.Set("Cross-Origin-Resource-Policy", "cross-origin")
}

// postVersion is everything that a feed shows of a post and that can change, except its text, which
// changes with the revision.
type postVersion struct {
	id       string
	revision int
	author   string
}

func versionsOf(posts []domain.Post) []postVersion {
	var versions []postVersion
	for _, p := range posts {
		versions = append(versions, postVersion{p.ID, p.Revision, names.Called(p.AuthorName, p.AuthorDisplayName)})
	}
	return versions
}

// tag returns the strong entity tag of a feed with these versions of posts.
func (f feed) tag(versions []postVersion) string {
	sum := sha256.New()
	fmt.Fprintf(sum, "%s %q %q %q %q %v", build(), f.base, f.path, f.id, f.title, versions)
	return `"` + hex.EncodeToString(sum.Sum(nil)[:16]) + `"`
}

// build identifies this build of the program: another build may render the same posts differently.
func build() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return ""
	}
	var b strings.Builder
	b.WriteString(info.Main.Version)
	for _, s := range info.Settings {
		if s.Key == "vcs.revision" || s.Key == "vcs.modified" {
			b.WriteString(s.Value)
		}
	}
	return b.String()
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
	kept := posts[:0]
	for _, p := range posts {
		if p.ID != "" {
			kept = append(kept, p)
		}
	}
	return kept, nil
}

// changed returns the time of the newest change in the feed or, for an empty feed, when its author
// signed up.
func (f feed) changed() time.Time {
	changed := f.begun
	for _, p := range f.posts {
		changed = later(changed, p.Created, p.Edited)
	}
	return changed
}

func later(first time.Time, others ...time.Time) time.Time {
	for _, t := range others {
		if t.After(first) {
			first = t
		}
	}
	return first
}

// updated returns changed, or the Unix epoch for a site without posts, because a date is required.
func (f feed) updated() time.Time { return later(time.Unix(0, 0), f.changed()) }

// postID returns the id of a post in feeds: its address without the title, which may change.
func (f feed) postID(p domain.Post) string { return f.base + "/posts/" + p.ID }

func (f feed) postURL(p domain.Post) string { return site.AbsoluteURL(f.base, p.Path()) }

func (f feed) authorURL(name string) string { return f.base + names.UserPath(name) }

func modified(p domain.Post) time.Time { return later(p.Created, p.Edited) }

// feedSummary is the length of the summary beside the full text, in characters.
const feedSummary = domain.SummaryLimit

// sameLanguage returns the common language of all posts with a known language, or "" if they
// differ.
func sameLanguage(texts []feedText) string {
	language := ""
	for _, t := range texts {
		if language != "" && t.language != language {
			return ""
		}
		language = t.language
	}
	return language
}

// feedText is a post's text in a feed.
type feedText struct{ html, summary, language, image string }

func (f feed) texts(m *markdown.Renderer) []feedText {
	texts := make([]feedText, len(f.posts))
	source, written := 0, 0
	for i, p := range f.posts {
		if source += len(p.Content); source > maxFeedSource {
			texts[i] = f.summarised(p, "")
			continue
		}
		whole, about := m.FeedHTML(p.Content, f.postURL(p))
		about.Language = cmp.Or(p.Details.Language, about.Language)
		texts[i] = feedText{html: whole, summary: m.Text(p.Content, feedSummary), language: about.Language}
		if written += len(whole); written > maxFeedHTML {
			texts[i] = f.summarised(p, about.Language)
		}
		if about.Image != "" {
			texts[i].image = f.base + about.Image
		}
	}
	return texts
}

// summarised returns a post's summary with a link to the post.
func (f feed) summarised(p domain.Post, language string) feedText {
	summary := plaintext.Truncate(f.summaries[p.ID], feedSummary)
	return feedText{html: "<p>" + html.EscapeString(summary) + `</p><p><a href="` + html.EscapeString(f.postURL(p)) +
		`">` + html.EscapeString(p.Title) + "</a></p>",
		summary: summary, language: language}
}

// description returns the summary or, for a post without words, its title.
func (t feedText) description(title string) string {
	if t.summary == "" {
		return title
	}
	return t.summary
}
