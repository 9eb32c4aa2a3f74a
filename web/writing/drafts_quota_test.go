package writing_test

import (
	"strings"
	"testing"

	"inkfeed/domain"
	"inkfeed/web/webtest"
)

// newDrafts saves new drafts as the editor's script does, until the server refuses one, and returns how many it saved
// and the answer that refused.
func newDrafts(v *webtest.Visitor, most int, content string) (saved int, refused *webtest.Response) {
	for saved < most {
		a := v.Post("/drafts/"+v.NewPostID(), "title", "Flood", "content", content)
		if a.StatusCode != 200 {
			return saved, a
		}
		saved++
	}
	return saved, nil
}

func TestNewDraftsHaveAQuota(t *testing.T) {
	s := webtest.NewSite(t)
	s.SignUp("ada") // the first user is an administrator
	t.Run("in number", func(t *testing.T) {
		ben := s.SignUp("ben")
		kept := ben.CreateDraft("Kept", "before", "")
		saved, refused := newDrafts(ben, domain.DraftQuota+1, "x")
		if refused == nil || saved != domain.DraftQuota-1 {
			t.Fatalf("%d drafts were saved", saved+1)
		}
		refused.Want(422)
		if body := refused.Body; !strings.Contains(body, "reached the limit of 300 drafts or 100 MB") {
			t.Errorf("the script reads %s", body)
		}
		ben.Get("/drafts").Want(200).Has(".heading", "300 of 300 drafts, 4.9 MB of 100 MB used")
		t.Run("of which the form without a script says so and keeps the text", func(t *testing.T) {
			a := ben.Post("/posts", "do", "save", "title", "A title", "content", "A text", "post", ben.NewPostID())
			a.Want(422).Has(".error-summary", "Publish or delete some first")
			if a.Value("content") != "A text" {
				t.Error("the text is lost")
			}
		})
		t.Run("which stops neither saved drafts, nor changes of posts, nor new posts", func(t *testing.T) {
			ben.Post("/drafts/"+kept.PostID, "title", "Kept", "content", "after", "version", "1").Want(200)
			ben.Post("/posts", "title", "A title", "content", "A text", "post", ben.NewPostID()).Want(303)
			p := ben.CreatePost("Another", "text")
			ben.Post("/drafts/"+p.ID, "title", "Another", "content", "changed", "revision", "1").Want(200)
			ben.Post("/posts/" + p.ID + "/unpublish").Want(303)
		})
	})
	t.Run("in bytes", func(t *testing.T) {
		saved, refused := newDrafts(s.SignUp("cyd"), 100, strings.Repeat("x", domain.MaxDraftContent))
		if refused == nil || saved > domain.DraftBytesQuota/domain.MaxDraftContent {
			t.Errorf("%d drafts of %d bytes were saved", saved, domain.MaxDraftContent)
		}
	})
}
