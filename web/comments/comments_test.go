package comments_test

import (
	"testing"

	"inkfeed/domain"
	"inkfeed/web/webtest"
)

func TestCommentsArePaged(t *testing.T) {
	s := webtest.NewSite(t)
	ada := s.SignUp("ada")
	p := ada.CreatePost("A title", "text")
	made := ada.CreateComments(p, webtest.CommentTexts(domain.CommentsPerPage*2+1)...)
	path := "/posts/" + p.ID + "/comments"

	t.Run("shows the first page of comments below the post, with a link to more", func(t *testing.T) {
		a := s.Anonymous().Get(p.Path()).Want(200)
		if n := a.Page().Find("#Page-comment-list > li").Length(); n != domain.CommentsPerPage {
			t.Errorf("%d comments are shown", n)
		}
		a.Has(`#Page-more[href="`+path+`?page=2"][data-hx-get="`+after(p, made[49], 2)+`"]`, "More comments")
	})
	t.Run("serves further pages of comments separately", func(t *testing.T) {
		a := s.Anonymous().Get(path + "?page=2").Want(200)
		a.Has("h1", "101 comments").Has("#comment-"+made[50].ID, made[50].Content)
		a.Has(`a[rel="prev"][href="`+path+`"]`, "Earlier").Has(`a[rel="next"][href="`+path+`?page=3"]`, "Later")
		s.Anonymous().Get(path + "?page=3").Want(200).HasNo(`a[rel="next"]`)
		ada.Get(path+"?page=3").Want(200).Has("#Page-comment-form", "")
	})
	t.Run("sends htmx the next comments and the next link", func(t *testing.T) {
		a := s.Anonymous().HTMX().Get(after(p, made[49], 2)).Want(200).HasNo("h1").HasNo("main")
		if n := a.Page().Find("li[id^=comment-]").Length(); n != domain.CommentsPerPage {
			t.Errorf("%d comments are shown", n)
		}
		a.Has(`hx-partial[hx-target="#Page-more-comments"] a[href="`+path+`?page=3"][data-hx-get="`+
			after(p, made[99], 3)+`"]`, "More")
		a.Has(`li#comment-`+made[50].ID+`[tabindex="-1"][autofocus]`, "").Has("[autofocus]", "")
		a.Has(`hx-partial[hx-target="#Page-comment-status"]`, "50 more comments")
		s.Anonymous().Get(p.Path()).Has(`#Page-comment-status[role="status"]`, "").HasNo("[autofocus]")
		last := s.Anonymous().HTMX().Get(after(p, made[99], 3)).Want(200)
		last.Has(`hx-partial[hx-target="#Page-comment-status"]`, "1 more comment")
		last.HasNo("#Page-more").Has(`hx-partial[hx-target="#Page-own-comments"]`, "")
	})
}
