package web_test

import (
	"net/http"
	"strings"
	"testing"

	"inkfeed/domain"
	"inkfeed/domain/names"
	"inkfeed/web/webtest"
)

// Normalising a name takes time before any rule counts the attempt.
func TestALogInWithAnOversizedNameIsNotCounted(t *testing.T) {
	counters := webtest.NewCounters()
	s := webtest.NewLimitedSite(t, webtest.NewDatabase(t), counters, "login=3/15m,write=off")
	for name, counted := range map[string]bool{
		strings.Repeat("ﷺ", 100_000):                  false,
		strings.Repeat("x", names.MaxTypedUsername+1): false,
		strings.Repeat("x", names.MaxTypedUsername):   true,
	} {
		before := counters.Calls
		s.Anonymous().LogIn(name, webtest.Password).Want(http.StatusUnprocessableEntity).
			HasFieldError("password", "Wrong username or password")
		if got := counters.Calls > before; got != counted {
			t.Errorf("a log-in with a name of %d bytes is counted: %t", len(name), got)
		}
	}
}

// The test makes the site's settings unavailable. Screening reads them, so the response is 503 if the text was
// screened.
func TestOversizedTextsAreRefusedBeforeScreening(t *testing.T) {
	s := webtest.NewScreeningSite(t)
	ada := s.SignUp("ada")
	s.Data.Fail("Settings.Get")
	ada.Post("/posts", "title", "A title", "content", webtest.SpamText, "do", "publish").
		Want(http.StatusServiceUnavailable)
	for field, most := range map[string]int{
		"title":   domain.MaxTitle,
		"content": domain.MaxContent,
		"tags":    domain.MaxTag,
	} {
		text := map[string]string{"title": "A title", "content": "Text.", "tags": "a"}
		text[field] = webtest.SpamText + strings.Repeat(" word", min(most, domain.MaxContent/4))
		ada.Post("/posts", "title", text["title"], "content", text["content"], "tags", text["tags"], "do", "publish").
			Want(http.StatusUnprocessableEntity)
	}
	p := ada.CreatePost("A title", "Some text.")
	ada.Post("/posts/"+p.ID+"/comments", "content", webtest.SpamText+strings.Repeat(" word", domain.MaxComment)).
		Want(http.StatusUnprocessableEntity)
}
