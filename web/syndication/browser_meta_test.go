package syndication_test

import (
	"strings"
	"testing"

	"github.com/chromedp/chromedp"

	"inkfeed/web/webtest"
)

func TestPostsDisplayWithoutPolicyViolations(t *testing.T) {
	ctx := webtest.Browser(t)
	s := webtest.NewSite(t)
	p := s.SignUp("ada").
		CreatePost("Ink", "# One\n\nText.[^1] $a_1$\n\n- [x] done\n\n```go\nfunc f() { return \"x\" }\n```\n\n"+
			strings.Repeat("Some words of prose. ", 300)+"\n\n## Two\n\n# Three\n\n[^1]: note")
	b := webtest.NewTab(t, ctx, webtest.Listen(t, s.Handler))
	b.Open(p.Path())
	// The policy on scripts does not apply to JSON-LD, because browsers never execute it.
	b.WaitUntil(`JSON.parse(document.querySelector('script[type="application/ld+json"]').textContent)["@type"] ===
		"BlogPosting"`)
	b.WaitUntil(`getComputedStyle(document.querySelector("pre .k")).color !==
		getComputedStyle(document.querySelector("pre code")).color`)

	// The keyboard alone opens the table of contents and follows its links.
	b.Eval(`document.querySelector(".toc summary").focus()`)
	b.Do(chromedp.KeyEvent("\r"))
	b.WaitUntil(`document.querySelector(".toc").open`)
	b.Eval(`document.querySelector('.toc a[href="#two"]').focus()`)
	b.Do(chromedp.KeyEvent("\r"))
	b.WaitUntil(`location.hash === "#two" && document.querySelector(".section:target > h3")`)
	if !b.FitsWindow() {
		t.Error("the page is wider than the window")
	}
	b.WantQuietConsole()
}
