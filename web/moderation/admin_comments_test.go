package moderation_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/PuerkitoBio/goquery"

	"inkfeed/domain"
	"inkfeed/web/webtest"
)

func TestModeratorsSeeTheCommentsOfTheWholeSite(t *testing.T) {
	begin := func(t *testing.T) (s *webtest.Site, ada, mod *webtest.Visitor, posts []domain.Post) {
		s = webtest.NewSite(t)
		ada, mod = s.SignUp("ada"), s.SignUpAs("max", domain.RoleModerator)
		for _, title := range []string{"One", "Two"} {
			posts = append(posts, ada.CreatePost(title, "Some text."))
		}
		return s, ada, mod, posts
	}
	texts := func(a *webtest.Response) string {
		return strings.Join(a.Want(http.StatusOK).Page().Find(".queue .text").
			Map(func(_ int, text *goquery.Selection) string { return text.Text() }), ", ")
	}
	t.Run("newest first, with links to them", func(t *testing.T) {
		s, ada, mod, posts := begin(t)
		mod.Get("/admin/comments").Has("main", "No comments yet")
		first := ada.CreateComments(posts[0], "On *one*.")[0]
		s.SignUp("bob").CreateComments(posts[1], "On two.")
		a := mod.Get("/admin/comments")
		if got := texts(a); got != "On two., On one." {
			t.Errorf("the comments are %q", got)
		}
		a.Has(".queue li:last-child a[href='"+webtest.CommentPath(first, "")+"']", "").
			Has(".queue li:first-child .author", "@bob").HasNo(".pager")
	})
	t.Run("also those that are hidden, which have a list of their own", func(t *testing.T) {
		s, ada, mod, posts := begin(t)
		comments := ada.CreateComments(posts[0], "Shown.", "Rude.", "Waits.")
		s.Hold(posts[0].ID, comments[1].ID, domain.HeldByModerator)
		s.Hold(posts[0].ID, comments[2].ID, domain.HeldForReview)
		mod.Get("/admin/comments").Has(".queue li:first-child .hold-notice", "In review").
			Has(".queue li:nth-child(2) .hold-notice", "Hidden by a moderator").
			HasNo(".queue li:last-child .hold-notice")
		for state, want := range map[string]string{"hidden": "Rude.", "review": "Waits."} {
			if got := texts(mod.Get("/admin/comments?state="+state).Has(".tabs [aria-current]", "")); got != want {
				t.Errorf("%s: %q", state, got)
			}
		}
		mod.Get("/admin/comments?state=odd").Want(http.StatusNotFound)
	})
	t.Run("until they are deleted", func(t *testing.T) {
		s, _, mod, posts := begin(t)
		bob := s.SignUp("bob")
		comments := bob.CreateComments(posts[0], "Goes.", "Stays.")
		bob.CreateComments(posts[1], "Goes with its post.")
		bob.Post(webtest.CommentPath(comments[0], "/delete")).Want(http.StatusSeeOther)
		s.Data.Must(s.Data.Store.Posts.Delete(s.Data.Context(), posts[1].ID, posts[1].AuthorID))
		if got := texts(mod.Get("/admin/comments")); got != "Stays." {
			t.Errorf("the comments are %q", got)
		}
	})
	t.Run("and decide about them there", func(t *testing.T) {
		_, ada, mod, posts := begin(t)
		ada.CreateComments(posts[0], "Rude.")
		form := mod.Get("/admin/comments").Page().Find(".queue form.decide")
		field := func(name string) string { return form.Find("[name="+name+"]").AttrOr("value", "") }
		to := mod.Post(form.AttrOr("action", ""), "do", "hide", "why", "abuse", "seen", field("seen"), "text",
			field("text"), "back", field("back")).Want(http.StatusSeeOther).Header.Get("Location")
		if !strings.HasPrefix(to, "/admin/comments?") {
			t.Errorf("the next page is %s", to)
		}
		mod.Get(to).Has(".moderation-done form button", "Undo").Has(".queue .hold-notice", "Hidden by a moderator").
			Has(".queue button[value=restore]", "")
	})
	t.Run("in pages that neither repeat nor miss a comment", func(t *testing.T) {
		s, ada, mod, posts := begin(t)
		author := s.Data.User(posts[0].AuthorID)
		for range domain.CommentRowsPerPage + 5 {
			c, err := domain.NewComment(author, posts[0].ID, domain.NewID(), posts[0].Created)
			s.Data.Must(err)
			_, err = s.Data.Store.Posts.AddComment(s.Data.Context(), c)
			s.Data.Must(err)
		}
		first := mod.Get("/admin/comments")
		next := first.Page().Find(".pager a[rel=next]").AttrOr("href", "")
		ada.CreateComments(posts[0], "Meanwhile.")
		second := mod.Get(next).Has(".pager a[href='/admin/comments']", "")
		all := map[string]bool{}
		for _, text := range strings.Split(texts(first)+", "+texts(second), ", ") {
			all[text] = true
		}
		if len(all) != domain.CommentRowsPerPage+5 || all["Meanwhile."] {
			t.Errorf("both pages have %d comments", len(all))
		}
		second.HasNo(".pager a[rel=next]")
		mod.Get("/admin/comments?before=" + url.QueryEscape(strings.Repeat("2", 200))).Want(http.StatusNotFound)
	})
}
