package webtest

import (
	"context"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"
)

// Tab is one tab, which collects whatever the browser complains about.
type Tab struct {
	T          *testing.T
	Ctx        context.Context
	Base       string
	mu         sync.Mutex
	complaints []string
}

func NewTab(t *testing.T, browser context.Context, base string) *Tab {
	t.Helper()
	ctx, cancel := chromedp.NewContext(browser, chromedp.WithNewBrowserContext())
	t.Cleanup(cancel)
	b := &Tab{T: t, Ctx: ctx, Base: base}
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

func (b *Tab) Do(actions ...chromedp.Action[chromedp.Void]) {
	b.T.Helper()
	ctx, cancel := context.WithTimeout(b.Ctx, MaxWait)
	defer cancel()
	if err := chromedp.Do(ctx, actions...); err != nil {
		b.T.Fatalf("%v; the browser says %q", err, b.Console())
	}
}

// Call sends a command to the tab.
func Call[P, R any](b *Tab, command cdp.Command[P, R], params P) R {
	b.T.Helper()
	ctx, cancel := context.WithTimeout(b.Ctx, MaxWait)
	defer cancel()
	result, err := chromedp.Call(ctx, command, params)
	if err != nil {
		b.T.Fatal(err)
	}
	return result
}

// Open goes to an address on the site.
func (b *Tab) Open(path string) {
	b.T.Helper()
	b.Do(chromedp.Navigate(b.Base + path))
}

// SignInAs makes the tab that of a visitor, or of a stranger.
func (b *Tab) SignInAs(v *Visitor) {
	b.T.Helper()
	Call(b, network.ClearBrowserCookies, cdp.Empty{})
	if v == nil {
		return
	}
	for name, value := range v.Cookies {
		Call(b, network.SetCookie, network.SetCookieParams{Name: name, Value: value, URL: b.Base})
	}
}

func (b *Tab) Click(selector string) {
	b.T.Helper()
	b.Do(chromedp.Click(chromedp.CSS(selector)))
}

// SetValue puts text into a field, in place of what is there.
func (b *Tab) SetValue(selector, text string) {
	b.T.Helper()
	b.Do(chromedp.SetValue(chromedp.CSS(selector), text))
}

func (b *Tab) WaitVisible(selector string) {
	b.T.Helper()
	b.Do(chromedp.WaitVisible(chromedp.CSS(selector)))
}

// Eval is a script's result as text.
func (b *Tab) Eval(script string) string {
	b.T.Helper()
	ctx, cancel := context.WithTimeout(b.Ctx, MaxWait)
	defer cancel()
	result, err := chromedp.Run(ctx, chromedp.Evaluate[string]("String("+script+")"))
	if err != nil {
		b.T.Fatalf("%s: %v", script, err)
	}
	return result
}

// WaitUntil waits until a script's result is true. It asks from outside: the
// page's own policy forbids it to evaluate anything.
func (b *Tab) WaitUntil(script string) {
	b.T.Helper()
	ctx, cancel := context.WithTimeout(b.Ctx, MaxWait)
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
			b.T.Fatalf("never true: %s (%v); the browser says %q", script, err, b.Console())
		case <-again.C:
		}
	}
}

func (b *Tab) Console() []string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return slices.Clone(b.complaints)
}

// WantQuietConsole wants that the browser complained of nothing but what is expected.
func (b *Tab) WantQuietConsole(expected ...string) {
	b.T.Helper()
	for _, c := range b.Console() {
		if !slices.ContainsFunc(expected, func(e string) bool { return strings.Contains(c, e) }) {
			b.T.Errorf("the browser says: %s", c)
		}
	}
}

func (b *Tab) FitsWindow() bool {
	b.T.Helper()
	return b.Eval("document.documentElement.scrollWidth <= document.documentElement.clientWidth") == "true"
}

// Screenshot saves what the tab shows: the viewport, or with a height twice as much
// of the page as that and a bit.
func (b *Tab) Screenshot(path string, width, height int64) {
	b.T.Helper()
	params := page.CaptureScreenshotParams{}
	if height > 0 {
		params.CaptureBeyondViewport = new(true)
		params.Clip = &page.Viewport{Width: float64(width), Height: float64(height) * 2.2, Scale: 1}
	}
	if err := os.WriteFile(path, Call(b, page.CaptureScreenshot, params).Data, 0o644); err != nil {
		b.T.Fatal(err)
	}
}

// Resize makes the tab that wide and high.
func (b *Tab) Resize(width, height int64) {
	b.T.Helper()
	Call(b, emulation.SetDeviceMetricsOverride, emulation.SetDeviceMetricsOverrideParams{
		Width: width, Height: height, DeviceScaleFactor: 1})
}

// HoldLikeGuard makes the guard against a double click, an animation of 0.6 s that follows a
// like, last until releaseLikeGuard.
func (b *Tab) HoldLikeGuard() {
	b.T.Helper()
	b.Eval(`(() => {
		const style = new CSSStyleSheet();
		style.replaceSync('.heart.fresh { animation-play-state: paused }');
		document.adoptedStyleSheets = [style];
	})()`)
}

func (b *Tab) ReleaseLikeGuard() {
	b.T.Helper()
	b.Eval(`document.adoptedStyleSheets = []`)
	b.WaitUntil(`getComputedStyle(document.querySelector('#Page-like-button')).pointerEvents === 'auto'`)
}

// CountPosts counts in window.posts what the page's scripts post from now on.
func (b *Tab) CountPosts() {
	b.T.Helper()
	b.Eval(`(() => {
		const send = fetch;
		window.posts = 0;
		fetch = (to, how) => {
			if ((how?.method ?? to.method) === "POST") window.posts++;
			return send(to, how);
		};
	})()`)
}

// Press gives an element the focus and presses the Enter key.
func (b *Tab) Press(selector string) {
	b.T.Helper()
	b.Do(chromedp.Focus(chromedp.CSS(selector)), chromedp.KeyEvent("\r"))
}

// AnswerDialog presses what asks before it acts, and gives the answer. It returns what
// was asked.
func (b *Tab) AnswerDialog(selector string, yes bool) string {
	b.T.Helper()
	ctx, cancel := context.WithTimeout(b.Ctx, MaxWait)
	defer cancel()
	asked := make(chan string, 1)
	dialogs := chromedp.Events(ctx, page.JavascriptDialogOpening)
	go func() {
		defer close(asked)
		for dialog, err := range dialogs {
			if err != nil {
				return
			}
			asked <- dialog.Message
			_, _ = chromedp.Call(ctx, page.HandleJavaScriptDialog, page.HandleJavaScriptDialogParams{Accept: yes})
			return
		}
	}()
	b.Press(selector)
	return <-asked
}

// Type types at the end of a field, as keys do.
func (b *Tab) Type(selector, text string) {
	b.T.Helper()
	b.Eval(`(() => { const f = document.querySelector('` + selector +
		`'); f.focus(); f.setSelectionRange(f.value.length, f.value.length); })()`)
	b.Do(chromedp.KeyEvent(text))
}

// PressKey presses a key where the focus is.
func (b *Tab) PressKey(key string, modifiers ...chromedp.KeyOption) {
	b.T.Helper()
	b.Do(chromedp.KeyEvent(key, modifiers...))
}

func (b *Tab) WaitForText(selector, text string) {
	b.T.Helper()
	b.WaitUntil(`document.querySelector('` + selector + `')?.textContent.includes(` + strconv.Quote(text) + `)`)
}

// OpenAndWait opens a page and waits until htmx has it.
func (b *Tab) OpenAndWait(path string) {
	b.T.Helper()
	b.Open(path)
	b.WaitUntil("document.readyState === 'complete'")
}

func (b *Tab) WantValue(script, want string) {
	b.T.Helper()
	if got := b.Eval(script); got != want {
		b.T.Errorf("%s is %q, want %q", script, got, want)
	}
}
