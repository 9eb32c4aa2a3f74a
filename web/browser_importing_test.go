package web_test

import (
	"testing"
	"time"

	"inkfeed/domain"
)

// The page of an import shows the progress by itself, from the wait for an instance to the end, and the
// focus stays where it is meanwhile.
func TestTheProgressOfAnImportUpdatesItself(t *testing.T) {
	s := newSite(t)
	ada := s.member("ada")
	setImportJob(ada, func(j *domain.ImportJob) { j.State = domain.ImportRunning })
	b := newTab(t, browser(t), serve(t, s.handler))
	b.as(ada)
	b.Open("/settings/import")
	b.eventually(`document.querySelector("main").innerText.includes("Waiting to start")`)
	b.eval(`document.querySelector('a[href="/settings/import/undo"]').focus()`)

	setImportJob(ada, func(j *domain.ImportJob) { j.Owner = "an instance" })
	b.eventually(`document.querySelector("main").innerText.includes("Counting the posts")`)
	setImportJob(ada, func(j *domain.ImportJob) {
		j.Progress = domain.ImportProgress{Posts: 250, Of: 1000, Started: time.Now().Add(-10 * time.Second)}
	})
	b.eventually(`document.querySelector("main").innerText.includes("250 of 1,000 posts, ")`)
	b.eventually(`document.querySelector("progress").value == 250`)
	if got := b.eval("document.activeElement.innerText"); got != "Stop and undo" {
		t.Errorf("the focus is on %q", got)
	}
	setImportJob(ada, func(j *domain.ImportJob) { j.State, j.Owner = domain.ImportDone, "" })
	b.eventually(`document.querySelector("h1").innerText == "Import finished"`)
	b.eventually(`document.title.startsWith("Import finished")`)
	b.quiet()
}
