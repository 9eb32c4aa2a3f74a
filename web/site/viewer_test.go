package site_test

import (
	"testing"

	"inkfeed/web/site"
)

func TestOnlyDocumentsForProgramsAreTheSameInAllLanguages(t *testing.T) {
	for path, want := range map[string]bool{
		"/feed.atom": true, "/@ada/feed.rss": true, "/tags/go/feed.json": true, "/sitemap.xml": true,
		"/sitemap-12.xml": true, "/manifest.webmanifest": true, "/oembed": true,
		"/": false, "/feed": false, "/sitemap": false, "/sitemaps": false, "/feed.info": false, "/tags/feed.x": false,
	} {
		if got := site.SameInAllLanguages(path); got != want {
			t.Errorf("%s: got %v, want %v", path, got, want)
		}
	}
}
