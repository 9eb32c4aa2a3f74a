package writing_test

import (
	"strconv"
	"strings"
	"testing"
	"time"

	"inkfeed/domain"
	"inkfeed/web/webtest"
)

func TestTheListOfDrafts(t *testing.T) {
	s := webtest.NewSite(t)
	ada, ben := s.SignUp("ada"), s.SignUp("ben")
	t.Run("explains an empty list", func(t *testing.T) {
		ada.Get("/drafts").Want(200).Has("main .empty-list p", "No drafts yet").Has(`main a[href="/new"]`, "write")
		ada.Get("/drafts/unlisted").Want(200).Has("main p:not(.heading p)", "No posts here.")
	})
	d := ada.CreateDraft("", "  \n吾輩は猫である", "")
	empty := ada.CreateDraft(" ", "", "")
	p, taken := ada.CreatePost("Public", "text"), ada.CreatePost("Taken back", "text")
	hush := ada.CreatePost("Hush", "text")
	ada.Post("/posts/"+p.ID, "title", "Public, changed", "content", "text", "revision", "1", "do", "save").Want(303)
	ada.Post("/posts/" + taken.ID + "/unpublish").Want(303)
	ada.Post("/posts/"+hush.ID, "title", "Hush", "content", "text", "revision", "1", "status", "unlisted").Want(303)
	at := time.Now().Add(48 * time.Hour).Truncate(time.Minute)
	s.Data.ChangeDraft(ada, d.PostID, func(item map[string]any) { item["publishDate"] = at })
	item := func(id string) string { return `main li:has(a[href="/posts/` + id + `/edit"])` }
	a := ada.Get("/drafts").Want(200)
	t.Run("shows the state of each draft", func(t *testing.T) {
		a.Has(item(d.PostID), "吾輩は猫である").Has(item(d.PostID)+" .state", "Scheduled for").
			Has(item(d.PostID)+` time[datetime="`+at.UTC().Format(time.RFC3339)+`"]`, "UTC")
		a.Has(item(empty.PostID), "Untitled").Has(item(empty.PostID)+" .state", "Draft")
		a.Has(item(p.ID), "Public, changed").Has(item(p.ID)+" .state", "Unpublished changes")
		a.Has(item(taken.ID)+" .state", "Unpublished post")
		a.Has(".page-section "+strings.TrimPrefix(item(hush.ID), "main "), "Hush").
			Has(`section a[href="`+hush.Path()+`"]`, "Hush")
	})
	t.Run("marks drafts with a private link", func(t *testing.T) {
		s.Data.ChangeDraft(ada, d.PostID, func(item map[string]any) { item["preview"] = "secret" })
		a := ada.Get("/drafts")
		a.Has(item(d.PostID)+" div > .meta", "private link").
			HasNo(item(empty.PostID) + ` .meta:contains("private link")`)
	})
	t.Run("says that there are no drafts above unlisted posts", func(t *testing.T) {
		cleo := s.SignUp("cleo")
		p := cleo.CreatePost("Hush", "text")
		cleo.Post("/posts/"+p.ID, "title", "Hush", "content", "text", "revision", "1", "status", "unlisted").Want(303)
		cleo.Get("/drafts").Has("main > p", "No drafts.").Has(".page-section .drafts-title a", "Hush")
		ada.Get("/drafts").HasNo(`main > p:contains("No drafts")`)
	})
	t.Run("shows only the user's own drafts", func(t *testing.T) {
		ben.Get("/drafts").HasNo(item(d.PostID)).HasNo(item(hush.ID))
		s.Anonymous().Get("/drafts").WantRedirect(303, "/login?next=%2Fdrafts")
	})
	t.Run("is paged", func(t *testing.T) {
		for i := range domain.DraftsPerPage {
			ben.CreateDraft("Draft "+strconv.Itoa(i), "text", "")
		}
		ben.Get("/drafts").HasNo(`a[rel="next"]`)
		ben.CreateDraft("One more", "text", "")
		ben.Get("/drafts").Has(`a[rel="next"][href="/drafts?page=2"]`, "")
		ben.Get("/drafts?page=2").Want(200).Has(".drafts li", "")
		ben.Get("/drafts?page=3").Want(404)
	})
	t.Run("deletes a draft once, after a confirmation", func(t *testing.T) {
		path := "/drafts/" + empty.PostID + "/delete"
		a := ada.Get(path).Want(200).Has("h1", "Delete your draft?").Has("main button.danger", "Delete draft")
		ben.Get(path).Want(404)
		ada.Post(path, "version", a.Value("version")).WantRedirect(303, "/drafts?done=gone")
		ada.Post(path, "version", a.Value("version")).WantRedirect(303, "/drafts?done=gone")
		ada.Get("/drafts?done=gone").Has(`.done[role="status"]`, "Draft deleted").HasNo(item(empty.PostID))
		ada.Get(path).Want(404)
	})
	t.Run("discards changes of a post and keeps the post", func(t *testing.T) {
		path := "/drafts/" + p.ID + "/delete"
		ada.Get(path).Has("h1", "Discard your changes?").
			Has("main form p:not(.actions)", "The published post stays as it is")
		ada.Post(path, "version", "1").WantRedirect(303, "/drafts?done=discarded")
		ada.Get("/drafts?done=discarded").
			Has(`.done[role="status"]`, "Changes discarded. The published post stays as it is.")
		ada.Get(p.Path()).Want(200).Has("h1", "Public")
		ada.Post(path, "version", "1").WantRedirect(303, "/drafts?done=discarded")
	})
	t.Run("deletes an unpublished post without changes as a post", func(t *testing.T) {
		ada.Get("/drafts").Has(item(taken.ID)+` a.danger[href="/posts/`+taken.ID+`/delete"]`, "Delete post").
			HasNo(`a[href="/drafts/` + taken.ID + `/delete"]`)
		ada.Get("/posts/"+taken.ID+"/edit").HasNo(`a[href="/drafts/`+taken.ID+`/delete"]`).
			Has(`.more-actions a[href="/posts/`+taken.ID+`/delete"]`, "Delete post")
		ada.Get("/drafts/"+taken.ID+"/delete").WantRedirect(303, "/posts/"+taken.ID+"/delete")
		ada.Get("/posts/"+taken.ID+"/delete").Want(200).Has("h1", "Move your post to the trash?")
	})
	t.Run("discards changes of an unpublished post, which stays unpublished", func(t *testing.T) {
		form := ada.Get("/posts/" + taken.ID + "/edit").Want(200)
		ada.Post("/posts/"+taken.ID, "title", "Taken back, changed", "content", "text", "revision", "1",
			"version", form.Value("version"), "do", "save").Want(303)
		path := "/drafts/" + taken.ID + "/delete"
		ada.Get("/posts/"+taken.ID+"/edit").Has(`.more-actions a[href="`+path+`"]`, "Discard changes")
		a := ada.Get(path).Want(200).Has("h1", "Discard your changes?").
			Has("main form p:not(.actions)", "stays unpublished")
		ada.Post(path, "version", a.Value("version")).WantRedirect(303, "/drafts?done=reset")
		ada.Get("/drafts?done=reset").Has(`.done[role="status"]`, "Changes discarded. The post is still unpublished.").
			Has(item(taken.ID), "Taken back").HasNo(`.done:contains("Draft deleted")`)
		if d, _ := draft(ada, taken.ID); d.Title != "Taken back" {
			t.Errorf("the draft is %+v", d)
		}
		ada.Get("/posts/" + taken.ID + "/edit").HasNo(`a[href="` + path + `"]`)
	})
	t.Run("does not delete a draft that was saved since the confirmation", func(t *testing.T) {
		ada.Post("/drafts/"+d.PostID+"/delete", "version", "7").Want(409).Has("main", "has changed since you opened it")
		if _, there := draft(ada, d.PostID); !there {
			t.Error("the draft was deleted")
		}
	})
}
