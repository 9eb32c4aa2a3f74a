package web_test

import (
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"testing"

	"github.com/PuerkitoBio/goquery"
	"github.com/chromedp/cdproto/emulation"

	"inkfeed/web/webtest"
)

// TestSampleScreenshots takes screenshots of a new site with its sample posts. The picture in the README is
// desktop-light-front.png:
//
//	INKFEED_SCREENSHOTS=/tmp/pictures go test ./web -run TestSampleScreenshots
func TestSampleScreenshots(t *testing.T) {
	dir := os.Getenv("INKFEED_SCREENSHOTS")
	if dir == "" {
		t.Skip("INKFEED_SCREENSHOTS is not set")
	}
	ctx := webtest.Browser(t)
	data := webtest.NewEmptyDatabase(t)
	data.Must(data.Store.BeginIfNew(data.Context()))
	s := webtest.NewSiteOn(t, data, webtest.KeyOne)
	ada := s.Anonymous()
	ada.Post("/signup", "username", "ada", "password", webtest.Password).Want(http.StatusSeeOther)
	ada.Post("/settings/profile", "displayName", "Ada Moreau", "bio", "").Want(http.StatusSeeOther)
	ada.Post("/admin/setup", "name", "The Quiet Page", "tagline", "Notes on stars, paths and words",
		"registration", "closed", "samples", "yes").Want(http.StatusSeeOther)
	var posts []string
	s.Anonymous().Get("/").Page().Find("article h2 a").Each(func(_ int, a *goquery.Selection) {
		posts = append(posts, a.AttrOr("href", ""))
	})
	base := webtest.Listen(t, s.Handler)
	for _, mode := range []struct {
		name, scheme  string
		width, height int64
	}{
		{"phone-light", "light", 390, 844}, {"phone-dark", "dark", 390, 844},
		{"desktop-light", "light", 1280, 960}, {"desktop-dark", "dark", 1280, 960},
	} {
		b := webtest.NewTab(t, ctx, base)
		b.Resize(mode.width, mode.height)
		webtest.Call(b, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{
			Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: mode.scheme}}})
		b.OpenAndWait("/")
		b.WaitUntil(`[...document.images].every(image => image.complete || image.loading === 'lazy')`)
		b.Screenshot(filepath.Join(dir, mode.name+"-front.png"), mode.width, 0)
		for i, path := range posts {
			b.OpenAndWait(path)
			if !b.FitsWindow() {
				t.Errorf("%s is wider than a %s", path, mode.name)
			}
			b.WaitUntil(`[...document.images].every(image => image.complete || image.loading === 'lazy')`)
			b.Screenshot(filepath.Join(dir, fmt.Sprintf("%s-sample-%d.png", mode.name, i+1)), mode.width, mode.height)
		}
	}
}
