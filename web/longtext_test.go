package web_test

import (
	"net/http"
	"strings"
	"testing"

	"inkfeed/domain"
	"inkfeed/domain/names"
)

// Normalising a name takes time before any rule counts the attempt.
func TestALogInWithANameThatIsTooLongIsNotCounted(t *testing.T) {
	counters := newCounters()
	s := limited(t, newDatabase(t), counters, "login=3/15m,write=off")
	for name, counted := range map[string]bool{
		strings.Repeat("ﷺ", 100_000):                  false,
		strings.Repeat("x", names.MaxTypedUsername+1): false,
		strings.Repeat("x", names.MaxTypedUsername):   true,
	} {
		before := counters.calls
		s.stranger().logIn(name, password).want(http.StatusUnprocessableEntity).complains("password", "Wrong username or password")
		if got := counters.calls > before; got != counted {
			t.Errorf("a name of %d bytes is counted: %t", len(name), got)
		}
	}
}

// Rendering for the links asks the settings of the site, which are not available here.
func TestAPostThatIsTooLongIsRefusedBeforeItIsScreened(t *testing.T) {
	s := watchful(t)
	ada := s.member("ada")
	s.data.fail("Settings.Get")
	ada.post("/posts", "title", "A title", "content", spam, "do", "publish").want(http.StatusServiceUnavailable)
	for field, most := range map[string]int{"title": domain.MaxTitle, "content": domain.MaxContent, "tags": domain.MaxTag} {
		text := map[string]string{"title": "A title", "content": "Text.", "tags": "a"}
		text[field] = spam + strings.Repeat(" word", min(most, domain.MaxContent/4))
		ada.post("/posts", "title", text["title"], "content", text["content"], "tags", text["tags"], "do", "publish").
			want(http.StatusUnprocessableEntity)
	}
	p := ada.aPost("A title", "Some text.")
	ada.post("/posts/"+p.ID+"/comments", "content", spam+strings.Repeat(" word", domain.MaxComment)).want(http.StatusUnprocessableEntity)
}
