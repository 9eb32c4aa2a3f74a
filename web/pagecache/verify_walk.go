package pagecache

import (
	"bytes"
	"cmp"
	"context"
	"encoding/xml"
	"fmt"
	"net/http"
	"net/url"
	"strings"

	"github.com/PuerkitoBio/goquery"
)

// walkHost is what a site without an address of its own is asked for.
const walkHost = "localhost"

// walk asks for every page to which a link or the sitemap leads, and verifies each at once,
// since there may not be room for all of them.
func (v *verification) walk(ctx context.Context) error {
	found := []string{"/", "/sitemap.xml"}
	seen := map[string]bool{found[0]: true, found[1]: true}
	for len(found) > 0 {
		path := found[0]
		found = found[1:]
		if err := v.pace.Wait(ctx); err != nil {
			return err
		}
		r := cacheKey{host: walkHost, name: path}.request(ctx)
		answer := &answerRecorder{header: make(http.Header), status: http.StatusOK}
		v.pages.ServeHTTP(answer, r)
		for _, link := range answer.links(path, v.pages.url) {
			if !seen[link] && (isSitemap(link) || mayBeKept(cacheKey{name: link}.request(ctx))) {
				seen[link] = true
				found = append(found, link)
			}
		}
		if v.total = len(seen); isSitemap(path) {
			v.compared++
			if answer.status != http.StatusOK { // without it there may be pages to which nothing leads
				return fmt.Errorf("%s: status %d", path, answer.status)
			}
			continue
		}
		if err := v.verify(ctx, v.pages.key(pageEntry, r)); err != nil {
			return err
		}
		if frame, _ := v.pages.frame(r); frame != nil {
			if err := v.verify(ctx, v.pages.key(shellEntry, r)); err != nil {
				return err
			}
		}
	}
	return nil
}

func isSitemap(path string) bool {
	return strings.HasPrefix(path, "/sitemap") && strings.HasSuffix(path, ".xml")
}

// links are the addresses on a site to which an answer leads, as they are asked for.
func (a *answerRecorder) links(from, site string) (found []string) {
	base, err := url.Parse(cmp.Or(site, "http://"+walkHost) + from)
	if err != nil {
		return nil
	}
	add := func(address string) {
		if u, err := base.Parse(address); err == nil && u.Host == base.Host {
			found = append(found, u.RequestURI())
		}
	}
	if to := a.header.Get("Location"); to != "" {
		add(to)
	}
	switch kind := a.header.Get("Content-Type"); {
	case isSitemap(from):
		var file struct {
			Pages []string `xml:"url>loc"`
			Files []string `xml:"sitemap>loc"`
		}
		if xml.Unmarshal(a.body.Bytes(), &file) == nil {
			for _, address := range append(file.Pages, file.Files...) {
				add(address)
			}
		}
	case strings.HasPrefix(kind, "text/html"):
		doc, err := goquery.NewDocumentFromReader(bytes.NewReader(a.body.Bytes()))
		if err != nil {
			return found
		}
		for _, link := range doc.Find(`a[href], link[rel="alternate"]`).EachIter() {
			add(link.AttrOr("href", ""))
		}
	}
	return found
}
