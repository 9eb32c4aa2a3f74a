package reading_test

import (
	"fmt"
	"strings"
	"testing"

	"inkfeed/domain"
	"inkfeed/web/webtest"
)

// setFront submits the form of the site's settings as an administrator.
func setFront(admin *webtest.Visitor, fields ...string) *webtest.Response {
	version, _ := admin.Get("/admin/settings").Page().Find("[name=version]").Attr("value")
	return admin.Post("/admin/settings", append([]string{"version", version, "registration", "open", "role", "author",
		"days", "3", "invited", "trusted"}, fields...)...)
}

func TestFrontPageIsAnAuthorsBlog(t *testing.T) {
	s := webtest.NewSite(t)
	admin, ada := s.SignUpAs("quinn", domain.RoleAdministrator), s.SignUp("ada")
	mine := ada.CreatePost("Of engines", "Some text.")
	other := admin.CreatePost("Of tides", "Some text.")
	s.Anonymous().Get("/posts").Want(404)
	s.Anonymous().Get("/feed.json").Want(200) // which is cached by its entity tag
	setFront(admin, "front", "@Ada").WantRedirect(303, "/admin/settings?done=yes")

	front := s.Anonymous().Get("/").Want(200).Has("h1", "ada").Has(".posts h2", mine.Title).
		Has("link[rel=canonical][href$='/']", "").Has("a[href='/posts']", "all authors")
	if strings.Contains(front.Body, other.Title) {
		t.Error("the front page shows the post of another author")
	}
	s.Anonymous().Get("/posts").Want(200).Has(".posts", mine.Title).Has(".posts", other.Title).
		Has("link[rel=canonical][href$='/posts']", "")
	t.Run("whose own address names it as the canonical one", func(t *testing.T) {
		for _, path := range []string{"/", "/@ada"} {
			s.Anonymous().Get(path).Want(200).Has("link[rel=canonical][href='http://example.com/']", "").
				Has(`script[type="application/ld+json"]`, `"@type":"Blog"`).
				Has(`script[type="application/ld+json"]`, `"url":"http://example.com/"}`)
		}
		for i := range domain.PostsPerPage {
			ada.CreatePost(fmt.Sprint("Part ", i), "Some text.")
		}
		for _, path := range []string{"/?page=2", "/@ada?page=2"} {
			s.Anonymous().Get(path).Want(200).Has("link[rel=canonical][href='http://example.com/?page=2']", "")
		}
		s.Anonymous().Get("/@quinn").Want(200).Has("link[rel=canonical][href$='/@quinn']", "")
	})
	if feed := s.Anonymous().Get("/feed.json").Want(200); !strings.Contains(feed.Body,
		`"home_page_url":"http://example.com/posts"`) {
		t.Errorf("the feed of all authors does not lead to their list: %s", feed.Body)
	}
	s.Anonymous().Get("/?page=3").Want(404)

	t.Run("follows a rename", func(t *testing.T) {
		ada.Post("/settings/username", "username", "countess").Want(303)
		s.Anonymous().Get("/").Want(200).Has("h1", "countess")
		admin.Get("/admin/settings").Has("#front[value=countess]", "")
	})
	t.Run("needs an existing author", func(t *testing.T) {
		setFront(admin, "front", "nobody", "tagline", "Kept").Want(422).HasFieldError("front", "no account").
			Has("#front[value=nobody]", "").Has("[name=tagline][value=Kept]", "")
	})
	t.Run("shows all authors again when the account is suspended", func(t *testing.T) {
		s.Suspend(ada)
		s.Anonymous().Get("/").Want(200).Has(".posts", other.Title)
	})
}

func TestFrontPageOfOneAuthor(t *testing.T) {
	s := webtest.NewSite(t)
	quinn := s.SignUpAs("quinn", domain.RoleAdministrator)
	post := quinn.CreatePost("Of tides", "Some text.")
	quinn.Post("/settings/profile", "blogTitle", "Quiet notes", "writingLanguage", "en").Want(303)
	setFront(quinn, "front", "quinn", "name", "Quiet notes", "tagline", "On tides").Want(303)
	t.Run("has no link to the posts of others while there are none", func(t *testing.T) {
		s.Anonymous().Get("/").Want(200).HasNo("a[href='/posts']")
		s.SignUp("ada").CreatePost("Of engines", "Some text.")
		s.Anonymous().Get("/").Want(200).Has("a[href='/posts']", "all authors")
	})
	t.Run("shows a title once that the site and the blog have", func(t *testing.T) {
		page := s.Anonymous().Get("/").Has("h1.visually-hidden", "Quiet notes").Page()
		if title := page.Find("title").Text(); title != "Quiet notes" {
			t.Errorf("the title is %q", title)
		}
		s.Anonymous().Get("/@quinn").Has("h1:not(.visually-hidden)", "Quiet notes")
	})
	t.Run("is the blog of the author's posts", func(t *testing.T) {
		s.Anonymous().Get(post.Path()).Want(200).Has(`script[type="application/ld+json"]`,
			`"isPartOf":{"@type":"Blog","name":"Quiet notes","url":"http://example.com/"}`)
	})
}

func TestTextsAboutTheSiteHaveItsLanguage(t *testing.T) {
	s := webtest.NewSite(t)
	quinn := s.SignUpAs("quinn", domain.RoleAdministrator)
	quinn.CreatePost("Of tides", "Some text.")
	setFront(quinn, "language", "cs", "tagline", "O přílivu", "footer", "Bez reklam", "link1", "O nás",
		"link1-address", "/about").Want(303)
	english := s.Anonymous()
	english.Header.Set("Accept-Language", "en")
	english.Get("/").Want(200).Has("html[lang=en] .tagline[lang=cs]", "O přílivu").
		Has("footer.site span[lang=cs]", "Bez reklam").Has("footer.site a[lang=cs]", "O nás")
	czech := s.Anonymous()
	czech.Header.Set("Accept-Language", "cs")
	czech.Get("/").Want(200).Has("html[lang=cs] .tagline:not([lang])", "O přílivu")
}

func TestFeaturedPostsStandAboveTheOthers(t *testing.T) {
	s := webtest.NewSite(t)
	admin := s.SignUpAs("quinn", domain.RoleAdministrator)
	first := admin.CreatePost("Of engines", "Some text.")
	second := admin.CreatePost("Of tides", "Some text.")
	setFront(admin, "featured1", "http://example.com"+first.Path(), "featured2", "/posts/"+second.ID).Want(303)
	a := s.Anonymous().Get("/").Want(200).Has("#featured-title", "Featured").Has(".featured .posts", first.Title)
	if n := a.Page().Find(".summary").Length(); n != 2 {
		t.Errorf("two posts stand in %d rows", n)
	}
	t.Run("without a heading for the others while there are none", func(t *testing.T) {
		s.Anonymous().Get("/").Want(200).HasNo("h2.list-title")
	})
	t.Run("which have a heading of their own", func(t *testing.T) {
		admin.CreatePost("Of clouds", "Some text.")
		s.Anonymous().Get("/").Want(200).Has(".featured + h2.list-title", "Newest posts").
			Has("h2.list-title + .posts", "Of clouds")
	})
	t.Run("and have one more field each time the settings are saved", func(t *testing.T) {
		admin.Get("/admin/settings").Has("#featured2[value]", "").Has("#featured3[value='']", "").HasNo("#featured4")
	})
	t.Run("unless they are not public any more", func(t *testing.T) {
		admin.Post("/posts/" + first.ID + "/unpublish").Want(303)
		a := s.Anonymous().Get("/").Want(200)
		if got := a.Page().Find(".featured .summary").Length(); got != 1 {
			t.Errorf("%d posts are featured", got)
		}
	})
	t.Run("and must exist", func(t *testing.T) {
		for _, wrong := range []string{"/posts/nothing", "https://example.org/", "/posts/" + domain.NewID(), "x"} {
			setFront(admin, "featured3", wrong).Want(422).HasFieldError("featured3", "no public post").
				Has("#featured3[value='"+wrong+"']", "")
		}
	})
}
