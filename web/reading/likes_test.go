package reading_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"inkfeed/domain"
	"inkfeed/web/webtest"
)

func TestThePostNamesWhoLikesIt(t *testing.T) {
	s := webtest.NewSite(t)
	ada := s.SignUp("ada")
	p := ada.CreatePost("A title", "text")
	path := "/posts/" + p.ID
	like := func(v *webtest.Visitor, minute int) {
		_, _ = s.Data.Store.Posts.Like(t.Context(),
			domain.NewLike(v.User, p.ID, p.Created.Add(time.Duration(minute)*time.Minute)))
	}
	line := func(v *webtest.Visitor) string {
		page := v.HTMX().Get(path + "/likes").Want(200).HasNo("h1").Page()
		return webtest.CollapseSpace(page.Find("#Page-liked-by").Text())
	}
	visitor := s.Anonymous()
	want := func(v *webtest.Visitor, text string) {
		t.Helper()
		if got := line(v); got != text {
			t.Errorf("the line is %q, want %q", got, text)
		}
	}
	visitor.Get(p.Path()).Has("#Page-liked-by", "No likes yet").HasNo("#Page-liked-by[data-hx-get]")
	like(ada, 1)
	visitor.Get(p.Path()).Has(`#Page-liked-by[data-hx-get="`+path+
		`/likes"][data-hx-trigger="revealed"] a[href="`+path+`/likes"]`, "1 like")
	want(visitor, "Liked by @ada")
	want(ada, "Liked by you")
	ben, cleo, dan := s.SignUp("ben"), s.SignUp("cleo"), s.SignUp("dan")
	like(ben, 2)
	want(visitor, "Liked by @ben and @ada")
	want(ada, "Liked by you and @ben")
	like(cleo, 3)
	want(visitor, "Liked by @cleo, @ben and 1 other")
	want(ada, "Liked by you, @cleo and @ben")
	want(cleo, "Liked by you, @ben and @ada")
	like(dan, 4)
	want(ada, "Liked by you, @dan, @cleo and 1 other")
	want(visitor, "Liked by @dan, @cleo and 2 others")

	t.Run("updates the names with the button", func(t *testing.T) {
		a := ada.HTMX().Post(path+"/unlike").Want(200).Has(`#Page-like [aria-pressed="false"]`, "")
		a.Has(`hx-partial[hx-target="#Page-liked-by"][hx-swap="outerHTML"] #Page-liked-by`,
			"Liked by @dan, @cleo and 1 other").HasNo("#Page-liked-by[data-hx-get]")
	})
	t.Run("shows only the count if the names cannot be read", func(t *testing.T) {
		s.Data.Fail("Posts.LatestLikes")
		defer s.Data.Recover("Posts.LatestLikes")
		want(visitor, "3 likes. See all names")
		visitor.HTMX().Get(path + "/likes").Want(200).HasNo("#Page-liked-by[data-hx-get]")
		ada.HTMX().Post(path+"/like").Want(200).Has("#Page-liked-by", "Liked by you and 3 others")
	})
}

func TestViewerReactionsAreReadOnlyIfThereAreAny(t *testing.T) {
	s := webtest.NewSite(t)
	ada, ben, cleo := s.SignUp("ada"), s.SignUp("ben"), s.SignUp("cleo")
	p := ada.CreatePost("A title", "Some text")
	path := "/posts/" + p.ID
	reads := func(liked, bookmarked int) {
		t.Helper()
		before := [2]int{s.Data.Calls("Posts.Liked"), s.Data.Calls("Posts.Bookmarked")}
		ben.Get(p.Path()).Want(200).Has(`#Page-bookmark [aria-pressed="false"]`, "")
		got := [2]int{s.Data.Calls("Posts.Liked") - before[0], s.Data.Calls("Posts.Bookmarked") - before[1]}
		if got != [2]int{liked, bookmarked} {
			t.Errorf("likes and bookmarks were read %d times, want %d and %d", got, liked, bookmarked)
		}
	}
	reads(0, 0)
	cleo.Post(path + "/like").Want(303)
	reads(1, 0)
	cleo.Post(path + "/unlike").Want(303)
	cleo.Post(path + "/bookmark").Want(303)
	reads(0, 1)
	cleo.Post(path + "/like").Want(303)
	reads(1, 1)
}

func TestThePageOfLikes(t *testing.T) {
	s := webtest.NewSite(t)
	ada := s.SignUp("ada")
	p := ada.CreatePost("A title", "text")
	path := "/posts/" + p.ID + "/likes"
	t.Run("explains an empty list", func(t *testing.T) {
		s.Anonymous().Get(path).Want(200).Has("h1", "0 likes").Has("main", "No likes yet")
	})
	t.Run("lists the users who like a post, newest first", func(t *testing.T) {
		for i := range domain.LikesPerPage + 1 {
			u := domain.User{ID: domain.NewUserID(nil), Username: fmt.Sprintf("reader-%d", i)}
			_, err := s.Data.Store.Posts.Like(context.Background(),
				domain.NewLike(u, p.ID, p.Created.Add(time.Duration(i)*time.Second)))
			if err != nil {
				t.Fatal(err)
			}
		}
		a := s.Anonymous().Get(path).Want(200).Has("h1", "101 likes")
		a.Has(`.people li:first-child a[href="/@reader-100"]`, "@reader-100").Has(`a[rel="next"]`, "")
		s.Anonymous().Get(path+"?page=2").Want(200).Has(".people li", "@reader-0")
	})
}
