package storm

import (
	"context"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/PuerkitoBio/goquery"

	"inkfeed/cosmos"
	"inkfeed/domain"
	"inkfeed/web/cli/config"
	"inkfeed/web/cli/systemtest/harness"
)

// framedLists are pages that those who are signed in get from a frame, and what they list.
var framedLists = map[string]func(context.Context, *cosmos.Store) (domain.Page[domain.Summary], error){
	"/": func(ctx context.Context, s *cosmos.Store) (domain.Page[domain.Summary], error) {
		return s.Feed.FrontPage(ctx, 1)
	},
	"/tags/sea": func(ctx context.Context, s *cosmos.Store) (domain.Page[domain.Summary], error) {
		return s.Tags.PostsOf(ctx, "sea", 1)
	},
}

// listing is what a list said at a time: titles by the posts' ids.
type listing struct {
	page   string
	at     time.Time
	titles map[string]string
}

// readFrames reads lists as somebody who is signed in and writes nothing, at each server, until
// the storm is over. Lists are made of copies, which come when they come; but what a copy said
// some seconds ago no page is older than.
func (s *storm) readFrames() {
	store, err := cosmos.Open(s.ctx, cosmos.Options{Endpoint: s.env["COSMOS_ENDPOINT"], Key: s.env["COSMOS_KEY"],
		Database: "inkfeed", Transport: config.InsecureTransport(), Existing: true})
	if err != nil {
		s.t.Error(err)
		return
	}
	defer store.Close()
	reader := client{storm: s, number: -1, http: http.Client{Transport: withCookie{s.host, s.transport}}}
	var said []listing // oldest first
	for s.blowing() {
		for page, list := range framedLists {
			posts, err := list(s.ctx, store)
			if err != nil {
				continue // a range splits
			}
			l := listing{page, time.Now(), make(map[string]string)}
			for _, p := range posts.Items {
				l.titles[p.PostID] = strings.Join(strings.Fields(p.Title), " ")
			}
			said = append(said, l)
		}
		for process := range harness.StormProcesses {
			for page := range framedLists {
				s.readFrame(&reader, process, page, said)
			}
		}
		s.wait(frameEvery)
	}
}

// frameEvery is often enough to see a frame again that was not dropped.
const frameEvery = 200 * time.Millisecond

func (s *storm) readFrame(reader *client, process int, page string, said []listing) {
	asked := time.Now()
	a, id, err := reader.sendTo(process, 30*time.Second, http.MethodGet, page, nil)
	if err != nil || a.status != http.StatusOK || !strings.HasSuffix(a.cache, "detail=frame") {
		return
	}
	if strings.HasPrefix(a.cache, "Inkfeed; hit") {
		s.did("frame from a cache")
	}
	a.page.Find("article.summary h2 a").Each(func(_ int, link *goquery.Selection) {
		parts := strings.Split(link.AttrOr("href", "///"), "/")
		if newer, ok := superseded(said, page, parts[2], harness.Text(link), asked); ok {
			s.fail([]string{parts[2]}, "process %d shows those who are signed in %s with %q, which was %q already (request %s, cache %s)",
				process, page, harness.Text(link), newer, id, a.cache)
		}
	})
}

// superseded tells whether a list had another title of a post, and when the page was asked for
// every server had heard of that.
func superseded(said []listing, page, postID, title string, asked time.Time) (newer string, ok bool) {
	for _, l := range slices.Backward(said) {
		now, listed := l.titles[postID]
		switch {
		case l.page != page || !listed:
		case now == title:
			return newer, ok
		case l.at.Add(heardWithin).Before(asked):
			newer, ok = now, true
		}
	}
	return "", false // it was never seen, and so it is newer
}

// sessionOf is a visitor's session, without what else the browser was told.
func sessionOf(t *testing.T, v *harness.Visitor) *http.Cookie {
	t.Helper()
	site, err := url.Parse(v.Base)
	if err != nil {
		t.Fatal(err)
	}
	for _, cookie := range v.HTTP.Jar.Cookies(site) {
		if cookie.Name == "inkfeed" {
			return cookie
		}
	}
	t.Fatal("a visitor who has signed up has no session")
	return nil
}

// withCookie sends a cookie with each request, and keeps none.
type withCookie struct {
	cookie *http.Cookie
	next   http.RoundTripper
}

func (t withCookie) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.AddCookie(t.cookie)
	return t.next.RoundTrip(r)
}
