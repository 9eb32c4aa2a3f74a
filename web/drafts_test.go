package web_test

import (
	"strconv"
	"strings"
	"testing"
	"time"

	"inkfeed/domain"
)

func TestDraftsAreListed(t *testing.T) {
	s := newSite(t)
	ada, ben := s.member("ada"), s.member("ben")
	t.Run("none yet", func(t *testing.T) {
		ada.get("/drafts").want(200).has("main p", "No drafts yet").has(`main a[href="/new"]`, "write")
		ada.get("/drafts/unlisted").want(200).has("main p:not(.heading p)", "No posts.")
	})
	d := ada.aDraft("", "  \n吾輩は猫である", "")
	empty := ada.aDraft(" ", "", "")
	p, taken, hush := ada.aPost("Public", "text"), ada.aPost("Taken back", "text"), ada.aPost("Hush", "text")
	ada.post("/posts/"+p.ID, "title", "Public, changed", "content", "text", "revision", "1", "do", "save").want(303)
	ada.post("/posts/" + taken.ID + "/unpublish").want(303)
	ada.post("/posts/"+hush.ID, "title", "Hush", "content", "text", "revision", "1", "status", "unlisted").want(303)
	at := time.Now().Add(48 * time.Hour).Truncate(time.Minute)
	s.data.changeDraft(ada, d.PostID, func(item map[string]any) { item["publishDate"] = at })
	item := func(id string) string { return `main li:has(a[href="/posts/` + id + `/edit"])` }
	a := ada.get("/drafts").want(200)
	t.Run("each says what it is", func(t *testing.T) {
		a.has(item(d.PostID), "吾輩は猫である").has(item(d.PostID)+" .state", "Scheduled for").
			has(item(d.PostID)+` time[datetime="`+at.UTC().Format(time.RFC3339)+`"]`, "UTC")
		a.has(item(empty.PostID), "Untitled").has(item(empty.PostID)+" .state", "Draft")
		a.has(item(p.ID), "Public, changed").has(item(p.ID)+" .state", "Unpublished changes")
		a.has(item(taken.ID)+" .state", "Unpublished post")
		a.has(".apart "+strings.TrimPrefix(item(hush.ID), "main "), "Hush").has(`section a[href="`+hush.Path()+`"]`, "Hush")
	})
	t.Run("a private link that is out is seen", func(t *testing.T) {
		s.data.changeDraft(ada, d.PostID, func(item map[string]any) { item["preview"] = "secret" })
		a := ada.get("/drafts")
		a.has(item(d.PostID)+" div > .meta", "private link").hasNo(item(empty.PostID) + ` .meta:contains("private link")`)
	})
	t.Run("no drafts beside unlisted posts are said so", func(t *testing.T) {
		cleo := s.member("cleo")
		p := cleo.aPost("Hush", "text")
		cleo.post("/posts/"+p.ID, "title", "Hush", "content", "text", "revision", "1", "status", "unlisted").want(303)
		cleo.get("/drafts").has("main > p", "No drafts.").has(".apart .drafts-title a", "Hush")
		ada.get("/drafts").hasNo(`main > p:contains("No drafts")`)
	})
	t.Run("nobody else's", func(t *testing.T) {
		ben.get("/drafts").hasNo(item(d.PostID)).hasNo(item(hush.ID))
		s.stranger().get("/drafts").wantRedirect(303, "/login?next=%2Fdrafts")
	})
	t.Run("page by page", func(t *testing.T) {
		for i := range domain.DraftsPerPage {
			ben.aDraft("Draft "+strconv.Itoa(i), "text", "")
		}
		ben.get("/drafts").hasNo(`a[rel="next"]`)
		ben.aDraft("One more", "text", "")
		ben.get("/drafts").has(`a[rel="next"][href="/drafts?page=2"]`, "Older")
		ben.get("/drafts?page=2").want(200).has(".drafts li", "")
		ben.get("/drafts?page=3").want(404)
	})
	t.Run("deleting asks first, and does it once", func(t *testing.T) {
		path := "/drafts/" + empty.PostID + "/delete"
		a := ada.get(path).want(200).has("h1", "Delete your draft?").has("main button.danger", "Delete draft")
		ben.get(path).want(404)
		ada.post(path, "version", a.Value("version")).wantRedirect(303, "/drafts?done=gone")
		ada.post(path, "version", a.Value("version")).wantRedirect(303, "/drafts?done=gone")
		ada.get("/drafts?done=gone").has(`.done[role="status"]`, "Draft deleted").hasNo(item(empty.PostID))
		ada.get(path).want(404)
	})
	t.Run("discarding changes leaves the post", func(t *testing.T) {
		path := "/drafts/" + p.ID + "/delete"
		ada.get(path).has("h1", "Discard your changes?").has("main form p:not(.actions)", "The published post stays as it is")
		ada.post(path, "version", "1").wantRedirect(303, "/drafts?done=discarded")
		ada.get("/drafts?done=discarded").has(`.done[role="status"]`, "Changes discarded. The published post stays as it is.")
		ada.get(p.Path()).want(200).has("h1", "Public")
		ada.post(path, "version", "1").wantRedirect(303, "/drafts?done=discarded")
	})
	t.Run("an unpublished post without changes is deleted as a post is", func(t *testing.T) {
		ada.get("/drafts").has(item(taken.ID)+` a.danger[href="/posts/`+taken.ID+`/delete"]`, "Delete post").
			hasNo(`a[href="/drafts/` + taken.ID + `/delete"]`)
		ada.get("/posts/"+taken.ID+"/edit").hasNo(`a[href="/drafts/`+taken.ID+`/delete"]`).
			has(`.more-actions a[href="/posts/`+taken.ID+`/delete"]`, "Delete post")
		ada.get("/drafts/"+taken.ID+"/delete").wantRedirect(303, "/posts/"+taken.ID+"/delete")
		ada.get("/posts/"+taken.ID+"/delete").want(200).has("h1", "Delete your post?")
	})
	t.Run("discarding the changes of an unpublished post leaves it unpublished, and says so", func(t *testing.T) {
		form := ada.get("/posts/" + taken.ID + "/edit").want(200)
		ada.post("/posts/"+taken.ID, "title", "Taken back, changed", "content", "text", "revision", "1", "version", form.Value("version"), "do", "save").want(303)
		path := "/drafts/" + taken.ID + "/delete"
		ada.get("/posts/"+taken.ID+"/edit").has(`.more-actions a[href="`+path+`"]`, "Discard changes")
		a := ada.get(path).want(200).has("h1", "Discard your changes?").has("main form p:not(.actions)", "stays unpublished")
		ada.post(path, "version", a.Value("version")).wantRedirect(303, "/drafts?done=reset")
		ada.get("/drafts?done=reset").has(`.done[role="status"]`, "Changes discarded. The post is still unpublished.").
			has(item(taken.ID), "Taken back").hasNo(`.done:contains("Draft deleted")`)
		if d, _ := draft(ada, taken.ID); d.Title != "Taken back" {
			t.Errorf("it is %+v", d)
		}
		ada.get("/posts/" + taken.ID + "/edit").hasNo(`a[href="` + path + `"]`)
	})
	t.Run("one saved since is not deleted unseen", func(t *testing.T) {
		ada.post("/drafts/"+d.PostID+"/delete", "version", "7").want(409).has("main", "has changed since you opened it")
		if _, there := draft(ada, d.PostID); !there {
			t.Error("it is gone")
		}
	})
}
