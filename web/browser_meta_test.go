package web_test

import (
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
)

func TestABrowserFindsNothingForbiddenInAPost(t *testing.T) {
	ctx := browser(t)
	s := newSite(t)
	p := s.member("ada").aPost("Ink", "# One\n\nText.[^1] $a_1$\n\n- [x] done\n\n```go\nfunc f() { return \"x\" }\n```\n\n"+
		strings.Repeat("Some words of prose. ", 300)+"\n\n## Two\n\n# Three\n\n[^1]: note")
	b := newTab(t, ctx, serve(t, s.handler))
	b.Open(p.Path())
	// Data that is no script is not executed, and the policy against scripts has no say in it.
	b.eventually(`JSON.parse(document.querySelector('script[type="application/ld+json"]').textContent)["@type"] === "BlogPosting"`)
	b.eventually(`getComputedStyle(document.querySelector("pre .k")).color !== getComputedStyle(document.querySelector("pre code")).color`)

	// The table of contents opens, and leads to its heading, by the keyboard alone.
	b.eval(`document.querySelector(".toc summary").focus()`)
	b.do(chromedp.KeyEvent("\r"))
	b.eventually(`document.querySelector(".toc").open`)
	b.eval(`document.querySelector('.toc a[href="#two"]').focus()`)
	b.do(chromedp.KeyEvent("\r"))
	b.eventually(`location.hash === "#two" && document.querySelector(".section:target > h3")`)
	if !b.fits() {
		t.Error("the page is wider than the window")
	}
	b.quiet()
}
