package reading_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"inkfeed/domain"
	"inkfeed/web/webtest"
)

func TestTheFrontPage(t *testing.T) {
	t.Run("invites visitors of an empty blog to sign up", func(t *testing.T) {
		a := webtest.NewSite(t).Anonymous().Get("/").Want(200)
		a.Has("main h1", "No posts yet").Has("main h1 + p", "Sign up to write the first post").
			Has(`main a[href="/signup"]`, "Sign up").HasNo("main code")
	})
	t.Run("invites a signed-in user of an empty blog to write", func(t *testing.T) {
		webtest.NewSite(t).SignUp("ada").Get("/").Want(200).Has(`main a[href="/new"]`, "Write")
	})
	t.Run("shows title, author, summary, date and counts of each post", func(t *testing.T) {
		s := webtest.NewSite(t)
		ada := s.SignUp("ada")
		p := ada.CreatePost("A title", "Some *text*.")
		ada.CreateComments(p, "one")
		a := s.Anonymous().Get("/").Want(200)
		a.Has(`h2 a[href="`+p.Path()+`"]`, "A title")
		a.Has(`article a[href="/@ada"]`, "@ada")
		a.Has("article .text", "Some text.")
		a.Has(`article time[datetime="2026-05-01T12:00:00Z"]`, "1 May 2026")
		a.Has(`article a[href="`+p.Path()+`#Page-comments"]`, "1 comment")
		likes := `article a[href="/posts/` + p.ID + `/likes"]`
		a.HasNo(likes)
		ada.Post("/posts/" + p.ID + "/like").Want(303)
		s.Anonymous().Get("/").Has(likes, "1 like")
	})
	t.Run("shows the author's avatar, the reading time and the tags in the line of the date", func(t *testing.T) {
		s := webtest.NewSite(t)
		ada := s.SignUp("ada")
		ada.CreatePostWith("A title", strings.Repeat("word ", 700), func(p *domain.Post) { p.Tags = "go, ink" })
		a := s.Anonymous().Get("/").Want(200)
		a.Has(".row .avatar text", "A").Has(".row", "3 min").Has(`.row a[rel="tag"][href="/tags/ink"]`, "ink")
		ada.Upload("/settings/avatar", webtest.Photo(t, 90, 90)).Want(303)
		s.Anonymous().Get("/").Has(`.row img.avatar[alt=""][src^="/media/"]`, "").HasNo(".row .avatar text")
	})
	t.Run("shows the cover of a post beside it", func(t *testing.T) {
		s := webtest.NewSite(t)
		cover := domain.ImageName{Hash: strings.Repeat("a", 26), Width: 2000, Height: 1500, Ext: domain.ExtJPEG}
		ada, text := s.SignUp("ada"), "Text.\n\n![A cat]("+cover.Path()+")"
		p := ada.CreatePost("A title", text)
		ada.CreatePostWith("Another", text, func(p *domain.Post) { p.Details.Cover = domain.NoCover })
		s.Anonymous().Get("/").Want(200).
			Has(`.thumb[href="`+p.Path()+`"] img[width="2000"][height="1500"][srcset][sizes]`, "")
	})
	t.Run("shows a right-to-left post from the right", func(t *testing.T) {
		s := webtest.NewSite(t)
		ada := s.SignUp("ada")
		arabic := ada.CreatePost("مرحبا بالعالم C++", "هذا نص C++ programming language")
		english := ada.CreatePost("An English title", "Text")
		a := s.Anonymous().Get("/").Want(200)
		a.Has(`article[dir="rtl"] h2 a[href="`+arabic.Path()+`"]`, "").Has(`article[dir="rtl"] .text[dir="rtl"]`, "")
		a.HasNo(`article[dir="rtl"] a[href="` + english.Path() + `"]`)
	})
	t.Run("begins with a lead post, which other lists and pages do not have", func(t *testing.T) {
		s := webtest.NewSite(t)
		ada := s.SignUp("ada")
		for i := range domain.PostsPerPage + 1 {
			ada.CreatePostWith(fmt.Sprintf("Post %d", i), "text", func(p *domain.Post) { p.Tags = "go" })
		}
		s.Anonymous().Get("/").Want(200).Has(".posts > li:first-child > .lead h2", "Post 20").HasNo("li + li > .lead")
		for _, path := range []string{"/?page=2", "/@ada", "/tags/go", "/search?q=post"} {
			s.Anonymous().Get(path).Want(200).Has(".posts > li:first-child h2", "Post").HasNo(".lead")
		}
	})
	t.Run("links its pages to each other", func(t *testing.T) {
		s := webtest.NewSite(t)
		ada := s.SignUp("ada")
		for i := range domain.PostsPerPage*2 + 1 {
			ada.CreatePost(fmt.Sprintf("Post %d", i), "text")
		}
		first := s.Anonymous().Get("/").Want(200)
		if n := first.Page().Find("article").Length(); n != domain.PostsPerPage {
			t.Errorf("%d posts on the first page", n)
		}
		first.Has(`nav a[rel="next"][href="/?page=2"]`, "Older").HasNo(`a[rel="prev"]`)
		first.Has(".posts li:first-child h2", "Post 40")
		s.Anonymous().Get("/?page=2").Want(200).
			Has(`nav a[rel="prev"][href="/"]`, "Newer").Has(`nav a[rel="next"][href="/?page=3"]`, "Older")
		s.Anonymous().Get("/?page=3").Want(200).HasNo(`a[rel="next"]`).
			Has(`link[rel="canonical"][href="http://example.com/?page=3"]`, "")
		s.Anonymous().Get("/?page=4").Want(404)
	})
	t.Run("answers HEAD", func(t *testing.T) {
		webtest.NewSite(t).Anonymous().Send(http.MethodHead, "/", nil).Want(200)
	})
}

func TestInvalidPageNumbersAreNotFound(t *testing.T) {
	s := webtest.NewSite(t)
	p := s.SignUp("ada").CreatePost("A title", "text")
	for _, list := range []string{"/", "/@ada", "/posts/" + p.ID + "/comments", "/posts/" + p.ID + "/likes"} {
		for _, number := range []string{"", "0", "-1", "x", "1.5", "+1", "01", "2", "99999999999999999999", "%00"} {
			s.Anonymous().Get(list+"?page="+number).Want(404).Has("h1", "Not found")
		}
		s.Anonymous().Get(list + "?page=1").Want(200)
	}
}
