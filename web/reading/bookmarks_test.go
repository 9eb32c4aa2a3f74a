package reading_test

import (
	"strings"
	"testing"

	"inkfeed/domain"
	"inkfeed/web/webtest"
)

// changeSaved changes a stored bookmark in the list of its reader.
func changeSaved(d *webtest.Database, reader *webtest.Visitor, p domain.Post, change func(item map[string]any)) {
	d.T.Helper()
	for _, saved := range d.Items("users", "bookmark") {
		if saved["userId"] == reader.User.ID && saved["postId"] == p.ID {
			d.ChangeItem("users", reader.User.ID, saved["id"].(string), change)
			return
		}
	}
	d.T.Fatalf("%s has no bookmark of the post %s", reader.User.Username, p.ID)
}

func TestBookmarkingPosts(t *testing.T) {
	s := webtest.NewSite(t)
	ada, ben := s.SignUp("ada"), s.SignUp("ben")
	p := ada.CreatePost("A title", "Some text")
	path := "/posts/" + p.ID

	t.Run("requires a log-in", func(t *testing.T) {
		s.Anonymous().Get(p.Path()).HasNo("#Page-bookmark")
		s.Anonymous().Get("/bookmarks").WantRedirect(303, "/login?next=%2Fbookmarks")
		s.Anonymous().Post(path + "/bookmark").Want(303)
		s.Anonymous().Post(path + "/unbookmark").Want(303)
		ben.Get("/").Has(`nav a[href="/bookmarks"]`, "Bookmarks")
		ben.Get("/@ben").Has(`main a[href="/bookmarks"]`, "Bookmarks")
		s.Anonymous().Get("/@ben").HasNo(`a[href="/bookmarks"]`)
	})
	t.Run("explains an empty list", func(t *testing.T) {
		ben.Get("/bookmarks").Want(200).Has("h1", "Bookmarks").Has("#bookmarks", "Bookmark").HasNo("#bookmarks li")
	})
	t.Run("adds and removes a bookmark below the post, and lists it at once", func(t *testing.T) {
		ben.Get(p.Path()).Has(`#Page-bookmark[action="`+path+`/bookmark"][data-hx-post="`+path+
			`/bookmark"] [aria-pressed="false"]`, "Bookmark")
		for range 2 {
			ben.Post(path+"/bookmark").WantRedirect(303, path+"#Page-bookmark")
		}
		ben.Get(p.Path()).Has(`#Page-bookmark[action="`+path+`/unbookmark"] [aria-pressed="true"]`, "Bookmark")
		ada.Get(p.Path()).Has(`#Page-bookmark [aria-pressed="false"]`, "")
		ben.Get("/bookmarks").Has(`#bookmarks li h2 a[href="`+p.Path()+`"]`, "A title").
			Has("#bookmarks li .text", "Some text").
			Has(`#bookmarks li a[href="/@ada"]`, "@ada")
		ada.Get("/bookmarks").HasNo("#bookmarks li")
		ben.HTMX().Post(path+"/unbookmark").Want(200).HasNo("h1").
			Has(`#Page-bookmark[action="`+path+`/bookmark"] .just-pressed[aria-pressed="false"]`, "")
		ben.Get("/bookmarks").HasNo("#bookmarks li")
		ben.Post(path + "/unbookmark").Want(303) // again
		ben.HTMX().Post(path+"/bookmark").Want(200).Has(`#Page-bookmark .just-pressed[aria-pressed="true"]`, "")
	})
	t.Run("removes a bookmark on the list and undoes the removal", func(t *testing.T) {
		ben.Post(path + "/bookmark").Want(303)
		remove := `#bookmarks li form[action="` + path + `/unbookmark"][data-hx-target="#bookmarks"] button`
		ben.Get("/bookmarks").Has(remove, "Remove A title")
		to := ben.Post(path+"/unbookmark", "list", "1").WantRedirect(303, "/bookmarks?removed="+p.ID).
			Header.Get("Location")
		a := ben.Get(to).Want(200).Has(`[role="status"]`, "Bookmark removed").HasNo("#bookmarks li")
		a.Has(`form[action="`+path+`/bookmark"] button`, "Undo")
		ben.Post(path+"/bookmark", "list", "1").WantRedirect(303, "/bookmarks")
		ben.Get("/bookmarks").Has("#bookmarks li", "A title").HasNo(`[role="status"].done`)
		ben.HTMX().Post(path+"/unbookmark", "list", "1").Want(200).HasNo("h1").
			Has(`#bookmarks [role="status"][autofocus]`, "Bookmark removed").HasNo("li")
		ben.HTMX().Post(path+"/bookmark", "list", "1").Want(200).HasNo("h1").Has("#bookmarks li", "A title")
	})
	t.Run("hides a removed bookmark from a list that is not updated yet", func(t *testing.T) {
		ben.Post(path + "/bookmark").Want(303)
		s.Data.Fail("UserCopies.ApplyBookmark")
		defer s.Data.Recover("UserCopies.ApplyBookmark")
		ben.HTMX().Post(path+"/unbookmark", "list", "1").Want(200).HasNo("li")
		ben.Get("/bookmarks?removed=" + p.ID).Want(200).HasNo("#bookmarks li")
		if !strings.Contains(s.Log.String(), "cannot update a list of bookmarks") {
			t.Error("the log lacks the failed update")
		}
	})
	t.Run("leads to the list when the list cannot be read after the change", func(t *testing.T) {
		ben.Post(path + "/bookmark").Want(303)
		s.Data.Fail("UserCopies.Bookmarks")
		a := ben.HTMX().Post(path+"/unbookmark", "list", "1").Want(200)
		if to := a.Header.Get("HX-Redirect"); to != "/bookmarks?removed="+p.ID {
			t.Errorf("the redirect leads to %q", to)
		}
		s.Data.Recover("UserCopies.Bookmarks")
		ben.Get("/bookmarks").Want(200).HasNo("#bookmarks li")
		if !strings.Contains(s.Log.String(), "cannot show a stored change") {
			t.Error("the log lacks the failed read")
		}
	})
	t.Run("pages the list, and returns to the page before an emptied one", func(t *testing.T) {
		cleo := s.SignUp("cleo")
		var posts []domain.Post
		for range domain.BookmarksPerPage + 1 {
			post := ada.CreatePost("Another title", "text")
			posts = append(posts, post)
			cleo.Post("/posts/" + post.ID + "/bookmark").Want(303)
			// posts are rarely bookmarked at the same moment
			changeSaved(s.Data, cleo, post, func(item map[string]any) { item["creationDate"] = post.Created })
		}
		first := cleo.Get("/bookmarks").Has(`a[rel="next"][href="/bookmarks?page=2"]`, "").Page()
		if n := first.Find("#bookmarks > ol > li").Length(); n != domain.BookmarksPerPage {
			t.Errorf("the first page has %d bookmarks", n)
		}
		cleo.Get("/bookmarks?page=2").Want(200).Has("#bookmarks > ol > li", "Another").
			Has(`[name="list"][value="2"]`, "")
		cleo.Get("/bookmarks?page=3").Want(404)
		to := cleo.Post("/posts/"+posts[0].ID+"/unbookmark", "list", "2").
			WantRedirect(303, "/bookmarks?page=2&removed="+posts[0].ID).Header.Get("Location")
		cleo.Get(to).Want(200).Has(".done", "Bookmark removed")
	})
	t.Run("shows an unpublished post as unavailable, without a link", func(t *testing.T) {
		ben.Post(path + "/bookmark").Want(303)
		s.ChangePost(p.ID, func(p *domain.Post) { p.Status = domain.Unpublished })
		ben.Get("/bookmarks").Has("#bookmarks li h2", "isn't public at the moment").HasNo(`#bookmarks li h2 a`).
			Has(`#bookmarks li form[action$="/unbookmark"]`, "Remove")
	})
	t.Run("answers 404 for a missing post, but removes its bookmark", func(t *testing.T) {
		gone := "/posts/" + domain.NewID()
		ben.Post(gone + "/bookmark").Want(404)
		ben.Post(gone + "/unbookmark").Want(303)
		ben.Post("/posts/x/bookmark").Want(404)
		ben.Post("/posts/x/unbookmark").Want(404)
	})
}
