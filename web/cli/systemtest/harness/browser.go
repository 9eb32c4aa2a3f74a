package harness

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
)

// chromium returns the path of a browser. Without a browser it skips the test or, in CI, fails it.
func chromium(t *testing.T) string {
	t.Helper()
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome", "chrome"} {
		if path, err := exec.LookPath(name); err == nil {
			return path
		}
	}
	if os.Getenv("CI") != "" {
		t.Fatal("no Chromium, although CI is set")
	}
	t.Skip("no Chromium: browser tests are skipped")
	return ""
}

// Browser is the browser of one person: a profile of its own in a shared Chromium.
type Browser struct {
	T    *testing.T
	Ctx  context.Context
	base string

	mu       sync.Mutex
	problems []string // errors and violations in the console
}

// Chromium returns the browser that all tests of a package share, and starts it first if it is not running. It talks
// to nothing outside of this machine.
func Chromium(t *testing.T) context.Context {
	t.Helper()
	path := chromium(t)
	sharedChromium.Lock()
	defer sharedChromium.Unlock()
	if sharedChromium.ctx == nil {
		options := append(chromedp.DefaultExecAllocatorOptions[:], chromedp.ExecPath(path),
			chromedp.NoSandbox, chromedp.DisableGPU,
			chromedp.Flag("disable-background-networking", true),
			chromedp.Flag("disable-component-update", true),
			chromedp.Flag("disable-sync", true), chromedp.Flag("disable-quic", true))
		allocator, closeAllocator := chromedp.NewExecAllocator(context.Background(), options...)
		ctx, closeBrowser := chromedp.NewContext(allocator)
		sharedChromium.close = func() { closeBrowser(); closeAllocator() }
		if err := chromedp.Do(ctx); err != nil {
			t.Fatalf("Chromium does not start: %v", err)
		}
		sharedChromium.ctx = ctx
	}
	return sharedChromium.ctx
}

var sharedChromium struct {
	sync.Mutex
	ctx   context.Context
	close func()
}

func closeChromium() {
	if sharedChromium.close != nil {
		sharedChromium.close()
	}
}

// NewBrowser opens a browser on the site at an address, with the screen of a phone.
func NewBrowser(t *testing.T, chromium context.Context, base string, javascript bool) *Browser {
	t.Helper()
	ctx, cancel := chromedp.NewContext(chromium, chromedp.WithNewBrowserContext())
	t.Cleanup(cancel)
	b := &Browser{T: t, Ctx: ctx, base: base}
	if err := chromedp.Listen(ctx, b.listen); err != nil {
		t.Fatal(err)
	}
	b.Run("a phone", chromedp.EmulateViewport(390, 844, chromedp.EmulateScale(2)),
		chromedp.Func(func(ctx context.Context, tab *chromedp.Target) error {
			if _, err := cdp.Call(ctx, tab, log.Enable, cdp.Empty{}); err != nil {
				return err
			}
			_, err := cdp.Call(ctx, tab, emulation.SetScriptExecutionDisabled,
				emulation.SetScriptExecutionDisabledParams{Value: !javascript})
			return err
		}))
	t.Cleanup(func() {
		b.mu.Lock()
		defer b.mu.Unlock()
		for _, p := range b.problems {
			t.Errorf("console: %s", p)
		}
	})
	return b
}

func (b *Browser) listen(event any) {
	b.mu.Lock()
	defer b.mu.Unlock()
	switch e := event.(type) {
	case *log.EventEntryAdded:
		// A form that comes back with 422 is logged as a failed resource.
		if e.Entry.Level == log.EntryLevelError && e.Entry.Source != log.EntrySourceNetwork {
			b.problems = append(b.problems, e.Entry.Text)
		}
	case *runtime.EventExceptionThrown:
		b.problems = append(b.problems, e.ExceptionDetails.Text)
	}
}

type step = chromedp.Action[chromedp.Void]

// browserPatience limits each wait for the browser, so that no test hangs.
const browserPatience = time.Minute

// Run carries out steps in the browser. The description appears in failures.
func (b *Browser) Run(what string, steps ...step) {
	b.T.Helper()
	if chromedp.FromContext(b.Ctx).Target == nil { // the context of the first use determines the lifetime of the tab
		if err := chromedp.Do(b.Ctx); err != nil {
			b.T.Fatal(err)
		}
	}
	ctx, cancel := context.WithTimeout(b.Ctx, browserPatience)
	defer cancel()
	if err := chromedp.Do(ctx, steps...); err != nil {
		page, _ := chromedp.Run(b.Ctx, chromedp.Evaluate[string](`location.href + "\n" + document.body.innerText`))
		b.T.Fatalf("%s: %v\nat %s", what, err, page)
	}
}

func (b *Browser) Open(path string) {
	b.T.Helper()
	b.Run("open "+path, chromedp.Navigate(b.base+path), chromedp.WaitReady(chromedp.CSS("main")))
}

// Press activates a button or link by the keyboard, because a mouse click can miss it while the page scrolls or grows.
func Press(selector string) step { return chromedp.SendKeys(chromedp.CSS(selector), "\r") }

// Submit fills in fields, presses a button or link and waits for the next page.
func (b *Browser) Submit(button string, fields ...string) {
	b.T.Helper()
	b.Fill(fields...)
	ctx, cancel := context.WithTimeout(b.Ctx, browserPatience)
	defer cancel()
	if _, err := chromedp.RunResponse(ctx, Press(button)); err != nil {
		b.T.Fatalf("send %s: %v", button, err)
	}
	b.Run("answer", chromedp.WaitReady(chromedp.CSS("main")))
}

// Fill fills in fields, given as pairs of selectors and texts.
func (b *Browser) Fill(fields ...string) {
	b.T.Helper()
	for i := 0; i < len(fields); i += 2 {
		b.Value(fmt.Sprintf("document.querySelector(%q).value = ''", fields[i]))
		b.Run("fill in "+fields[i], chromedp.SendKeys(chromedp.CSS(fields[i]), fields[i+1]))
	}
}

func (b *Browser) Value(expression string) string {
	b.T.Helper()
	ctx, cancel := context.WithTimeout(b.Ctx, browserPatience)
	defer cancel()
	value, err := chromedp.Run(ctx, chromedp.Evaluate[string](fmt.Sprintf("String(%s)", expression)))
	if err != nil {
		b.T.Fatalf("%s: %v", expression, err)
	}
	return value
}

// Text returns the text of the page. It is empty while the page reloads.
func (b *Browser) Text() string {
	b.T.Helper()
	return strings.Join(strings.Fields(b.Value("document.querySelector('main')?.innerText ?? ''")), " ")
}

// Shows opens a page again and again until it contains all texts.
func (b *Browser) Shows(path string, texts ...string) {
	b.T.Helper()
	Eventually(b.T, fmt.Sprintf("%s shows %q", path, texts), func() bool {
		b.Open(path)
		text := b.Text()
		for _, want := range texts {
			if !strings.Contains(text, want) {
				return false
			}
		}
		return true
	})
}

func (b *Browser) SignUp(username string) {
	b.T.Helper()
	b.Open("/")
	b.Submit(`a[href^="/signup"]`)
	b.Submit(`form[action^="/signup"] button`,
		`input[name=username]`, username, `input[name=password]`, "correct horse")
	if !strings.Contains(b.Value("document.querySelector('header').textContent"), "@"+username) {
		b.T.Fatalf("%s is not signed in: %s", username, b.Text())
	}
}

func (b *Browser) LogIn(username string) {
	b.T.Helper()
	b.Open("/login")
	b.Submit(`form[action^="/login"] button`, `input[name=username]`, username, `input[name=password]`, "correct horse")
	if !strings.Contains(b.Value("document.querySelector('header').textContent"), "@"+username) {
		b.T.Fatalf("%s is not signed in: %s", username, b.Text())
	}
}
