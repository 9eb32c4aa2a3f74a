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
	"unicode/utf8"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// Tab is a browser tab. It collects the errors and warnings of the browser.
type Tab struct {
	T        *testing.T
	Ctx      context.Context
	Base     string
	mu       sync.Mutex
	messages []string
}

// NewTab opens a tab with its own cookies for the site at base.
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
			b.messages = append(b.messages, fmt.Sprintf("%s: %s", m.Type, m.Text))
			b.mu.Unlock()
		}
	}()
	return b
}

// Do runs browser actions and fails the test after an error.
func (b *Tab) Do(actions ...chromedp.Action[chromedp.Void]) {
	b.T.Helper()
	ctx, cancel := context.WithTimeout(b.Ctx, MaxWait)
	defer cancel()
	if err := chromedp.Do(ctx, actions...); err != nil {
		b.T.Fatalf("%v; the console has %q", err, b.Console())
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

// Open navigates to an address on the site.
func (b *Tab) Open(path string) {
	b.T.Helper()
	b.Do(chromedp.Navigate(b.Base + path))
}

// SignInAs gives the tab the cookies of a visitor; nil: none.
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

// Click clicks the element of this selector.
func (b *Tab) Click(selector string) {
	b.T.Helper()
	b.Do(chromedp.Click(chromedp.CSS(selector)))
}

// SetValue replaces the text in a field.
func (b *Tab) SetValue(selector, text string) {
	b.T.Helper()
	b.Do(chromedp.SetValue(chromedp.CSS(selector), text))
}

// WaitVisible waits until the element of this selector is visible.
func (b *Tab) WaitVisible(selector string) {
	b.T.Helper()
	b.Do(chromedp.WaitVisible(chromedp.CSS(selector)))
}

// Eval runs a script and returns its result as text.
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

// WaitUntil waits until a script's result is true. It polls from outside, because the page's
// content security policy forbids evaluating scripts.
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
			b.T.Fatalf("never true: %s (%v); the console has %q", script, err, b.Console())
		case <-again.C:
		}
	}
}

// Console returns the messages of the browser so far.
func (b *Tab) Console() []string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return slices.Clone(b.messages)
}

// WantQuietConsole fails the test if the browser reported anything but the expected messages.
func (b *Tab) WantQuietConsole(expected ...string) {
	b.T.Helper()
	for _, c := range b.Console() {
		if !slices.ContainsFunc(expected, func(e string) bool { return strings.Contains(c, e) }) {
			b.T.Errorf("the console has %s", c)
		}
	}
}

// FitsWindow reports whether the page is no wider than the window.
func (b *Tab) FitsWindow() bool {
	b.T.Helper()
	return b.Eval("document.documentElement.scrollWidth <= document.documentElement.clientWidth") == "true"
}

// Screenshot saves a picture of the viewport or, with a height, of a little more than twice that
// height of the page.
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

// Resize sets the width and height of the tab.
func (b *Tab) Resize(width, height int64) {
	b.T.Helper()
	Call(b, emulation.SetDeviceMetricsOverride, emulation.SetDeviceMetricsOverrideParams{
		Width: width, Height: height, DeviceScaleFactor: 1})
}

// HoldLikeGuard makes the guard against double clicks, an animation of 0.6 s after a like, last
// until ReleaseLikeGuard.
func (b *Tab) HoldLikeGuard() {
	b.T.Helper()
	b.Eval(`(() => {
		const style = new CSSStyleSheet();
		style.replaceSync('.reaction-button.just-pressed { animation-play-state: paused }');
		document.adoptedStyleSheets = [style];
	})()`)
}

// ReleaseLikeGuard ends HoldLikeGuard.
func (b *Tab) ReleaseLikeGuard() {
	b.T.Helper()
	b.Eval(`document.adoptedStyleSheets = []`)
	b.WaitUntil(`getComputedStyle(document.querySelector('#Page-like-button')).pointerEvents === 'auto'`)
}

// CountPOSTRequests counts the POST requests of the page's scripts from now on, in window.posts.
func (b *Tab) CountPOSTRequests() {
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

// Press focuses an element and presses the Enter key.
func (b *Tab) Press(selector string) {
	b.T.Helper()
	b.Do(chromedp.Focus(chromedp.CSS(selector)))
	b.PressKey(kb.Enter)
}

// AnswerDialog presses an element that opens a dialog, answers the dialog and returns its text.
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

// Type types text at the end of a field, key by key.
func (b *Tab) Type(selector, text string) {
	b.T.Helper()
	b.Eval(`(() => { const f = document.querySelector('` + selector +
		`'); f.focus(); f.setSelectionRange(f.value.length, f.value.length); })()`)
	b.Do(chromedp.KeyEvent(text))
}

// PressKey presses a key on the focused element. The key and its character are one message to the browser.
// chromedp.KeyEvent sends two: if the page moves the focus between them, another element receives the character.
func (b *Tab) PressKey(key string, modifiers ...chromedp.KeyOption) {
	b.T.Helper()
	r, _ := utf8.DecodeRuneInString(key)
	events := kb.Encode(r)
	down, up := *events[0], *events[len(events)-1]
	for _, modify := range modifiers {
		modify(&down)
		modify(&up)
	}
	if len(events) == 3 && down.Modifiers&^int64(chromedp.ModifierShift) == 0 {
		down.Text, down.UnmodifiedText = events[1].Text, events[1].UnmodifiedText
	}
	Call(b, input.DispatchKeyEvent, down)
	Call(b, input.DispatchKeyEvent, up)
}

// WaitForText waits until the element of this selector contains text.
func (b *Tab) WaitForText(selector, text string) {
	b.T.Helper()
	b.WaitUntil(`document.querySelector('` + selector + `')?.textContent.includes(` + strconv.Quote(text) + `)`)
}

// OpenAndWait opens a page and waits until it has loaded completely, so that its scripts have run.
func (b *Tab) OpenAndWait(path string) {
	b.T.Helper()
	b.Open(path)
	b.WaitUntil("document.readyState === 'complete'")
}

// WantValue fails the test unless a script's result is want.
func (b *Tab) WantValue(script, want string) {
	b.T.Helper()
	if got := b.Eval(script); got != want {
		b.T.Errorf("%s is %q, want %q", script, got, want)
	}
}
