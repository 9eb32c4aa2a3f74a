package following_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"inkfeed/domain"
	"inkfeed/web/webtest"
)

// names returns the names in a list, in order.
func names(r *webtest.Response) (all []string) {
	for _, e := range r.Want(http.StatusOK).Page().Find(".follows .name").EachIter() {
		all = append(all, strings.TrimSpace(e.Text()))
	}
	return all
}

func TestListsOfFollows(t *testing.T) {
	s := webtest.NewSite(t)
	ada, ben, cleo := s.SignUp("ada"), s.SignUp("ben"), s.SignUp("cleo")
	ben.Post("/@ada/follow").Want(303)
	cleo.Post("/@ada/follow").Want(303)
	ben.Post("/tags/go/follow").Want(303)
	ben.Post("/@cleo/follow").Want(303)
	t.Run("are open to all, but not to search engines", func(t *testing.T) {
		r := s.Anonymous().Get("/@ada/followers").Has("h1", "2 followers").Has(`meta[name="robots"][content="noindex"]`, "")
		if got := fmt.Sprint(names(r)); got != "[@cleo @ben]" {
			t.Error(got)
		}
		if got := fmt.Sprint(names(s.Anonymous().Get("/@ben/following").Has("h1", "3 following"))); got != "[@cleo go @ada]" {
			t.Error(got)
		}
		s.Anonymous().Get("/@nobody/followers").Want(404)
		s.Anonymous().Get("/@ADA/followers").WantRedirect(301, "/@ada/followers")
	})
	t.Run("have buttons", func(t *testing.T) {
		cleo.Get("/@ben/following").Has(`form[action="/@ada/unfollow"]`, "").Has(`form[action="/tags/go/follow"]`, "").
			HasNo(`form[action^="/@cleo/"]`)
		row := ben.HTMX().Post("/@cleo/follow", "place", "u.x", "next", "/@ada/followers").Want(200)
		row.Has(`form.follow[id="Page-follow-`+cleo.User.ID+`"]`, "Following")
	})
	t.Run("can be hidden, except from their owner and moderators", func(t *testing.T) {
		ada.Post("/settings/following/lists", "hide", "yes").Want(303)
		for _, path := range []string{"/@ada/followers", "/@ada/following"} {
			s.Anonymous().Get(path).Want(404).Has("main", "This list is private.")
			ben.Get(path).Want(404)
			ada.Get(path).Want(200).Has("[role=note]", "This list is private")
		}
		s.Anonymous().Get("/@ada").Has("#Page-follow-counts span", "2 followers").HasNo("#Page-follow-counts a")
		s.SetRole(cleo, domain.RoleModerator)
		cleo.Get("/@ada/followers").Want(200)
		ada.Post("/settings/following/lists").Want(303)
		s.Anonymous().Get("/@ada/followers").Want(200)
	})
	t.Run("leave out suspended, deleted and leaving people", func(t *testing.T) {
		_, err := s.Data.Store.Accounts.Suspend(t.Context(), ben.User.ID, "Spam", time.Now())
		s.Data.Must(err)
		if got := fmt.Sprint(names(s.Anonymous().Get("/@ada/followers"))); got != "[@cleo]" {
			t.Error(got)
		}
		_, err = s.Data.Store.AccountDeletions.ScheduleDeletion(t.Context(), cleo.User.ID, time.Now().AddDate(0, 0, 7))
		s.Data.Must(err)
		s.Anonymous().Get("/@ada/followers").Want(200).HasNo(".follows li")
	})
}

func TestAListOfFollowersHasPages(t *testing.T) {
	s := webtest.NewSite(t)
	s.SignUp("ada")
	ada, reader := domain.AuthorSource(s.Data.UserNamed("ada").ID), s.SignUp("reader")
	for i := range domain.FollowsPerPage + 3 { // several have the same time
		u, err := domain.NewUser(fmt.Sprint("fan", i), time.Now())
		s.Data.Must(err)
		_, err = s.Data.Store.Accounts.SignUp(t.Context(), u, domain.Credentials{})
		s.Data.Must(err)
		_, err = s.Data.Store.Follows.Follow(t.Context(), u.ID, ada, time.Unix(int64(1e9+i/3), 0))
		s.Data.Must(err)
	}
	first := reader.Get("/@ada/followers")
	next := first.Page().Find(`.pager a[rel="next"]`).AttrOr("href", "")
	second := reader.Get(next)
	all := append(names(first), names(second)...)
	seen := map[string]bool{}
	for _, name := range all {
		seen[name] = true
	}
	if len(all) != domain.FollowsPerPage+3 || len(seen) != len(all) || len(names(second)) != 3 {
		t.Errorf("%d followers, %d of them different", len(all), len(seen))
	}
	second.HasNo(`.pager a[rel="next"]`)
	reader.Get("/@ada/followers?from=x").Want(404)
}
