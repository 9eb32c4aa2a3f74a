package comments_test

import (
	"fmt"
	"net/url"
	"strings"
	"testing"

	"inkfeed/domain"
	"inkfeed/web/webtest"
)

func TestAuthorsDeleteTheirComments(t *testing.T) {
	s := webtest.NewSite(t)
	ada, ben := s.SignUp("ada"), s.SignUp("ben")
	p := ada.CreatePost("A title", "text")
	list := "/posts/" + p.ID + "/comments"

	t.Run("offers deletion only to the author, on every page with comments", func(t *testing.T) {
		c := ben.CreateComments(p, "mine")[0]
		button := "#comment-" + c.ID + ` form[action="` + webtest.DeletePath(c) + `"] button`
		for _, path := range []string{p.Path(), list} {
			ben.Get(path).Has(button, "Delete your comment from 1 May 2026, 12:01")
			ada.Get(path).Has("#comment-"+c.ID, "mine").HasNo(button)
			s.Anonymous().Get(path).Has("#comment-"+c.ID, "mine").HasNo(button)
		}
		ben.HTMX().Get(list).Has(button, "Delete")
		ada.HTMX().Get(list).HasNo(button)
		s.Anonymous().HTMX().Get(list).HasNo(button)
		ben.HTMX().Post(list, "content", "new").Want(200).
			Has(`hx-partial[hx-target="#Page-own-comments"] form[data-hx-post$="/delete"] button`, "Delete")
	})
	t.Run("asks for confirmation, in a dialog with htmx", func(t *testing.T) {
		c := ben.CreateComments(p, "mine")[0]
		form := "#comment-" + c.ID + ` form[data-hx-post="` + webtest.DeletePath(c) + `"]`
		ben.Get(p.Path()).Has(form+`[data-hx-confirm*="cannot be undone"]`, "")
		a := ben.Get(webtest.DeletePath(c)).Want(200).Has("h1", "Delete your comment?").Has("main article", "mine")
		a.Has(`main form[method="post"][action="`+webtest.DeletePath(c)+`"] button.danger`, "Delete comment")
		a.Has(`main form a[href="`+p.Path()+"#comment-"+c.ID+`"]`, "Keep comment").Has("main form", "cannot be undone")
		if len(s.Data.Comments(p.ID)) == 0 || s.Data.Calls("Posts.DeleteComment") != 0 {
			t.Error("the confirmation page deleted the comment")
		}
	})
	t.Run("returns to the reader's page with a confirmation", func(t *testing.T) {
		c := ben.CreateComments(p, "mine")[0]
		to := ben.Post(webtest.DeletePath(c)).WantRedirect(303, p.Path()+"?deleted=yes#Page-comments").
			Header.Get("Location")
		ben.Get(strings.TrimSuffix(to, "#Page-comments")).Want(200).HasNo("#comment-"+c.ID).
			Has(`.done[role="status"]`, "Comment deleted")
		s.Anonymous().Get(p.Path() + "?deleted=yes").Want(200).HasNo(".done")
	})
	t.Run("accepts a second deletion", func(t *testing.T) {
		c := ben.CreateComments(p, "mine")[0]
		before := s.Data.Post(p.ID).CommentCount
		for range 2 {
			ben.Post(webtest.DeletePath(c)).Want(303)
			ben.HTMX().Post(webtest.DeletePath(c)).Want(200)
		}
		if got := s.Data.Post(p.ID).CommentCount; got != before-1 {
			t.Errorf("%d comments, want %d", got, before-1)
		}
		ben.Get(webtest.DeletePath(c)).Want(404).Has("main", "may have been deleted")
	})
	t.Run("refuses everyone but the author", func(t *testing.T) {
		c := ben.CreateComments(p, "mine")[0]
		ada.Get(webtest.DeletePath(c)).Want(403).Has("h1", "Not allowed")
		ada.Post(webtest.DeletePath(c)).Want(403).Has("main", "You can only delete your own comments")
		ada.HTMX().Post(webtest.DeletePath(c)).Want(403).Has("dialog", "You can only delete your own comments")
		ben.Get(p.Path()).Has("#comment-"+c.ID, "mine")
	})
	t.Run("asks an anonymous visitor to log in and returns afterwards", func(t *testing.T) {
		c := ben.CreateComments(p, "mine")[0]
		to := "/login?next=" + strings.ReplaceAll(webtest.DeletePath(c), "/", "%2F")
		s.Anonymous().Get(webtest.DeletePath(c)).WantRedirect(303, to)
		s.Anonymous().Post(webtest.DeletePath(c)).WantRedirect(303, to)
		// With htmx the form is on the page of the post.
		s.Anonymous().HTMX().Post(webtest.DeletePath(c)).Want(401).Has(`dialog a[href="/login"]`, "")
		ben.Get(p.Path()).Has("#comment-"+c.ID, "mine")
	})
	t.Run("answers 404 for a comment or post that does not exist", func(t *testing.T) {
		for _, path := range []string{list + "/x/delete", "/posts/x/comments/" + domain.NewID() + "/delete",
			"/posts/" + domain.NewID() + "/comments/" + domain.NewID() + "/delete"} {
			ben.Get(path).Want(404).Has("h1", "Not found")
			ben.Post(path).Want(404).Has("h1", "Not found")
			ben.HTMX().Post(path).Want(404).Has("dialog", "Not found")
		}
	})
	t.Run("reports a failure and accepts another attempt", func(t *testing.T) {
		c := ben.CreateComments(p, "mine")[0]
		s.Data.Fail("Posts.DeleteComment")
		a := ben.Post(webtest.DeletePath(c)).Want(503).Has("h1", "Temporarily unavailable")
		b := ben.HTMX().Post(webtest.DeletePath(c)).Want(503).Has("dialog", "Temporarily unavailable")
		s.Data.Recover("Posts.DeleteComment")
		if a.Header.Get("Retry-After") == "" || b.Header.Get("HX-Retarget") != "#Page-notice" ||
			b.Header.Get("HX-Reswap") != "innerHTML" {
			t.Errorf("headers %v, %v", a.Header, b.Header)
		}
		ben.Post(webtest.DeletePath(c)).Want(303)
	})
	t.Run("leads to the post when the comment is deleted but the page of comments cannot be read", func(t *testing.T) {
		to := p.Path() + "?deleted=yes#Page-comments"
		c := ben.CreateComments(p, "mine", "mine too")
		s.Data.Fail("Posts.CommentsBefore")
		ben.Post(webtest.DeletePath(c[0]), "page", "1").WantRedirect(303, to)
		s.Data.Recover("Posts.CommentsBefore")
		s.Data.Fail("Posts.Comments")
		a := ben.HTMX().Post(webtest.DeletePath(c[1]), "page", "1").Want(200)
		s.Data.Recover("Posts.Comments")
		if got := a.Header.Get("HX-Redirect"); got != to || a.Body != "" {
			t.Errorf("HX-Redirect is %q, and the body %q", got, a.Body)
		}
	})
}

func TestListsFollowADeletedComment(t *testing.T) {
	// one returns n comments by ben on a post by ada.
	one := func(t *testing.T, n int) (*webtest.Visitor, domain.Post, []domain.Comment) {
		s := webtest.NewSite(t)
		p := s.SignUp("ada").CreatePost("A title", "text")
		ben := s.SignUp("ben")
		return ben, p, ben.CreateComments(p, webtest.CommentTexts(n)...)
	}
	t.Run("sends htmx the new count and lets it remove the comment", func(t *testing.T) {
		ben, p, made := one(t, 2)
		ben.Get(p.Path()).Has("#comment-"+made[0].ID+` form[data-hx-target="closest li"][data-hx-swap="delete"]`, "")
		a := ben.HTMX().Post(webtest.DeletePath(made[0])).Want(200).HasNo("h1").HasNo("main").HasNo("li")
		a.Has(`hx-partial[hx-target="#Page-comments-title"]`, "1 comment").
			Has(`hx-partial[hx-target="#Page-comment-status"]`, "Comment deleted")
		a.HasNo("#Page-no-comments")
		ben.HTMX().Post(webtest.DeletePath(made[1])).Want(200).Has("#Page-no-comments", "No comments yet").
			Has(`hx-partial[hx-target="#Page-comments-title"]`, "0 comments")
	})
	t.Run("below the post, More continues without gaps", func(t *testing.T) {
		ben, p, made := one(t, domain.CommentsPerPage+2)
		more := after(p, made[49], 2)
		ben.Get(p.Path()).Has(`#Page-more[data-hx-get="`+more+`"]`, "").HasNo("form[data-hx-include]").
			HasNo(`#Page-comments input[name="page"]`)
		ben.HTMX().Post(webtest.DeletePath(made[3])).Want(200).HasNo("li").HasNo("nav").HasNo("#Page-more")
		ben.HTMX().Post(webtest.DeletePath(made[49])).Want(200) // also the comment that More continues after
		a := ben.HTMX().Get(more).Want(200).Has("li#comment-"+made[50].ID, "").Has("li#comment-"+made[51].ID, "").
			HasNo("#Page-more")
		if n := a.Page().Find("li").Length(); n != 2 {
			t.Errorf("%d comments are shown, want 2", n)
		}
		// They may be the reader's own comments, which were shown apart until now.
		a.Has(`hx-partial[hx-target="#comment-`+made[51].ID+`"][hx-swap="delete"]`, "")
	})
	t.Run("moves no comment up for one that the reader has just added", func(t *testing.T) {
		ben, p, _ := one(t, domain.CommentsPerPage+2)
		added := ben.HTMX().Post("/posts/"+p.ID+"/comments", "content", "mine").Want(200)
		added.HasNo("li form[data-hx-include]").HasNo(`li form [name="page"]`)
	})
	t.Run("on a separate page of comments, the next comment moves up and the pager is updated", func(t *testing.T) {
		ben, p, made := one(t, domain.CommentsPerPage+1)
		list := "/posts/" + p.ID + "/comments"
		ben.Get(list).Has("#comment-"+made[0].ID+` form input[name="page"][value="1"]`, "").
			Has("#Page-comment-pages nav", "Page 1")
		last := ben.Get(list).Has("#comment-"+made[0].ID+` form[data-hx-include="#Page-comment-pages"]`, "").Page().
			Find(`#Page-comment-pages input[name="last"]`).AttrOr("value", "")
		if last != made[49].Place() {
			t.Errorf("the place of the last comment is %q", last)
		}
		a := ben.HTMX().Post(webtest.DeletePath(made[0]), "page", "1", "last", last).Want(200)
		a.Has(`hx-partial[hx-target="#Page-comment-list"] li#comment-`+made[50].ID+
			` form input[name="page"][value="1"]`, "").Has("li", "")
		a.Has(`hx-partial[hx-target="#Page-comment-pages"]`, "").HasNo("nav").HasNo("#Page-more").HasNo(`[name="last"]`)
		ben.HTMX().Post(webtest.DeletePath(made[1]), "page", "1", "last", made[50].Place()).Want(200).HasNo("li")
	})
	t.Run("without JavaScript, returns to the same page of comments or the last", func(t *testing.T) {
		ben, p, made := one(t, domain.CommentsPerPage+2)
		list := "/posts/" + p.ID + "/comments"
		ben.Get(list+"?page=2").Has("#comment-"+made[51].ID+` form input[name="page"][value="2"]`, "")
		a := ben.Get(webtest.DeletePath(made[51])+"?page=2").Want(200).
			Has(`main form a[href="`+list+"?page=2#comment-"+made[51].ID+`"]`, "Keep comment")
		if got := a.Value("page"); got != "2" {
			t.Errorf("the form has the page %q", got)
		}
		ben.Post(webtest.DeletePath(made[51]), "page", "2").WantRedirect(303, list+"?page=2&deleted=yes#Page-comments")
		ben.Get(list+"?page=2&deleted=yes").Want(200).Has(".done", "deleted")
		ben.Post(webtest.DeletePath(made[50]), "page", "2").WantRedirect(303, list+"?deleted=yes#Page-comments")
		ben.Post(webtest.DeletePath(made[49]), "page", "//evil.example").
			WantRedirect(303, p.Path()+"?deleted=yes#Page-comments")
	})
}

// after returns the address from which htmx loads the comments after c.
func after(p domain.Post, c domain.Comment, page int) string {
	return fmt.Sprintf("/posts/%s/comments?%s", p.ID,
		url.Values{"page": {fmt.Sprint(page)}, "after": {c.Place()}}.Encode())
}
