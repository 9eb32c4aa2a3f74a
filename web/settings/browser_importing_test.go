package settings_test

import (
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
