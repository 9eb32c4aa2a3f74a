package storm

import (
	"context"
	"log/slog"
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

// shellLists are pages that signed-in readers get from a cached shell, and the lists of copies on them.
var shellLists = map[string]func(context.Context, *cosmos.Store) (domain.ListPage[domain.Summary], error){
	"/": func(ctx context.Context, s *cosmos.Store) (domain.ListPage[domain.Summary], error) {
		return s.Feed.FrontPage(ctx, 1)
	},
	"/tags/sea": func(ctx context.Context, s *cosmos.Store) (domain.ListPage[domain.Summary], error) {
		return s.Tags.PostsOf(ctx, "sea", 1)
	},
}

// listing is the stored content of a list at a time.
type listing struct {
	page   string
	at     time.Time
	titles map[string]string // by post ID
}

// readShells reads lists at each server until the storm is over, as a signed-in reader who writes nothing. Copies are
// projected with any delay, but no page may show an older state than the copies had maxStaleness ago.
func (s *storm) readShells() {
	c := config.New(harness.Environment(s.env))
	store, closeStore, err := c.Open(s.ctx, cosmos.Options{Existing: true}, slog.New(slog.DiscardHandler))
	if err != nil {
		s.t.Error(err)
		return
	}
	defer closeStore()
	reader := client{storm: s, number: -1, http: http.Client{Transport: withCookie{s.host, s.transport}}}
	var stored []listing // oldest first
	for s.running() {
		for page, list := range shellLists {
			posts, err := list(s.ctx, store)
			if err != nil {
				continue // a feed range is being split
			}
			l := listing{page, time.Now(), make(map[string]string)}
			for _, p := range posts.Items {
				l.titles[p.PostID] = strings.Join(strings.Fields(p.Title), " ")
			}
			stored = append(stored, l)
		}
		for process := range harness.StormProcesses {
			for page := range shellLists {
				s.readShell(&reader, process, page, stored)
			}
		}
		s.wait(shellInterval)
	}
}

// shellInterval is the pause between two reads. It is short, so that a shell that was not invalidated is read again.
const shellInterval = 200 * time.Millisecond

// readShell checks that a page of a process shows no superseded title.
func (s *storm) readShell(reader *client, process int, page string, stored []listing) {
	asked := time.Now()
	a, id, err := reader.sendTo(process, 30*time.Second, http.MethodGet, page, nil)
	if err != nil || a.status != http.StatusOK || !strings.HasSuffix(a.cache, "detail=shell") {
		return
	}
	if strings.HasPrefix(a.cache, "Inkfeed; hit") {
		s.record("shell from a cache")
	}
	a.page.Find("main article h2 a, .folded li a").Each(func(_ int, link *goquery.Selection) {
		parts := strings.Split(link.AttrOr("href", "///"), "/")
		if newer, ok := superseded(stored, page, parts[2], harness.Text(link), asked); ok {
			s.fail([]string{parts[2]},
				"process %d shows signed-in readers the title %q on %s, want %q (request %s, cache %s)",
				process, harness.Text(link), page, newer, id, a.cache)
		}
	})
}

// superseded reports whether a list had another title of a post for so long that every server had to show it when the
// page was requested.
func superseded(stored []listing, page, postID, title string, asked time.Time) (newer string, ok bool) {
	for _, l := range slices.Backward(stored) {
		now, listed := l.titles[postID]
		switch {
		case l.page != page || !listed:
		case now == title:
			return newer, ok
		case l.at.Add(maxStaleness).Before(asked):
			newer, ok = now, true
		}
	}
	return "", false // the title was not stored before, so it is newer
}

// sessionOf returns a visitor's session cookie, without the other cookies.
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

// withCookie sends a cookie with each request and ignores the cookies of responses.
type withCookie struct {
	cookie *http.Cookie
	next   http.RoundTripper
}

func (t withCookie) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.AddCookie(t.cookie)
	return t.next.RoundTrip(r)
}
