package reading_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/PuerkitoBio/goquery"

	"inkfeed/domain"
	"inkfeed/domain/siteinfo"
	"inkfeed/web/site"
	"inkfeed/web/webtest"
)

// looks has the looks of the front page that administrators choose from.
var looks = []string{siteinfo.Magazine, siteinfo.List, siteinfo.Titles}

// setLook restarts a site with a look of its front page.
func setLook(s *webtest.Site, look string) {
	c := webtest.Config(s.Data, s.Log, webtest.KeyOne)
	c.Current = site.NewCurrentSettings()
	c.Current.Apply(domain.Settings{Info: siteinfo.Info{Tagline: "Letters", Looks: siteinfo.Looks{Front: look}}})
	s.Restart(c)
}

func withCover(letter string) string {
	cover := domain.ImageName{Hash: strings.Repeat(letter, 26), Width: 2000, Height: 1500, Ext: domain.ExtJPEG}
	return "Text.\n\n![A cat](" + cover.Path() + ")"
}

func TestTheFrontPageHasTheChosenLook(t *testing.T) {
	s := webtest.NewSite(t)
	ada, ben := s.SignUp("ada"), s.SignUp("ben")
	bare := ada.CreatePostWith("Bare", "Text.", func(p *domain.Post) { p.Tags = "go" })
	ben.CreatePost("Covered", withCover("a"))
	ada.CreatePost("First", withCover("b"))
	t.Run("without a choice, rows as before", func(t *testing.T) {
		s.Anonymous().Get("/").Want(200).Has(".lead", "First").HasNo(".card").HasNo("body.magazine")
	})
	t.Run("a magazine has a lead post, then cards", func(t *testing.T) {
		setLook(s, siteinfo.Magazine)
		s.Anonymous().Get("/").Want(200).
			Has(".cover-story .card h2", "First").Has(`.cover-story img[fetchpriority="high"]`, "").
			Has(".cards .card:not(.bare) h2", "Covered").Has(`.cards img[loading="lazy"]`, "").
			Has(".cards .card.bare h2", "Bare").HasNo(`.cards [rel="tag"]`).HasNo(".cards .cover-story").
			Has("body.magazine > main.magazine", "")
	})
	t.Run("other lists keep their rows in a column of text", func(t *testing.T) {
		setLook(s, siteinfo.Magazine)
		s.Anonymous().Get("/tags/go").Want(200).Has(".compact .card h2", "Bare").HasNo("main.magazine").HasNo(".cards")
		for _, path := range []string{"/@ada/archive", "/search?q=text", bare.Path()} {
			s.Anonymous().Get(path).Want(200).Has("body.magazine", "").HasNo("main.magazine").HasNo(".card")
		}
	})
	t.Run("a list has compact rows without a lead post", func(t *testing.T) {
		setLook(s, siteinfo.List)
		s.Anonymous().Get("/").Want(200).Has(".compact li:first-child .card h2", "First").HasNo(".cover-story").
			Has(".compact li:first-child .picture img", "").HasNo("body.magazine")
	})
	t.Run("titles only has titles by year, and no pictures", func(t *testing.T) {
		setLook(s, siteinfo.Titles)
		s.Anonymous().Get("/").Want(200).Has(".titles > h2", "2026").Has(".titles li:first-child h3", "First").
			Has(".titles li:first-child time[datetime]", "1 May").
			Has(".titles li:first-child .author[href='/@ada']", "@ada").HasNo("main img")
	})
}

func TestAMagazineWithoutCoversIsACompactList(t *testing.T) {
	s := webtest.NewSite(t)
	ada, ben := s.SignUp("ada"), s.SignUp("ben")
	ada.CreatePost("Second", "Text.")
	ben.CreatePost("First", "Text.")
	setLook(s, siteinfo.Magazine)
	s.Anonymous().Get("/").Want(200).Has(".cover-story h2", "First").Has(".compact h2", "Second").HasNo(".cards").
		HasNo("main.magazine")
}

func TestTheLineOfFactsIsShort(t *testing.T) {
	s := webtest.NewSite(t)
	ada, ben := s.SignUp("ada"), s.SignUp("ben")
	ada.Post("/settings/profile", "displayName", "Ada Lovelace").Want(303)
	ada.CreatePost("Long", strings.Repeat("word ", 700))
	ben.CreatePost("Short", "Text.")
	setLook(s, siteinfo.List)
	page := s.Anonymous().Get("/").Want(200).Page()
	facts := func(n int) string {
		return strings.Join(page.Find(".facts").Eq(n).Children().Map(func(_ int, fact *goquery.Selection) string {
			return fact.Text()
		}), ", ")
	}
	t.Run("the handle stands only where there is no display name, and minutes from two on", func(t *testing.T) {
		if got, want := facts(0), "@ben, 1 May 2026"; got != want {
			t.Errorf("the facts are %q, want %q", got, want)
		}
		if got, want := facts(1), "Ada Lovelace, 1 May 2026, 3 min"; got != want {
			t.Errorf("the facts are %q, want %q", got, want)
		}
	})
}

func TestRunsOfOneAuthorFoldInEachLook(t *testing.T) {
	s := webtest.NewSite(t)
	ada, ben := s.SignUp("ada"), s.SignUp("ben")
	ada.CreatePost("Older", "Text.")
	for i := range 5 {
		ben.CreatePost(fmt.Sprint("Part ", i+1), "Text.")
	}
	ada.CreatePost("Newest", "Text.")
	s.Anonymous().Get("/").Want(200).HasNo(".folded")
	for _, look := range looks {
		t.Run(look, func(t *testing.T) {
			setLook(s, look)
			front := s.Anonymous().Get("/").Want(200).Has("details.folded summary", "and 4 more by @ben")
			page := front.Page()
			if n := page.Find("details.folded").Length(); n != 1 {
				t.Errorf("%d entries are folded", n)
			}
			if got := page.Find(".folded li a").Text(); got != "Part 4Part 3Part 2Part 1" {
				t.Errorf("folded are %q", got)
			}
			var titles []string
			page.Find(".card h2, .titles h3").Each(func(_ int, h *goquery.Selection) {
				titles = append(titles, h.Text())
			})
			if got := strings.Join(titles, ", "); got != "Newest, Part 5, Older" {
				t.Errorf("the entries are %s", got)
			}
		})
	}
}

func TestRunsFoldOnEachPageByThemselves(t *testing.T) {
	s := webtest.NewSite(t)
	ada, ben := s.SignUp("ada"), s.SignUp("ben")
	for i := range 2 { // the end of page 2
		ada.CreatePost(fmt.Sprint("Old ", i), "Text.")
	}
	for i := range 6 { // three on each page
		ben.CreatePost(fmt.Sprint("Part ", i), "Text.")
	}
	for i := range domain.PostsPerPage - 3 {
		[]*webtest.Visitor{ada, ben}[i%2].CreatePost(fmt.Sprint("New ", i), "Text.")
	}
	setLook(s, siteinfo.Magazine)
	s.Anonymous().Get("/").Want(200).Has(".folded summary", "and 2 more by @ben")
	s.Anonymous().Get("/?page=2").Want(200).Has(".folded summary", "and 2 more by @ben").HasNo(".cover-story")
}

func TestTheSiteOfOneAuthorNamesThemOnce(t *testing.T) {
	s := webtest.NewSite(t)
	ada := s.SignUp("ada")
	for i := range 4 {
		ada.CreatePost(fmt.Sprint("Post ", i), withCover("a"))
	}
	for _, look := range looks {
		t.Run(look, func(t *testing.T) {
			setLook(s, look)
			s.Anonymous().Get("/").Want(200).Has(".site-of-one .author-name a[href='/@ada']", "@ada").
				Has(".site-of-one .avatar", "").Has(".site-of-one .tagline", "Letters").
				HasNo(".author").HasNo(".folded")
			s.Anonymous().Get("/@ada").Want(200).HasNo(".author").HasNo(".folded").HasNo(".site-of-one").
				HasNo(".cover-story")
		})
	}
}

func TestAPageOfOneOfSeveralAuthorsIsNotASiteOfOne(t *testing.T) {
	s := webtest.NewSite(t)
	ada, ben := s.SignUp("ada"), s.SignUp("ben")
	for i := range domain.PostsPerPage + 3 {
		ben.CreatePost(fmt.Sprint("Post ", i), "Text.")
	}
	for _, look := range looks {
		setLook(s, look)
		t.Run("one author is the only one beyond the first page, in "+look, func(t *testing.T) {
			for _, path := range []string{"/", "/?page=2"} {
				s.Anonymous().Get(path).Want(200).Has(".site-of-one", "@ben").HasNo(".author").HasNo(".folded")
			}
		})
		t.Run("which only a complete index tells, in "+look, func(t *testing.T) {
			s.Data.Search.Incomplete = true
			s.Anonymous().Get("/").Want(200).HasNo(".site-of-one")
			s.Data.Search.Incomplete = false
			for _, call := range []string{"Search.Building", "Search.Authors"} {
				s.Data.Fail(call)
				s.Anonymous().Get("/").Want(200).HasNo(".site-of-one")
				s.Data.Recover(call)
			}
		})
	}
	old := ada.CreatePost("Old", "Text.")
	s.ChangePost(old.ID, func(p *domain.Post) { p.Created = p.Created.AddDate(-1, 0, 0) })
	for _, look := range looks {
		t.Run("another author on the second page counts, in "+look, func(t *testing.T) {
			setLook(s, look)
			s.Anonymous().Get("/").Want(200).HasNo(".site-of-one").Has(".author", "@ben").
				Has(".folded summary", fmt.Sprintf("and %d more by @ben", domain.PostsPerPage-1))
		})
	}
}

func TestFeaturedPostsLeadInEachLook(t *testing.T) {
	s := webtest.NewSite(t)
	ada, ben := s.SignUp("ada"), s.SignUp("ben")
	featured := ada.CreatePost("Featured", withCover("a"))
	for i := range 3 {
		ben.CreatePost(fmt.Sprint("Post ", i), "Text.")
	}
	for look, lead := range map[string]string{siteinfo.Magazine: ".cover-story h2", siteinfo.List: ".compact h2",
		siteinfo.Titles: ".titles h3"} {
		t.Run(look, func(t *testing.T) {
			c := webtest.Config(s.Data, s.Log, webtest.KeyOne)
			c.Current = site.NewCurrentSettings()
			info := siteinfo.Info{Looks: siteinfo.Looks{Front: look}}
			info.Featured[0] = siteinfo.Post{PostID: featured.ID, AuthorID: featured.AuthorID}
			c.Current.Apply(domain.Settings{Info: info})
			s.Restart(c)
			page := s.Anonymous().Get("/").Want(200).Has("#featured-title", "Featured").
				Has(".featured "+lead, "Featured").HasNo(".list-title ~ .cover-story").Page()
			if n := page.Find("main a[href='" + featured.Path() + "']:not(.picture)").Length(); n != 1 {
				t.Errorf("the featured post stands in %d places", n)
			}
		})
	}
}

func TestThePageOfAnAuthorHasTheLookOfTheSite(t *testing.T) {
	s := webtest.NewSite(t)
	ada := s.SignUp("ada")
	pinned := ada.CreatePost("Pinned", "Text.")
	ada.CreatePost("Covered", withCover("a"))
	ada.Post("/posts/" + pinned.ID + "/pin").Want(303)
	for _, look := range looks {
		t.Run(look, func(t *testing.T) {
			setLook(s, look)
			ada.Get("/@ada").Want(200).Has(".pinned form[action='/posts/"+pinned.ID+"/unpin']", "").
				Has("main", "Covered")
			s.Anonymous().Get("/@ada").Want(200).HasNo(".pinned form").Has(".pinned + .list-title", "Newest posts")
		})
	}
}
