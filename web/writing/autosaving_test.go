package writing_test

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"inkfeed/domain"
	"inkfeed/web/webtest"
)

func TestAutosaving(t *testing.T) {
	s := webtest.NewSite(t)
	ada, ben := s.SignUp("ada"), s.SignUp("ben")
	type said struct {
		Version, Revision     int
		Saved                 time.Time
		Error, Title, Content string
		Fields                map[string]string
	}
	save := func(t *testing.T, v *webtest.Visitor, id string, status int, fields ...string) said {
		t.Helper()
		a := v.Post("/drafts/"+id, fields...).Want(status)
		var got said
		if err := json.Unmarshal([]byte(a.Body), &got); err != nil || a.Header.Get("Cache-Control") != "no-store" {
			t.Fatalf("%s: %v", a.Body, err)
		}
		return got
	}
	t.Run("saves, and tells the version to go on from", func(t *testing.T) {
		id, begin := domain.NewID(), domain.Timestamp(time.Now())
		first := save(t, ada, id, 200, "title", "T", "version", "0", "revision", "0")
		if first.Version != 1 || first.Saved.Before(begin) || first.Saved.After(time.Now()) {
			t.Errorf("said %+v", first)
		}
		if next := save(t, ada, id, 200, "title", "Ti", "version", "1"); next.Version != 2 {
			t.Errorf("said %+v", next)
		}
		if d, _ := draft(ada, id); d.Title != "Ti" {
			t.Errorf("the draft is %q", text(d))
		}
	})
	t.Run("the second of two tabs is told of the first one's text", func(t *testing.T) {
		d := ada.CreateDraft("T", "of one tab", "")
		got := save(t, ada, d.PostID, 409, "title", "T", "content", "of the other", "version", "0")
		if got.Version != 1 || got.Content != "of one tab" || !strings.Contains(got.Error, "changed in another") {
			t.Errorf("said %+v", got)
		}
		if now, _ := draft(ada, d.PostID); now.Content != "of one tab" {
			t.Errorf("the draft is %q", text(now))
		}
	})
	t.Run("a change of a post that was changed meanwhile is a conflict at once", func(t *testing.T) {
		p := ada.CreatePost("T", "one")
		ada.Post("/posts/"+p.ID, "title", "T", "content", "two", "revision", "1").Want(303)
		save(t, ada, p.ID, 409, "title", "T", "content", "three", "revision", "1", "version", "0")
		save(t, ada, p.ID, 409, "title", "T", "content", "three", "revision", "0", "version", "4")
		if len(ada.Data.Versions(p.ID)) != 1 || s.Data.Post(p.ID).Content != "two" {
			t.Error("something was changed")
		}
		// What says the same as the post needs no saving.
		if got := save(t, ada, p.ID, 200, "title", "T", "content", "two", "revision", "1", "version", "4"); got.Version != 0 || got.Revision != 2 {
			t.Errorf("said %+v", got)
		}
	})
	t.Run("a draft discarded in another tab is saved anew", func(t *testing.T) {
		d := ada.CreateDraft("T", "text", "")
		ada.Post("/drafts/"+d.PostID+"/delete", "version", "1").Want(303)
		if got := save(t, ada, d.PostID, 200, "title", "T", "content", "text and more", "version", "1"); got.Version != 1 {
			t.Errorf("said %+v", got)
		}
	})
	t.Run("says what failed, and with which status", func(t *testing.T) {
		id := domain.NewID()
		if got := save(t, ada.WithoutSession(), id, 401, "title", "T"); got.Error == "" {
			t.Errorf("said %+v", got)
		}
		if got := save(t, ada, id, 422, "title", strings.Repeat("x", 40*domain.MaxTitle+1)); got.Fields["title"] == "" || got.Error != got.Fields["title"] {
			t.Errorf("said %+v", got)
		}
		save(t, ada, "x", 404, "title", "T")
		s.Data.Fail("Drafts.Save")
		defer s.Data.Recover("Drafts.Save")
		if got := save(t, ada, id, 503, "title", "T"); !strings.Contains(got.Error, "try again") {
			t.Errorf("said %+v", got)
		}
	})
	t.Run("somebody else's draft is out of reach", func(t *testing.T) {
		d := ada.CreateDraft("T", "mine", "")
		save(t, ben, d.PostID, 200, "title", "T", "content", "yours", "version", "0")
		if now, _ := draft(ada, d.PostID); now.Content != "mine" {
			t.Errorf("the draft is %q", text(now))
		}
	})
}
