package web_test

import (
	"strings"
	"testing"

	"inkfeed/domain"
)

// deletePath is where a comment is deleted.
func deletePath(c domain.Comment) string {
	return "/posts/" + c.PostID + "/comments/" + c.ID + "/delete"
}

func TestDeletingAComment(t *testing.T) {
	s := newSite(t)
	ada, ben := s.member("ada"), s.member("ben")
	p := ada.aPost("A title", "text")
	list := "/posts/" + p.ID + "/comments"

	t.Run("is offered to its author only, wherever comments are shown", func(t *testing.T) {
		c := ben.comments(p, "mine")[0]
		button := "#comment-" + c.ID + ` form[action="` + deletePath(c) + `"] button`
		for _, path := range []string{p.Path(), list} {
			ben.get(path).has(button, "Delete your comment from 1 May 2026, 12:01")
			ada.get(path).has("#comment-"+c.ID, "mine").hasNo(button)
			s.stranger().get(path).has("#comment-"+c.ID, "mine").hasNo(button)
		}
		ben.htmx().get(list).has(button, "Delete")
		ada.htmx().get(list).hasNo(button)
		s.stranger().htmx().get(list).hasNo(button)
		ben.htmx().post(list, "content", "new").want(200).has(`hx-partial[hx-target="#Page-own-comments"] form[data-hx-post$="/delete"] button`, "Delete")
	})
	t.Run("is asked about first, with htmx in place", func(t *testing.T) {
		c := ben.comments(p, "mine")[0]
		ben.get(p.Path()).has("#comment-"+c.ID+` form[data-hx-post="`+deletePath(c)+`"][data-hx-confirm*="cannot be undone"]`, "")
		a := ben.get(deletePath(c)).want(200).has("h1", "Delete your comment?").has("main article", "mine")
		a.has(`main form[method="post"][action="`+deletePath(c)+`"] button.danger`, "Delete comment")
		a.has(`main form a[href="`+p.Path()+"#comment-"+c.ID+`"]`, "Keep comment").has("main form", "cannot be undone")
		if len(s.data.comments(p.ID)) == 0 || s.data.calls("Posts.DeleteComment") != 0 {
			t.Error("asking deleted it")
		}
	})
	t.Run("leads back to where the reader was and says that it is done", func(t *testing.T) {
		c := ben.comments(p, "mine")[0]
		to := ben.post(deletePath(c)).wantRedirect(303, p.Path()+"?deleted=yes#Page-comments").Header.Get("Location")
		ben.get(strings.TrimSuffix(to, "#Page-comments")).want(200).hasNo("#comment-"+c.ID).has(`.done[role="status"]`, "Comment deleted")
		s.stranger().get(p.Path() + "?deleted=yes").want(200).hasNo(".done")
	})
	t.Run("twice is no error", func(t *testing.T) {
		c := ben.comments(p, "mine")[0]
		before := s.data.post(p.ID).CommentCount
		for range 2 {
			ben.post(deletePath(c)).want(303)
			ben.htmx().post(deletePath(c)).want(200)
		}
		if got := s.data.post(p.ID).CommentCount; got != before-1 {
			t.Errorf("%d comments, want %d", got, before-1)
		}
		ben.get(deletePath(c)).want(404).has("main", "may have been deleted")
	})
	t.Run("is for its author only", func(t *testing.T) {
		c := ben.comments(p, "mine")[0]
		ada.get(deletePath(c)).want(403).has("h1", "Not allowed")
		ada.post(deletePath(c)).want(403).has("main", "You can only delete your own comments")
		ada.htmx().post(deletePath(c)).want(403).has("dialog", "You can only delete your own comments")
		ben.get(p.Path()).has("#comment-"+c.ID, "mine")
	})
	t.Run("a stranger is asked to log in, and led back", func(t *testing.T) {
		c := ben.comments(p, "mine")[0]
		to := "/login?next=" + strings.ReplaceAll(deletePath(c), "/", "%2F")
		s.stranger().get(deletePath(c)).wantRedirect(303, to)
		s.stranger().post(deletePath(c)).wantRedirect(303, to)
		// With htmx the form stands on the post's page.
		a := s.stranger().htmx().post(deletePath(c)).want(401)
		if got := a.Header.Get("HX-Redirect"); got != "/login?next=%2Fposts%2F"+p.ID {
			t.Errorf("HX-Redirect is %q", got)
		}
		ben.get(p.Path()).has("#comment-"+c.ID, "mine")
	})
	t.Run("what is not there is not found", func(t *testing.T) {
		for _, path := range []string{list + "/x/delete", "/posts/x/comments/" + domain.NewID() + "/delete",
			"/posts/" + domain.NewID() + "/comments/" + domain.NewID() + "/delete"} {
			ben.get(path).want(404).has("h1", "Not found")
			ben.post(path).want(404).has("h1", "Not found")
			ben.htmx().post(path).want(404).has("dialog", "Not found")
		}
	})
	t.Run("a failure says so, and another try is possible", func(t *testing.T) {
		c := ben.comments(p, "mine")[0]
		s.data.fail("Posts.DeleteComment")
		a := ben.post(deletePath(c)).want(503).has("h1", "Temporarily unavailable")
		b := ben.htmx().post(deletePath(c)).want(503).has("dialog", "Temporarily unavailable")
		s.data.recover("Posts.DeleteComment")
		if a.Header.Get("Retry-After") == "" || b.Header.Get("HX-Retarget") != "#Page-notice" || b.Header.Get("HX-Reswap") != "innerHTML" {
			t.Errorf("headers %v, %v", a.Header, b.Header)
		}
		ben.post(deletePath(c)).want(303)
	})
}

func TestWhatFollowsADeletedComment(t *testing.T) {
	// one has n comments of ben's on a post of ada's.
	one := func(t *testing.T, n int) (*visitor, domain.Post, []domain.Comment) {
		s := newSite(t)
		p := s.member("ada").aPost("A title", "text")
		ben := s.member("ben")
		return ben, p, ben.comments(p, many(n)...)
	}
	t.Run("htmx gets the new count, and takes the comment away itself", func(t *testing.T) {
		ben, p, made := one(t, 2)
		ben.get(p.Path()).has("#comment-"+made[0].ID+` form[data-hx-target="closest li"][data-hx-swap="delete"]`, "")
		a := ben.htmx().post(deletePath(made[0])).want(200).hasNo("h1").hasNo("main").hasNo("li")
		a.has(`hx-partial[hx-target="#Page-comments-title"]`, "1 comment").has(`hx-partial[hx-target="#Page-comment-status"]`, "Comment deleted")
		a.hasNo("#Page-no-comments")
		ben.htmx().post(deletePath(made[1])).want(200).has("#Page-no-comments", "No comments yet").
			has(`hx-partial[hx-target="#Page-comments-title"]`, "0 comments")
	})
	t.Run("below the post nothing moves up, and More misses none", func(t *testing.T) {
		ben, p, made := one(t, domain.CommentsPerPage+2)
		more := after(p, made[49], 2)
		ben.get(p.Path()).has(`#Page-more[data-hx-get="`+more+`"]`, "").hasNo("form[data-hx-include]").hasNo(`#Page-comments input[name="page"]`)
		ben.htmx().post(deletePath(made[3])).want(200).hasNo("li").hasNo("nav").hasNo("#Page-more")
		ben.htmx().post(deletePath(made[49])).want(200) // also when it is the one that More begins behind
		a := ben.htmx().get(more).want(200).has("li#comment-"+made[50].ID, "").has("li#comment-"+made[51].ID, "").hasNo("#Page-more")
		if n := a.page().Find("li").Length(); n != 2 {
			t.Errorf("%d comments", n)
		}
		// They may have been the reader's own, and stand apart until now.
		a.has(`hx-partial[hx-target="#comment-`+made[51].ID+`"][hx-swap="delete"]`, "")
	})
	t.Run("none moves up for what the reader has just added", func(t *testing.T) {
		ben, p, _ := one(t, domain.CommentsPerPage+2)
		added := ben.htmx().post("/posts/"+p.ID+"/comments", "content", "mine").want(200)
		added.hasNo("li form[data-hx-include]").hasNo(`li form [name="page"]`)
	})
	t.Run("on a page of comments of its own the next moves up too, and the pages are told anew", func(t *testing.T) {
		ben, p, made := one(t, domain.CommentsPerPage+1)
		list := "/posts/" + p.ID + "/comments"
		ben.get(list).has("#comment-"+made[0].ID+` form input[name="page"][value="1"]`, "").has("#Page-comment-pages nav", "Page 1")
		last := ben.get(list).has("#comment-"+made[0].ID+` form[data-hx-include="#Page-comment-pages"]`, "").page().Find(`#Page-comment-pages input[name="last"]`).AttrOr("value", "")
		if last != made[49].Place() {
			t.Errorf("the last shown is %q", last)
		}
		a := ben.htmx().post(deletePath(made[0]), "page", "1", "last", last).want(200)
		a.has(`hx-partial[hx-target="#Page-comment-list"] li#comment-`+made[50].ID+` form input[name="page"][value="1"]`, "").has("li", "")
		a.has(`hx-partial[hx-target="#Page-comment-pages"]`, "").hasNo("nav").hasNo("#Page-more").hasNo(`[name="last"]`)
		ben.htmx().post(deletePath(made[1]), "page", "1", "last", made[50].Place()).want(200).hasNo("li")
	})
	t.Run("without JavaScript the page is kept, or becomes the last one left", func(t *testing.T) {
		ben, p, made := one(t, domain.CommentsPerPage+2)
		list := "/posts/" + p.ID + "/comments"
		ben.get(list+"?page=2").has("#comment-"+made[51].ID+` form input[name="page"][value="2"]`, "")
		a := ben.get(deletePath(made[51])+"?page=2").want(200).has(`main form a[href="`+list+"?page=2#comment-"+made[51].ID+`"]`, "Keep comment")
		if got := a.Value("page"); got != "2" {
			t.Errorf("the form leads back to page %q", got)
		}
		ben.post(deletePath(made[51]), "page", "2").wantRedirect(303, list+"?page=2&deleted=yes#Page-comments")
		ben.get(list+"?page=2&deleted=yes").want(200).has(".done", "deleted")
		ben.post(deletePath(made[50]), "page", "2").wantRedirect(303, list+"?deleted=yes#Page-comments")
		ben.post(deletePath(made[49]), "page", "//evil.example").wantRedirect(303, p.Path()+"?deleted=yes#Page-comments")
	})
}

func TestDeletingAPost(t *testing.T) {
	s := newSite(t)
	ada, ben := s.member("ada"), s.member("ben")
	t.Run("is offered to its author only", func(t *testing.T) {
		p := ada.aPost("A title", "text")
		button := `.post a[href="/posts/` + p.ID + `/delete"]`
		ada.get(p.Path()).has(button, "Delete")
		ben.get(p.Path()).hasNo(button)
		s.stranger().get(p.Path()).hasNo(button)
	})
	t.Run("is asked about first, and says what goes with it", func(t *testing.T) {
		for says, n := range map[string][2]int{
			"Its 2 comments and 1 like will also be deleted. This cannot be undone.": {2, 1},
			"Its 1 comment will also be deleted. This cannot be undone.":             {1, 0},
			"Its 3 likes will also be deleted. This cannot be undone.":               {0, 3},
			"It has no comments and no likes. This cannot be undone.":                {0, 0},
		} {
			p := ada.aPost("A title", "text")
			s.change(p.ID, func(p *domain.Post) { p.CommentCount, p.LikeCount = n[0], n[1] })
			a := ada.get("/posts/"+p.ID+"/delete").want(200).has("h1", "Delete your post?").has("main header", "A title")
			a.has(`main form[method="post"][action="/posts/`+p.ID+`/delete"]`, says).has("main form button.danger", "Delete post")
			a.has(`main form a[href="`+p.Path()+`"]`, "Keep post")
		}
		if s.data.calls("Posts.Delete") != 0 {
			t.Error("asking deleted it")
		}
	})
	t.Run("leads to the author's page and says that it is done", func(t *testing.T) {
		p := ada.aPost("A title", "text")
		to := ada.post("/posts/"+p.ID+"/delete").wantRedirect(303, "/@ada?deleted=yes").Header.Get("Location")
		ada.get(to).want(200).has(`.done[role="status"]`, "Post deleted").hasNo(`a[href="` + p.Path() + `"]`)
		ben.get(to).want(200).hasNo(".done")
		s.stranger().get(to).want(200).hasNo(".done")
	})
	t.Run("leaves nothing at its addresses, and says so kindly", func(t *testing.T) {
		p := ada.aPost("A title", "text")
		ada.post("/posts/" + p.ID + "/delete").want(303)
		for _, path := range []string{"", "/a-title", "/edit", "/delete", "/comments", "/likes"} {
			ada.get("/posts/"+p.ID+path).want(404).has("main", "Its author may have deleted it")
		}
	})
	t.Run("twice is no error", func(t *testing.T) {
		p := ada.aPost("A title", "text")
		for range 2 {
			ada.post("/posts/"+p.ID+"/delete").wantRedirect(303, "/@ada?deleted=yes")
		}
	})
	t.Run("is for the author only", func(t *testing.T) {
		p := ada.aPost("A title", "text")
		ben.get("/posts/"+p.ID+"/delete").want(403).has("h1", "Not allowed")
		ben.post("/posts/"+p.ID+"/delete").want(403).has("h1", "Not allowed")
		s.stranger().get(p.Path()).want(200)
	})
	t.Run("a stranger is asked to log in, and led back", func(t *testing.T) {
		p := ada.aPost("A title", "text")
		to := "/login?next=%2Fposts%2F" + p.ID + "%2Fdelete"
		s.stranger().get("/posts/"+p.ID+"/delete").wantRedirect(303, to)
		s.stranger().post("/posts/"+p.ID+"/delete").wantRedirect(303, to)
		s.stranger().get(p.Path()).want(200)
	})
	t.Run("an unknown post is not found", func(t *testing.T) {
		for _, id := range []string{domain.NewID(), "x"} {
			ada.get("/posts/" + id + "/delete").want(404)
			ada.post("/posts/"+id+"/delete").want(404).has("h1", "Not found")
		}
	})
	t.Run("a failure says so, and another try is possible", func(t *testing.T) {
		p := ada.aPost("A title", "text")
		s.data.fail("Posts.Delete")
		if a := ada.post("/posts/"+p.ID+"/delete").want(503).has("h1", "Temporarily unavailable"); a.Header.Get("Retry-After") == "" {
			t.Error("no word when to try again")
		}
		s.data.recover("Posts.Delete")
		ada.post("/posts/" + p.ID + "/delete").want(303)
	})
}

func TestWhatWasTypedOutlivesTheDeletedPost(t *testing.T) {
	s := newSite(t)
	ada, ben := s.member("ada"), s.member("ben")
	deleted := func() string {
		p := ada.aPost("A title", "text")
		ada.post("/posts/" + p.ID + "/delete").want(303)
		return "/posts/" + p.ID
	}
	t.Run("an edit can become a new post", func(t *testing.T) {
		path := deleted()
		a := ada.post(path, "title", "My title", "content", "My text", "revision", "1").want(404)
		a.has("h1", "Post deleted").has("title", "Post deleted").has(`[role="alert"][tabindex="-1"][autofocus]`, "was deleted while you were editing it")
		a.has(`main form[action="/posts"] button[value="publish"]`, "Publish as a new post").has(`[name="revision"][value="0"]`, "")
		if a.Value("title") != "My title" || a.Value("content") != "My text" || !domain.IsID(a.Value("post")) {
			t.Errorf("the form holds %q, %q, %q", a.Value("title"), a.Value("content"), a.Value("post"))
		}
		to := ada.post("/posts", "title", a.Value("title"), "content", a.Value("content"), "post", a.Value("post")).want(303)
		ada.get(to.Header.Get("Location")).want(200).has("h1", "My title")
	})
	t.Run("also when the post goes between a conflict and its page", func(t *testing.T) {
		p := ada.aPost("A title", "text")
		s.data.before("Posts.Edit", func() {
			s.data.must(s.data.rewrite(ada, p.ID, "A title", "Other text"))
			s.data.before("Posts.Own", func() { s.data.must(s.data.store.Posts.Delete(s.data.ctx(), p.ID, ada.user.ID)) })
		})
		a := ada.post("/posts/"+p.ID, "title", "T", "content", "My text", "revision", "1").want(404)
		if a.Value("content") != "My text" {
			t.Error("what was typed is lost")
		}
	})
	t.Run("a comment is given back", func(t *testing.T) {
		path := deleted() + "/comments"
		a := ben.post(path, "content", "\nprecious <b>").want(404).has("h1", "Post not found").has(`[role="alert"]`, "Copy your comment")
		if got := a.page().Find("textarea[readonly]").Text(); got != "\nprecious <b>" {
			t.Errorf("the page holds %q", got)
		}
		a = ben.htmx().post(path, "content", "precious").want(404).hasNo("h1").has(`#Page-comment-form [role="alert"]`, "Copy your comment")
		if a.Value("content") != "precious" || a.Header.Get("HX-Retarget") != "" {
			t.Error("what was typed is lost")
		}
	})
	t.Run("also one that breaks a rule, or comes after the session ended", func(t *testing.T) {
		path := deleted() + "/comments"
		long := strings.Repeat("c", domain.MaxComment+1)
		for _, a := range []*answer{ben.post(path, "content", long), ben.forgotten().post(path, "content", long)} {
			if got := a.want(404).page().Find("textarea[readonly]").Text(); got != long {
				t.Errorf("%s: what was typed is lost", a.what)
			}
		}
	})
	t.Run("where nothing was typed there is nothing to give back", func(t *testing.T) {
		ben.post(deleted()+"/comments", "content", " ").want(404).has("h1", "Not found")
	})
	t.Run("a new post sent again after it was deleted is published anew, by a double click once", func(t *testing.T) {
		id := ada.get("/new").Value("post")
		publish := func() string {
			return ada.post("/posts", "title", "Again", "content", "text", "post", id).want(303).Header.Get("Location")
		}
		before := ""
		for range 2 {
			to := publish()
			if to == before {
				t.Fatal("leads to the deleted one")
			}
			if again := publish(); again != to {
				t.Errorf("published at %s and at %s", to, again)
			}
			ada.get(to).want(200).has("h1", "Again")
			ada.post("/posts/" + strings.Split(to, "/")[2] + "/delete").want(303)
			before = to
		}
		ada.get(publish()).want(200).has("h1", "Again") // however often
	})
}
