package writing_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"

	"inkfeed/web/webtest"
)

// saved is an expression that tells whether the editor reports the draft as saved.
const saved = `/^Saved (just now|\d+ seconds? ago)$/.test(document.querySelector('#saved').textContent.trim())`

func draftID(b *webtest.Tab) string {
	b.T.Helper()
	return b.Eval(`document.querySelector('[name=post]').value`)
}

// stopClock stops the clock and the timers of the page's scripts. Only pass advances them.
func stopClock(b *webtest.Tab) {
	b.T.Helper()
	b.Eval(`(() => {
		const begin = performance.now(), clear = clearTimeout;
		let passed = 0, last = 0, timers = new Map();
		performance.now = () => begin + passed;
		setTimeout = (run, ms = 0) => { timers.set(--last, { run, at: passed + ms }); return last; };
		clearTimeout = (id) => { if (!timers.delete(id)) clear(id); };
		window.pass = (ms) => {
			passed += ms;
			for (const [id, timer] of timers) {
				if (timer.at <= passed && timers.delete(id)) timer.run();
			}
		};
	})()`)
}

// pass advances the stopped clock of a page by milliseconds.
func pass(b *webtest.Tab, milliseconds int) {
	b.T.Helper()
	b.Eval(fmt.Sprintf("window.pass(%d)", milliseconds))
}

// saves advances the stopped clock of a page until the draft is saved.
func saves(b *webtest.Tab) {
	b.T.Helper()
	b.WaitUntil("window.pass(1000) ?? " + saved)
}

// Delays of editor.js in milliseconds: after the last key, and after the first unsaved one.
const (
	editorIdle    = 2_000
	editorLongest = 10_000
)

func TestADraftIsSavedDuringTyping(t *testing.T) {
	w, b := webtest.OpenWorld(t)
	b.SignInAs(w.Ada)
	b.Open("/new")
	b.WaitUntil(`document.querySelector('#tags').role === 'combobox'`) // the script has run
	stopClock(b)
	id := draftID(b)
	status := func() string { return b.Eval(`document.querySelector('#saved').textContent.trim()`) }
	version := func() string { return b.Eval(`document.querySelector('[name=version]').value`) }
	if got := status(); got != "" {
		t.Errorf("before typing, the status is %q", got)
	}
	b.Type("#title", "A walk")
	b.WaitForText("#saved", "Unsaved changes")
	pass(b, editorIdle)
	b.WaitUntil(saved)
	d, there := draft(w.Ada, id)
	if !there || d.Title != "A walk" || d.Version != 1 {
		t.Fatalf("the draft is %+v", d)
	}
	if got := b.Eval(`location.pathname`); got != "/posts/"+id+"/edit" {
		t.Errorf("the address is %s", got)
	}
	t.Run("the status keeps up with the time", func(t *testing.T) {
		pass(b, 3_000)
		b.WaitUntil(`document.querySelector('#saved').textContent.trim() === 'Saved 3 seconds ago'`)
		b.Type("#title", "!")
		b.WaitUntil(`document.querySelector('#saved').textContent.trim() === 'Unsaved changes'`)
		pass(b, editorIdle)
		b.WaitUntil(`document.querySelector('#saved').textContent.trim() === 'Saved just now'`)
		if got := b.Eval(`document.querySelector('#saved-status').textContent`); got != "" {
			t.Errorf("the status is announced: %q", got)
		}
	})
	t.Run("at once when a field loses the focus, and by Ctrl+S", func(t *testing.T) {
		b.Type("#content", "one")
		b.Eval(`document.querySelector('#content').blur()`)
		b.WaitUntil(`document.querySelector('[name=version]').value === '3'`)
		b.Type("#content", " two")
		b.PressKey("s", chromedp.KeyModifiers(chromedp.ModifierCtrl))
		b.WaitUntil(`document.querySelector('[name=version]').value === '4'`)
		b.WaitForText("#saved-status", "Saved.")
	})
	t.Run("after ten seconds of continuous typing", func(t *testing.T) {
		const pause = editorIdle - 100
		for waited := 0; waited < editorLongest; waited += pause {
			if got := version(); got != "4" {
				t.Fatalf("after %d ms of typing, version %s is saved", waited, got)
			}
			b.Type("#content", ".")
			pass(b, min(pause, editorLongest-waited))
		}
		b.WaitUntil(`document.querySelector('[name=version]').value === '5'`)
	})
	t.Run("before the page is left", func(t *testing.T) {
		b.Type("#content", " the end")
		b.Open("/")
		webtest.WaitFor(t, "the draft has the last words", func() bool {
			d, _ := draft(w.Ada, id)
			return strings.HasSuffix(d.Content, " the end")
		})
		b.Open("/posts/" + id + "/edit")
		b.WaitUntil(`document.querySelector('#content').value.endsWith(' the end')`)
		b.WaitUntil(`document.querySelector('.recovered') === null && localStorage.length === 0`) // nothing to recover
	})
	b.WantQuietConsole()
}

func TestTextIsKeptWhileTheServerIsUnreachable(t *testing.T) {
	ctx := webtest.Browser(t)
	w := webtest.NewWorld(t)
	l, base := webtest.NewUnreliableServer(t, w.Handler)
	b := webtest.NewTab(t, ctx, base)
	b.SignInAs(w.Ada)
	b.Open("/new")
	b.WaitUntil(`document.querySelector('#tags').role === 'combobox'`)
	stopClock(b)
	id := draftID(b)
	l.CutOff("/drafts/")
	b.Type("#title", "Precious")
	pass(b, editorIdle)
	b.WaitForText("#saved", "Not saved: can't reach the server. We kept a copy in this browser.")
	b.WaitForText("#saved-status", "Not saved")
	b.Type("#content", "words")
	b.WaitUntil(`Object.values(localStorage).some((e) => JSON.parse(e).content === 'words')`)

	t.Run("and saved when the server is reachable again", func(t *testing.T) {
		l.Restore()
		saves(b)
		b.WaitUntil(`localStorage.length === 0`)
		if d, _ := draft(w.Ada, id); text(d) != "Precious|words|" {
			t.Errorf("the draft is %q", text(d))
		}
	})
	t.Run("without a conflict after a lost response", func(t *testing.T) {
		l.Lose.Store(1)
		b.Type("#content", " lost")
		pass(b, editorIdle)
		webtest.WaitFor(t, "a response is lost", func() bool { return l.Lose.Load() < 0 })
		b.Type("#content", " and found")
		saves(b)
		if d, _ := draft(w.Ada, id); d.Content != "words lost and found" {
			t.Errorf("the draft is %q", text(d))
		}
	})
	t.Run("and offered on the next visit", func(t *testing.T) {
		l.CutOff("/drafts/")
		b.Type("#content", ", once more")
		b.WaitForText("#saved", "Unsaved changes")
		b.Open("/")
		b.Open("/posts/" + id + "/edit")
		b.WaitForText(".recovered", "found unsaved changes")
		b.WaitUntil(`/just now|\d+ seconds? ago/.test(document.querySelector('.recovered .age').textContent)`)
		if got := b.Eval(`document.querySelector('#content').value`); got != "words lost and found" {
			t.Errorf("before restoring, the form has %q", got)
		}
		l.Restore()
		b.Click(`.recovered [data-do="restore"]`)
		b.WaitUntil(`document.querySelector('#content').value === 'words lost and found, once more'`)
		b.WaitUntil(saved + ` && localStorage.length === 0`)
	})
	t.Run("for its author only, also in a new post", func(t *testing.T) {
		l.CutOff("/drafts/")
		b.Open("/new")
		b.WaitUntil(`document.querySelector('#tags').role === 'combobox'`)
		b.Type("#content", "never sent")
		b.WaitForText("#saved", "Not saved")
		lost := draftID(b)
		l.Restore()
		l.CutOff("/drafts/" + lost) // the request that the page sends when it is left
		b.SignInAs(w.Ben)
		b.Open("/new")
		b.WaitUntil(`document.querySelector('#tags').role === 'combobox'`)
		b.SignInAs(w.Ada)
		if b.Eval(`document.querySelector('.recovered') === null`) != "true" {
			t.Error("the text is offered to another user")
		}
		b.Open("/new")
		b.WaitForText(".recovered", "found unsaved changes")
		l.Restore()
		b.Click(`.recovered [data-do="restore"]`)
		b.WaitUntil(saved)
		if d, _ := draft(w.Ada, lost); d.Content != "never sent" {
			t.Errorf("the draft is %q", text(d))
		}
	})
	t.Run("until the author discards it", func(t *testing.T) {
		l.CutOff("/drafts/")
		b.Type("#content", " unwanted")
		b.WaitForText("#saved", "Not saved")
		at := b.Eval("location.pathname")
		b.Open("/")
		b.Open(at)
		l.Restore() // not earlier: the request that the page sends when it is left must not arrive
		b.Click(`.recovered [data-do="discard"]`)
		b.WaitUntil(`document.querySelector('.recovered') === null && localStorage.length === 0`)
		if got := b.Eval(`document.querySelector('#content').value`); got != "never sent" {
			t.Errorf("the form has %q", got)
		}
	})
	b.WantQuietConsole("ERR_EMPTY_RESPONSE", "ERR_CONNECTION", "404")
}

func TestAnExpiredSessionLosesNoText(t *testing.T) {
	w, b := webtest.OpenWorld(t)
	for name, address := range map[string]string{
		"of a new post": "/new",
		"of a post":     "/posts/" + w.Long.ID + "/edit",
	} {
		t.Run(name, func(t *testing.T) {
			b.SignInAs(w.Ada)
			b.Open(address)
			b.WaitUntil(`document.querySelector('#tags').role === 'combobox'`)
			id := draftID(b)
			b.SignInAs(nil)
			b.Type("#content", "\n\nprecious words")
			b.WaitForText("#saved", "your session has expired")
			b.Click(`#saved a[href^="/login"]`)
			b.WaitUntil(`location.pathname === '/login'`)
			b.SetValue("#username", "ada")
			b.SetValue("#password", webtest.Password)
			b.Click("main form button")
			b.WaitUntil(`document.querySelector('#content')?.value.endsWith('precious words')`)
			b.WaitForText(".recovered", "before your session expired")
			if draftID(b) != id {
				t.Error("the editor has another post")
			}
			b.WaitUntil(saved + ` && localStorage.length === 0`)
			if d, _ := draft(w.Ada, id); !strings.HasSuffix(d.Content, "precious words") {
				t.Errorf("the draft is %q", text(d))
			}
		})
	}
	t.Run("a log-in in another tab suffices", func(t *testing.T) {
		b.SignInAs(w.Ada)
		b.Open("/new")
		b.WaitUntil(`document.querySelector('#tags').role === 'combobox'`)
		b.SignInAs(nil)
		b.Type("#title", "Precious")
		b.WaitForText("#saved", "your session has expired")
		b.SignInAs(w.Ada)
		b.WaitUntil(saved)
	})
	b.WantQuietConsole("401")
}

func TestConflictsBetweenTabsKeepBothVersions(t *testing.T) {
	ctx := webtest.Browser(t)
	w := webtest.NewWorld(t)
	base := webtest.Listen(t, w.Handler)
	d := w.Ada.CreateDraft("A title", "One two three", "")
	one, two := webtest.NewTab(t, ctx, base), webtest.NewTab(t, ctx, base)
	for _, b := range []*webtest.Tab{one, two} {
		b.SignInAs(w.Ada)
		b.Open("/posts/" + d.PostID + "/edit")
		b.WaitUntil(`document.querySelector('#tags').role === 'combobox'`)
	}
	one.Type("#content", " four")
	one.WaitUntil(`document.querySelector('[name=version]').value === '2'`)
	two.Type("#content", " five")
	two.WaitForText("#saved", "changed in another tab")
	two.WaitUntil(`localStorage.length === 1`)
	two.Type("#content", " six") // this must not overwrite the text of the first tab
	two.PressKey("s", chromedp.KeyModifiers(chromedp.ModifierCtrl))
	if now, _ := draft(w.Ada, d.PostID); now.Content != "One two three four" {
		t.Fatalf("the draft is %q", text(now))
	}
	two.Click("#saved button")
	two.WaitUntil(`document.querySelector('h1').textContent === 'This draft has two versions'`)
	two.WaitUntil(`[...document.querySelectorAll('pre ins')].map(e => e.textContent).join() === 'five six'`)
	two.WaitUntil(`[...document.querySelectorAll('pre del')].map(e => e.textContent).join() === 'four'`)
	two.Click("button[value=mine]")
	two.WaitUntil(`document.querySelector('#content')?.value === 'One two three five six'`)
	two.WaitUntil(`localStorage.length === 0 && document.querySelector('.recovered') === null`)
	two.Type("#content", " seven")
	two.WaitUntil(saved)
	if now, _ := draft(w.Ada, d.PostID); now.Content != "One two three five six seven" {
		t.Errorf("the draft is %q", text(now))
	}
	if aside := aside(w.Ada, d.PostID); len(aside) != 1 || aside[0].Content != "One two three four" {
		t.Errorf("the drafts with the other version are %v", aside)
	}
	one.WantQuietConsole()
	two.WantQuietConsole("409", "Autofocus")
}
