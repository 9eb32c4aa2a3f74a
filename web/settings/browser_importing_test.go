package settings_test

import (
	"net/http"
	"sync/atomic"
	"testing"
	"time"

	"inkfeed/domain"
	"inkfeed/web/webtest"
)

// The page of an import shows the progress without a reload, from the wait for an instance to the end. The focus does
// not move meanwhile.
func TestTheProgressOfAnImportUpdatesItself(t *testing.T) {
	s := webtest.NewSite(t)
	ada := s.SignUp("ada")
	setImportJob(ada, func(j *domain.ImportJob) { j.State = domain.ImportRunning })
	b := webtest.NewTab(t, webtest.Browser(t), webtest.Listen(t, s.Handler))
	b.SignInAs(ada)
	b.Open("/settings/import")
	b.WaitUntil(`document.querySelector("main").innerText.includes("Waiting to start")`)
	b.Eval(`document.querySelector('a[href="/settings/import/undo"]').focus()`)

	setImportJob(ada, func(j *domain.ImportJob) { j.Owner = "an instance" })
	b.WaitUntil(`document.querySelector("main").innerText.includes("Counting the posts")`)
	setImportJob(ada, func(j *domain.ImportJob) {
		j.Progress = domain.ImportProgress{Posts: 250, Of: 1000, Started: time.Now().Add(-10 * time.Second)}
	})
	b.WaitUntil(`document.querySelector("main").innerText.includes("250 of 1,000 posts, ")`)
	b.WaitUntil(`document.querySelector("progress").value == 250`)
	if got := b.Eval("document.activeElement.innerText"); got != "Stop and undo" {
		t.Errorf("the focus is on %q", got)
	}
	setImportJob(ada, func(j *domain.ImportJob) { j.State, j.Owner = domain.ImportDone, "" })
	b.WaitUntil(`document.querySelector("h1").innerText == "Import finished"`)
	b.WaitUntil(`document.title.startsWith("Import finished")`)
	b.WantQuietConsole()
}

// The page of an import asks for the progress by itself, so a failure of a request is none of the reader's business.
func TestTheProgressOfAnImportSurvivesFailedRequests(t *testing.T) {
	s := webtest.NewSite(t)
	ada := s.SignUp("ada")
	setImportJob(ada, func(j *domain.ImportJob) { j.State = domain.ImportRunning })
	var broken atomic.Pointer[http.HandlerFunc]
	var failed atomic.Int32
	b := webtest.NewTab(t, webtest.Browser(t), webtest.Listen(t, http.HandlerFunc(
		func(w http.ResponseWriter, r *http.Request) {
			if h := broken.Load(); h != nil {
				(*h)(w, r)
				failed.Add(1)
				return
			}
			s.Handler.ServeHTTP(w, r)
		})))
	b.SignInAs(ada)
	b.Open("/settings/import")
	b.WaitForText("main", "Waiting to start")
	for name, answer := range map[string]http.HandlerFunc{
		"of a proxy": func(w http.ResponseWriter, _ *http.Request) { http.Error(w, "", http.StatusBadGateway) },
		"of Inkfeed": func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("HX-Server", "Inkfeed")
			w.Header().Set("HX-Retarget", "#Page-notice")
			http.Error(w, "<dialog open>Temporarily unavailable</dialog>", http.StatusServiceUnavailable)
		},
		"without an answer": func(_ http.ResponseWriter, r *http.Request) {
			failed.Add(1)
			panic(http.ErrAbortHandler)
		},
	} {
		t.Run(name, func(t *testing.T) {
			b.Eval(`document.querySelector('#Page-notice').replaceChildren('untouched')`)
			begin := failed.Load()
			broken.Store(&answer)
			webtest.WaitFor(t, "two requests fail", func() bool { return failed.Load() >= begin+2 })
			broken.Store(nil)
			b.WantValue(`document.querySelector('#Page-notice').textContent`, "untouched")
			b.WantValue(`document.querySelector('main h1')?.textContent`, "Importing your blog")
		})
	}
	setImportJob(ada, func(j *domain.ImportJob) { j.State = domain.ImportDone })
	b.WaitUntil(`document.querySelector("h1").innerText == "Import finished"`)
	b.WantQuietConsole("502", "503", "ERR_EMPTY_RESPONSE", "Failed to fetch")
}
