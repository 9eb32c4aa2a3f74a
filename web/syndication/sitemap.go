package syndication

import (
	"encoding/xml"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/labstack/echo/v4"

	"inkfeed/domain"
	"inkfeed/web/site"
)

// sitemap lists all posts for crawlers in the protocol of sitemaps.org: in one file, or in several
// with an index.
type sitemap struct {
	*site.Site
	index Search
	// slot has one slot: files are made one at a time.
	slot site.Slots
}

// sitemapTime is how long the cache keeps a file. For that time a deleted post may still be listed,
// and a new one may be missing.
const sitemapTime = time.Minute

func (h sitemap) register(e *echo.Echo) {
	h.GetShared(e, site.SitemapPath, h.oneAtATime(h.show))
	h.GetShared(e, "/sitemap-:number", h.oneAtATime(h.part))
}

// oneAtATime makes one file at a time. It serves only the address without a query, since the cache
// stores no others.
func (h sitemap) oneAtATime(next echo.HandlerFunc) echo.HandlerFunc {
	return func(c echo.Context) error {
		if c.Request().URL.RawQuery != "" {
			return site.MovedPermanently(c, c.Request().URL.Path)
		}
		site.CacheFor(c.Request().Context(), sitemapTime)
		release, err := h.slot.Acquire(c.Request().Context())
		if err != nil {
			return err
		}
		defer release()
		return next(c)
	}
}

// sitemapAddresses is the number of addresses in a file beside the front page. A file may have 50,000
// addresses and 50 MB; an address takes less than 1,000 bytes.
const sitemapAddresses = 49_999

// postsPerFile is the number of posts in a file beside the front page and the static pages.
func (h sitemap) postsPerFile() int { return sitemapAddresses - len(h.staticPaths()) }

// staticPaths returns the paths of the published static pages, except that of the front page.
func (h sitemap) staticPaths() (paths []string) {
	for _, p := range h.StaticPages().List {
		if p.Published && p.PostID != h.Info().FrontPage {
			paths = append(paths, p.Path)
		}
	}
	return paths
}

const sitemapSpace = "http://www.sitemaps.org/schemas/sitemap/0.9"

type sitemapFile struct {
	XMLName xml.Name
	URLs    []sitemapURL `xml:"url,omitempty"`
	Files   []sitemapURL `xml:"sitemap,omitempty"`
}

type sitemapURL struct {
	Location string `xml:"loc"`
	Modified string `xml:"lastmod,omitempty"`
}

func (h sitemap) show(c echo.Context) error {
	files, err := h.fileCount(c)
	if err != nil {
		return err
	}
	if files == 1 {
		return h.file(c, 1)
	}
	index := sitemapFile{XMLName: xml.Name{Space: sitemapSpace, Local: "sitemapindex"}}
	for n := range files {
		index.Files = append(index.Files, sitemapURL{Location: fmt.Sprintf("%s/sitemap-%d.xml", h.BaseURL(c), n+1)})
	}
	body, err := encodeXML(index)
	if err != nil {
		return err
	}
	return h.send(c, body)
}

// fileCount returns the number of files.
func (h sitemap) fileCount(c echo.Context) (int, error) {
	ctx := c.Request().Context()
	switch building, err := h.index.Building(ctx); {
	case err != nil:
		return 0, err
	case building:
		return 0, domain.NewError(domain.Unavailable, "The sitemap is being built. Please try again soon.")
	}
	count, err := h.index.CountPosts(ctx)
	return domain.Pages(count, h.postsPerFile()), err
}

// part serves one of several files.
func (h sitemap) part(c echo.Context) error {
	text, xml := strings.CutSuffix(c.Param("number"), ".xml")
	number, err := strconv.Atoi(text)
	if !xml || err != nil || number < 1 || strconv.Itoa(number) != text {
		return echo.ErrNotFound
	}
	files, err := h.fileCount(c)
	if err == nil && number > files {
		return echo.ErrNotFound
	}
	if err != nil {
		return err
	}
	return h.file(c, number)
}

func (h sitemap) file(c echo.Context, number int) error {
	body, err := h.makeFile(c, number)
	if err != nil {
		return err
	}
	return h.send(c, body)
}

// makeFile returns the content of a file.
func (h sitemap) makeFile(c echo.Context, number int) ([]byte, error) {
	ctx := c.Request().Context()
	turn, err := h.Throttle.Begin(ctx)
	if err != nil {
		return nil, site.ErrBusy(err)
	}
	defer turn.End()
	posts, err := h.index.Posts(ctx, number, h.postsPerFile())
	if err != nil {
		return nil, err
	}
	turn.Yield()
	base := h.BaseURL(c)
	file := sitemapFile{XMLName: xml.Name{Space: sitemapSpace, Local: "urlset"}}
	if number == 1 {
		file.URLs = append(file.URLs, sitemapURL{Location: base + "/"})
		for _, path := range h.staticPaths() {
			file.URLs = append(file.URLs, sitemapURL{Location: site.AbsoluteURL(base, path)})
		}
	}
	for _, p := range posts {
		file.URLs = append(file.URLs, sitemapURL{site.AbsoluteURL(base, p.Post.Path()), atomTime(p.Changed)})
	}
	return encodeXML(file)
}

func (h sitemap) send(c echo.Context, body []byte) error {
	c.Response().Header().Set("Cache-Control", site.CachePrivate)
	return c.Blob(http.StatusOK, "application/xml; charset=utf-8", body)
}
