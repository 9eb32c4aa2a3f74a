package web_test

import (
	"strings"
	"testing"
	"time"

	"inkfeed/domain"
)

// reply answers a comment, straight in the store.
func (v *visitor) reply(to domain.Comment, content string) domain.Comment {
	v.t.Helper()
	c, err := domain.NewReply(v.user, to, content, time.Now())
	if err == nil {
		_, err = v.data.store.Posts.AddComment(v.t.Context(), c)
	}
	if err != nil {
		v.t.Fatal(err)
	}
	return c
}

// changeSaved changes the stored item of a bookmark in the list of its reader.
func (d *database) changeSaved(reader *visitor, p domain.Post, change func(item map[string]any)) {
	d.t.Helper()
	for _, saved := range d.all("users", "bookmark") {
		if saved["userId"] == reader.user.ID && saved["postId"] == p.ID {
			d.change("users", reader.user.ID, saved["id"].(string), change)
			return
		}
	}
	d.t.Fatalf("%s has no bookmark of the post %s", reader.user.Username, p.ID)
}

func commentPath(c domain.Comment, action string) string {
	return "/posts/" + c.PostID + "/comments/" + c.ID + action
}

func TestReplying(t *testing.T) {
	s := newSite(t)
	ada, ben := s.member("ada"), s.member("ben")
	p := ada.aPost("A title", "text")
	list := "/posts/" + p.ID + "/comments"
	comment := ben.comments(p, "A *question*")[0]

	t.Run("is offered below each comment, in place to members", func(t *testing.T) {
		link := "#comment-" + comment.ID + ` a[href="` + commentPath(comment, "/reply") + `"]`
		for _, path := range []string{p.Path(), list} {
			ada.get(path).has(link+`[data-hx-get="`+commentPath(comment, "/reply")+`"][data-hx-target="#answer-`+comment.ID+`"]`, "Reply to @ben").has("#answer-"+comment.ID, "")
			s.stranger().get(path).has(link, "Reply").hasNo(link + "[data-hx-get]")
		}
		to := "/login?next=" + strings.ReplaceAll(commentPath(comment, "/reply"), "/", "%2F")
		s.stranger().get(commentPath(comment, "/reply")).wantRedirect(303, to)
	})
	t.Run("without JavaScript has a page of its own, with what is answered", func(t *testing.T) {
		a := ada.get(commentPath(comment, "/reply")).want(200).has("h1", "Reply to @ben").has("main article em", "question")
		a.has(`main form[action="`+list+`"] button`, "Reply").has(`main form a[href="`+commentPath(comment, "")+`"]`, "Cancel")
		if a.Value("parent") != comment.ID || a.Value("content") != "" {
			t.Errorf("the form holds %q, %q", a.Value("parent"), a.Value("content"))
		}
		a.has(`label[for="reply-`+comment.ID+`"]`, "Your reply to @ben")
		to := ada.post(list, "parent", comment.ID, "content", "An answer", "attempt", a.Value("attempt")).want(303).Header.Get("Location")
		page, anchor, _ := strings.Cut(to, "#")
		if page != p.Path() {
			t.Errorf("leads to %s", to)
		}
		ben.get(page).has("#replies-"+comment.ID+" > #"+anchor, "An answer").has("#Page-comments-title", "2 comments")
	})
	t.Run("with htmx stays in place", func(t *testing.T) {
		form := ada.htmx().get(commentPath(comment, "/reply")).want(200).hasNo("h1").hasNo("main").has(`form textarea[autofocus]`, "")
		attempt := form.page().Find(`[name="attempt"]`).AttrOr("value", "")
		for range 2 { // a double click
			a := ada.htmx().post(list, "parent", comment.ID, "content", "In place", "attempt", attempt).want(200).hasNo("form textarea")
			a.has(`hx-partial[hx-target="#replies-`+comment.ID+`"][hx-swap="beforeend"] li[tabindex="-1"][autofocus] .prose`, "In place")
			a.has(`hx-partial[hx-target="#Page-comments-title"]`, "3 comments").has(`hx-partial[hx-target="#Page-comment-status"]`, "Reply published")
			if got := a.Header.Get("HX-Reswap"); got != "delete" {
				t.Errorf("the form is to be swapped by %q", got)
			}
		}
	})
	t.Run("to a reply stands beside it, and says whom it is for", func(t *testing.T) {
		first := ada.reply(comment, "first")
		a := ben.get(commentPath(first, "/reply")).want(200).has("h1", "Reply to @ada")
		if a.Value("parent") != comment.ID || strings.TrimPrefix(a.Value("content"), "\n") != "@ada " {
			t.Errorf("the form holds %q, %q", a.Value("parent"), a.Value("content"))
		}
		ben.get(p.Path()).has("#comment-"+first.ID+` a[data-hx-target="#answer-`+comment.ID+`"]`, "Reply to @ada")
	})
	t.Run("an empty one comes back in its place", func(t *testing.T) {
		a := ada.post(list, "parent", comment.ID, "content", " ").want(422).has("h1", "Reply to @ben")
		a.has(`#reply-`+comment.ID+`[aria-invalid="true"][autofocus]`, "").has("#reply-"+comment.ID+"-error", "cannot be empty").
			has(`.problems a[href="#reply-`+comment.ID+`"]`, "cannot be empty")
		a = ada.htmx().post(list, "parent", comment.ID, "content", " ").want(422).hasNo("h1").has("#reply-"+comment.ID+"-error", "cannot be empty")
		if a.Header.Get("HX-Retarget") != "" {
			t.Error("it goes elsewhere")
		}
	})
	t.Run("whose session ended is not lost", func(t *testing.T) {
		a := ada.forgotten().post(list, "parent", comment.ID, "content", "precious").want(401).has("[role=alert]", "session has expired")
		if !strings.Contains(a.Value("content"), "precious") || a.Value("parent") != comment.ID {
			t.Errorf("the form holds %q, %q", a.Value("parent"), a.Value("content"))
		}
	})
	t.Run("is not lost when the data cannot be reached, nor is what it answers", func(t *testing.T) {
		for _, method := range []string{"Posts.Comment", "Posts.AddComment"} {
			s.data.fail(method)
			a := ada.htmx().post(list, "parent", comment.ID, "content", "precious").want(503).has("[role=alert]", "What you typed is safe")
			s.data.recover(method)
			if got := a.page().Find(`[name="parent"]`).AttrOr("value", ""); got != comment.ID || !strings.Contains(a.page().Find("textarea").Text(), "precious") {
				t.Errorf("%s fails: the form answers %q", method, got)
			}
		}
	})
	t.Run("to what is gone may become a comment of its own", func(t *testing.T) {
		gone := ben.comments(p, "gone")[0]
		ben.post(deletePath(gone)).want(303)
		for _, parent := range []string{gone.ID, "x"} {
			a := ada.post(list, "parent", parent, "content", "orphan").want(409).has("h1", "A title").has(".problems", "was deleted")
			if a.Value("content") == "" || a.page().Find(`[name="parent"]`).Length() != 0 {
				t.Errorf("the form holds %q", a.Value("content"))
			}
			ada.htmx().post(list, "parent", parent, "content", "orphan").want(409).has("#Page-comment-form .problems", "was deleted").hasNo(`[name="parent"]`)
		}
		ada.get(commentPath(gone, "/reply")).want(404)
	})
}

func TestThreadsOverPages(t *testing.T) {
	s := newSite(t)
	ada := s.member("ada")
	p := ada.aPost("A title", "text")
	made := ada.comments(p, many(domain.CommentsPerPage)...) // the last one heads the thread that goes on
	last := made[49]
	var replies []domain.Comment
	for i := range 3 {
		c := domain.Comment{ID: domain.NewID(), PostID: p.ID, AuthorID: ada.user.ID, AuthorName: "ada", Content: "reply",
			Created: last.Created.Add(time.Duration(i+1) * time.Second), ParentID: last.ID, ParentCreated: last.Created}
		_, _ = s.data.store.Posts.AddComment(t.Context(), c)
		replies = append(replies, c)
	}
	path := "/posts/" + p.ID + "/comments"
	t.Run("go on on the next page, which leads back to their comment", func(t *testing.T) {
		ada.get(p.Path()).has("#replies-"+last.ID, "").hasNo("#replies-" + last.ID + " > li")
		a := ada.get(path+"?page=2").want(200).has(`#Page-comment-list .continued a[href="`+commentPath(last, "")+`"]`, "earlier page")
		if n := a.page().Find("#replies-" + last.ID + " > li").Length(); n != 3 {
			t.Errorf("%d replies", n)
		}
	})
	t.Run("go on where they are with htmx", func(t *testing.T) {
		a := ada.htmx().get(after(p, last, 2)).want(200)
		if n := a.page().Find(`hx-partial[hx-target="#replies-` + last.ID + `"][hx-swap="beforeend"] > li`).Length(); n != 3 {
			t.Errorf("%d replies", n)
		}
		a.has("#comment-"+replies[0].ID+"[autofocus]", "").has("[autofocus]", "")
	})
	t.Run("each comment has an address that leads to it, wherever it stands", func(t *testing.T) {
		s.stranger().get(commentPath(made[0], "")).wantRedirect(302, p.Path()+"#comment-"+made[0].ID)
		s.stranger().get(commentPath(last, "")).wantRedirect(302, p.Path()+"#comment-"+last.ID)
		s.stranger().get(commentPath(replies[2], "")).wantRedirect(302, path+"?page=2#comment-"+replies[2].ID)
		s.stranger().get(p.Path()).has("#comment-"+made[0].ID+` a[href="`+commentPath(made[0], "")+`"] time`, "2026")
		for _, missing := range []string{path + "/" + domain.NewID(), path + "/x", "/posts/" + domain.NewID() + "/comments/" + last.ID} {
			s.stranger().get(missing).want(404)
		}
	})
}

func TestEditingAComment(t *testing.T) {
	s := newSite(t)
	ada, ben := s.member("ada"), s.member("ben")
	p := ada.aPost("A title", "text")
	one := func() domain.Comment { return ben.comments(p, "A *first* version")[0] }

	t.Run("is offered to its author only", func(t *testing.T) {
		c := one()
		link := "#comment-" + c.ID + ` a[href="` + commentPath(c, "/edit") + `"]`
		ben.get(p.Path()).has(link+`[data-hx-get="`+commentPath(c, "/edit")+`"]`, "Edit your comment")
		ada.get(p.Path()).hasNo(link)
		s.stranger().get(p.Path()).hasNo(link)
		ada.get(commentPath(c, "/edit")).want(403)
		ada.post(commentPath(c, "/edit"), "content", "Mine").want(403)
		s.stranger().get(commentPath(c, "/edit")).want(303)
	})
	t.Run("without JavaScript has a page of its own, and leads back to the comment", func(t *testing.T) {
		c := one()
		a := ben.get(commentPath(c, "/edit")).want(200).has("h1", "Edit your comment").has(`main form button`, "Save").
			has(`main form a[href="`+commentPath(c, "")+`"]`, "Cancel")
		if got := strings.TrimPrefix(a.Value("content"), "\n"); got != "A *first* version" {
			t.Errorf("the form holds %q", got)
		}
		ben.post(commentPath(c, "/edit"), "content", "A *second*", "began", a.Value("began")).wantRedirect(303, p.Path()+"#comment-"+c.ID)
		s.stranger().get(p.Path()).has("#comment-"+c.ID+" em", "second").has("#comment-"+c.ID+" .meta span[title]", "edited")
		// Once more: a version that has an earlier one.
		began := ben.get(commentPath(c, "/edit")).Value("began")
		ben.post(commentPath(c, "/edit"), "content", "A third", "began", began).want(303)
		ben.get(p.Path()).has("#comment-"+c.ID+" .prose", "third")
	})
	t.Run("with htmx stays in place", func(t *testing.T) {
		c := one()
		ben.htmx().get(commentPath(c, "/edit")).want(200).hasNo("h1").has(`form.comment[data-hx-post="`+commentPath(c, "/edit")+`"] textarea[autofocus]`, "first")
		a := ben.htmx().post(commentPath(c, "/edit"), "content", "A *second*").want(200).hasNo("form textarea")
		a.has(`article.comment[tabindex="-1"][autofocus] em`, "second").has(`hx-partial[hx-target="#Page-comment-status"]`, "Comment saved")
		ben.htmx().get(commentPath(c, "")).want(200).hasNo("h1").has("article.comment em", "second") // what Cancel asks for
	})
	t.Run("an empty one comes back", func(t *testing.T) {
		c := one()
		a := ben.post(commentPath(c, "/edit"), "content", " ").want(422).has("h1", "Edit").has("#edit-"+c.ID+"-error", "cannot be empty")
		a.has("#edit-"+c.ID+`[aria-invalid="true"]`, "")
		ben.htmx().post(commentPath(c, "/edit"), "content", " ").want(422).has("#edit-"+c.ID+"-error", "cannot be empty").hasNo("h1")
	})
	t.Run("from two windows loses neither", func(t *testing.T) {
		c := one()
		ben.post(commentPath(c, "/edit"), "content", "From the first").want(303)
		for name, who := range map[string]*visitor{"plain": ben, "htmx": ben.htmx()} {
			a := who.post(commentPath(c, "/edit"), "content", "From the second", "began", "").want(409).has(".problems", "changed this comment in another tab")
			fields := a.page().Find("textarea")
			if got := fields.Text(); !strings.Contains(got, "From the first") || !strings.Contains(got, "From the second") {
				t.Errorf("%s: the fields hold %q", name, got)
			}
			a.has(`textarea[readonly]`, "From the first")
		}
		began := ben.post(commentPath(c, "/edit"), "content", "From the second", "began", "x").want(409).Value("began")
		ben.post(commentPath(c, "/edit"), "content", "From the second", "began", began).want(303)
		ben.get(p.Path()).has("#comment-"+c.ID+" .prose", "From the second")
	})
	t.Run("whose session ended, or whose comment is gone, is not lost", func(t *testing.T) {
		c := one()
		a := ben.forgotten().post(commentPath(c, "/edit"), "content", "precious").want(401).has("[role=alert]", "session has expired")
		if !strings.Contains(a.Value("content"), "precious") {
			t.Errorf("the form holds %q", a.Value("content"))
		}
		ben.post(deletePath(c)).want(303)
		if got := ben.post(commentPath(c, "/edit"), "content", "precious").want(404).page().Find("textarea").Text(); !strings.Contains(got, "precious") {
			t.Errorf("the page holds %q", got)
		}
		if got := ben.htmx().post(commentPath(c, "/edit"), "content", "precious").want(404).page().Find("textarea").Text(); !strings.Contains(got, "precious") {
			t.Errorf("the form holds %q", got)
		}
		ben.get(commentPath(c, "/edit")).want(404)
	})
}

func TestAPlaceholderHoldsReplies(t *testing.T) {
	s := newSite(t)
	ada, ben := s.member("ada"), s.member("ben")
	p := ada.aPost("A title", "text")
	comment := ben.comments(p, "A secret")[0]
	first, second := ada.reply(comment, "first"), ben.reply(comment, "second")

	ben.get(deletePath(comment)).want(200).has("main form", "Replies to it are kept.")
	a := ben.htmx().post(deletePath(comment)).want(200).has("article.comment .placeholder", "Deleted comment").has(`hx-partial[hx-target="#Page-comments-title"]`, "2 comments")
	if a.Header.Get("HX-Retarget") != "#comment-"+comment.ID+" > .comment" || a.Header.Get("HX-Reswap") != "outerHTML" {
		t.Errorf("headers %v", a.Header)
	}
	page := ben.get(p.Path()).has("#comment-"+comment.ID+" > article", "Deleted comment").has("#comment-"+first.ID, "first")
	if strings.Contains(page.body, "secret") || page.page().Find("#comment-"+comment.ID+" > article").Find("a, form").Length() != 0 {
		t.Error("it still says something, or offers something")
	}
	ben.get(commentPath(comment, "/edit")).want(404)
	ben.get(deletePath(comment)).want(404)
	// The conversation goes on.
	third := ada.reply(second, "third")
	ada.get(commentPath(second, "/reply")).want(200)

	ben.htmx().post(deletePath(second)).want(200)
	ada.htmx().post(deletePath(first)).want(200)
	a = ada.htmx().post(deletePath(third)).want(200).has("#Page-no-comments", "No comments yet")
	if got := a.Header.Get("HX-Retarget"); got != "#comment-"+comment.ID {
		t.Errorf("with the last reply goes %q", got)
	}
	ben.get(p.Path()).hasNo("#comment-" + comment.ID)
}

func TestWhoLikesAPost(t *testing.T) {
	s := newSite(t)
	ada := s.member("ada")
	p := ada.aPost("A title", "text")
	path := "/posts/" + p.ID
	like := func(v *visitor, minute int) {
		_, _ = s.data.store.Posts.Like(t.Context(), domain.NewLike(v.user, p.ID, p.Created.Add(time.Duration(minute)*time.Minute)))
	}
	line := func(v *visitor) string {
		return squeeze(v.htmx().get(path + "/likes").want(200).hasNo("h1").page().Find("#Page-liked-by").Text())
	}
	stranger := s.stranger()
	want := func(v *visitor, says string) {
		t.Helper()
		if got := line(v); got != says {
			t.Errorf("it says %q, want %q", got, says)
		}
	}
	stranger.get(p.Path()).has("#Page-liked-by", "No likes yet").hasNo("#Page-liked-by[data-hx-get]")
	like(ada, 1)
	stranger.get(p.Path()).has(`#Page-liked-by[data-hx-get="`+path+`/likes"][data-hx-trigger="revealed"] a[href="`+path+`/likes"]`, "1 like")
	want(stranger, "Liked by @ada")
	want(ada, "Liked by you")
	ben, cleo, dan := s.member("ben"), s.member("cleo"), s.member("dan")
	like(ben, 2)
	want(stranger, "Liked by @ben and @ada")
	want(ada, "Liked by you and @ben")
	like(cleo, 3)
	want(stranger, "Liked by @cleo, @ben and 1 other")
	want(ada, "Liked by you, @cleo and @ben")
	want(cleo, "Liked by you, @ben and @ada")
	like(dan, 4)
	want(ada, "Liked by you, @dan, @cleo and 1 other")
	want(stranger, "Liked by @dan, @cleo and 2 others")

	t.Run("is told with the button", func(t *testing.T) {
		a := ada.htmx().post(path+"/unlike").want(200).has(`#Page-like [aria-pressed="false"]`, "Like")
		a.has(`hx-partial[hx-target="#Page-liked-by"][hx-swap="outerHTML"] #Page-liked-by`, "Liked by @dan, @cleo and 1 other").hasNo("#Page-liked-by[data-hx-get]")
	})
	t.Run("what cannot be told at the moment is a number", func(t *testing.T) {
		s.data.fail("Posts.LatestLikes")
		defer s.data.recover("Posts.LatestLikes")
		want(stranger, "3 likes")
		stranger.htmx().get(path + "/likes").want(200).hasNo("#Page-liked-by[data-hx-get]")
		ada.htmx().post(path+"/like").want(200).has("#Page-liked-by", "Liked by you and 3 others")
	})
}

func TestWhatAReaderHasMadeOfAPostIsReadIfAnybodyHas(t *testing.T) {
	s := newSite(t)
	ada, ben, cleo := s.member("ada"), s.member("ben"), s.member("cleo")
	p := ada.aPost("A title", "Some text")
	path := "/posts/" + p.ID
	reads := func(liked, bookmarked int) {
		t.Helper()
		before := [2]int{s.data.calls("Posts.Liked"), s.data.calls("Posts.Bookmarked")}
		ben.get(p.Path()).want(200).has(`#Page-bookmark [aria-pressed="false"]`, "Bookmark")
		if got := [2]int{s.data.calls("Posts.Liked") - before[0], s.data.calls("Posts.Bookmarked") - before[1]}; got != [2]int{liked, bookmarked} {
			t.Errorf("likes and bookmarks were read %d times, want %d and %d", got, liked, bookmarked)
		}
	}
	reads(0, 0)
	cleo.post(path + "/like").want(303)
	reads(1, 0)
	cleo.post(path + "/unlike").want(303)
	cleo.post(path + "/bookmark").want(303)
	reads(0, 1)
	cleo.post(path + "/like").want(303)
	reads(1, 1)
}

func TestBookmarks(t *testing.T) {
	s := newSite(t)
	ada, ben := s.member("ada"), s.member("ben")
	p := ada.aPost("A title", "Some text")
	path := "/posts/" + p.ID

	t.Run("are for members", func(t *testing.T) {
		s.stranger().get(p.Path()).hasNo("#Page-bookmark")
		s.stranger().get("/bookmarks").wantRedirect(303, "/login?next=%2Fbookmarks")
		s.stranger().post(path + "/bookmark").want(303)
		s.stranger().post(path + "/unbookmark").want(303)
		ben.get("/").has(`nav a[href="/bookmarks"]`, "Bookmarks")
		ben.get("/@ben").has(`main a[href="/bookmarks"]`, "Bookmarks")
		s.stranger().get("/@ben").hasNo(`a[href="/bookmarks"]`)
	})
	t.Run("an empty list says how to fill it", func(t *testing.T) {
		ben.get("/bookmarks").want(200).has("h1", "Bookmarks").has("#bookmarks", "Bookmark").hasNo("#bookmarks li")
	})
	t.Run("are made and taken back below the post, and are on the list at once", func(t *testing.T) {
		ben.get(p.Path()).has(`#Page-bookmark[action="`+path+`/bookmark"][data-hx-post="`+path+`/bookmark"] [aria-pressed="false"]`, "Bookmark")
		for range 2 {
			ben.post(path+"/bookmark").wantRedirect(303, path+"#Page-bookmark")
		}
		ben.get(p.Path()).has(`#Page-bookmark[action="`+path+`/unbookmark"] [aria-pressed="true"]`, "Bookmark")
		ada.get(p.Path()).has(`#Page-bookmark [aria-pressed="false"]`, "")
		ben.get("/bookmarks").has(`#bookmarks li h2 a[href="`+p.Path()+`"]`, "A title").has("#bookmarks li .text", "Some text").
			has(`#bookmarks li a[href="/@ada"]`, "@ada")
		ada.get("/bookmarks").hasNo("#bookmarks li")
		ben.htmx().post(path+"/unbookmark").want(200).hasNo("h1").has(`#Page-bookmark[action="`+path+`/bookmark"] .fresh[aria-pressed="false"]`, "")
		ben.get("/bookmarks").hasNo("#bookmarks li")
		ben.post(path + "/unbookmark").want(303) // again
		ben.htmx().post(path+"/bookmark").want(200).has(`#Page-bookmark .fresh[aria-pressed="true"]`, "")
	})
	t.Run("are taken off the list there, and put back", func(t *testing.T) {
		ben.post(path + "/bookmark").want(303)
		ben.get("/bookmarks").has(`#bookmarks li form[action="`+path+`/unbookmark"][data-hx-target="#bookmarks"] button`, "Remove A title")
		to := ben.post(path+"/unbookmark", "list", "1").wantRedirect(303, "/bookmarks?removed="+p.ID).Header.Get("Location")
		a := ben.get(to).want(200).has(`[role="status"]`, "Bookmark removed").hasNo("#bookmarks li")
		a.has(`form[action="`+path+`/bookmark"] button`, "Undo")
		ben.post(path+"/bookmark", "list", "1").wantRedirect(303, "/bookmarks")
		ben.get("/bookmarks").has("#bookmarks li", "A title").hasNo(`[role="status"].done`)
		ben.htmx().post(path+"/unbookmark", "list", "1").want(200).hasNo("h1").has(`#bookmarks [role="status"][autofocus]`, "Bookmark removed").hasNo("li")
		ben.htmx().post(path+"/bookmark", "list", "1").want(200).hasNo("h1").has("#bookmarks li", "A title")
	})
	t.Run("a list that has not heard of it yet does not show what was taken off", func(t *testing.T) {
		ben.post(path + "/bookmark").want(303)
		s.data.fail("Users.ApplyBookmark")
		defer s.data.recover("Users.ApplyBookmark")
		ben.htmx().post(path+"/unbookmark", "list", "1").want(200).hasNo("li")
		ben.get("/bookmarks?removed=" + p.ID).want(200).hasNo("#bookmarks li")
		if !strings.Contains(s.log.String(), "cannot update a list of bookmarks") {
			t.Error("nobody is told")
		}
	})
	t.Run("are paged, and an emptied page becomes the one before", func(t *testing.T) {
		cleo := s.member("cleo")
		var posts []domain.Post
		for range domain.BookmarksPerPage + 1 {
			post := ada.aPost("Another title", "text")
			posts = append(posts, post)
			cleo.post("/posts/" + post.ID + "/bookmark").want(303)
			s.data.changeSaved(cleo, post, func(item map[string]any) { item["creationDate"] = post.Created }) // one after another, as in life
		}
		if n := cleo.get("/bookmarks").has(`a[rel="next"][href="/bookmarks?page=2"]`, "Older").page().Find("#bookmarks > ol > li").Length(); n != domain.BookmarksPerPage {
			t.Errorf("%d on the first page", n)
		}
		cleo.get("/bookmarks?page=2").want(200).has("#bookmarks > ol > li", "Another").has(`[name="list"][value="2"]`, "")
		cleo.get("/bookmarks?page=3").want(404)
		to := cleo.post("/posts/"+posts[0].ID+"/unbookmark", "list", "2").wantRedirect(303, "/bookmarks?page=2&removed="+posts[0].ID).Header.Get("Location")
		cleo.get(to).want(200).has(".done", "Bookmark removed")
	})
	t.Run("of what its author took back says so, and leads nowhere", func(t *testing.T) {
		ben.post(path + "/bookmark").want(303)
		s.change(p.ID, func(p *domain.Post) { p.Status = domain.Unpublished })
		ben.get("/bookmarks").has("#bookmarks li h2", "isn't public at the moment").hasNo(`#bookmarks li h2 a`).has(`#bookmarks li form[action$="/unbookmark"]`, "Remove")
	})
	t.Run("of no post are not found, and can be taken back all the same", func(t *testing.T) {
		gone := "/posts/" + domain.NewID()
		ben.post(gone + "/bookmark").want(404)
		ben.post(gone + "/unbookmark").want(303)
		ben.post("/posts/x/bookmark").want(404)
		ben.post("/posts/x/unbookmark").want(404)
	})
}
