package web_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"inkfeed/domain"
	"inkfeed/domain/dependency"
	"inkfeed/web/pagecache"
	"inkfeed/web/reading"
)

// frontPart is what the front page is made of.
var frontPart = dependency.PartitionRef{Container: "feed", Key: "post"}

// slowFeed may be slow to answer.
type slowFeed struct {
	reading.Feed
	slow chan chan struct{} // takes what the answer to a read waits for, which was made before
}

func (f slowFeed) FrontPage(ctx context.Context, page int) (domain.Page[domain.Summary], error) {
	posts, err := f.Feed.FrontPage(ctx, page)
	select {
	case until := <-f.slow:
		<-until
	default:
	}
	return posts, err
}

// cachedSite is a site that keeps its pages.
func cachedSite(t testing.TB) (*site, *pagecache.Cache, slowFeed) {
	t.Helper()
	s := newSite(t)
	feed := slowFeed{s.data.store.Feed, make(chan chan struct{}, 1)}
	c := config(s.data, s.log, keyOne)
	c.Cache, c.Feed = pagecache.NewCache(1<<24), feed
	s.restart(c)
	return s, c.Cache, feed
}

func TestAPageIsNotMadeOfWhatWasReadBeforeItWasAskedFor(t *testing.T) {
	today := time.Now()
	synctest.Test(t, func(t *testing.T) {
		time.Sleep(time.Until(today)) // the clock begins in 2000, before the first item of the database
		s, cache, feed := cachedSite(t)
		p := s.member("ada").aPost("Before", "Text.")
		get := func(path string) string {
			w := httptest.NewRecorder()
			s.handler.ServeHTTP(w, httptest.NewRequest(http.MethodGet, path, nil))
			return w.Body.String()
		}
		answered := make(chan struct{})
		feed.slow <- answered
		go get("/")
		synctest.Wait() // the list is read, and its answer on the way
		s.change(p.ID, func(p *domain.Post) { p.Title = "After" })
		cache.Drop(frontPart, dependency.FacetTexts)
		var got string
		go func() { got = get("/?page=1") }() // another page of the same list
		synctest.Wait()
		close(answered)
		synctest.Wait()
		if !strings.Contains(got, "After") {
			t.Error("a page shows what was read before its change was heard of")
		}
		if !strings.Contains(get("/?page=1"), "After") {
			t.Error("and it is kept")
		}
	})
}

func TestAFeedThatSharesAListWithAPageDoesNotHideItsCounts(t *testing.T) {
	s, cache, _ := cachedSite(t)
	ada := s.member("ada")
	p := ada.aPost("A post", "Text.")
	s.stranger().get("/feed.atom").want(http.StatusOK) // counts are nothing to it
	s.stranger().get("/").want(http.StatusOK)
	s.change(p.ID, func(p *domain.Post) { p.LikeCount = 1234 })
	cache.Drop(frontPart, dependency.FacetCounts)
	s.stranger().get("/").has("article.summary", "1,234")
}

func TestAPageOfWhichAPartCouldNotBeReadIsNotKept(t *testing.T) {
	s, _, _ := cachedSite(t)
	ada := s.member("ada")
	p := ada.aPost("One", "Text.")
	ada.aPost("Two", "Text.")
	s.data.failWith("Users.Neighbours", statusInternal)
	s.stranger().get(p.Path()).want(http.StatusOK).hasNo("nav.adjacent-posts")
	s.data.recover("Users.Neighbours")
	if got := s.stranger().get(p.Path()).want(http.StatusOK); !strings.Contains(got.body, "Two") {
		t.Error("what could not be read once is missing from then on")
	}
}

func TestWhatOneVisitorsBrowserSaysIsNothingToOthersPages(t *testing.T) {
	s, _, _ := cachedSite(t)
	odd := s.stranger()
	odd.header.Set("Content-Encoding", "br") // which is refused elsewhere
	odd.get("/").want(http.StatusOK)
}

func TestWhoeverHasJustWrittenIsShownNothingKept(t *testing.T) {
	s, _, _ := cachedSite(t)
	ada := s.member("ada")
	p := ada.aPost("Before", "Text.")
	ada.settle()
	ada.get("/").has("article.summary h2", "Before")
	s.change(p.ID, func(p *domain.Post) { p.Title = "After" }) // by another server, of which this one has not heard
	ada.get("/").has("article.summary h2", "Before")
	ada.post("/posts/" + p.ID + "/like").want(http.StatusSeeOther)
	ada.get("/").has("article.summary h2", "After")
}
