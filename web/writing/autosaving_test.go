package writing_test

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"inkfeed/domain"
	"inkfeed/web/webtest"
)

func TestAutosavingKeepsDrafts(t *testing.T) {
	s := webtest.NewSite(t)
	ada, ben := s.SignUp("ada"), s.SignUp("ben")
	type response struct {
		Version, Revision     int
		Saved                 time.Time
		Error, Title, Content string
		Fields                map[string]string
	}
	save := func(t *testing.T, v *webtest.Visitor, id string, status int, fields ...string) response {
		t.Helper()
		a := v.Post("/drafts/"+id, fields...).Want(status)
		var got response
		if err := json.Unmarshal([]byte(a.Body), &got); err != nil || a.Header.Get("Cache-Control") != "no-store" {
			t.Fatalf("the response is %s, error %v", a.Body, err)
		}
		return got
	}
	t.Run("saves, and returns the version for the next time", func(t *testing.T) {
		id, begin := ada.NewPostID(), domain.Timestamp(time.Now())
		first := save(t, ada, id, 200, "title", "T", "version", "0", "revision", "0")
		if first.Version != 1 || first.Saved.Before(begin) || first.Saved.After(time.Now()) {
			t.Errorf("the response is %+v", first)
		}
		if next := save(t, ada, id, 200, "title", "Ti", "version", "1"); next.Version != 2 {
			t.Errorf("the response is %+v", next)
		}
		if d, _ := draft(ada, id); d.Title != "Ti" {
			t.Errorf("the draft is %q", text(d))
		}
	})
	t.Run("refuses the text of a second tab and returns that of the first", func(t *testing.T) {
		d := ada.CreateDraft("T", "of one tab", "")
		got := save(t, ada, d.PostID, 409, "title", "T", "content", "of the other", "version", "0")
		if got.Version != 1 || got.Content != "of one tab" || !strings.Contains(got.Error, "changed in another") {
			t.Errorf("the response is %+v", got)
		}
		if now, _ := draft(ada, d.PostID); now.Content != "of one tab" {
			t.Errorf("the draft is %q", text(now))
		}
	})
	t.Run("refuses changes of a post that was changed meanwhile", func(t *testing.T) {
		p := ada.CreatePost("T", "one")
		ada.Post("/posts/"+p.ID, "title", "T", "content", "two", "revision", "1").Want(303)
		save(t, ada, p.ID, 409, "title", "T", "content", "three", "revision", "1", "version", "0")
		save(t, ada, p.ID, 409, "title", "T", "content", "three", "revision", "0", "version", "4")
		if len(ada.Data.Versions(p.ID)) != 1 || s.Data.Post(p.ID).Content != "two" {
			t.Error("the post or its versions were changed")
		}
		// A text that equals the published post needs no draft.
		got := save(t, ada, p.ID, 200, "title", "T", "content", "two", "revision", "1", "version", "4")
		if got.Version != 0 || got.Revision != 2 {
			t.Errorf("the response is %+v", got)
		}
	})
	t.Run("saves a draft again that was discarded in another tab", func(t *testing.T) {
		d := ada.CreateDraft("T", "text", "")
		ada.Post("/drafts/"+d.PostID+"/delete", "version", "1").Want(303)
		got := save(t, ada, d.PostID, 200, "title", "T", "content", "text and more", "version", "1")
		if got.Version != 1 {
			t.Errorf("the response is %+v", got)
		}
	})
	t.Run("explains failures and answers with their status", func(t *testing.T) {
		id := ada.NewPostID()
		if got := save(t, ada.WithoutSession(), id, 401, "title", "T"); got.Error == "" {
			t.Errorf("the response is %+v", got)
		}
		got := save(t, ada, id, 422, "title", strings.Repeat("x", 40*domain.MaxTitle+1))
		if got.Fields["title"] == "" || got.Error != got.Fields["title"] {
			t.Errorf("the response is %+v", got)
		}
		save(t, ada, "x", 404, "title", "T")
		s.Data.Fail("Drafts.Save")
		defer s.Data.Recover("Drafts.Save")
		if got := save(t, ada, id, 503, "title", "T"); !strings.Contains(got.Error, "try again") {
			t.Errorf("the response is %+v", got)
		}
	})
	t.Run("leaves drafts of other users alone", func(t *testing.T) {
		d := ada.CreateDraft("T", "mine", "")
		save(t, ben, d.PostID, 200, "title", "T", "content", "yours", "version", "0")
		if now, _ := draft(ada, d.PostID); now.Content != "mine" {
			t.Errorf("the draft is %q", text(now))
		}
	})
}
