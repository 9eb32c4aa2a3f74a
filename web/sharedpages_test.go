package web_test

import (
	"io"
	"net/http"
	"strings"
	"testing"

	"inkfeed/domain"
	"inkfeed/web"
	"inkfeed/web/webtest"
)

// TestEverySharedPageIsAHitTheSecondTime requests each route twice. A page that the cache may keep comes from the cache
// the second time.
func TestEverySharedPageIsAHitTheSecondTime(t *testing.T) {
	s := webtest.NewCachedSite(t, "off")
	ada := s.SignUp("ada")
	p := ada.CreatePostWith("A title", "text", func(p *domain.Post) { p.Tags, p.Details.Series = "go", "Part" })
	routes, err := web.Routes(webtest.Config(webtest.NewDatabase(t), io.Discard, webtest.KeyOne))
	if err != nil {
		t.Fatal(err)
	}
	values := strings.NewReplacer(":id", p.ID, ":slug", "a-title", ":username", "ada", ":tag", "go", ":series", "part",
		":year", "2026", ":number", "1.xml")
	hits := 0
	for _, route := range routes {
		path, ok := strings.CutPrefix(route, "GET ")
		if !ok {
			continue
		}
		path = values.Replace(path)
		first := s.Anonymous().Get(path)
		if first.StatusCode != http.StatusOK || !strings.Contains(first.Header.Get("Cache-Status"), "stored") {
			continue
		}
		hits++
		if got := s.Anonymous().Get(path).Header.Get("Cache-Status"); got != "Inkfeed; hit" {
			t.Errorf("%s: Cache-Status is %q the second time", path, got)
		}
	}
	if hits < 20 {
		t.Errorf("only %d pages can be cached", hits)
	}
}
