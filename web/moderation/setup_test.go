package moderation_test

import (
	"strings"
	"testing"

	"inkfeed/domain"
	"inkfeed/web/webtest"
)

// newSite returns a site without users, and the visitor who has just signed up as the first one.
func newSite(t *testing.T) (*webtest.Site, *webtest.Visitor) {
	s := webtest.NewSiteOn(t, webtest.NewEmptyDatabase(t), webtest.KeyOne)
	ada := s.Anonymous()
	ada.Post("/signup", "username", "ada", "password", webtest.Password).WantRedirect(303, "/admin/setup")
	return s, ada
}

func TestFirstAdministratorSetsTheSiteUp(t *testing.T) {
	s, ada := newSite(t)
	ada.Get("/admin/setup").Want(200).Has("h1", "Set up your site").Has("[name=samples][value=yes][checked]", "")
	ada.Get("/admin/settings").Want(200).Has("[role=status] a[href='/admin/setup']", "")
	ada.Post("/admin/setup", "name", "Ada's notes", "tagline", "On engines", "registration", "closed", "samples", "no").
		WantRedirect(303, "/admin/setup?done=yes")
	ada.Get("/admin/setup?done=yes").Want(200).Has("h1", "Your site is ready").
		HasNo("form[action='/admin/samples/delete']")
	ada.Get("/admin/settings").Has("[name=tagline][value='On engines']", "")
	s.Anonymous().Get("/").Want(200).Has("a.brand", "Ada's notes").HasNo("a[href^='/signup']")
	t.Run("and never again", func(t *testing.T) {
		ada.Get("/admin/setup").WantRedirect(303, "/admin/settings")
		ada.Post("/admin/setup", "name", "Other", "registration", "open").WantRedirect(303, "/admin/settings")
		ada.Get("/admin/settings").Want(200).HasNo("a[href='/admin/setup']")
		s.Anonymous().Get("/").Has("a.brand", "Ada's notes")
	})
}

func TestSkippedSetupDoesNotComeBack(t *testing.T) {
	s, ada := newSite(t)
	ada.Post("/admin/setup", "skip", "yes", "name", "Typed", "samples", "yes").
		WantRedirect(303, "/admin/setup?done=yes")
	ada.Get("/admin/setup").WantRedirect(303, "/admin/settings")
	s.Anonymous().Get("/").Has("a.brand", "Inkfeed").HasNo("article")
}

func TestInvalidSetupComesBack(t *testing.T) {
	s, ada := newSite(t)
	ada.Post("/admin/setup", "name", "Kept", "tagline", "x", "registration", "ajar", "samples", "yes").Want(422).
		Has("[name=name][value=Kept]", "").Has("#registration-error", "")
	ada.Get("/admin/setup").Want(200)
	s.Anonymous().Get("/").HasNo("article")
}

func TestSecondAdministratorDoesNotSetUp(t *testing.T) {
	s, ada := newSite(t)
	ben := s.SignUpAs("ben", domain.RoleAdministrator)
	for _, v := range []*webtest.Visitor{ada, ben} {
		v.Get("/admin/setup").WantRedirect(303, "/admin/settings")
		v.Get("/admin/settings").Want(200).HasNo("a[href='/admin/setup']")
	}
}

func TestSamplePostsAreDeletedTogether(t *testing.T) {
	s, ada := newSite(t)
	own := ada.Post("/posts", "title", "My own post", "content", "Some text.", "do", "publish").Want(303).
		Header.Get("Location")
	ada.Post("/admin/setup", "name", "Notes", "registration", "open", "samples", "yes").Want(303)
	done := ada.Get("/admin/setup?done=yes").Want(200).Has("form[action='/admin/samples/delete']", "")
	links := done.Page().Find("#samples-title ~ ul a")
	if links.Length() != 3 {
		t.Fatalf("there are %d sample posts", links.Length())
	}
	welcome, _ := links.First().Attr("href")
	code, _ := links.Eq(1).Attr("href")
	picture, _ := s.Anonymous().Get(welcome).Want(200).Page().Find(".prose img").Attr("src")
	s.Anonymous().Get(picture).Want(200)
	s.Anonymous().Get(code).Want(200).Has("pre code", "").Has("table", "")

	post, err := s.Data.Store.Posts.Get(t.Context(), strings.Split(code, "/")[2])
	if err != nil {
		t.Fatal(err)
	}
	ada.UpdatePost(post, func(p *domain.Post) { p.Content, p.Revision = "My own text now.", 2 })
	ben := s.SignUpAs("ben", domain.RoleAdministrator)
	ben.Post("/admin/samples/delete").Want(303)
	s.Anonymous().Get(welcome).Want(200)

	ada.Get("/admin/settings").Want(200).Has("form[action='/admin/samples/delete']", "")
	ada.Post("/admin/samples/delete").WantRedirect(303, "/admin/settings?samples=deleted")
	ada.Get("/admin/settings?samples=deleted").Has("[role=status]", "deleted").
		HasNo("form[action='/admin/samples/delete']")
	s.Anonymous().Get(welcome).Want(404)
	s.Anonymous().Get(picture).Want(404)
	s.Anonymous().Get(code).Want(200)
	s.Anonymous().Get(own).Want(200)
}
