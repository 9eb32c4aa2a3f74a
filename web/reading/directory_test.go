package reading_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/PuerkitoBio/goquery"

	"inkfeed/domain"
	"inkfeed/domain/siteinfo"
	"inkfeed/web/webtest"
)

func TestTheListOfTags(t *testing.T) {
	s := webtest.NewSite(t)
	t.Run("says that no post has a tag yet", func(t *testing.T) {
		s.Anonymous().Get("/tags").Want(200).Has("h1", "Tags").Has(".empty-list", "No post has a tag yet")
	})
	ada := s.SignUp("ada")
	for i := range 3 {
		ada.CreateTaggedPost(fmt.Sprint("Post ", i), "Sea, Work")
	}
	ada.CreateTaggedPost("Another", "Boats, C++")
	hidden := ada.CreateTaggedPost("Hidden", "secret")
	s.Hold(hidden.ID, "", domain.HeldByModerator)
	t.Run("has the tags of public posts by name, with numbers", func(t *testing.T) {
		page := s.Anonymous().Get("/tags").Want(200).Has(".tag-uses a[href='/tags/c++']", "C++").
			Has(`link[rel="canonical"][href="http://example.com/tags"]`, "").HasNo(".most-used").Page()
		var tags []string
		page.Find(".tag-uses a").Each(func(_ int, a *goquery.Selection) {
			tags = append(tags, a.Text()+" "+a.Next().Text())
		})
		if got := strings.Join(tags, ", "); got != "Boats 1, C++ 1, Sea 3, Work 3" {
			t.Errorf("the tags are %s", got)
		}
	})
	t.Run("begins with the most used if there are many, and has pages", func(t *testing.T) {
		for i := range 11 {
			var tags []string
			for j := range 10 {
				tags = append(tags, fmt.Sprintf("tag %d-%d", i, j))
			}
			ada.CreateTaggedPost("Many", strings.Join(tags, ", "))
		}
		s.Anonymous().Get("/tags").Want(200).Has(".most-used li:first-child a", "Sea").
			Has(".pager a[rel=next][href='/tags?page=2']", "Next")
		s.Anonymous().Get("/tags?page=2").Want(200).HasNo(".most-used").Has(".tag-uses a[href='/tags/work']", "Work")
		s.Anonymous().Get("/tags?page=3").Want(404)
	})
	t.Run("is linked from the search and from pages that are missing", func(t *testing.T) {
		s.Anonymous().Get("/search").Want(200).Has("main a[href='/tags']", "").Has("main a[href='/authors']", "")
		s.Anonymous().Get("/nothing").Want(404).Has("main a[href='/tags']", "").Has("main a[href='/authors']", "")
	})
}

func TestTheListOfAuthors(t *testing.T) {
	s := webtest.NewSite(t)
	ada, ben, cleo := s.SignUp("ada"), s.SignUp("ben"), s.SignUp("cleo")
	s.SignUp("dora")
	ada.Post("/settings/profile", "displayName", "Ada Lovelace", "bio", "Writes about *engines*.").Want(303)
	for i := range 3 {
		ben.CreatePost(fmt.Sprint("Post ", i), "Text.")
	}
	ada.CreatePost("Of engines", "Text.")
	cleo.CreatePost("Spam", "Text.")
	names := func(path string) string {
		return strings.Join(s.Anonymous().Get(path).Want(200).Page().Find(".authors h2").
			Map(func(_ int, h *goquery.Selection) string { return h.Text() }), ", ")
	}
	t.Run("has those with posts, the most active first", func(t *testing.T) {
		if got := names("/authors"); got != "@ben, Ada Lovelace, @cleo" {
			t.Errorf("the authors are %s", got)
		}
		s.Anonymous().Get("/authors").Has(".authors li:first-child .muted", "3 posts").
			Has(".authors li:nth-child(2) p:not(.muted)", "Writes about engines.").
			Has(".authors li:nth-child(2) a[href='/@ada']", "").Has(".authors li:first-child .avatar", "")
	})
	t.Run("leaves out suspended ones", func(t *testing.T) {
		s.Suspend(cleo)
		if got := names("/authors"); got != "@ben, Ada Lovelace" {
			t.Errorf("the authors are %s", got)
		}
	})
	t.Run("follows a rename", func(t *testing.T) {
		ben.Post("/settings/username", "username", "benjamin").Want(303)
		if got := names("/authors"); got != "@benjamin, Ada Lovelace" {
			t.Errorf("the authors are %s", got)
		}
	})
	s.Anonymous().Get("/authors?page=2").Want(404)
}

func TestTheListsSayThatTheIndexIsBeingBuilt(t *testing.T) {
	s := webtest.NewSite(t)
	for _, path := range []string{"/tags", "/authors"} {
		s.Data.Search.Incomplete = true
		s.Anonymous().Get(path).Want(200).Has(".index-building", "being rebuilt").HasNo(".empty-list")
		s.Data.Search.Incomplete = false
		s.Anonymous().Get(path).Want(200).HasNo(".index-building").
			Has(".empty-list", "") // the page above is not cached
	}
}

func TestTheListsGiveWayToWhatASiteHasAtTheirAddresses(t *testing.T) {
	s := webtest.NewSite(t)
	admin := s.SignUpAs("quinn", domain.RoleAdministrator)
	moderator := s.SignUpAs("mia", domain.RoleModerator)
	post := admin.CreateTaggedPost("A title", "go")
	edit := admin.Post("/admin/pages", "path", "/topics").Want(303).Header.Get("Location")
	id := strings.TrimSuffix(strings.TrimPrefix(edit, "/posts/"), "/edit")
	admin.Post("/posts", "post", id, "title", "Our topics", "content", "Text.", "do", "publish").Want(303)
	_, err := s.Data.Store.Pages.Change(s.Data.Context(), func(p siteinfo.Pages) (siteinfo.Pages, error) {
		p.List = slices.Clone(p.List)
		p.List[0].Path = "/tags" // which an earlier release allowed
		p.Version++
		return p, nil
	})
	s.Data.Must(err)
	t.Run("a static page", func(t *testing.T) {
		admin.Get("/admin/pages").Want(200) // reads the list
		s.Anonymous().Get("/tags").Want(200).Has("h1", "Our topics").HasNo(".tag-uses")
		s.Anonymous().Get("/tags/go").Want(200).Has("h1", "go")
	})
	t.Run("which administrators are told, and can keep or move", func(t *testing.T) {
		for _, path := range []string{"/admin/pages", "/admin/users"} {
			admin.Get(path).Want(200).Has(".hold-notice a[href='/admin/pages/"+id+"']", "Move your page")
		}
		moderator.Get("/admin/users").Want(200).HasNo(".hold-notice") // who cannot move it
		admin.Post("/admin/pages/"+id, "path", "/tags", "label", "Topics").Want(303)
		s.Anonymous().Get("/tags").Want(200).Has("h1", "Our topics")
		admin.Post("/admin/pages/"+id, "path", "/topics").Want(303)
		s.Anonymous().Get("/tags").Want(200).Has(".tag-uses", "go")
		s.Anonymous().Get("/topics").Want(200).Has("h1", "Our topics")
		for _, path := range []string{"/admin/pages", "/admin/users"} {
			admin.Get(path).Want(200).HasNo(".hold-notice")
		}
		admin.Post("/admin/pages/"+id, "path", "/tags").Want(422).HasFieldError("path", "")
	})
	t.Run("an old address", func(t *testing.T) {
		_, err := s.Data.Store.Redirects.Put(s.Data.Context(),
			domain.Redirect{Path: "/authors", PostID: post.ID, OwnerID: admin.User.ID})
		s.Data.Must(err)
		s.Anonymous().Get("/authors").WantRedirect(301, post.Path())
		for _, path := range []string{"/admin/pages", "/admin/users"} {
			admin.Get(path).Want(200).Has(".hold-notice a[href='/admin/addresses?q=/authors']", "")
		}
	})
}
