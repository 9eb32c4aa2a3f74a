package writing_test

import (
	"net/http"
	"strconv"
	"testing"
	"time"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"inkfeed/web/webtest"
)

func TestTagsAreCompleted(t *testing.T) {
	ctx := webtest.Browser(t)
	w := webtest.NewWorld(t)
	suggest := http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/suggest/tags" {
			w.Handler.ServeHTTP(rw, r)
			return
		}
		rw.Header().Set("Content-Type", "application/json")
		if r.URL.Query().Get("q") == "se" {
			_, _ = rw.Write([]byte(`["sea","seagulls"]`))
		} else {
			_, _ = rw.Write([]byte(`[]`))
		}
	})
	b := webtest.NewTab(t, ctx, webtest.Listen(t, suggest))
	b.SignInAs(w.Ada)
	b.Open("/new")
	b.WaitUntil(`document.querySelector('#tags').role === 'combobox'`)
	openPublishing(b)
	b.Type("#tags", "wind, se")
	b.WaitVisible("#tag-list li")
	b.WaitUntil(`document.querySelector('#tags').ariaExpanded === 'true'`)
	b.PressKey(kb.ArrowDown)
	b.PressKey(kb.ArrowDown)
	b.WaitUntil(`document.querySelector('#' + document.querySelector('#tags').getAttribute('aria-activedescendant'))
		?.textContent === 'seagulls'`)
	b.PressKey("\r")
	b.WaitUntil(`document.querySelector('#tags').value === 'wind, seagulls, '`)
	b.WaitUntil(`!document.querySelector('#tag-list').checkVisibility() &&
		document.querySelector('#tags').ariaExpanded === 'false'`)
	b.Type("#tags", "se")
	b.WaitVisible("#tag-list li")
	if got := b.Eval(`document.querySelector('#tag-list').textContent`); got != "sea" {
		t.Errorf("the suggestions are %s, but one of them is a tag already", got)
	}
	b.Click("#tag-list li")
	b.WaitUntil(`document.querySelector('#tags').value === 'wind, seagulls, sea, '`)
	b.WantQuietConsole()
}

func TestATimeIsInTheZoneOfItsAuthor(t *testing.T) {
	w, b := webtest.OpenWorld(t)
	b.SignInAs(w.Ada)
	webtest.Call(b, emulation.SetTimezoneOverride, emulation.SetTimezoneOverrideParams{TimezoneID: "Asia/Kolkata"})
	b.Open("/new")
	b.WaitUntil(`['Asia/Kolkata', 'Asia/Calcutta'].includes(document.querySelector('#zone').value)`)
	id := draftID(b)
	b.SetValue("#title", "T")
	b.SetValue("#content", "text")
	openPublishing(b)
	b.Click("details:has(#publishDate) summary")
	year := strconv.Itoa(time.Now().Year() + 1)
	setPublishDate(b, year+"-07-01T10:30")
	b.Click("button[value=schedule]")
	b.WaitForText(".done", "scheduled")
	if d, _ := draft(w.Ada, id); d.Publish.UTC().Format(time.RFC3339) != year+"-07-01T05:00:00Z" {
		t.Errorf("the draft is scheduled for %s", d.Publish)
	}
	b.WaitForText(".post-status time", "1 July "+year)
	b.WaitForText(".post-status time", "10:30")
	b.WaitUntil(`document.querySelector('#publishDate').value === '` + year + `-07-01T10:30'`)
	b.WantQuietConsole()
}

func TestWritingWithoutJavaScript(t *testing.T) {
	w, b := webtest.OpenWorld(t)
	b.SignInAs(w.Ada)
	webtest.Call(b, emulation.SetScriptExecutionDisabled, emulation.SetScriptExecutionDisabledParams{Value: true})
	b.Open("/new")
	b.WaitVisible("#preview")
	for _, hidden := range []string{"#toggle-preview", "#focus-mode", "#toolbar", "#reading"} {
		if b.Eval(`document.querySelector('`+hidden+`').checkVisibility()`) != "false" {
			t.Errorf("%s is visible, but needs JavaScript", hidden)
		}
	}
	b.Do(chromedp.SendKeys(chromedp.CSS("#title"), "A plain title"))
	b.Do(chromedp.SendKeys(chromedp.CSS("#content"), "Some *text*"))
	b.Click("#preview")
	b.WaitVisible(".previewed .prose em")
	b.Do(chromedp.SendKeys(chromedp.CSS("#tags"), "\r")) // saves
	b.WaitForText(".done", "Draft saved")
	b.Click("#publish-now")
	b.WaitUntil(`document.querySelector('.post h1')?.textContent === 'A plain title'`)
	b.WantQuietConsole("Autofocus")
}
