package web_test

import (
	"io"
	"slices"
	"strings"
	"testing"

	"inkfeed/domain"
	"inkfeed/web"
	"inkfeed/web/webtest"
)

// No import claims an address below a page of this site, except below those that most old blogs have too.
func TestNoImportClaimsAnAddressOfARoute(t *testing.T) {
	routes, err := web.Routes(webtest.Config(webtest.NewDatabase(t), io.Discard, webtest.KeyOne))
	if err != nil {
		t.Fatal(err)
	}
	shared := []string{"posts", "tags", "authors", "following", "feed", "feed.atom", "feed.rss", "feed.json",
		"search", "@:username"}
	for _, r := range routes {
		first, _, _ := strings.Cut(r[strings.Index(r, "/")+1:], "/")
		first = strings.NewReplacer(":number", "1").Replace(first)
		if first == "" || slices.Contains(shared, first) {
			if domain.ClaimOf("/"+first) != domain.ClaimAsked {
				t.Errorf("/%s can be claimed without an administrator", first)
			}
			continue
		}
		for _, address := range []string{"/" + first, "/" + first + "/a/b"} {
			if domain.ClaimOf(address) != domain.ClaimNever {
				t.Errorf("%s can be claimed", address)
			}
		}
	}
}
