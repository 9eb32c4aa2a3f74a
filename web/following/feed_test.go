package following_test

import (
	"cmp"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"inkfeed/domain"
	"inkfeed/web/webtest"
)

const feedPath = "/following/posts"

// pagesOf returns the titles of all pages of a personal feed.
func pagesOf(v *webtest.Visitor) (all []string) {
	v.T.Helper()
	for path := feedPath; path != ""; {
		r := v.Get(path).Want(http.StatusOK)
		if t := titles(r); t != "" {
			all = append(all, strings.Split(t, ", ")...)
		}
		path = r.Page().Find(`.pager a[rel="next"]`).AttrOr("href", "")
		if len(all) > 1000 {
			v.T.Fatal("the pages do not end")
		}
	}
	return all
}

var recentPosts atomic.Int64

// recent stores a post of the last hours directly, later than those before it.
func recent(v *webtest.Visitor, title, tags string) domain.Post {
	v.T.Helper()
	return v.CreatePostWith(title, "text", func(p *domain.Post) {
		age := time.Hour - time.Duration(recentPosts.Add(1))*time.Second
		p.Tags, p.Created = domain.Tags(tags), domain.Timestamp(time.Now().Add(-age))
	})
}

func TestThePersonalFeed(t *testing.T) {
	s := webtest.NewSite(t)
	ada, ben, cleo := s.SignUp("ada"), s.SignUp("ben"), s.SignUp("cleo")
	t.Run("asks an anonymous visitor to log in", func(t *testing.T) {
		s.Anonymous().Get("/following").WantRedirect(303, "/login?next=%2Ffollowing")
	})
	p := recent(ada, "Engines", "go")
	recent(ben, "Notes", "")
	t.Run("proposes authors and tags while it is empty", func(t *testing.T) {
		cleo.Get("/following").Want(200).Has("main", "Follow authors and tags").
			Has(`#Page-authors-title + .follows form[action="/@ada/follow"]`, "Follow").
			Has(`#Page-tags-title + .follows form[action="/tags/go/follow"]`, "Follow")
		ada.Get("/following").HasNo(`form[action="/@ada/follow"]`)
		for _, path := range []string{"/@ada", "/tags/go"} {
			cleo.Post(path + "/mute").Want(303)
			cleo.Get("/following").Want(200).HasNo(`form[action="` + path + `/follow"]`)
			cleo.Post(path + "/unmute").Want(303)
		}
	})
	t.Run("begins with the recent posts of a new follow", func(t *testing.T) {
		cleo.Post("/@ada/follow").Want(303)
		wantTitles(t, cleo.Get("/following"), "Engines")
	})
	t.Run("shows a new post of an author, once even if its tag is followed, too", func(t *testing.T) {
		cleo.Post("/tags/go/follow").Want(303)
		publish(ada, "More engines", "go")
		publish(ben, "Unrelated", "other")
		publish(ben, "Go on", "go")
		wantTitles(t, cleo.Get(feedPath), "Go on, More engines, Engines")
	})
	t.Run("follows changes of the posts", func(t *testing.T) {
		cleo.Post("/posts/" + p.ID + "/like").Want(303)
		ada.UpdatePost(p, func(p *domain.Post) { p.Title, p.Revision = "Old engines", 2 })
		cleo.Get(feedPath).Has(".counts", "1").Has("main", "Old engines")
		ada.UpdatePost(p, func(p *domain.Post) { p.Held = domain.HeldByModerator })
		wantTitles(t, cleo.Get(feedPath), "Go on, More engines")
		ada.UpdatePost(p, func(p *domain.Post) { p.Held = domain.NotHeld })
	})
	t.Run("loses a post whose tag was removed", func(t *testing.T) {
		post := ben.Get("/@ben").Page().Find("main h2 a").First().AttrOr("href", "")
		id, _ := domain.PostIDIn(post)
		ben.UpdatePost(s.Data.Post(id), func(p *domain.Post) { p.Tags = "" })
		wantTitles(t, cleo.Get(feedPath), "More engines, Old engines")
	})
	t.Run("loses an author who is not followed any more", func(t *testing.T) {
		cleo.Post("/@ada/unfollow").Want(303)
		wantTitles(t, cleo.Get(feedPath), "More engines, Old engines")
		cleo.Post("/tags/go/unfollow").Want(303)
		wantTitles(t, cleo.Get(feedPath), "")
	})
	t.Run("has no page at an invalid place", func(t *testing.T) {
		cleo.Get(feedPath + "?after=x").Want(404)
	})
}

// The posts have the same times in groups of seven, by three authors of whom one has so many followers that the feed
// merges the posts at reading.
func TestPagesOfTheFeedAreComplete(t *testing.T) {
	s := webtest.NewSite(t)
	reader := s.SignUp("reader")
	var want []string
	begun := domain.Timestamp(time.Now().Add(-time.Hour))
	authors := []*webtest.Visitor{s.SignUp("ada"), s.SignUp("ben"), s.SignUp("cleo")}
	for i := range 5 { // ada is merged
		s.SignUp(fmt.Sprint("fan", i)).Post("/@ada/follow").Want(303)
	}
	publish(authors[0], "First news", "") // makes ada a merged author
	reader.Post("/@ada/follow").Want(303)
	reader.Post("/@ben/follow").Want(303)
	reader.Post("/@cleo/follow").Want(303)
	var posts []domain.Post
	for i := range 75 {
		v := authors[i%3]
		posts = append(posts, v.CreatePostWith(fmt.Sprint("Post ", i), "text", func(p *domain.Post) {
			p.Created = begun.Add(time.Duration(i/7) * time.Second)
		}))
	}
	for _, name := range []string{"ben", "cleo"} { // fills the timeline with their newest posts
		reader.Post("/@" + name + "/unfollow").Want(303)
		reader.Get("/")
		reader.Post("/@" + name + "/follow").Want(303)
	}
	got := pagesOf(reader)
	// A new follow brings the first page of a list, whose last posts may have the same time as the next ones.
	optional := func(i int) bool { return i%3 != 0 && i < 75-3*domain.TimelinePerPage+7 }
	seen := map[string]bool{}
	for _, title := range got {
		seen[title] = true
	}
	place := map[string]domain.Place{}
	for i, p := range posts {
		if !optional(i) || seen[p.Title] {
			want, place[p.Title] = append(want, p.Title), domain.PlaceOf(p.Created, p.ID)
		}
	}
	slices.SortFunc(want, func(a, b string) int { return cmp.Compare(place[b], place[a]) })
	if want = slices.Insert(want, 0, "First news"); !slices.Equal(got, want) {
		t.Errorf("the feed has %q, want %q", got, want)
	}
}

func TestTheFrontPageOffersThePersonalFeed(t *testing.T) {
	for name, site := range map[string]func() *webtest.Site{
		"without a cache": func() *webtest.Site { return webtest.NewSite(t) },
		"with a cache":    func() *webtest.Site { return webtest.NewCachedSite(t, "off") },
	} {
		t.Run(name, func(t *testing.T) {
			s := site()
			ada, ben := s.SignUp("ada"), s.SignUp("ben")
			recent(ada, "Engines", "")
			recent(ben, "Notes", "")
			s.Anonymous().Get("/").HasNo(".front-tabs")
			ben.Get("/").HasNo(".front-tabs")
			ben.Post("/@ada/follow").Want(303)
			wantTitles(t, ben.Get("/").Has(`.front-tabs [aria-current="page"]`, "Newest"), "Notes, Engines")
			ben.Post("/following/front", "feed", "following").WantRedirect(303, "/")
			wantTitles(t, ben.Get("/").Has(`.front-tabs [aria-current="page"]`, "Following"), "Engines")
			wantTitles(t, ada.Get("/"), "Notes, Engines")
			ben.Post("/following/front", "feed", "newest").WantRedirect(303, "/")
			wantTitles(t, ben.Get("/"), "Notes, Engines")
			ben.Post("/following/front", "feed", "following").Want(303)
			ben.Post("/@ada/unfollow").Want(303)
			wantTitles(t, ben.Get("/").HasNo(".front-tabs"), "Notes, Engines")
		})
	}
}

// wantButtons checks that all buttons of a page say whether the viewer follows.
func wantButtons(t *testing.T, r *webtest.Response, following bool) {
	t.Helper()
	pressed, others := r.Page().Find(`.follow .following`).Length(), r.Page().Find(`.follow button`).Length()
	if want := map[bool]int{true: others}[following]; others == 0 || pressed != want {
		t.Errorf("%s: %d of %d buttons are pressed, want %d", r.Request, pressed, others, want)
	}
}

func TestButtonsAreCurrentOnCachedPages(t *testing.T) {
	s := webtest.NewCachedSite(t, "off")
	ada, ben, cleo := s.SignUp("ada"), s.SignUp("ben"), s.SignUp("cleo")
	p := ada.CreateTaggedPost("Engines", "go")
	for _, path := range []string{"/@ada", p.Path(), "/tags/go"} {
		for range 2 {
			wantButtons(t, ben.Get(path), false)
			wantButtons(t, cleo.Get(path), false)
		}
	}
	ben.Post("/@ada/follow").Want(303)
	ben.Post("/tags/go/follow").Want(303)
	for _, path := range []string{"/@ada", p.Path(), "/tags/go"} {
		for range 2 {
			wantButtons(t, ben.Get(path), true)
			wantButtons(t, cleo.Get(path), false)
		}
	}
	s.Anonymous().Get("/@ada").Has("#Page-follow-counts", "1 follower")
	ben.Post("/@ada/unfollow").Want(303)
	s.Anonymous().Get("/@ada").HasNo("#Page-follow-counts a")
	ben.Get("/@ada").Has(`.follow button:not(.following)`, "Follow")
	ben.Post("/@ada/follow").Want(303)
	ben.Get(p.Path()).Has(`#Page-follow-card .following`, "Following")
	t.Run("without a read for members who follow nothing", func(t *testing.T) {
		cleo.Get("/@ada")
		before := s.Data.Calls("Follows.Has")
		cleo.Get("/@ada")
		cleo.Get(p.Path())
		if n := s.Data.Calls("Follows.Has"); n != before {
			t.Errorf("%d reads", n-before)
		}
	})
}
