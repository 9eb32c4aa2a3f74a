package domain_test

import (
	"testing"

	"inkfeed/domain"
)

func TestClaimOf(t *testing.T) {
	for claim, addresses := range map[domain.Claim][]string{
		domain.ClaimNever: {"/admin", "/admin/login", "/Admin/x", "/аdmin/login", "/ADMIN.php/x",
			"/.well-known/x.txt", "/.git/x", "/.../about", "/login", "/login.php", "/log-in/a/b",
			"/l0gin/a", "/wp-login.php", "/wp-admin/x", "/login2/x", "/sign-in/go", "/sitemap-2",
			"/sitemap_index.xml", "/robots.txt", "/favicon.ico", "/settings/x/y",
			"/administrator/x/y", "/foo/../login/x", "//login/x", "/index.php/login/x",
			"/%6cogin/x", "/ｌｏｇｉｎ/x", "/media/x/y", "/wp-json/x", "/oauth/x/y", "/security", "/api", "/Sessions.html",
			"/official", "/index.php/billing", "/wp-admin/?p=12", ""},
		domain.ClaimAsked: {"/", "/about", "/about.php", "/index.xml", "/feed.xml", "/atom.xml",
			"/rss", "/feed", "/?p=12", "/?cat=3", "/blog/?cat=3", "/fr/?p=12", "/tags/x", "/Tags/x", "/tаgs/x",
			"/category/x/y", "/page/2",
			"/page2", "/fr/page/2", "/2020", "/2020/01", "/2020/01/02", "/fr/tags/x",
			"/fr/index.xml", "/pt-BR/feed", "/fr/2020", "/@ada/post", "/feeds/posts/default",
			"/author/ada", "/search/label/x", "/archives/12", "/index.php/about", "/a/../about", "/news\u200b",
			"/posts", "/security/2020/01/02/title", "/api/title", "/graphql/title", "/payments/title",
			"/billing/title", "/debug/title", "/metrics/title", "/ads/title", "/sessions/title", "/wallet/title",
			"/official/title", "/index.php/security/title"},
		domain.ClaimFree: {"/2020/01/02/title", "/posts/title", "/blog/title", "/blog/tags/go",
			"/fr/title", "/2020/title", "/post/12/title", "/p/title",
			"/index.php/2020/01/02/title", "/notes/login", "/notes/old/?p=12"},
	} {
		for _, address := range addresses {
			if got := domain.ClaimOf(address); got != claim {
				t.Errorf("%q: %d, want %d", address, got, claim)
			}
		}
	}
}
