package moderation_test

import (
	"net/http"
	"net/url"
	"testing"

	"inkfeed/domain"
	"inkfeed/web/webtest"
)

// ask makes a user's import name addresses of a post, and ask for them.
func ask(v *webtest.Visitor, p domain.Post, addresses ...string) {
	v.T.Helper()
	store, ctx := v.Data.Store, v.Data.Context()
	v.Data.Must(store.Imports.Put(ctx, domain.Import{UserID: v.User.ID, PostID: p.ID, Digest: "d", Done: true,
		Paths: addresses}))
	all, err := store.Redirects.Requests(ctx, v.User.ID)
	v.Data.Must(err)
	for _, address := range addresses {
		all.Add([]domain.Redirect{{Path: address, OwnerID: v.User.ID, PostID: p.ID}})
	}
	v.Data.Must(store.Redirects.SetRequests(ctx, all))
}

// decide sends the form about all addresses of a user, as the list of importers shows it.
func decide(admin *webtest.Visitor, of *webtest.Visitor, do string) *webtest.Response {
	admin.T.Helper()
	version := admin.Get("/admin/addresses?q=@" + of.User.Username).Want(http.StatusOK).Value("version")
	return admin.Post("/admin/addresses", "user", of.User.ID, "version", version, "do", do)
}

func TestAdministratorsDecideAboutRequestedAddresses(t *testing.T) {
	s := webtest.NewSite(t)
	admin, ada, bob := s.SignUpAs("anna", domain.RoleAdministrator), s.SignUp("ada"), s.SignUp("bob")
	adas, bobs := ada.CreatePost("Ada's", "Text"), bob.CreatePost("Bob's", "Text")
	ask(ada, adas, "/about", "/index", "/2020", "/login")
	ask(bob, bobs, "/about", "/contact")

	t.Run("which redirect nowhere before", func(t *testing.T) {
		s.Anonymous().Get("/about").Want(http.StatusNotFound)
		admin.Get("/admin/addresses").Want(http.StatusOK).Has("main", "4 addresses wait").Has("main", "/about")
	})
	t.Run("all in one click, except reserved ones", func(t *testing.T) {
		decide(admin, ada, "approve").WantRedirect(http.StatusSeeOther,
			"/admin/addresses?q=%40ada&done=approved&left=1")
		admin.Get("/admin/addresses?q=@ada&done=approved&left=1").Has("main", "it leads elsewhere, is reserved").
			Has("main ul.invitations", "/login")
		decide(admin, ada, "decline").Want(http.StatusSeeOther)
		s.Anonymous().Get("/about/").WantRedirect(http.StatusMovedPermanently, adas.Path())
		s.Anonymous().Get("/login/x").Want(http.StatusNotFound)
		admin.Get("/admin/addresses?q=@ada").Has("main", "No address waits").Has("main", "/2020")
	})
	t.Run("but give no address of another user", func(t *testing.T) {
		decide(admin, bob, "approve").WantRedirect(http.StatusSeeOther,
			"/admin/addresses?q=%40bob&done=approved&left=1")
		s.Anonymous().Get("/about").WantRedirect(http.StatusMovedPermanently, adas.Path())
		s.Anonymous().Get("/contact").WantRedirect(http.StatusMovedPermanently, bobs.Path())
	})
	t.Run("one by one", func(t *testing.T) {
		admin.Post("/admin/addresses", "user", bob.User.ID, "path", "/about", "do", "decline").
			WantRedirect(http.StatusSeeOther, "/admin/addresses?q=%40bob&done=declined")
		admin.Get("/admin/addresses").Want(http.StatusOK).Has("main", "no requests").HasNo("main form button[name=do]")
	})
	t.Run("only about what they have seen", func(t *testing.T) {
		version := admin.Get("/admin/addresses?q=@bob").Value("version")
		ask(bob, bobs, "/imprint")
		admin.Post("/admin/addresses", "user", bob.User.ID, "version", version, "do", "approve").
			Want(http.StatusConflict)
		s.Anonymous().Get("/imprint").Want(http.StatusNotFound)
	})
	t.Run("and the log tells it", func(t *testing.T) {
		admin.Get("/admin/log").Has("main", "approved old addresses for @ada: 3 addresses").
			Has("main", "declined old addresses for @bob: /about")
	})
}

func TestAdministratorsReassignAddresses(t *testing.T) {
	s := webtest.NewSite(t)
	admin, ada, bob := s.SignUpAs("anna", domain.RoleAdministrator), s.SignUp("ada"), s.SignUp("bob")
	adas, bobs := ada.CreatePost("Ada's", "Text"), bob.CreatePost("Bob's", "Text")
	// An import of an earlier release claimed the address.
	for _, address := range []string{"/a/long/way", "/admin/login"} {
		_, err := s.Data.Store.Redirects.Put(s.Data.Context(), domain.Redirect{Path: address, OwnerID: ada.User.ID,
			PostID: adas.ID})
		s.Data.Must(err)
	}
	ask(ada, adas, "/a/long/way")
	send := func(address, to string) *webtest.Response {
		page := admin.Get("/admin/addresses?q=" + url.QueryEscape(address)).Want(http.StatusOK)
		return admin.Post("/admin/addresses/assign", "path", page.Value("path"), "owner", page.Value("owner"),
			"post", page.Value("post"), "list", page.Value("list"), "to", to)
	}
	for _, c := range []struct{ address, to, leads string }{
		{"/a/long/way/", bobs.Path(), bobs.Path()},
		{"/a/long/way", "/@bob", "/@bob"},
		{"/never/seen", "blog.example/@bob", "/@bob"},
		{"/never/seen", "https://blog.example/posts/" + adas.ID, adas.Path()},
		{"/index.xml", "/@ada", "/@ada/feed.rss"},
	} {
		send(c.address, c.to).Want(http.StatusSeeOther)
		s.Anonymous().Get(c.address).WantRedirect(http.StatusMovedPermanently, c.leads)
	}
	t.Run("and remove them", func(t *testing.T) {
		send("/never/seen", "").Want(http.StatusSeeOther)
		s.Anonymous().Get("/never/seen").Want(http.StatusNotFound)
	})
	t.Run("but not to nothing", func(t *testing.T) {
		for _, to := range []string{"/@nobody", "/posts/" + domain.NewID(), "https://elsewhere.example/x", "/admin",
			"%"} {
			send("/a/long/way", to).Want(http.StatusUnprocessableEntity).HasFieldError("to", "Enter the address")
		}
		send("/a/long/way", "/nothing").Want(http.StatusUnprocessableEntity).Has("#to[value='/nothing']", "")
	})
	t.Run("unless another administrator was faster", func(t *testing.T) {
		admin.Post("/admin/addresses/assign", "path", "/a/long/way", "owner", ada.User.ID, "post", adas.ID,
			"to", "/@ada").
			Want(http.StatusConflict).Has("#to[value='/@ada']", "")
		s.Anonymous().Get("/a/long/way").WantRedirect(http.StatusMovedPermanently, "/@bob")
		conflict := admin.Post("/admin/addresses/assign", "path", "/not/there", "owner", ada.User.ID, "to", "/@ada")
		if owner := conflict.Want(http.StatusConflict).Value("owner"); owner != "" {
			t.Errorf("the form says that %q has an address that leads nowhere", owner)
		}
	})
	t.Run("never an address of the site, except to remove it", func(t *testing.T) {
		s.Anonymous().Get("/admin/login").Want(http.StatusNotFound)
		send("/admin/login", "/@ada").Want(http.StatusUnprocessableEntity).HasFieldError("to", "belongs to this site")
		send("/admin/login", "").Want(http.StatusSeeOther)
		admin.Get("/admin/addresses?q=/admin/login").Has("main", "never redirects").HasNo("#to")
		admin.Post("/admin/addresses/assign", "path", "/admin/login", "to", "/@ada").
			Want(http.StatusUnprocessableEntity)
	})
	t.Run("and unknown ones are not found", func(t *testing.T) {
		admin.Get("/admin/addresses?q=@nobody").Want(http.StatusNotFound).HasFieldError("q", "no account")
		admin.Get("/admin/addresses?q=/x.png").Want(http.StatusNotFound).HasFieldError("q", "Enter an address")
	})
}
