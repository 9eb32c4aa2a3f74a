package pagecache_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"inkfeed/cosmos/dependency"
	"inkfeed/domain"
	"inkfeed/web/pagecache"
	"inkfeed/web/reading"
	"inkfeed/web/webtest"
)

// frontPart is the logical partition that the front page depends on.
var frontPart = dependency.PartitionRef{Container: "feed", Key: "post"}

// slowFeed delays the responses to some reads.
type slowFeed struct {
	reading.Feed
	slow chan chan struct{} // has what the response to the next read waits for, after the data was read
}

func (f slowFeed) FrontPage(ctx context.Context, page int) (domain.ListPage[domain.Summary], error) {
	posts, err := f.Feed.FrontPage(ctx, page)
	select {
	case until := <-f.slow:
		<-until
	default:
	}
	return posts, err
}

// cachedSite returns a site with a page cache.
func cachedSite(t testing.TB) (*webtest.Site, *pagecache.Cache, slowFeed) {
	t.Helper()
	s := webtest.NewSite(t)
	feed := slowFeed{s.Data.Store.Feed, make(chan chan struct{}, 1)}
	c := webtest.Config(s.Data, s.Log, webtest.KeyOne)
	c.Cache, c.Feed = pagecache.NewCache(1<<24), feed
	s.Restart(c)
	return s, c.Cache, feed
}

func TestAPageNeverUsesAReadFromBeforeItsRequest(t *testing.T) {
	today := time.Now()
	synctest.Test(t, func(t *testing.T) {
		time.Sleep(time.Until(today)) // the clock begins in 2000, before the first item of the database
		s, cache, feed := cachedSite(t)
		p := s.SignUp("ada").CreatePost("Before", "Text.")
		get := func(path string) string {
			w := httptest.NewRecorder()
			s.Handler.ServeHTTP(w, httptest.NewRequest(http.MethodGet, path, nil))
			return w.Body.String()
		}
		answered := make(chan struct{})
		feed.slow <- answered
		go get("/")
		synctest.Wait() // the list is read, but the response is delayed
		s.ChangePost(p.ID, func(p *domain.Post) { p.Title = "After" })
		cache.Drop(frontPart, dependency.FacetTexts)
		var got string
		go func() { got = get("/?page=1") }() // another page of the same list
		synctest.Wait()
		close(answered)
		synctest.Wait()
		if !strings.Contains(got, "After") {
			t.Error("the page shows data from before the change")
		}
		if !strings.Contains(get("/?page=1"), "After") {
			t.Error("the outdated page is cached")
		}
	})
}

func TestAPageShowsChangedCountsAfterAnAtomFeedCachedItsList(t *testing.T) {
	s, cache, _ := cachedSite(t)
	ada := s.SignUp("ada")
	p := ada.CreatePost("A post", "Text.")
	s.Anonymous().Get("/feed.atom").Want(http.StatusOK) // a feed shows no counts
	s.Anonymous().Get("/").Want(http.StatusOK)
	s.ChangePost(p.ID, func(p *domain.Post) { p.LikeCount = 1234 })
	cache.Drop(frontPart, dependency.FacetCounts)
	s.Anonymous().Get("/").Has("article.summary", "1,234")
}

func TestAPageWithAFailedPartIsNotCached(t *testing.T) {
	s, _, _ := cachedSite(t)
	ada := s.SignUp("ada")
	p := ada.CreatePost("One", "Text.")
	ada.CreatePost("Two", "Text.")
	s.Data.FailWith("UserCopies.Neighbours", webtest.StatusInternal)
	s.Anonymous().Get(p.Path()).Want(http.StatusOK).HasNo("nav.adjacent-posts")
	s.Data.Recover("UserCopies.Neighbours")
	if got := s.Anonymous().Get(p.Path()).Want(http.StatusOK); !strings.Contains(got.Body, "Two") {
		t.Error("the part that failed once is still missing")
	}
}

func TestSharedPagesIgnoreTheHeadersOfAVisitor(t *testing.T) {
	s, _, _ := cachedSite(t)
	odd := s.Anonymous()
	odd.Header.Set("Content-Encoding", "br") // other requests with it are refused
	odd.Get("/").Want(http.StatusOK)
}

func TestThePageAboutAFeedDependsOnTheHeaderAccept(t *testing.T) {
	s, _, _ := cachedSite(t)
	ada := s.SignUp("ada")
	ada.CreateTaggedPost("Of engines", "go")
	settle(ada)
	browser := s.Anonymous()
	browser.Header.Set("Accept", "text/html")
	for _, path := range []string{"/feed", "/@ada/feed", "/tags/go/feed"} {
		s.Anonymous().Get(path).WantRedirect(http.StatusMovedPermanently, path+".atom")
		browser.Get(path).Want(http.StatusOK)
		s.Anonymous().Get(path).WantRedirect(http.StatusMovedPermanently, path+".atom")
	}
}

func TestAVisitorWhoHasJustWrittenAtAnotherServerBypassesTheCache(t *testing.T) {
	s, _, _ := cachedSite(t)
	ada := s.SignUp("ada")
	p := ada.CreatePost("Before", "Text.")
	settle(ada)
	ada.Get("/").Has("article.summary h2", "Before")
	// by another server, without a notice to this one
	s.ChangePost(p.ID, func(p *domain.Post) { p.Title = "After" })
	ada.Get("/").Has("article.summary h2", "Before")
	ada.Post("/posts/" + p.ID + "/like").Want(http.StatusSeeOther)
	ada.Get("/").Has("article.summary h2", "Before") // this server has dropped whatever the like changed
	wrote := ada.Cookies["inkfeed-wrote"]
	ada.Cookies["inkfeed-wrote"] = wrote[:strings.LastIndexByte(wrote, '.')] + ".another"
	ada.Get("/").Has("article.summary h2", "After")
}
