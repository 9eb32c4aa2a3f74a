package comments_test

import (
	"strings"
	"testing"
	"time"

	"inkfeed/domain"
	"inkfeed/web/webtest"
)

func TestReplyingToComments(t *testing.T) {
	s := webtest.NewSite(t)
	ada, ben := s.SignUp("ada"), s.SignUp("ben")
	p := ada.CreatePost("A title", "text")
	list := "/posts/" + p.ID + "/comments"
	comment := ben.CreateComments(p, "A *question*")[0]

	t.Run("offers a reply below each comment, in place to members", func(t *testing.T) {
		link := "#comment-" + comment.ID + ` a[href="` + webtest.CommentPath(comment, "/reply") + `"]`
		for _, path := range []string{p.Path(), list} {
			ada.Get(path).Has(link+`[data-hx-get="`+webtest.CommentPath(comment, "/reply")+
				`"][data-hx-target="#answer-`+comment.ID+`"]`, "Reply to @ben").Has("#answer-"+comment.ID, "")
			s.Anonymous().Get(path).Has(link, "Reply").HasNo(link + "[data-hx-get]")
		}
		to := "/login?next=" + strings.ReplaceAll(webtest.CommentPath(comment, "/reply"), "/", "%2F")
		s.Anonymous().Get(webtest.CommentPath(comment, "/reply")).WantRedirect(303, to)
	})
	t.Run("without JavaScript, shows a page with the comment and a form", func(t *testing.T) {
		a := ada.Get(webtest.CommentPath(comment, "/reply")).Want(200).Has("h1", "Reply to @ben").
			Has("main article em", "question")
		a.Has(`main form[action="`+list+`"] button`, "Reply").
			Has(`main form a[href="`+webtest.CommentPath(comment, "")+`"]`, "")
		if a.Value("parent") != comment.ID || a.Value("content") != "" {
			t.Errorf("the form has parent %q and content %q", a.Value("parent"), a.Value("content"))
		}
		a.Has(`label[for="reply-`+comment.ID+`"]`, "Your reply to @ben")
		to := ada.Post(list, "parent", comment.ID, "content", "An answer", "attempt", a.Value("attempt")).Want(303).
			Header.Get("Location")
		page, anchor, _ := strings.Cut(to, "#")
		if page != p.Path() {
			t.Errorf("the reply redirects to %s", to)
		}
		ben.Get(page).Has("#replies-"+comment.ID+" > #"+anchor, "An answer").Has("#Page-comments-title", "2 comments")
	})
	t.Run("with htmx, adds the reply in place", func(t *testing.T) {
		form := ada.HTMX().Get(webtest.CommentPath(comment, "/reply")).Want(200).HasNo("h1").HasNo("main").
			Has(`form textarea[autofocus]`, "")
		attempt := form.Page().Find(`[name="attempt"]`).AttrOr("value", "")
		for range 2 { // a double click
			a := ada.HTMX().Post(list, "parent", comment.ID, "content", "In place", "attempt", attempt).Want(200).
				HasNo("form textarea")
			a.Has(`hx-partial[hx-target="#replies-`+comment.ID+
				`"][hx-swap="beforeend"] li[tabindex="-1"][autofocus] .prose`, "In place")
			a.Has(`hx-partial[hx-target="#Page-comments-title"]`, "3 comments").
				Has(`hx-partial[hx-target="#Page-comment-status"]`, "Reply published")
			if got := a.Header.Get("HX-Reswap"); got != "delete" {
				t.Errorf("HX-Reswap of the form is %q", got)
			}
		}
	})
	t.Run("adds an answer to a reply beside it and mentions its author", func(t *testing.T) {
		first := ada.Reply(comment, "first")
		a := ben.Get(webtest.CommentPath(first, "/reply")).Want(200).Has("h1", "Reply to @ada")
		if a.Value("parent") != comment.ID || strings.TrimPrefix(a.Value("content"), "\n") != "@ada " {
			t.Errorf("the form has parent %q and content %q", a.Value("parent"), a.Value("content"))
		}
		ben.Get(p.Path()).Has("#comment-"+first.ID+` a[data-hx-target="#answer-`+comment.ID+`"]`, "Reply to @ada")
	})
	t.Run("shows an empty reply again in place", func(t *testing.T) {
		a := ada.Post(list, "parent", comment.ID, "content", " ").Want(422).Has("h1", "Reply to @ben")
		a.Has(`#reply-`+comment.ID+`[aria-invalid="true"][autofocus]`, "").
			Has("#reply-"+comment.ID+"-error", "can't be empty").
			Has(`.error-summary a[href="#reply-`+comment.ID+`"]`, "can't be empty")
		a = ada.HTMX().Post(list, "parent", comment.ID, "content", " ").Want(422).HasNo("h1").
			Has("#reply-"+comment.ID+"-error", "can't be empty")
		if a.Header.Get("HX-Retarget") != "" {
			t.Error("HX-Retarget is set")
		}
	})
	t.Run("keeps the text when the session has expired", func(t *testing.T) {
		a := ada.WithoutSession().Post(list, "parent", comment.ID, "content", "precious").Want(401).
			Has("[role=alert]", "session has expired")
		if !strings.Contains(a.Value("content"), "precious") || a.Value("parent") != comment.ID {
			t.Errorf("the form has content %q and parent %q", a.Value("parent"), a.Value("content"))
		}
	})
	t.Run("keeps the text and the parent when storage fails", func(t *testing.T) {
		for _, method := range []string{"Posts.Comment", "Posts.AddComment"} {
			s.Data.Fail(method)
			a := ada.HTMX().Post(list, "parent", comment.ID, "content", "precious").Want(503).
				Has("[role=alert]", "What you typed is safe")
			s.Data.Recover(method)
			if got := a.Page().Find(`[name="parent"]`).AttrOr("value", ""); got != comment.ID ||
				!strings.Contains(a.Page().Find("textarea").Text(), "precious") {
				t.Errorf("%s fails: the form has parent %q", method, got)
			}
			if strings.Contains(a.Body, "@ ·") || strings.Contains(a.Body, "1 January 1") {
				t.Errorf("%s fails: the answer quotes a comment that was not read:\n%s", method, a.Body)
			}
		}
	})
	t.Run("offers to publish a reply to a deleted comment as a comment", func(t *testing.T) {
		gone := ben.CreateComments(p, "gone")[0]
		ben.Post(webtest.DeletePath(gone)).Want(303)
		for _, parent := range []string{gone.ID, "x"} {
			a := ada.Post(list, "parent", parent, "content", "orphan").Want(409).Has("h1", "A title").
				Has(".error-summary", "was deleted")
			if a.Value("content") == "" || a.Page().Find(`[name="parent"]`).Length() != 0 {
				t.Errorf("the form has content %q", a.Value("content"))
			}
			ada.HTMX().Post(list, "parent", parent, "content", "orphan").Want(409).
				Has("#Page-comment-form .error-summary", "was deleted").HasNo(`[name="parent"]`)
		}
		ada.Get(webtest.CommentPath(gone, "/reply")).Want(404)
	})
	t.Run("says that a reply is too large before it says that the comment was deleted", func(t *testing.T) {
		gone := ben.CreateComments(p, "gone")[0]
		ben.Post(webtest.DeletePath(gone)).Want(303)
		large := strings.Repeat("c", 2<<20)
		for _, visitor := range []*webtest.Visitor{ada, ada.HTMX()} {
			a := visitor.Post(list, "parent", gone.ID, "content", large).Want(413).
				Has(".error-summary", "larger than this site accepts").HasNo("#Page-comment-form .error-summary")
			text, parent := a.Page().Find("textarea").Text(), a.Page().Find(`[name="parent"]`).AttrOr("value", "")
			if text != large || parent != gone.ID {
				t.Errorf("the form has %d bytes of text and parent %q", len(text), parent)
			}
		}
		ada.Post(list, "parent", gone.ID, "content", "shortened").Want(409)
	})
}

func TestThreadsContinueOnTheNextPage(t *testing.T) {
	s := webtest.NewSite(t)
	ada := s.SignUp("ada")
	p := ada.CreatePost("A title", "text")
	// the last comment has the thread that continues on the next page
	made := ada.CreateComments(p, webtest.CommentTexts(domain.CommentsPerPage)...)
	last := made[49]
	var replies []domain.Comment
	for i := range 3 {
		c := domain.Comment{ID: domain.NewID(), PostID: p.ID, AuthorID: ada.User.ID, AuthorName: "ada",
			Content: "reply",
			Created: last.Created.Add(time.Duration(i+1) * time.Second), ParentID: last.ID, ParentCreated: last.Created}
		_, _ = s.Data.Store.Posts.AddComment(t.Context(), c)
		replies = append(replies, c)
	}
	path := "/posts/" + p.ID + "/comments"
	t.Run("links the continued thread back to its comment", func(t *testing.T) {
		ada.Get(p.Path()).Has("#replies-"+last.ID, "").HasNo("#replies-" + last.ID + " > li")
		a := ada.Get(path+"?page=2").Want(200).
			Has(`#Page-comment-list .continued a[href="`+webtest.CommentPath(last, "")+`"]`, "earlier page")
		if n := a.Page().Find("#replies-" + last.ID + " > li").Length(); n != 3 {
			t.Errorf("%d replies", n)
		}
	})
	t.Run("continues the thread in place with htmx", func(t *testing.T) {
		a := ada.HTMX().Get(after(p, last, 2)).Want(200)
		if n := a.Page().Find(`hx-partial[hx-target="#replies-` + last.ID + `"][hx-swap="beforeend"] > li`).
			Length(); n != 3 {
			t.Errorf("%d replies", n)
		}
		a.Has("#comment-"+replies[0].ID+"[autofocus]", "").Has("[autofocus]", "")
	})
	t.Run("gives every comment an address that redirects to its page", func(t *testing.T) {
		s.Anonymous().Get(webtest.CommentPath(made[0], "")).WantRedirect(302, p.Path()+"#comment-"+made[0].ID)
		s.Anonymous().Get(webtest.CommentPath(last, "")).WantRedirect(302, p.Path()+"#comment-"+last.ID)
		s.Anonymous().Get(webtest.CommentPath(replies[2], "")).WantRedirect(302, path+"?page=2#comment-"+replies[2].ID)
		s.Anonymous().Get(p.Path()).
			Has("#comment-"+made[0].ID+` a[href="`+webtest.CommentPath(made[0], "")+`"] time`, "2026")
		for _, missing := range []string{
			path + "/" + domain.NewID(), path + "/x", "/posts/" + domain.NewID() + "/comments/" + last.ID,
		} {
			s.Anonymous().Get(missing).Want(404)
		}
	})
}

func TestEditingComments(t *testing.T) {
	s := webtest.NewSite(t)
	ada, ben := s.SignUp("ada"), s.SignUp("ben")
	p := ada.CreatePost("A title", "text")
	one := func() domain.Comment { return ben.CreateComments(p, "A *first* version")[0] }

	t.Run("offers editing only to the author", func(t *testing.T) {
		c := one()
		link := "#comment-" + c.ID + ` a[href="` + webtest.CommentPath(c, "/edit") + `"]`
		ben.Get(p.Path()).Has(link+`[data-hx-get="`+webtest.CommentPath(c, "/edit")+`"]`, "Edit your comment")
		ada.Get(p.Path()).HasNo(link)
		s.Anonymous().Get(p.Path()).HasNo(link)
		ada.Get(webtest.CommentPath(c, "/edit")).Want(403)
		ada.Post(webtest.CommentPath(c, "/edit"), "content", "Mine").Want(403)
		s.Anonymous().Get(webtest.CommentPath(c, "/edit")).Want(303)
	})
	t.Run("without JavaScript, edits on a separate page and returns to the comment", func(t *testing.T) {
		c := one()
		a := ben.Get(webtest.CommentPath(c, "/edit")).Want(200).Has("h1", "Edit your comment").
			Has(`main form button`, "Save").
			Has(`main form a[href="`+webtest.CommentPath(c, "")+`"]`, "")
		if got := strings.TrimPrefix(a.Value("content"), "\n"); got != "A *first* version" {
			t.Errorf("the form has content %q", got)
		}
		ben.Post(webtest.CommentPath(c, "/edit"), "content", "A *second*", "began", a.Value("began")).
			WantRedirect(303, p.Path()+"#comment-"+c.ID)
		s.Anonymous().Get(p.Path()).Has("#comment-"+c.ID+" em", "second").
			Has("#comment-"+c.ID+" .meta span[title]", "edited")
		// A second edit begins from an edited version.
		began := ben.Get(webtest.CommentPath(c, "/edit")).Value("began")
		ben.Post(webtest.CommentPath(c, "/edit"), "content", "A third", "began", began).Want(303)
		ben.Get(p.Path()).Has("#comment-"+c.ID+" .prose", "third")
	})
	t.Run("with htmx, edits in place", func(t *testing.T) {
		c := one()
		ben.HTMX().Get(webtest.CommentPath(c, "/edit")).Want(200).HasNo("h1").
			Has(`form.comment[data-hx-post="`+webtest.CommentPath(c, "/edit")+`"] textarea[autofocus]`, "first")
		a := ben.HTMX().Post(webtest.CommentPath(c, "/edit"), "content", "A *second*").Want(200).HasNo("form textarea")
		a.Has(`article.comment[tabindex="-1"][autofocus] em`, "second").
			Has(`hx-partial[hx-target="#Page-comment-status"]`, "Comment saved")
		// Cancel requests this address
		ben.HTMX().Get(webtest.CommentPath(c, "")).Want(200).HasNo("h1").Has("article.comment em", "second")
	})
	t.Run("shows an empty edit again", func(t *testing.T) {
		c := one()
		a := ben.Post(webtest.CommentPath(c, "/edit"), "content", " ").Want(422).Has("h1", "Edit").
			Has("#edit-"+c.ID+"-error", "can't be empty")
		a.Has("#edit-"+c.ID+`[aria-invalid="true"]`, "")
		ben.HTMX().Post(webtest.CommentPath(c, "/edit"), "content", " ").Want(422).
			Has("#edit-"+c.ID+"-error", "can't be empty").HasNo("h1")
	})
	t.Run("accepts a form that is sent twice", func(t *testing.T) {
		c := one()
		for range 2 {
			ben.Post(webtest.CommentPath(c, "/edit"), "content", "A second version", "began", "").Want(303)
			ben.HTMX().Post(webtest.CommentPath(c, "/edit"), "content", "A second version", "began", "").Want(200)
		}
	})
	t.Run("leads to the comment when the edit is stored but the post cannot be read", func(t *testing.T) {
		hidden := ada.CreatePost("Soon hidden", "text")
		c := ben.CreateComments(hidden, "A first version")[0]
		s.Data.Before("Posts.EditComment", func() {
			s.ChangePost(hidden.ID, func(p *domain.Post) { p.Held = domain.HeldByModerator })
		})
		ben.Post(webtest.CommentPath(c, "/edit"), "content", "A second").WantRedirect(303, webtest.CommentPath(c, ""))
		if got := s.Data.Comments(hidden.ID)[0].Content; got != "A second" {
			t.Errorf("the comment is %q", got)
		}
	})
	t.Run("keeps both texts when a comment is edited in two tabs", func(t *testing.T) {
		c := one()
		ben.Post(webtest.CommentPath(c, "/edit"), "content", "From the first").Want(303)
		for name, visitor := range map[string]*webtest.Visitor{"plain": ben, "htmx": ben.HTMX()} {
			a := visitor.Post(webtest.CommentPath(c, "/edit"), "content", "From the second", "began", "").Want(409).
				Has(".error-summary", "changed this comment in another tab")
			fields := a.Page().Find("textarea")
			if got := fields.Text(); !strings.Contains(got, "From the first") ||
				!strings.Contains(got, "From the second") {
				t.Errorf("%s: the text areas have %q", name, got)
			}
			a.Has(`textarea[readonly]`, "From the first")
		}
		began := ben.Post(webtest.CommentPath(c, "/edit"), "content", "From the second", "began", "x").Want(409).
			Value("began")
		ben.Post(webtest.CommentPath(c, "/edit"), "content", "From the second", "began", began).Want(303)
		ben.Get(p.Path()).Has("#comment-"+c.ID+" .prose", "From the second")
	})
	t.Run("keeps the text when the session has expired or the comment was deleted", func(t *testing.T) {
		c := one()
		a := ben.WithoutSession().Post(webtest.CommentPath(c, "/edit"), "content", "precious").Want(401).
			Has("[role=alert]", "session has expired")
		if !strings.Contains(a.Value("content"), "precious") {
			t.Errorf("the form has content %q", a.Value("content"))
		}
		ben.Post(webtest.DeletePath(c)).Want(303)
		a = ben.Post(webtest.CommentPath(c, "/edit"), "content", "precious").Want(404)
		if got := a.Page().Find("textarea").Text(); !strings.Contains(got, "precious") {
			t.Errorf("the page has %q", got)
		}
		a = ben.HTMX().Post(webtest.CommentPath(c, "/edit"), "content", "precious").Want(404)
		if got := a.Page().Find("textarea").Text(); !strings.Contains(got, "precious") {
			t.Errorf("the form has %q", got)
		}
		ben.Get(webtest.CommentPath(c, "/edit")).Want(404)
	})
	t.Run("keeps the text when storage fails and the post is hidden meanwhile", func(t *testing.T) {
		hidden := ada.CreatePost("Soon hidden", "text")
		c := ben.CreateComments(hidden, "A first version")[0]
		s.Data.Fail("Posts.EditComment")
		s.Data.Before("Posts.EditComment", func() {
			s.ChangePost(hidden.ID, func(p *domain.Post) { p.Held = domain.HeldByModerator })
		})
		a := ben.Post(webtest.CommentPath(c, "/edit"), "content", "precious").Want(503)
		if got := a.Value("content"); got != "precious" {
			t.Errorf("the form has %q", got)
		}
		s.Data.Recover("Posts.EditComment")
	})
}

func TestADeletedCommentKeepsItsReplies(t *testing.T) {
	s := webtest.NewSite(t)
	ada, ben := s.SignUp("ada"), s.SignUp("ben")
	p := ada.CreatePost("A title", "text")
	comment := ben.CreateComments(p, "A secret")[0]
	first, second := ada.Reply(comment, "first"), ben.Reply(comment, "second")

	ben.Get(webtest.DeletePath(comment)).Want(200).Has("main form", "Replies to it are kept.")
	a := ben.HTMX().Post(webtest.DeletePath(comment)).Want(200).Has("article.comment .placeholder", "Deleted comment").
		Has(`hx-partial[hx-target="#Page-comments-title"]`, "2 comments")
	if a.Header.Get("HX-Retarget") != "#comment-"+comment.ID+" > .comment" || a.Header.Get("HX-Reswap") != "outerHTML" {
		t.Errorf("headers %v", a.Header)
	}
	page := ben.Get(p.Path()).Has("#comment-"+comment.ID+" > article", "Deleted comment").
		Has("#comment-"+first.ID, "first")
	if strings.Contains(page.Body, "secret") ||
		page.Page().Find("#comment-"+comment.ID+" > article").Find("a, form").Length() != 0 {
		t.Error("the placeholder still has the text or offers an action")
	}
	ben.Get(webtest.CommentPath(comment, "/edit")).Want(404)
	ben.Get(webtest.DeletePath(comment)).Want(404)
	// The conversation continues.
	third := ada.Reply(second, "third")
	ada.Get(webtest.CommentPath(second, "/reply")).Want(200)

	ben.HTMX().Post(webtest.DeletePath(second)).Want(200)
	ada.HTMX().Post(webtest.DeletePath(first)).Want(200)
	a = ada.HTMX().Post(webtest.DeletePath(third)).Want(200).Has("#Page-no-comments", "No comments yet")
	if got := a.Header.Get("HX-Retarget"); got != "#comment-"+comment.ID {
		t.Errorf("HX-Retarget after the last reply was deleted is %q", got)
	}
	ben.Get(p.Path()).HasNo("#comment-" + comment.ID)
}
