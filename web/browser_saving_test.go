package web_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
)

const saved = `/^Saved (just now|\d+ seconds? ago)$/.test(document.querySelector('#saved').textContent.trim())`

func draftID(b *tab) string {
	b.t.Helper()
	return b.eval(`document.querySelector('[name=post]').value`)
}

// stopClock stops the clock and the timers of the page's scripts. Only pass advances them.
func stopClock(b *tab) {
	b.t.Helper()
	b.eval(`(() => {
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
func pass(b *tab, milliseconds int) {
	b.t.Helper()
	b.eval(fmt.Sprintf("window.pass(%d)", milliseconds))
}

// saves advances the stopped clock of a page until the draft is saved.
func saves(b *tab) {
	b.t.Helper()
	b.eventually("window.pass(1000) ?? " + saved)
}

// How long editor.js waits, in milliseconds: after the last key, and after the first unsaved one.
const (
	editorIdle    = 2_000
	editorLongest = 10_000
)

func TestADraftIsSavedAsOneTypes(t *testing.T) {
	ctx := browser(t)
	w := newWorld(t)
	b := newTab(t, ctx, serve(t, w.handler))
	b.as(w.ada)
	b.Open("/new")
	b.eventually(`document.querySelector('#tags').role === 'combobox'`) // the script is there
	stopClock(b)
	id := draftID(b)
	status := func() string { return b.eval(`document.querySelector('#saved').textContent.trim()`) }
	version := func() string { return b.eval(`document.querySelector('[name=version]').value`) }
	if got := status(); got != "" {
		t.Errorf("before anything is typed it says %q", got)
	}
	b.typing("#title", "A walk")
	b.says("#saved", "Unsaved changes")
	pass(b, editorIdle)
	b.eventually(saved)
	d, there := draft(w.ada, id)
	if !there || d.Title != "A walk" || d.Version != 1 {
		t.Fatalf("the draft is %+v", d)
	}
	if got := b.eval(`location.pathname`); got != "/posts/"+id+"/edit" {
		t.Errorf("the address is %s", got)
	}
	t.Run("what it says stays true", func(t *testing.T) {
		pass(b, 3_000)
		b.eventually(`document.querySelector('#saved').textContent.trim() === 'Saved 3 seconds ago'`)
		b.typing("#title", "!")
		b.eventually(`document.querySelector('#saved').textContent.trim() === 'Unsaved changes'`)
		pass(b, editorIdle)
		b.eventually(`document.querySelector('#saved').textContent.trim() === 'Saved just now'`)
		if got := b.eval(`document.querySelector('#saved-status').textContent`); got != "" {
			t.Errorf("it is read out: %q", got)
		}
	})
	t.Run("at once when the field is left, and by a key", func(t *testing.T) {
		b.typing("#content", "one")
		b.eval(`document.querySelector('#content').blur()`)
		b.eventually(`document.querySelector('[name=version]').value === '3'`)
		b.typing("#content", " two")
		b.key("s", chromedp.KeyModifiers(chromedp.ModifierCtrl))
		b.eventually(`document.querySelector('[name=version]').value === '4'`)
		b.says("#saved-status", "Saved.")
	})
	t.Run("continuous typing is saved after ten seconds", func(t *testing.T) {
		const pause = editorIdle - 100
		for waited := 0; waited < editorLongest; waited += pause {
			if got := version(); got != "4" {
				t.Fatalf("after %d ms of typing version %s is saved", waited, got)
			}
			b.typing("#content", ".")
			pass(b, min(pause, editorLongest-waited))
		}
		b.eventually(`document.querySelector('[name=version]').value === '5'`)
	})
	t.Run("and before the page is left", func(t *testing.T) {
		b.typing("#content", " the end")
		b.Open("/")
		awaiting(t, "the draft has the last words", func() bool {
			d, _ := draft(w.ada, id)
			return strings.HasSuffix(d.Content, " the end")
		})
		b.Open("/posts/" + id + "/edit")
		b.eventually(`document.querySelector('#content').value.endsWith(' the end')`)
		b.eventually(`document.querySelector('.recovered') === null && localStorage.length === 0`) // it is no news
	})
	b.quiet()
}

func TestTypingGoesOnWhileTheServerCannotBeReached(t *testing.T) {
	ctx := browser(t)
	w := newWorld(t)
	l, base := newLine(t, w.handler)
	b := newTab(t, ctx, base)
	b.as(w.ada)
	b.Open("/new")
	b.eventually(`document.querySelector('#tags').role === 'combobox'`)
	stopClock(b)
	id := draftID(b)
	l.cutOff("/drafts/")
	b.typing("#title", "Precious")
	pass(b, editorIdle)
	b.says("#saved", "Not saved: can't reach the server. We kept a copy in this browser.")
	b.says("#saved-status", "Not saved")
	b.typing("#content", "words")
	b.eventually(`JSON.parse(localStorage.getItem('inkfeed.draft.` + id + `'))?.content === 'words'`)

	t.Run("and is saved when it is back", func(t *testing.T) {
		l.mend()
		saves(b)
		b.eventually(`localStorage.length === 0`)
		if d, _ := draft(w.ada, id); text(d) != "Precious|words|" {
			t.Errorf("the draft is %q", text(d))
		}
	})
	t.Run("a saving whose answer was lost is no conflict", func(t *testing.T) {
		l.lose.Store(1)
		b.typing("#content", " lost")
		pass(b, editorIdle)
		awaiting(t, "an answer is lost", func() bool { return l.lose.Load() < 0 })
		b.typing("#content", " and found")
		saves(b)
		if d, _ := draft(w.ada, id); d.Content != "words lost and found" {
			t.Errorf("the draft is %q", text(d))
		}
	})
	t.Run("what never got there is offered on the next visit", func(t *testing.T) {
		l.cutOff("/drafts/")
		b.typing("#content", ", once more")
		b.says("#saved", "Unsaved changes")
		b.Open("/")
		b.Open("/posts/" + id + "/edit")
		b.says(".recovered", "found unsaved changes")
		b.eventually(`/just now|\d+ seconds? ago/.test(document.querySelector('.recovered .age').textContent)`)
		if got := b.eval(`document.querySelector('#content').value`); got != "words lost and found" {
			t.Errorf("the form holds %q before that is asked for", got)
		}
		l.mend()
		b.click(`.recovered [data-do="restore"]`)
		b.eventually(`document.querySelector('#content').value === 'words lost and found, once more'`)
		b.eventually(saved + ` && localStorage.length === 0`)
	})
	t.Run("a new post, too, and only to whom it belongs", func(t *testing.T) {
		l.cutOff("/drafts/")
		b.Open("/new")
		b.eventually(`document.querySelector('#tags').role === 'combobox'`)
		b.typing("#content", "never sent")
		b.says("#saved", "Not saved")
		lost := draftID(b)
		l.mend()
		l.cutOff("/drafts/" + lost) // the last word of the page that is left
		b.as(w.ben)
		b.Open("/new")
		b.eventually(`document.querySelector('#tags').role === 'combobox'`)
		b.as(w.ada)
		if b.eval(`document.querySelector('.recovered') === null`) != "true" {
			t.Error("it is offered to somebody else")
		}
		b.Open("/new")
		b.says(".recovered", "found unsaved changes")
		l.mend()
		b.click(`.recovered [data-do="restore"]`)
		b.eventually(saved)
		if d, _ := draft(w.ada, lost); d.Content != "never sent" {
			t.Errorf("the draft is %q", text(d))
		}
	})
	t.Run("and goes when it is not wanted", func(t *testing.T) {
		l.cutOff("/drafts/")
		b.typing("#content", " unwanted")
		b.says("#saved", "Not saved")
		at := b.eval("location.pathname")
		b.Open("/")
		l.mend()
		b.Open(at)
		b.click(`.recovered [data-do="discard"]`)
		b.eventually(`document.querySelector('.recovered') === null && localStorage.length === 0`)
		if got := b.eval(`document.querySelector('#content').value`); got != "never sent" {
			t.Errorf("the form holds %q", got)
		}
	})
	b.quiet("ERR_EMPTY_RESPONSE", "ERR_CONNECTION", "404")
}

func TestASessionThatEndsDuringAnEditLosesNothing(t *testing.T) {
	ctx := browser(t)
	w := newWorld(t)
	b := newTab(t, ctx, serve(t, w.handler))
	for name, address := range map[string]string{"of a new post": "/new", "of a post": "/posts/" + w.long.ID + "/edit"} {
		t.Run(name, func(t *testing.T) {
			b.as(w.ada)
			b.Open(address)
			b.eventually(`document.querySelector('#tags').role === 'combobox'`)
			id := draftID(b)
			b.as(nil)
			b.typing("#content", "\n\nprecious words")
			b.says("#saved", "your session has expired")
			b.click(`#saved a[href^="/login"]`)
			b.eventually(`location.pathname === '/login'`)
			b.write("#username", "ada")
			b.write("#password", password)
			b.click("main form button")
			b.eventually(`document.querySelector('#content')?.value.endsWith('precious words')`)
			b.says(".recovered", "before your session expired")
			if draftID(b) != id {
				t.Error("it is another post now")
			}
			b.eventually(saved + ` && localStorage.length === 0`)
			if d, _ := draft(w.ada, id); !strings.HasSuffix(d.Content, "precious words") {
				t.Errorf("the draft is %q", text(d))
			}
		})
	}
	t.Run("a log-in in another tab is enough", func(t *testing.T) {
		b.as(w.ada)
		b.Open("/new")
		b.eventually(`document.querySelector('#tags').role === 'combobox'`)
		b.as(nil)
		b.typing("#title", "Precious")
		b.says("#saved", "your session has expired")
		b.as(w.ada)
		b.eventually(saved)
	})
	b.quiet("401")
}

func TestTwoTabsEditOnePost(t *testing.T) {
	ctx := browser(t)
	w := newWorld(t)
	base := serve(t, w.handler)
	d := w.ada.aDraft("A title", "One two three", "")
	one, two := newTab(t, ctx, base), newTab(t, ctx, base)
	for _, b := range []*tab{one, two} {
		b.as(w.ada)
		b.Open("/posts/" + d.PostID + "/edit")
		b.eventually(`document.querySelector('#tags').role === 'combobox'`)
	}
	one.typing("#content", " four")
	one.eventually(`document.querySelector('[name=version]').value === '2'`)
	two.typing("#content", " five")
	two.says("#saved", "changed in another tab")
	two.eventually(`localStorage.length === 1`)
	two.typing("#content", " six") // which is not saved over the other's
	two.key("s", chromedp.KeyModifiers(chromedp.ModifierCtrl))
	if now, _ := draft(w.ada, d.PostID); now.Content != "One two three four" {
		t.Fatalf("the draft is %q", text(now))
	}
	two.click("#saved button")
	two.eventually(`document.querySelector('h1').textContent === 'This draft has two versions'`)
	two.eventually(`[...document.querySelectorAll('pre ins')].map(e => e.textContent).join() === 'five six'`)
	two.eventually(`[...document.querySelectorAll('pre del')].map(e => e.textContent).join() === 'four'`)
	two.click("button[value=mine]")
	two.eventually(`document.querySelector('#content')?.value === 'One two three five six'`)
	two.eventually(`localStorage.length === 0 && document.querySelector('.recovered') === null`)
	two.typing("#content", " seven")
	two.eventually(saved)
	if now, _ := draft(w.ada, d.PostID); now.Content != "One two three five six seven" {
		t.Errorf("the draft is %q", text(now))
	}
	if aside := aside(w.ada, d.PostID); len(aside) != 1 || aside[0].Content != "One two three four" {
		t.Errorf("set aside is %v", aside)
	}
	one.quiet()
	two.quiet("409", "Autofocus")
}
