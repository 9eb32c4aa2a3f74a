package writing_test

import (
	"net/http"
	"strings"
	"testing"

	"inkfeed/domain"
	"inkfeed/web/webtest"
)

func TestPinnedPosts(t *testing.T) {
	s := webtest.NewSite(t)
	ada, ben := s.SignUp("ada"), s.SignUp("ben")
	var posts []domain.Post
	for _, title := range []string{"First", "Second", "Third", "Fourth", "Fifth"} {
		posts = append(posts, ada.CreatePost(title, "Text."))
	}
	pin := func(p domain.Post) *webtest.Response { return ada.Post("/posts/" + p.ID + "/pin") }
	unpin := func(p domain.Post) *webtest.Response { return ada.Post("/posts/" + p.ID + "/unpin") }
	pinned := func(titles ...string) {
		t.Helper()
		found := s.Anonymous().Get("/@ada").Want(http.StatusOK).Page().Find(".pinned h2 a")
		if found.Length() != len(titles) {
			t.Fatalf("%d posts are pinned, want %q", found.Length(), titles)
		}
		for n, title := range titles {
			if got := found.Eq(n).Text(); got != title {
				t.Errorf("post %d is %q, want %q", n+1, got, title)
			}
		}
	}
	t.Run("are above the newest posts, which omit them", func(t *testing.T) {
		ada.Get(posts[0].Path()).Has(`form[action="/posts/`+posts[0].ID+`/pin"]`, "Pin to the top of your page")
		pin(posts[0]).WantRedirect(http.StatusSeeOther, "/@ada")
		pin(posts[1]).WantRedirect(http.StatusSeeOther, "/@ada")
		pin(posts[1]).Want(http.StatusSeeOther)
		pinned("Second", "First")
		page := s.Anonymous().Get("/@ada").Has("main", "Newest posts").HasNo(".pinned form")
		if n := page.Page().Find("main > .posts > li").Length(); n != 3 {
			t.Errorf("%d other posts are listed", n)
		}
	})
	t.Run("are unpinned on the page and in the post's menu", func(t *testing.T) {
		ada.Get("/@ada").Has(`.pinned form[action="/posts/`+posts[0].ID+`/unpin"]`, "Unpin")
		ada.Get(posts[0].Path()).Has(`form[action="/posts/`+posts[0].ID+`/unpin"]`, "Unpin")
		unpin(posts[0]).WantRedirect(http.StatusSeeOther, "/@ada")
		unpin(posts[0]).Want(http.StatusSeeOther)
		pinned("Second")
	})
	t.Run("are at most three", func(t *testing.T) {
		pin(posts[2])
		pin(posts[3])
		pin(posts[4]).Want(http.StatusConflict).Has("main", "Unpin one of them first")
		pinned("Fourth", "Third", "Second")
	})
	t.Run("disappear while they are not public", func(t *testing.T) {
		s.Hold(posts[1].ID, "", domain.HeldByModerator)
		pinned("Fourth", "Third")
		s.Hold(posts[1].ID, "", domain.NotHeld)
		pinned("Fourth", "Third", "Second")
		s.Hold(posts[3].ID, "", domain.HeldForReview)
		pinned("Third", "Second")
		ada.Post("/posts/" + posts[2].ID + "/unpublish").Want(http.StatusSeeOther)
		pinned("Second")
		ada.Post("/posts/" + posts[1].ID + "/delete").Want(http.StatusSeeOther)
		s.Data.CatchUp()
		pinned()
		t.Run("and make room for others", func(t *testing.T) {
			pin(posts[4]).Want(http.StatusSeeOther)
			pinned("Fifth")
		})
	})
	t.Run("are public posts of the author", func(t *testing.T) {
		pin(posts[2]).Want(http.StatusConflict)
		ben.Post("/posts/" + posts[0].ID + "/pin").Want(http.StatusForbidden)
		ben.Get(posts[0].Path()).HasNo(`form[action$="/pin"]`)
		s.Anonymous().Post("/posts/" + posts[0].ID + "/pin").Want(http.StatusSeeOther)
		ada.Post("/posts/" + domain.NewID() + "/pin").Want(http.StatusNotFound)
		pinned("Fifth")
	})
	t.Run("survive a rename", func(t *testing.T) {
		ada.Post("/settings/username", "username", "countess").Want(http.StatusSeeOther)
		s.Data.CatchUp()
		s.Anonymous().Get("/@countess").Has(".pinned h2 a", "Fifth")
	})
}

func TestPinningLeadsBack(t *testing.T) {
	s := webtest.NewSite(t)
	ada := s.SignUp("ada")
	post := ada.CreatePost("First", "Text.")
	send := func(a *webtest.Response, action string) *webtest.Response {
		form := a.Page().Find(`form[action="/posts/` + post.ID + action + `"]`)
		return ada.Post("/posts/"+post.ID+action, "back", form.Find("[name=back]").AttrOr("value", ""))
	}
	t.Run("to the post, which confirms it", func(t *testing.T) {
		send(ada.Get(post.Path()), "/pin").WantRedirect(http.StatusSeeOther, post.Path()+"?pin=added")
		ada.Get(post.Path()+"?pin=added").Has(".post [role=status]", "Pinned to the top of your page.")
		s.Anonymous().Get(post.Path() + "?pin=added").HasNo(".post > [role=status]")
		send(ada.Get(post.Path()), "/unpin").WantRedirect(http.StatusSeeOther, post.Path()+"?pin=removed")
		ada.Get(post.Path()+"?pin=removed").Has(".post [role=status]", "No longer pinned")
	})
	t.Run("to the page of the author", func(t *testing.T) {
		send(ada.Get(post.Path()), "/pin")
		send(ada.Get("/@ada"), "/unpin").WantRedirect(http.StatusSeeOther, "/@ada")
	})
	t.Run("to the front page", func(t *testing.T) {
		send(ada.Get(post.Path()), "/pin")
		s.SignUpAs("quinn", domain.RoleAdministrator).Post("/admin/settings", "version", "1", "registration", "open",
			"role", "author", "days", "3", "front", "ada").Want(http.StatusSeeOther)
		send(ada.Get("/"), "/unpin").WantRedirect(http.StatusSeeOther, "/")
	})
	t.Run("nowhere else", func(t *testing.T) {
		ada.Post("/posts/"+post.ID+"/pin", "back", "https://example.org/").WantRedirect(http.StatusSeeOther, "/@ada")
	})
}

func TestPinsAndHeadersChangeCachedPagesAtOnce(t *testing.T) {
	s := webtest.NewCachedSite(t, "off")
	ada := s.SignUp("ada")
	post := ada.CreatePost("First", "Text.")
	cached := func() *webtest.Response {
		t.Helper()
		s.Anonymous().Get("/@ada").Want(http.StatusOK)
		a := s.Anonymous().Get("/@ada").Want(http.StatusOK)
		if status := a.Header.Get("Cache-Status"); !strings.Contains(status, "hit") {
			t.Fatalf("the page is not cached: %s", status)
		}
		return a
	}
	cached().HasNo(".pinned").HasNo(".blog-header")
	ada.Post("/posts/" + post.ID + "/pin").Want(http.StatusSeeOther)
	s.Anonymous().Get("/@ada").Has(".pinned", "First")
	cached()
	ada.Post("/posts/" + post.ID + "/unpin").Want(http.StatusSeeOther)
	s.Anonymous().Get("/@ada").HasNo(".pinned")
	cached()
	ada.Upload("/settings/header", webtest.Photo(t, 900, 300), "picture", "", "alt", "The engine").
		Want(http.StatusSeeOther)
	s.Anonymous().Get("/@ada").Has(".blog-header img", "")
	cached()
	ada.Upload("/settings/header", nil, "picture", "").Want(http.StatusSeeOther)
	s.Anonymous().Get("/@ada").HasNo(".blog-header")
}
