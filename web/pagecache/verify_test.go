package pagecache_test

import (
	"net/http"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"inkfeed/domain"
	"inkfeed/domain/dependency"
	"inkfeed/web/pagecache"
	"inkfeed/web/webtest"
)

// verified is what Verify finds wrong, and how much it compares.
func verified(t *testing.T, cache *pagecache.Cache, walk bool) (wrong []string, compared int) {
	t.Helper()
	err := cache.Verify(t.Context(), pagecache.VerifyOptions{Walk: walk}, func(r pagecache.VerifyReport) {
		compared = r.Compared
		if r.Wrong != nil {
			wrong = append(wrong, r.Wrong.String())
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	return wrong, compared
}

func TestVerifyFindsNothingWrongWithWhatIsSound(t *testing.T) {
	s, cache, _ := cachedSite(t)
	ada := s.SignUp("ada")
	p := ada.CreatePost("A post", strings.Repeat("A text that is worth compressing. ", 50))
	for _, path := range []string{"/", p.Path(), "/posts/" + p.ID, "/@ada", "/@nobody", "/feed.atom", "/posts/" + p.ID + "/likes"} {
		s.Anonymous().Get(path)
	}
	settle(ada)
	ada.Get("/").Want(http.StatusOK)
	wrong, compared := verified(t, cache, false)
	if len(wrong) > 0 || compared < 4 {
		t.Errorf("of %d, it finds wrong: %q", compared, wrong)
	}
}

// settle lets the time pass in which a visitor counts as having just written.
func settle(v *webtest.Visitor) { delete(v.Cookies, "inkfeed-wrote") }

func TestVerifyFindsWhatWasNotDropped(t *testing.T) {
	s, cache, _ := cachedSite(t)
	ada := s.SignUp("ada")
	p := ada.CreatePost("A post", "Before.")
	s.Anonymous().Get("/").Want(http.StatusOK)
	settle(ada)
	ada.Get("/").Want(http.StatusOK)
	s.ChangePost(p.ID, func(p *domain.Post) { p.Title = "Another" })
	s.Data.CatchUp() // the lists change too, without a notice to the cache
	wrong, _ := verified(t, cache, false)
	for _, what := range []string{"page /:", "frame /:", "value front page 1"} {
		if !slices.ContainsFunc(wrong, func(w string) bool { return strings.HasPrefix(w, what) }) {
			t.Errorf("it does not find that %s is wrong: %q", what, wrong)
		}
	}
	if !slices.ContainsFunc(wrong, func(w string) bool { return strings.Contains(w, "A post") && strings.Contains(w, "Another") }) {
		t.Errorf("it does not say in what: %q", wrong)
	}
}

func TestVerifyFindsPagesThatNobodyHasAskedFor(t *testing.T) {
	s, cache, _ := cachedSite(t)
	ada := s.SignUp("ada")
	var posts []domain.Post
	for range 2 * domain.PostsPerPage {
		posts = append(posts, ada.CreatePost("A post", "Text."))
	}
	s.Anonymous().Get("/").Want(http.StatusOK)
	s.ChangePost(posts[len(posts)-1].ID, func(p *domain.Post) { p.Title = "Another" })
	s.Data.CatchUp()
	wrong, compared := verified(t, cache, true)
	if compared < 2*len(posts) { // a post's page and that of its likes
		t.Errorf("it compares %d", compared)
	}
	if !slices.ContainsFunc(wrong, func(w string) bool { return strings.HasPrefix(w, "frame /:") }) {
		t.Errorf("it does not find that a frame is made of a list that was not dropped: %q", wrong)
	}
}

func TestVerifyForgivesWhatIsAboutToBeDropped(t *testing.T) {
	today := time.Now()
	synctest.Test(t, func(t *testing.T) {
		time.Sleep(time.Until(today)) // the clock begins in 2000, before the first item of the database
		s, cache, _ := cachedSite(t)
		p := s.SignUp("ada").CreatePost("A post", "Text.")
		s.Anonymous().Get("/").Want(http.StatusOK)
		changed := time.Now()
		cache.Follow(func() time.Time {
			if time.Since(changed) < 2*time.Second {
				return changed
			}
			return time.Now()
		})
		s.ChangePost(p.ID, func(p *domain.Post) { p.Title = "Another" })
		s.Data.CatchUp()
		go func() {
			time.Sleep(time.Second) // of the bubble's
			cache.Drop(frontPart, dependency.FacetTexts)
		}()
		if wrong, _ := verified(t, cache, false); len(wrong) > 0 {
			t.Errorf("it finds wrong: %q", wrong)
		}
	})
}

func TestVerifySaysWhenChangesAreNotHeardOf(t *testing.T) {
	today := time.Now()
	synctest.Test(t, func(t *testing.T) {
		time.Sleep(time.Until(today)) // the clock begins in 2000, before the first item of the database
		s, cache, _ := cachedSite(t)
		p := s.SignUp("ada").CreatePost("A post", "Text.")
		s.Anonymous().Get("/").Want(http.StatusOK)
		cut := time.Now()
		cache.Follow(func() time.Time { return cut })
		s.ChangePost(p.ID, func(p *domain.Post) { p.Title = "Another" })
		s.Data.CatchUp()
		if err := cache.Verify(t.Context(), pagecache.VerifyOptions{}, func(pagecache.VerifyReport) {}); err == nil {
			t.Error("it says that all is well")
		}
	})
}
