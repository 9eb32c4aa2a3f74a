package writing_test

import (
	"encoding/json"
	"strings"
	"testing"

	"inkfeed/domain"
	"inkfeed/web/webtest"
)

// publish publishes a text under an id, and returns the id of the post.
func publish(v *webtest.Visitor, id, title string, more ...string) string {
	v.T.Helper()
	form := append([]string{"title", title, "content", "text", "post", id}, more...)
	return strings.Split(v.Post("/posts", form...).Want(303).Header.Get("Location"), "/")[2]
}

// autosave saves a text under an id as the editor's script does, and returns the id of the draft.
func autosave(v *webtest.Visitor, id, version string) string {
	v.T.Helper()
	var reply struct{ Post string }
	a := v.Post("/drafts/"+id, "title", "Saved", "content", "version "+version, "version", version).Want(200)
	if err := json.Unmarshal([]byte(a.Body), &reply); err != nil {
		v.T.Fatal(err)
	}
	return reply.Post
}

func TestIDsOfNewPostsBelongToTheirAuthors(t *testing.T) {
	s := webtest.NewSite(t)
	ada, ben := s.SignUp("ada"), s.SignUp("ben")
	t.Run("so nobody else can publish or save under them", func(t *testing.T) {
		id := ada.NewPostID()
		if ben.Get("/new?post="+id).Value("post") == id || ada.Get("/new?post="+id).Value("post") != id {
			t.Error("the form for another user has the id, or the author's has not")
		}
		if got := publish(ben, id, "Taken"); got == id {
			t.Error("another user has published under the id")
		}
		if other := ada.NewPostID(); autosave(ben, other, "0") == other {
			t.Error("another user has a draft with the id")
		}
		if got := publish(ada, id, "Mine"); got != id {
			t.Errorf("the author's post is %s, want %s", got, id)
		}
	})
	t.Run("and a form without one is published once", func(t *testing.T) {
		old := domain.NewID()
		if first, second := publish(ada, old, "Once"), publish(ada, old, "Once"); first != second || first == old {
			t.Errorf("the form with the id %s became the posts %s and %s", old, first, second)
		}
	})
	t.Run("and an open editor of an earlier release saves and publishes under another", func(t *testing.T) {
		old := domain.NewID()
		id := autosave(ada, old, "0")
		if id == old || autosave(ada, old, "1") != id {
			t.Errorf("the draft has the id %s, then another", id)
		}
		ada.Get("/posts/"+old+"/edit").WantRedirect(303, "/posts/"+id+"/edit?was="+old)
		if got := publish(ada, old, "Saved", "version", "2"); got != id {
			t.Errorf("the draft %s was published as %s", id, got)
		}
		ada.Get("/drafts").Want(200).HasNo(".drafts-title")
	})
	t.Run("and drafts of an earlier release keep theirs", func(t *testing.T) {
		d := ada.CreateDraft("Older", "text", "")
		if got := autosave(ada, d.PostID, "1"); got != d.PostID {
			t.Errorf("the draft %s was saved as %s", d.PostID, got)
		}
		if got := publish(ada, d.PostID, "Older", "version", "2"); got != d.PostID {
			t.Errorf("the draft %s was published as %s", d.PostID, got)
		}
	})
	t.Run("or, if another user has published under one already, the text gets another", func(t *testing.T) {
		d := ada.CreateDraft("Original", "text", "")
		_, err := s.Data.Store.Drafts.Publish(t.Context(), ben.User, domain.Draft{PostID: d.PostID, Title: "Thief",
			Content: "text"}, d.Saved)
		if err != nil {
			t.Fatal(err)
		}
		first := publish(ada, d.PostID, "Original", "version", "1")
		if again := publish(ada, d.PostID, "Original", "version", "1"); first == d.PostID || again != first {
			t.Errorf("the text was published as %s, then %s", first, again)
		}
		ada.Get("/posts/"+first+"/original").Want(200).Has("h1", "Original")
		ada.Get("/drafts").Want(200).HasNo(".drafts-title")
	})
}
