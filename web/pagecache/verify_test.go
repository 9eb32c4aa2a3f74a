package pagecache_test

import (
	"net/http"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"inkfeed/cosmos/dependency"
	"inkfeed/domain"
	"inkfeed/web/pagecache"
	"inkfeed/web/webtest"
)

// verified returns the wrong entries that Verify finds and the number of compared ones.
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

func TestVerifyFindsNothingInACorrectCache(t *testing.T) {
	s, cache, _ := cachedSite(t)
	ada := s.SignUp("ada")
	p := ada.CreatePost("A post", strings.Repeat("A text that is worth compressing. ", 50))
	for _, path := range []string{
		"/", p.Path(), "/posts/" + p.ID, "/@ada", "/@nobody", "/feed.atom", "/posts/" + p.ID + "/likes",
	} {
		s.Anonymous().Get(path)
	}
	settle(ada)
	ada.Get("/").Want(http.StatusOK)
	wrong, compared := verified(t, cache, false)
	if len(wrong) > 0 || compared < 4 {
		t.Errorf("%d entries were compared, wrong are %q", compared, wrong)
	}
}

// settle makes the visitor count no longer as one who has just written.
func settle(v *webtest.Visitor) { delete(v.Cookies, "inkfeed-wrote") }

func TestVerifyFindsEntriesThatWereNotDropped(t *testing.T) {
	s, cache, _ := cachedSite(t)
	ada := s.SignUp("ada")
	p := ada.CreatePost("A post", "Before.")
	s.Anonymous().Get("/").Want(http.StatusOK)
	settle(ada)
	ada.Get("/").Want(http.StatusOK)
	s.ChangePost(p.ID, func(p *domain.Post) { p.Title = "Another" })
	s.Data.CatchUp() // the lists change too, without a notice to the cache
	wrong, _ := verified(t, cache, false)
	for _, what := range []string{"page /:", "shell /:", "query front page 1"} {
		if !slices.ContainsFunc(wrong, func(w string) bool { return strings.HasPrefix(w, what) }) {
			t.Errorf("%s is not found among the wrong entries %q", what, wrong)
		}
	}
	if !slices.ContainsFunc(wrong,
		func(w string) bool { return strings.Contains(w, "A post") && strings.Contains(w, "Another") }) {
		t.Errorf("the differences are missing in %q", wrong)
	}
}

func TestVerifyFindsWrongPagesThatWereNeverRequested(t *testing.T) {
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
	if compared < 2*len(posts) { // a page of each post and one of its likes
		t.Errorf("%d entries were compared", compared)
	}
	if !slices.ContainsFunc(wrong, func(w string) bool { return strings.HasPrefix(w, "shell /:") }) {
		t.Errorf("the page shell of an outdated list is not found among %q", wrong)
	}
}

func TestVerifyToleratesEntriesThatAreAboutToBeDropped(t *testing.T) {
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
			time.Sleep(time.Second) // by the clock of the bubble
			cache.Drop(frontPart, dependency.FacetTexts)
		}()
		if wrong, _ := verified(t, cache, false); len(wrong) > 0 {
			t.Errorf("the wrong entries are %q", wrong)
		}
	})
}

func TestVerifyFailsIfNoticesOfChangesAreMissing(t *testing.T) {
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
			t.Error("Verify succeeds")
		}
	})
}
