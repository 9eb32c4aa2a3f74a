package explorer

import (
	"net/http"
	"slices"
	"time"

	view "inkfeed/views/explorer"
)

const (
	// changesPerRequest is the number of changes that are requested of the engine at once. A page may have more,
	// because the engine does not divide transactions.
	changesPerRequest = "50"
	maxChanges        = 100 // changes on a page after which no more are requested
)

// showChanges shows the changes after the continuation in the request, newest first. Without a continuation it shows
// those of the last hour, of all time or from now on. The link to newer changes is the continuation; the page's script
// follows it.
func (v *visit) showChanges() error {
	c, _, err := v.client.container(v.ctx(), v.at)
	if err != nil {
		return err
	}
	model := view.ChangesPage{From: v.r.FormValue("from"), After: v.r.FormValue("after")}
	start := []string{"If-None-Match", model.After}
	if model.After == "" {
		switch model.From {
		case "beginning":
			start = nil
		case "now":
			start = []string{"If-None-Match", "*"}
		default:
			model.From = "hour"
			start = []string{"If-Modified-Since", v.now().Add(-time.Hour).UTC().Format(http.TimeFormat)}
		}
	}
	for len(model.Changes) < maxChanges {
		var list documents
		a, err := v.client.read(v.ctx(), &list, v.at.path("docs"),
			append(start, "A-Im", "Incremental feed", pageSizeHeader, changesPerRequest)...)
		if err != nil {
			return err
		}
		model.After = a.header.Get("Etag")
		start = []string{"If-None-Match", model.After}
		if a.status == http.StatusNotModified {
			model.UpToDate = true
			break
		}
		for _, d := range list.Documents {
			model.Changes = append(model.Changes, itemOf(c.PartitionKey, d))
		}
	}
	slices.Reverse(model.Changes)
	model.Page = v.page("Changes of " + v.at.name)
	model.Script = true
	return v.show(http.StatusOK, view.Changes(model))
}
