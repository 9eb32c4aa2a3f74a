package cli

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

// chromium finds a browser. Without one, browser tests skip; in CI they fail.
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

// browser is one person's browser: a profile of its own in a shared Chromium.
type browser struct {
	t    *testing.T
	ctx  context.Context
	base string

	mu       sync.Mutex
	problems []string // errors and violations the console showed
}

// newChromium starts Chromium with nothing that talks to the outside.
func newChromium(t *testing.T) context.Context {
	t.Helper()
	allocator, cancel := chromedp.NewExecAllocator(context.WithoutCancel(t.Context()), append(chromedp.DefaultExecAllocatorOptions[:],
		chromedp.ExecPath(chromium(t)), chromedp.NoSandbox, chromedp.DisableGPU,
		chromedp.Flag("disable-background-networking", true), chromedp.Flag("disable-component-update", true),
		chromedp.Flag("disable-sync", true), chromedp.Flag("disable-quic", true))...)
	t.Cleanup(cancel)
	ctx, cancel := chromedp.NewContext(allocator)
	t.Cleanup(cancel)
	if err := chromedp.Do(ctx); err != nil {
		t.Fatalf("Chromium does not start: %v", err)
	}
	return ctx
}

func newBrowser(t *testing.T, chromium context.Context, base string, javascript bool) *browser {
	t.Helper()
	ctx, cancel := chromedp.NewContext(chromium, chromedp.WithNewBrowserContext())
	t.Cleanup(cancel)
	b := &browser{t: t, ctx: ctx, base: base}
	if err := chromedp.Listen(ctx, b.listen); err != nil {
		t.Fatal(err)
	}
	b.run("a phone", chromedp.EmulateViewport(390, 844, chromedp.EmulateScale(2)),
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

func (b *browser) listen(event any) {
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

// browserPatience bounds each wait for the browser. It only keeps a test from hanging.
const browserPatience = time.Minute

// run does something in the browser.
func (b *browser) run(what string, steps ...step) {
	b.t.Helper()
	if chromedp.FromContext(b.ctx).Target == nil { // the first use lives as long as the tab
		if err := chromedp.Do(b.ctx); err != nil {
			b.t.Fatal(err)
		}
	}
	ctx, cancel := context.WithTimeout(b.ctx, browserPatience)
	defer cancel()
	if err := chromedp.Do(ctx, steps...); err != nil {
		page, _ := chromedp.Run(b.ctx, chromedp.Evaluate[string](`location.href + "\n" + document.body.innerText`))
		b.t.Fatalf("%s: %v\nat %s", what, err, page)
	}
}

func (b *browser) open(path string) {
	b.t.Helper()
	b.run("open "+path, chromedp.Navigate(b.base+path), chromedp.WaitReady(chromedp.CSS("main")))
}

// press activates a button or link by the keyboard: a mouse would miss it while
// the page still scrolls or grows.
func press(selector string) step { return chromedp.SendKeys(chromedp.CSS(selector), "\r") }

// submit fills in fields, presses a button or link and waits for the page that
// answers.
func (b *browser) submit(button string, fields ...string) {
	b.t.Helper()
	for i := 0; i < len(fields); i += 2 {
		b.value(fmt.Sprintf("document.querySelector(%q).value = ''", fields[i]))
		b.run("fill in "+fields[i], chromedp.SendKeys(chromedp.CSS(fields[i]), fields[i+1]))
	}
	ctx, cancel := context.WithTimeout(b.ctx, browserPatience)
	defer cancel()
	if _, err := chromedp.RunResponse(ctx, press(button)); err != nil {
		b.t.Fatalf("send %s: %v", button, err)
	}
	b.run("answer", chromedp.WaitReady(chromedp.CSS("main")))
}

func (b *browser) value(expression string) string {
	b.t.Helper()
	ctx, cancel := context.WithTimeout(b.ctx, browserPatience)
	defer cancel()
	value, err := chromedp.Run(ctx, chromedp.Evaluate[string](fmt.Sprintf("String(%s)", expression)))
	if err != nil {
		b.t.Fatalf("%s: %v", expression, err)
	}
	return value
}

// text is the page's text, empty while a page that loads itself again is on its way.
func (b *browser) text() string {
	b.t.Helper()
	return strings.Join(strings.Fields(b.value("document.querySelector('main')?.innerText ?? ''")), " ")
}

// shows waits until a page, opened again and again, has all the texts.
func (b *browser) shows(path string, texts ...string) {
	b.t.Helper()
	eventually(b.t, fmt.Sprintf("%s shows %q", path, texts), func() bool {
		b.open(path)
		text := b.text()
		for _, want := range texts {
			if !strings.Contains(text, want) {
				return false
			}
		}
		return true
	})
}

func (b *browser) signUp(username string) {
	b.t.Helper()
	b.open("/")
	b.submit(`a[href^="/signup"]`)
	b.submit(`form[action^="/signup"] button`,
		`input[name=username]`, username, `input[name=password]`, "correct horse")
	if !strings.Contains(b.value("document.querySelector('header').innerText"), "@"+username) {
		b.t.Fatalf("%s is not signed in: %s", username, b.text())
	}
}

func TestTheStoryInABrowser(t *testing.T) {
	chromium := newChromium(t)
	for name, javascript := range map[string]bool{"with JavaScript": true, "without JavaScript": false} {
		t.Run(name, func(t *testing.T) {
			base := blog(t)
			ada := newBrowser(t, chromium, base, javascript)
			bob := newBrowser(t, chromium, base, javascript)

			ada.signUp("ada")
			ada.open("/new")
			ada.submit(`form[action="/posts"] button[value=publish]`, `input[name=title]`, "A day at the sea",
				`textarea[name=content]`, "It was *windy*.\n\n- gulls\n- sand")
			post := ada.value("location.pathname")
			if got := ada.text(); !strings.Contains(got, "A day at the sea") || !strings.Contains(got, "gulls") {
				t.Fatalf("the post: %s", got)
			}

			bob.signUp("bob")
			bob.open(post)
			bob.value("window.mark = 'same page'")
			if javascript {
				bob.run("comment by htmx", chromedp.SendKeys(chromedp.CSS("textarea[name=content]"), "I was there **too**."),
					press(`form[action$="/comments"] button`),
					chromedp.WaitVisible(chromedp.CSS(`li[id^="comment-"] strong`)))
				bob.run("like by htmx", press(`form[action$="/like"] button`),
					chromedp.WaitVisible(chromedp.CSS(`form[action$="/unlike"]`)))
				if bob.value("window.mark") != "same page" {
					t.Error("the page was loaded anew")
				}
			} else {
				bob.submit(`form[action$="/comments"] button`, "textarea[name=content]", "I was there **too**.")
				if hash := bob.value("location.hash"); !strings.HasPrefix(hash, "#comment-") {
					t.Errorf("after commenting at %q", hash)
				}
				bob.submit(`form[action$="/like"] button`)
			}
			if got := bob.text(); !strings.Contains(got, "1 comment") || !strings.Contains(got, "I was there too.") ||
				!strings.Contains(got, "1 like") && !strings.Contains(got, "Liked by you") {
				t.Errorf("after commenting and liking: %s", got)
			}

			bob.shows("/", "A day at the sea", "1 comment", "1 like", "It was windy.")
			bob.shows("/@ada", "A day at the sea", "1 comment", "1 like")

			for who, renamed := range map[*browser]string{ada: "lovelace", bob: "robert"} {
				who.open("/settings")
				who.submit(`form[action="/settings/username"] button`, `input[name=username]`, renamed)
			}
			bob.shows("/", "A day at the sea", "@lovelace")
			bob.shows(post, "@lovelace", "@robert")
			bob.shows(post[:strings.LastIndex(post, "/")]+"/likes", "@robert")
			bob.shows("/@lovelace", "A day at the sea")

			if javascript {
				bob.open(post)
				bob.run("take the like back", press(`form[action$="/unlike"] button`),
					chromedp.WaitVisible(chromedp.CSS(`form[action$="/like"]`)))
			} else {
				bob.open(post)
				bob.submit(`form[action$="/unlike"] button`)
			}
			if got := bob.text(); strings.Contains(got, "1 like") {
				t.Errorf("after taking the like back: %s", got)
			}
			if wide := bob.value("document.documentElement.scrollWidth > document.documentElement.clientWidth"); wide != "false" {
				t.Error("the post's page scrolls sideways on a phone")
			}
		})
	}
}

func TestAFormThatFailsComesBackInTheBrowser(t *testing.T) {
	b := newBrowser(t, newChromium(t), blog(t), true)
	b.signUp("ada")
	b.open("/settings")
	b.submit(`form[action="/settings/username"] button`, `input[name=username]`, "not_")
	if got := b.value(`document.querySelector('input[name=username]').value`); got != "not_" {
		t.Errorf("the field says %q", got)
	}
	if got := b.value(`document.querySelector('input[name=username]').getAttribute('aria-invalid')`); got != "true" {
		t.Errorf("aria-invalid is %q", got)
	}
}
