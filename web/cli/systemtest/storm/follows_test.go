package storm

import (
	"net/http"
	"net/url"
	"strings"
	"sync"
	"time"

	"github.com/PuerkitoBio/goquery"

	"inkfeed/web/cli/systemtest/harness"
)

// follows records who may have blocked whom, since a block also ends follows of another client's account.
type follows struct {
	mu      sync.Mutex
	blocked map[[2]*account]bool
}

func (f *follows) block(a, b *account) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.blocked == nil {
		f.blocked = make(map[[2]*account]bool)
	}
	f.blocked[[2]*account{a, b}], f.blocked[[2]*account{b, a}] = true, true
}

func (f *follows) mayBeBlocked(a, b *account) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.blocked[[2]*account{a, b}]
}

// followed is what a client knows about a follow of one of its accounts.
type followed struct {
	register[bool]
	since time.Time // when it was acknowledged
}

// authorOf opens the page of a post by another client's account, and returns the path of its author.
func (c *client) authorOf() (p *post, path string) {
	if p = c.storm.randomPost(c.random); p == nil || p.author.client == c.number {
		return nil, ""
	}
	a := c.get("read "+p.token, p.path(), http.StatusNotFound)
	if a.status == http.StatusMovedPermanently {
		a = c.get("read "+p.token, a.location, http.StatusNotFound)
	}
	if a.status != http.StatusOK {
		return nil, ""
	}
	path = a.page.Find(`article.post a[rel="author"]`).First().AttrOr("href", "")
	return p, path
}

// follow follows the author of a post, or unfollows.
func (c *client) follow() {
	p, path := c.authorOf()
	if path == "" {
		return
	}
	f := c.account.follows[p.author]
	if f == nil {
		f = &followed{register: newRegister(false)}
		c.account.follows[p.author] = f
	}
	if !f.settled() {
		return
	}
	to, what := !f.may(true), "follow"
	if !to {
		what = "unfollow"
	}
	// The author may have been renamed, suspended or deleted since the page was read, or have blocked the account.
	_, o, within := c.write(what+" "+path, path+"/"+what, nil, http.StatusNotFound, http.StatusForbidden)
	switch o {
	case done:
		f.acknowledge(to)
		f.since = time.Now()
		c.storm.record(what)
	case unknownOutcome:
		f.suspect(to, within)
		f.since = time.Now().Add(time.Hour)
	}
}

// followTag follows a tag, or unfollows.
func (c *client) followTag() {
	what := []string{"follow", "unfollow"}[c.random.IntN(2)]
	tag := []string{"sea", "düne", "😀"}[c.random.IntN(3)]
	_, o, _ := c.write(what+" tag "+tag, "/tags/"+url.PathEscape(tag)+"/"+what, nil, http.StatusNotFound)
	if o != refused {
		c.account.tags = true
		c.storm.record(what + " tag")
	}
}

// block blocks the author of a post.
func (c *client) block() {
	p, path := c.authorOf()
	if path == "" {
		return
	}
	a := c.get("look at "+path, path, http.StatusNotFound)
	if a.status != http.StatusOK {
		return
	}
	id := a.page.Find(`form[action="/settings/blocks"] input[name="user"]`).First().AttrOr("value", "")
	if id == "" {
		return
	}
	c.storm.follows.block(c.account, p.author)
	if _, o, _ := c.write("block "+path, "/settings/blocks", url.Values{"user": {id}}, http.StatusNotFound); o == done {
		c.storm.record("block")
	}
}

// checkBlocked checks that a response to a post is forbidden only to users whom the author may have blocked.
func (c *client) checkBlocked(what string, a answer, p *post) {
	if a.status == http.StatusForbidden && !c.storm.follows.mayBeBlocked(c.account, p.author) {
		c.storm.fail([]string{p.id, p.token}, "%s: status 403, although the author has not blocked the account", what)
	}
}

// readFollowing checks that the personal feed shows each post once, the newest first.
func (c *client) readFollowing() {
	a := c.get("read the personal feed", "/following", http.StatusUnauthorized)
	if a.status != http.StatusOK {
		return
	}
	shown, last := make(map[string]bool), ""
	listedPosts(a.page).Each(func(_ int, item *goquery.Selection) {
		id, date := listedID(item), item.Find("time").First().AttrOr("datetime", "")
		if shown[id] || last != "" && date > last {
			c.storm.fail([]string{id}, "the personal feed shows post %s of %s after one of %s; again: %t", id, date,
				last, shown[id])
		}
		shown[id], last = true, date
	})
	c.storm.record("read the personal feed")
}

// listedPosts returns the items of a list of posts in any look.
func listedPosts(page *goquery.Document) *goquery.Selection {
	return page.Find("main article, main .titles li")
}

// listedID returns the id of the post of an item.
func listedID(item *goquery.Selection) string {
	return strings.Split(item.Find("h2 a, h3 a").First().AttrOr("href", "///"), "/")[2]
}

// listedToken returns the token of the post of an item.
func listedToken(item *goquery.Selection) string {
	return firstWord(harness.Text(item.Find("h2 a, h3 a").First()))
}

// awaitFanOut waits until no post is on its way to followers.
func (s *storm) awaitFanOut() {
	s.t.Helper()
	store, closeStore := harness.OpenStore(s.t, s.env)
	defer closeStore()
	harness.Eventually(s.t, "posts reach their followers", func() bool {
		due, err := store.Deliveries.Due(s.t.Context(), time.Now().Add(time.Hour))
		if err != nil {
			s.t.Fatal(err)
		}
		for _, d := range due {
			if strings.HasPrefix(d.Name, "timelines:") {
				return false
			}
		}
		return true
	})
}

// checkFollowing checks that the personal feed of an account has the posts of the authors whom it follows, from when
// it followed them, once each and no other.
func (r *reader) checkFollowing(a *account, name string, visitor *harness.Visitor) {
	shown := make(map[string]int) // number of times by the token
	for next := "/following"; next != ""; {
		page, err := visitor.Ask(http.MethodGet, next, "", nil)
		if err != nil || page.Status != http.StatusOK {
			r.fail(a.names, "%s: status %d, %v", next, page.Status, err)
			return
		}
		listedPosts(page.Document).Each(func(_ int, item *goquery.Selection) { shown[listedToken(item)]++ })
		r.inFeeds.Add(int64(len(shown)))
		next = page.Find(`nav.pager a[rel="next"]`).AttrOr("href", "")
	}
	for _, author := range r.accounts {
		f := a.follows[author]
		for _, p := range author.posts {
			n := shown[p.token]
			delete(shown, p.token)
			about := []string{p.id, p.token}
			switch follows := f != nil && f.may(true); {
			case n > 1:
				r.fail(about, "the feed of %s shows post %s %d times", name, p.token, n)
			case n == 1 && p.unseen():
				r.fail(about, "the feed of %s shows post %s, which is hidden or deleted", name, p.token)
			case n == 1 && !follows && !a.tags:
				r.fail(about, "the feed of %s shows post %s, whose author is not followed", name, p.token)
			case n == 0 && f != nil && f.is(true) && !p.mayBeUnseen() && !p.published.IsZero() &&
				f.since.Before(p.published) && !r.follows.mayBeBlocked(a, p.author):
				r.fail(about, "the feed of %s lacks post %s, which was published after its author was followed", name,
					p.token)
			}
		}
	}
	for token := range shown {
		r.fail([]string{token}, "the feed of %s shows %s, which no client published", name, token)
	}
}
