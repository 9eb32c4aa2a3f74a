package web_test

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/chromedp"

	"inkfeed/domain"
	"inkfeed/domain/sample"
)

// browser returns the Chromium that all tests of this process share, or skips the test where there is none. Tests that
// use it run in parallel: each has tabs with cookies and storage of their own.
func browser(t *testing.T) context.Context {
	t.Helper()
	if raced {
		t.Skip("a browser asks for one thing after another, and would take minutes")
	}
	chromium := findChromium()
	if chromium == "" {
		if os.Getenv("CI") != "" {
			t.Fatal("CI is set, and Chromium is not installed")
		}
		t.Skip("Chromium is not installed: the browser tests are skipped")
	}
	t.Parallel()
	ctx, err := sharedBrowser.start(chromium)
	if err != nil {
		t.Fatal(err)
	}
	return ctx
}

func findChromium() string {
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome"} {
		if path, err := exec.LookPath(name); err == nil {
			return path
		}
	}
	return ""
}

// chromiumProcess is a Chromium that its first user starts.
type chromiumProcess struct {
	once sync.Once
	ctx  context.Context
	stop func()
	err  error
}

var sharedBrowser chromiumProcess

func (c *chromiumProcess) start(path string) (context.Context, error) {
	c.once.Do(func() {
		var profile string
		if profile, c.err = os.MkdirTemp("", "chromium"); c.err != nil {
			return
		}
		options := append(chromedp.DefaultExecAllocatorOptions[:], chromedp.ExecPath(path),
			chromedp.WSURLReadTimeout(patience), chromedp.NoSandbox, chromedp.DisableGPU, chromedp.UserDataDir(profile),
			chromedp.Flag("disable-component-update", true), chromedp.Flag("disable-quic", true),
			chromedp.Flag("disable-sync", true))
		allocator, stopAllocator := chromedp.NewExecAllocator(context.Background(), options...)
		ctx, stop := chromedp.NewContext(allocator)
		c.ctx, c.stop = ctx, func() {
			stop()
			stopAllocator()
			_ = os.RemoveAll(profile)
		}
		c.err = chromedp.Do(ctx) // the browser lives as long as the context of its first call
	})
	return c.ctx, c.err
}

func TestMain(m *testing.M) {
	code := m.Run()
	if sharedBrowser.stop != nil {
		sharedBrowser.stop()
	}
	os.Exit(code)
}

// patience bounds each wait for the browser. It only keeps a test from hanging: tests expect
// states that last once they are reached.
const patience = time.Minute

// tab is one tab, which collects whatever the browser complains about.
type tab struct {
	t          *testing.T
	ctx        context.Context
	base       string
	mu         sync.Mutex
	complaints []string
}

func newTab(t *testing.T, browser context.Context, base string) *tab {
	t.Helper()
	ctx, cancel := chromedp.NewContext(browser, chromedp.WithNewBrowserContext())
	t.Cleanup(cancel)
	b := &tab{t: t, ctx: ctx, base: base}
	if err := chromedp.Do(ctx); err != nil {
		t.Fatal(err)
	}
	messages := chromedp.Console(ctx)
	go func() {
		for m, err := range messages {
			if err != nil {
				return
			}
			b.mu.Lock()
			b.complaints = append(b.complaints, fmt.Sprintf("%s: %s", m.Type, m.Text))
			b.mu.Unlock()
		}
	}()
	return b
}

func (b *tab) do(actions ...chromedp.Action[chromedp.Void]) {
	b.t.Helper()
	ctx, cancel := context.WithTimeout(b.ctx, patience)
	defer cancel()
	if err := chromedp.Do(ctx, actions...); err != nil {
		b.t.Fatalf("%v; the browser says %q", err, b.said())
	}
}

// call sends a command to the tab.
func call[P, R any](b *tab, command cdp.Command[P, R], params P) R {
	b.t.Helper()
	ctx, cancel := context.WithTimeout(b.ctx, patience)
	defer cancel()
	result, err := chromedp.Call(ctx, command, params)
	if err != nil {
		b.t.Fatal(err)
	}
	return result
}

// Open goes to an address on the site.
func (b *tab) Open(path string) {
	b.t.Helper()
	b.do(chromedp.Navigate(b.base + path))
}

// as makes the tab that of a visitor, or of a stranger.
func (b *tab) as(v *visitor) {
	b.t.Helper()
	call(b, network.ClearBrowserCookies, cdp.Empty{})
	if v == nil {
		return
	}
	for name, value := range v.cookies {
		call(b, network.SetCookie, network.SetCookieParams{Name: name, Value: value, URL: b.base})
	}
}

func (b *tab) click(selector string) {
	b.t.Helper()
	b.do(chromedp.Click(chromedp.CSS(selector)))
}

// write puts text into a field, in place of what is there.
func (b *tab) write(selector, text string) {
	b.t.Helper()
	b.do(chromedp.SetValue(chromedp.CSS(selector), text))
}

func (b *tab) sees(selector string) {
	b.t.Helper()
	b.do(chromedp.WaitVisible(chromedp.CSS(selector)))
}

// eval is a script's result as text.
func (b *tab) eval(script string) string {
	b.t.Helper()
	ctx, cancel := context.WithTimeout(b.ctx, patience)
	defer cancel()
	result, err := chromedp.Run(ctx, chromedp.Evaluate[string]("String("+script+")"))
	if err != nil {
		b.t.Fatalf("%s: %v", script, err)
	}
	return result
}

// eventually waits until a script's result is true. It asks from outside: the
// page's own policy forbids it to evaluate anything.
func (b *tab) eventually(script string) {
	b.t.Helper()
	ctx, cancel := context.WithTimeout(b.ctx, patience)
	defer cancel()
	again := time.NewTicker(20 * time.Millisecond)
	defer again.Stop()
	for {
		ok, err := chromedp.Run(ctx, chromedp.Evaluate[bool]("Boolean("+script+")"))
		if err == nil && ok {
			return
		}
		select {
		case <-ctx.Done():
			b.t.Fatalf("never true: %s (%v); the browser says %q", script, err, b.said())
		case <-again.C:
		}
	}
}

// awaiting polls until a condition holds. It fails the test after patience.
func awaiting(t *testing.T, what string, holds func() bool) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	again := time.NewTicker(20 * time.Millisecond)
	defer again.Stop()
	for !holds() {
		select {
		case <-ctx.Done():
			t.Fatalf("never true: %s", what)
		case <-again.C:
		}
	}
}

func (b *tab) said() []string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return slices.Clone(b.complaints)
}

// quiet wants that the browser complained of nothing but what is expected.
func (b *tab) quiet(expected ...string) {
	b.t.Helper()
	for _, c := range b.said() {
		if !slices.ContainsFunc(expected, func(e string) bool { return strings.Contains(c, e) }) {
			b.t.Errorf("the browser says: %s", c)
		}
	}
}

func (b *tab) fits() bool {
	b.t.Helper()
	return b.eval("document.documentElement.scrollWidth <= document.documentElement.clientWidth") == "true"
}

const longPost = `A first paragraph with *emphasis*, **strength**, ~~regret~~, ` + "`inline code`" + ` and a [link](https://example.org).

## A heading

> A quotation, which goes on for a while, so that it breaks into a second line on any screen.

1. First
2. Second
   - nested
   - twice

| Language | Greeting | Remark | A rather long column heading | Another one |
|---|:-:|--:|---|---|
| Japanese | こんにちは | 1 | Something long enough to need room in the row | and more |
| Arabic | مرحبا | 22 | x | y |

` + "```go\nfunc main() { fmt.Println(\"a line of code that is rather long, much longer than a phone is wide, so it scrolls\") }\n```" + `

吾輩は猫である。名前はまだ無い。どこで生れたかとんと見当がつかぬ。

هذا نص عربي طويل بما يكفي ليظهر اتجاه الكتابة من اليمين إلى اليسار في هذه الفقرة.

Averyveryveryveryveryveryveryveryveryveryveryveryveryveryveryveryveryveryveryveryverylongword.

---

### A smaller heading

The end.`

// world is a site full of people and posts.
type world struct {
	*site
	ada, ben *visitor
	long     domain.Post // ada's, with 120 comments
	arabic   domain.Post
	quiet    domain.Post // without comments and likes
}

func newWorld(t *testing.T) *world {
	t.Helper()
	s := newSite(t)
	w := &world{site: s, ada: s.member("ada"), ben: s.member("ben")}
	blog := sample.New(7, 8)
	users, posts := s.data.store.Users, s.data.store.Posts
	for _, u := range blog.Users {
		_ = users.Create(t.Context(), u, "")
	}
	for p := range blog.Posts() {
		_ = posts.Create(t.Context(), p.Post)
		for _, c := range p.Comments {
			_, _ = posts.AddComment(t.Context(), c)
		}
		for _, l := range p.Likes {
			_, _ = posts.Like(t.Context(), l)
		}
	}
	at := time.Date(2026, 10, 1, 9, 0, 0, 0, time.UTC)
	write := func(author *visitor, title, content string) domain.Post {
		p, err := domain.NewPost(author.user, title, content, at)
		if err != nil {
			t.Fatal(err)
		}
		at = at.Add(time.Hour)
		_ = posts.Create(t.Context(), p)
		return p
	}
	w.quiet = write(w.ben, "吾輩は猫である", "名前はまだ無い。")
	w.arabic = write(w.ada, "مرحبا بالعالم: عنوان طويل لمقالة قصيرة عن الكتابة", "هذا نص عربي.\n\nAnd an English paragraph.")
	w.long = write(w.ada, "On writing things down, and why a title that will not end is still a title that somebody wanted", longPost)
	texts := many(120)
	texts[0] = "**Well said.** See `x` and\n\n> a quote\n\nand " + strings.Repeat("long", 40)
	texts[1] = "تعليق بالعربية"
	w.ben.comments(w.long, texts...)
	_, _ = posts.Like(t.Context(), domain.NewLike(w.ben.user, w.long.ID, at))
	return w
}

// serve is the world on a loopback address.
func serve(t *testing.T, h http.Handler) string {
	server := httptest.NewServer(h)
	t.Cleanup(server.Close)
	return server.URL
}

func TestABrowserComplainsOfNoPage(t *testing.T) {
	ctx := browser(t)
	w := newWorld(t)
	b := newTab(t, ctx, serve(t, w.handler))
	for _, path := range []string{"/", "/?page=2", "/signup", "/login", w.long.Path(), "/posts/" + w.long.ID + "/comments?page=2",
		"/posts/" + w.long.ID + "/likes", "/@ada", "/@" + w.ada.user.Username, w.arabic.Path(), "/search", "/search?q=e"} {
		b.Open(path)
		b.eventually("document.readyState === 'complete' && htmx.version.startsWith('4.')")
	}
	b.as(w.ada)
	for _, path := range []string{"/", w.long.Path(), "/new", "/settings", "/settings/profile", "/images", "/posts/" + w.long.ID + "/edit"} {
		b.Open(path)
		b.eventually("document.readyState === 'complete'")
		if !b.fits() {
			t.Errorf("%s is wider than the window", path)
		}
	}
	b.quiet()
}

func TestLikingAndCommentingWithoutLeavingThePage(t *testing.T) {
	ctx := browser(t)
	w := newWorld(t)
	b := newTab(t, ctx, serve(t, w.handler))
	b.as(w.ada)
	b.Open(w.long.Path())
	b.eventually("document.readyState === 'complete'")
	b.eval("window.same = true")

	b.holdLikeGuard()
	b.countPosts()
	b.click("#Page-like-button")
	b.eventually(`document.querySelector('#Page-liked-by').innerText === 'Liked by you and @ben'`)
	b.eventually(`document.activeElement.id === 'Page-like-button'`)
	b.click("#Page-like-button") // the second half of a double click
	b.releaseLikeGuard()
	b.click("#Page-like-button")
	b.eventually(`document.querySelector('#Page-liked-by').innerText === 'Liked by @ben'`)
	if n := b.eval("window.posts"); n != "2" {
		t.Errorf("a double click and a click post %s forms", n)
	}

	b.write("#Page-comment", "An answer of *mine*")
	b.click("#Page-comment-send")
	b.eventually(`document.querySelectorAll('#Page-own-comments li').length === 1`)
	b.eventually(`document.querySelector('#Page-comment').value === ''`)
	b.eventually(`document.activeElement.id === 'Page-comment-send'`)
	b.eventually(`document.querySelector('#Page-comment-status').textContent === 'Comment published.'`)
	if got := b.eval(`document.querySelector('#Page-comments-title').textContent`); got != "121 comments" {
		t.Errorf("the heading says %s", got)
	}

	for _, more := range []struct{ shown, says string }{{"100", "50 more comments"}, {"121", "21 more comments"}} {
		first := b.eval(`document.querySelector('#Page-comment-list > li:last-child').id`)
		b.press("#Page-more")
		b.eventually(`document.querySelectorAll('#Page-comment-list > li').length === ` + more.shown)
		b.eventually(`document.querySelector('#Page-comment-status').textContent === '` + more.says + `'`)
		b.eventually(`document.activeElement.previousElementSibling?.id === '` + first + `'`)
	}
	if got := b.eval(`document.querySelectorAll('#Page-own-comments li, #Page-more').length`); got != "0" {
		t.Errorf("%s of my comments are there twice, or more is promised", got)
	}
	if got := b.eval(`document.querySelector('#Page-comment-list li:last-child em').textContent`); got != "mine" {
		t.Errorf("the last comment says %s", got)
	}
	if b.eval("window.same") != "true" {
		t.Error("the page was loaded anew")
	}
	b.quiet("Autofocus") // htmx moves the focus itself
}

func TestFailuresLeaveThePageAndTheText(t *testing.T) {
	ctx := browser(t)
	w := newWorld(t)
	b := newTab(t, ctx, serve(t, w.handler))
	b.as(w.ada)
	b.Open(w.quiet.Path())
	w.data.fail("Posts.AddComment")
	w.data.fail("Posts.Like")

	b.write("#Page-comment", "precious")
	b.click("#Page-comment-send")
	b.sees("#Page-comment-form .problems")
	if got := b.eval(`document.querySelector('#Page-comment').value`); got != "precious" {
		t.Errorf("the form holds %q", got)
	}
	b.click("#Page-like-button")
	b.sees("#Page-notice dialog")
	if b.eval(`document.querySelector('#Page-like-button') !== null`) != "true" {
		t.Error("the button is gone")
	}
	b.click("#Page-notice button")
	b.do(chromedp.WaitNotVisible(chromedp.CSS("#Page-notice dialog")))

	w.data.recover("Posts.AddComment")
	b.write("#Page-comment", " ")
	b.click("#Page-comment-send")
	b.sees("#Page-comment-error")
	b.eventually(`document.activeElement.id === 'Page-comment'`)

	// The session ends in another tab.
	b.as(nil)
	b.write("#Page-comment", "still precious")
	b.click("#Page-comment-send")
	b.sees(`#Page-comment-form .problems a[href="/login"]`)
	if got := b.eval(`document.querySelector('#Page-comment').value`); got != "still precious" {
		t.Errorf("the form holds %q", got)
	}
	b.click("#Page-like-button")
	b.eventually(`location.pathname === '/login'`)
	b.eventually(fmt.Sprintf(`document.querySelector('[name=next]')?.value === %q`, "/posts/"+w.quiet.ID))
	b.quiet("503", "422", "401", // Chromium reports every such status
		"Autofocus") // htmx moves the focus itself
}

// fill sends the form of a page with these values, whatever the browser thinks
// of them.
func fill(fields []string) string {
	values := url.Values{}
	for i := 0; i < len(fields); i += 2 {
		values.Set(fields[i], fields[i+1])
	}
	return fmt.Sprintf(`(() => {
		const form = document.querySelector('main form');
		for (const [name, value] of new URLSearchParams(%q)) form.elements[name].value = value;
		form.noValidate = true;
		form.submit();
	})()`, values.Encode())
}
