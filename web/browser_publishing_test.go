package web_test

import (
	"net/http"
	"strconv"
	"testing"
	"time"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

func TestTagsAreSuggested(t *testing.T) {
	ctx := browser(t)
	w := newWorld(t)
	suggest := http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/suggest/tags" {
			w.handler.ServeHTTP(rw, r)
			return
		}
		rw.Header().Set("Content-Type", "application/json")
		if r.URL.Query().Get("q") == "se" {
			_, _ = rw.Write([]byte(`["sea","seagulls"]`))
		} else {
			_, _ = rw.Write([]byte(`[]`))
		}
	})
	b := newTab(t, ctx, serve(t, suggest))
	b.as(w.ada)
	b.Open("/new")
	b.eventually(`document.querySelector('#tags').role === 'combobox'`)
	b.typing("#tags", "wind, se")
	b.sees("#tag-list li")
	b.eventually(`document.querySelector('#tags').ariaExpanded === 'true'`)
	b.key(kb.ArrowDown)
	b.key(kb.ArrowDown)
	b.eventually(`document.querySelector('#' + document.querySelector('#tags').getAttribute('aria-activedescendant'))?.textContent === 'seagulls'`)
	b.key("\r")
	b.eventually(`document.querySelector('#tags').value === 'wind, seagulls, '`)
	b.eventually(`!document.querySelector('#tag-list').checkVisibility() && document.querySelector('#tags').ariaExpanded === 'false'`)
	b.typing("#tags", "se")
	b.sees("#tag-list li")
	if got := b.eval(`document.querySelector('#tag-list').textContent`); got != "sea" {
		t.Errorf("offered is %s, of which one is there already", got)
	}
	b.click("#tag-list li")
	b.eventually(`document.querySelector('#tags').value === 'wind, seagulls, sea, '`)
	b.quiet()
}

func TestATimeIsInTheZoneOfItsAuthor(t *testing.T) {
	ctx := browser(t)
	w := newWorld(t)
	b := newTab(t, ctx, serve(t, w.handler))
	b.as(w.ada)
	call(b, emulation.SetTimezoneOverride, emulation.SetTimezoneOverrideParams{TimezoneID: "Asia/Kolkata"})
	b.Open("/new")
	b.eventually(`document.querySelector('#zone-name').textContent === 'Asia/Kolkata' || document.querySelector('#zone-name').textContent === 'Asia/Calcutta'`)
	id := draftID(b)
	b.write("#title", "T")
	b.write("#content", "text")
	b.click("details:has(#publishDate) summary")
	year := strconv.Itoa(time.Now().Year() + 1)
	b.eval(`document.querySelector('#publishDate').value = '` + year + `-07-01T10:30'`)
	b.click("button[value=schedule]")
	b.says(".done", "scheduled")
	if d, _ := draft(w.ada, id); d.Publish.UTC().Format(time.RFC3339) != year+"-07-01T05:00:00Z" {
		t.Errorf("it publishes itself at %s", d.Publish)
	}
	b.says(".post-status time", "1 July "+year)
	b.says(".post-status time", "10:30")
	if got := b.eval(`document.querySelector('#publishDate').value`); got != year+"-07-01T10:30" {
		t.Errorf("the form holds %s", got)
	}
	b.quiet()
}

func TestWritingWithoutJavaScript(t *testing.T) {
	ctx := browser(t)
	w := newWorld(t)
	b := newTab(t, ctx, serve(t, w.handler))
	b.as(w.ada)
	call(b, emulation.SetScriptExecutionDisabled, emulation.SetScriptExecutionDisabledParams{Value: true})
	b.Open("/new")
	b.sees("#preview")
	for _, hidden := range []string{".tabs", "#tools", "#reading"} {
		if b.eval(`document.querySelector('`+hidden+`').checkVisibility()`) != "false" {
			t.Errorf("%s is of no use", hidden)
		}
	}
	b.do(chromedp.SendKeys(chromedp.CSS("#title"), "A plain title"))
	b.do(chromedp.SendKeys(chromedp.CSS("#content"), "Some *text*"))
	b.click("#preview")
	b.sees(".previewed .prose em")
	b.do(chromedp.SendKeys(chromedp.CSS("#title"), "\r")) // saves
	b.says(".done", "Draft saved")
	b.click("#publish-now")
	b.eventually(`document.querySelector('.post h1')?.textContent === 'A plain title'`)
	b.quiet("Autofocus")
}
