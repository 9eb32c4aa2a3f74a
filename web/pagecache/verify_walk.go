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

// walkHost is the requested host of a site without a configured address.
const walkHost = "localhost"

// walk requests every page that a link or the sitemap leads to. It verifies each page at once,
// since the cache may not have room for all of them.
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
		answer := &responseRecorder{header: make(http.Header), status: http.StatusOK}
		v.middleware.ServeHTTP(answer, r)
		for _, link := range answer.links(path, v.middleware.url) {
			if !seen[link] && (isSitemap(link) || v.middleware.mayBeCached(cacheKey{name: link}.request(ctx))) {
				seen[link] = true
				found = append(found, link)
			}
		}
		if v.total = len(seen); isSitemap(path) {
			v.compared++
			if answer.status != http.StatusOK { // some pages may be reachable through the sitemap only
				return fmt.Errorf("render %s: status %d", path, answer.status)
			}
			continue
		}
		if err := v.verify(ctx, v.middleware.key(pageEntry, r, "")); err != nil {
			return err
		}
		key := v.middleware.key(shellEntry, r, "")
		if shell, _ := v.middleware.shell(r.Context(), key); shell != nil {
			if err := v.verify(ctx, key); err != nil {
				return err
			}
		}
	}
	return nil
}

func isSitemap(path string) bool {
	return strings.HasPrefix(path, "/sitemap") && strings.HasSuffix(path, ".xml")
}

// links returns the addresses on this site that a response links to, as request targets.
func (a *responseRecorder) links(from, site string) (found []string) {
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
