package syndication_test

import (
	"net/http"
	"strings"
	"testing"

	"inkfeed/domain"
	"inkfeed/web/webtest"
)

func TestPictureOfAPostWithoutACover(t *testing.T) {
	s := webtest.NewSite(t)
	ada := s.SignUp("ada")
	p := ada.CreatePost("By the sea", "text")
	announced := func(p domain.Post) string {
		page := s.Anonymous().Get(p.Path()).Want(http.StatusOK)
		image := page.Page().Find(`meta[property="og:image"]`).AttrOr("content", "")
		return strings.TrimPrefix(image, "http://example.com")
	}
	card := announced(p)
	t.Run("is announced with its size and a description", func(t *testing.T) {
		if !strings.HasPrefix(card, "/posts/"+p.ID+"/card.png?v=") {
			t.Errorf("the picture is %s", card)
		}
		s.Anonymous().Get(p.Path()).Has(`meta[property="og:image:width"][content="1200"]`, "").
			Has(`meta[property="og:image:height"][content="630"]`, "").
			Has(`meta[property="og:image:alt"][content="By the sea"]`, "").
			Has(`meta[name="twitter:card"][content="summary_large_image"]`, "")
	})
	t.Run("is a PNG that others can show, for an hour", func(t *testing.T) {
		a := s.Anonymous().Get(card).Want(http.StatusOK)
		if !strings.HasPrefix(a.Body, "\x89PNG") || a.Header.Get("Content-Type") != "image/png" ||
			a.Header.Get("Cache-Control") != "public, max-age=3600" ||
			a.Header.Get("Cross-Origin-Resource-Policy") != "cross-origin" {
			t.Errorf("the header is %v", a.Header)
		}
		if again := s.Anonymous().Get(card); again.Body != a.Body {
			t.Error("the second picture differs")
		}
	})
	t.Run("changes its address with the title", func(t *testing.T) {
		s.ChangePost(p.ID, func(p *domain.Post) { p.Title = "By the lake" })
		if to := announced(s.Data.Post(p.ID)); to == card {
			t.Errorf("the picture is still %s", to)
		}
	})
	t.Run("is the cover if there is one", func(t *testing.T) {
		cover := domain.ImageName{Hash: strings.Repeat("a", 26), Width: 2000, Height: 1000, Ext: domain.ExtJPEG}
		if to := announced(ada.CreatePost("A cat", "![The cat]("+cover.Path()+")")); to != cover.Path() {
			t.Errorf("the picture is %s", to)
		}
	})
	t.Run("does not exist for posts that others do not find", func(t *testing.T) {
		unlisted := ada.CreatePostWith("A letter", "text", func(p *domain.Post) { p.Status = domain.Unlisted })
		held, gone := ada.CreatePost("A held post", "text"), s.SignUp("ben")
		s.Hold(held.ID, "", domain.HeldByModerator)
		suspended := gone.CreatePost("A post", "text")
		s.Suspend(gone)
		draft := ada.NewPostID()
		ada.Post("/posts", "post", draft, "title", "A draft", "content", "text", "do", "save").Want(http.StatusSeeOther)
		for name, id := range map[string]string{"unlisted": unlisted.ID, "held": held.ID, "suspended": suspended.ID,
			"draft": draft, "no id": "x"} {
			for _, visitor := range []*webtest.Visitor{s.Anonymous(), ada} {
				if a := visitor.Get("/posts/" + id + "/card.png"); a.StatusCode != http.StatusNotFound {
					t.Errorf("%s: %d", name, a.StatusCode)
				}
			}
		}
		if to := announced(unlisted); !strings.Contains(to, "icon-512") {
			t.Errorf("the unlisted post announces %s", to)
		}
	})
}
