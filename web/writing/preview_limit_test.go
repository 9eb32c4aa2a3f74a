package writing_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"inkfeed/domain"
	"inkfeed/web/webtest"
)

func TestPreviewsOfTheFormAreBounded(t *testing.T) {
	t.Run("in length, keeping the text", func(t *testing.T) {
		ada := webtest.NewSite(t).SignUp("ada")
		text := strings.Repeat("word ", domain.MaxContent/4)
		a := ada.Post("/posts", "title", "A title", "content", text, "do", "preview").
			Want(http.StatusRequestEntityTooLarge)
		if got := a.Value("content"); strings.TrimSpace(got) != strings.TrimSpace(text) {
			t.Errorf("the form has %d of %d bytes", len(got), len(text))
		}
	})
	t.Run("in number", func(t *testing.T) {
		s := webtest.NewCachedSite(t, "preview=2/1h")
		ada := s.SignUp("ada")
		for range 2 {
			ada.Post("/posts", "title", "A title", "content", "Text.", "do", "preview").Want(200)
		}
		ada.Post("/posts", "title", "A title", "content", "Text.", "do", "preview").WantRetryAfter(time.Hour)
	})
}
