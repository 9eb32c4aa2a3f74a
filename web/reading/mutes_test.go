package reading_test

import (
	"net/http"
	"strings"
	"testing"

	"inkfeed/domain"
	"inkfeed/web/webtest"
)

func TestMuting(t *testing.T) {
	s := webtest.NewSite(t)
	ada, ben, cyd := s.SignUp("ada"), s.SignUp("ben"), s.SignUp("cyd")
	p := ben.CreateTaggedPost("Ben's post", "Go")
	cyd.CreateTaggedPost("Cyd's post", "Rust")
	t.Run("is offered in the menus of others' pages and of tags", func(t *testing.T) {
		ada.Get("/@ben").Has(`.menu form[action="/@ben/mute"] button`, "Mute this person (@ben)")
		ada.Get("/tags/go").Has(`.menu form[action="/tags/go/mute"] button`, "Mute this tag")
		ada.Get("/@ada").HasNo(`form[action$="/mute"]`)
		s.Anonymous().Get("/@ben").HasNo(`form[action$="/mute"]`)
		s.Anonymous().Get("/tags/go").HasNo(`form[action$="/mute"]`)
		s.Anonymous().Post("/@ben/mute").Want(http.StatusSeeOther)
		ada.Post("/@ada/mute").Want(422).Has("main", "You can't mute yourself")
	})
	t.Run("hides posts from the front page of that member only", func(t *testing.T) {
		ada.Get("/").Has("main", "Ben's post").Has("main", "Cyd's post")
		ada.Post("/@ben/mute").WantRedirect(303, "/@ben")
		for range 2 { // also from the cache
			a := ada.Get("/").Has("main", "Cyd's post")
			if strings.Contains(a.Body, "Ben's post") {
				t.Error("the front page shows a post by a muted person")
			}
			for _, v := range []*webtest.Visitor{cyd, s.Anonymous()} {
				v.Get("/").Has("main", "Ben's post").Has("main", "Cyd's post")
			}
		}
		ada.Post("/tags/rust/mute", "next", "/tags/rust?page=1").WantRedirect(303, "/tags/rust?page=1")
		ada.Get("/").Has("main", "There are no posts except those that you muted").
			Has(`main a[href="/settings/mutes"]`, "you muted")
		ada.Get("/@ben").Has("main", "You muted this person").Has("main", "Ben's post").
			Has(`.menu form[action="/@ben/unmute"]`, "Unmute")
		ada.Get("/tags/rust").Has(`.menu form[action="/tags/rust/unmute"]`, "Unmute")
	})
	t.Run("is changed in place by htmx", func(t *testing.T) {
	})
	t.Run("leads nowhere else", func(t *testing.T) {
		ada.Post("/@ben/mute", "next", "//example.org/").WantRedirect(303, "/@ben")
	})
	t.Run("is listed, also when the person or post is gone, and ends there", func(t *testing.T) {
		q := cyd.CreatePost("Gone soon", "Some text.")
		for _, id := range []string{p.ID, q.ID} {
			ada.Post("/posts/" + id + "/mute").Want(303)
		}
		ada.Post("/posts/" + domain.NewID() + "/mute").Want(404)
		s.Hold(q.ID, "", domain.HeldByModerator)
		ada.Get("/settings").Has(`.room-list a[href="/settings/mutes"]`, "")
		ada.Get("/settings/mutes").Has(`.mutes a[href="/@ben"]`, "@ben").Has(`.mutes a[href="/tags/rust"]`, "#rust").
			Has(`.mutes a[href^="/posts/"]`, "Ben's post").Has(".mutes", "A post that was deleted or hidden").
			Has(`.mutes form:has(input[value="`+q.ID+`"]) button`, "Unmute")
		ada.Post("/settings/mutes/remove", "kind", "post", "id", q.ID).
			WantRedirect(303, "/settings/mutes?done=unmuted")
		ada.Get("/settings/mutes?done=unmuted").Has(`[role="status"]`, "Unmuted.").
			HasNo(`.mutes input[value="` + q.ID + `"]`)
		ada.Get("/settings/mutes?page=2").Want(404)
		cyd.Get("/settings/mutes").Has("main", "You haven't muted anything")
	})
	t.Run("of a post and a person stops with a clear message at the limit", func(t *testing.T) {
		for n := s.User("ada").MuteCount; n < domain.MaxMutes; n++ {
			if err := s.Data.Store.Mutes.Mute(t.Context(), ada.User.ID, domain.Mute{Kind: domain.MutePost,
				ID: domain.NewID()}); err != nil {
				t.Fatal(err)
			}
		}
		ada.Post("/@cyd/mute").Want(409).Has("main", "at most 500 people, tags and posts")
		ada.Get("/settings/mutes").Has(`a[href="/settings/mutes?page=2"]`, "")
	})
}
