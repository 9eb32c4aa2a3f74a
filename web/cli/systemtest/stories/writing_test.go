package stories

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"inkfeed/web/cli/systemtest/harness"
)

// TestDraftsAreSavedSharedScheduledAndRestored follows a post from its first draft to its last version.
func TestDraftsAreSavedSharedScheduledAndRestored(t *testing.T) {
	t.Parallel()
	base := harness.ServeBlog(t)
	ada, reader := harness.NewVisitor(t, base), harness.NewVisitor(t, base)
	ada.SignUp("ada")
	field := func(p harness.Page, name string) string {
		return p.Find(`#editor [name="`+name+`"]`).AttrOr("value", "")
	}

	id := field(ada.Get("/new"), "post")
	form := ada.Post("/posts", "post", id, "revision", "0", "version", "0", "do", "save",
		"title", "A day at the sea", "content", "It was windy.", "tags", "sea")
	if got := harness.Text(form.Find(".done")); got != "Draft saved." || field(form, "version") != "1" {
		t.Fatalf("after saving, the form says %q and has version %s", got, field(form, "version"))
	}
	if got := harness.Text(ada.Get("/drafts").Find(".drafts")); !strings.Contains(got, "A day at the sea") {
		t.Errorf("the list of drafts says: %s", got)
	}

	form = ada.Post("/posts", "post", id, "revision", "0", "version", "1", "do", "share",
		"title", "A day at the sea", "content", "It was very windy.", "tags", "sea")
	link := form.Find("#preview-link").AttrOr("value", "")
	preview := harness.Text(reader.Get(strings.TrimPrefix(link, base)).Find("article"))
	if !strings.Contains(preview, "very windy") {
		t.Errorf("the private link %q shows: %s", link, preview)
	}

	// The value of a date and time field may include seconds.
	schedule := func(in time.Duration) harness.Page {
		at := time.Now().UTC().Add(in).Format("2006-01-02T15:04:05")
		return ada.Post("/posts", "post", id, "revision", "0", "version", field(form, "version"),
			"do", "schedule", "publishDate", at, "zone", "UTC",
			"title", "A day at the sea", "content", "It was very windy.", "tags", "sea")
	}
	// On a slow machine three seconds can be over when the form arrives.
	for in := 3 * time.Second; schedule(in).Status == http.StatusUnprocessableEntity && in < time.Minute; in *= 2 {
	}
	harness.Eventually(t, "the scheduled post is on the front page", func() bool {
		return strings.Contains(harness.Text(reader.Get("/").Find("main")), "A day at the sea")
	})
	harness.Eventually(t, "the scheduled post is on the page of its tag", func() bool {
		return strings.Contains(harness.Text(reader.Get("/tags/sea").Find("main")), "A day at the sea")
	})
	if got := harness.Text(ada.Get("/drafts").Find("main")); !strings.Contains(got, "No drafts yet") {
		t.Errorf("the list of drafts after publishing says: %s", got)
	}

	edit := "/posts/" + id
	ada.Post(edit, "post", id, "revision", "1", "version", "0", "do", "publish",
		"title", "A day at the sea", "content", "It was calm.", "tags", "sea")
	late := ada.Post(edit, "post", id, "revision", "1", "version", "0", "do", "publish",
		"title", "A day at the sea", "content", "It was stormy.", "tags", "sea")
	if late.Status != 409 || harness.Text(late.Find(".saved pre del")) != "calm" ||
		harness.Text(late.Find("pre ins")) != "stormy" {
		t.Fatalf("the second of two conflicting edits: status %d: %s", late.Status, harness.Text(late.Find("main")))
	}
	ada.Post(edit, "post", id, "revision", "2", "version", "0", "do", "mine", "then", "publish",
		"title", "A day at the sea", "content", "It was stormy.", "tags", "sea")
	if got := harness.Text(ada.Get(edit + "/versions").Find(".versions")); strings.Count(got, "Version") != 3 {
		t.Errorf("the list of versions says: %s", got)
	}
	ada.Post(edit+"/versions/1/restore", "revision", "3")
	if got := harness.Text(ada.Get(edit).Find(".post .prose")); got != "It was very windy." {
		t.Errorf("the restored version says: %s", got)
	}

	ada.Post(edit + "/unpublish")
	if got := reader.Get(edit).Status; got != 404 {
		t.Errorf("the unpublished post: status %d", got)
	}
	harness.Eventually(t, "the front page no longer lists the unpublished post", func() bool {
		return !strings.Contains(harness.Text(reader.Get("/").Find("main")), "A day at the sea")
	})
	harness.Eventually(t, "the author finds the unpublished post among the drafts", func() bool {
		return strings.Contains(harness.Text(ada.Get("/drafts").Find(".drafts")), "Unpublished post")
	})
	again := ada.Get(edit + "/edit")
	ada.Post(edit, "post", id, "revision", field(again, "revision"), "version", field(again, "version"),
		"do", "publish", "status", "unlisted",
		"title", "A day at the sea", "content", "It was very windy.", "tags", "sea")
	if got := reader.Get(edit).Status; got != 200 {
		t.Errorf("the unlisted post: status %d", got)
	}
	harness.Eventually(t, "the author finds the unlisted post", func() bool {
		return strings.Contains(harness.Text(ada.Get("/drafts").Find("section")), "A day at the sea")
	})
	if got := harness.Text(reader.Get("/@ada").Find("main")); strings.Contains(got, "A day at the sea") {
		t.Errorf("the author's profile lists the unlisted post: %s", got)
	}
}
