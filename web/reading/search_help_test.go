package reading_test

import (
	"net/http"
	"strings"
	"testing"

	"inkfeed/domain"
	"inkfeed/web/webtest"
)

func TestSearchHelpsThoseWhoMistype(t *testing.T) {
	s := webtest.NewSite(t)
	ada := s.SignUp("ada")
	ada.CreatePost("Sourdough <b>bread</b>", "text")
	for range 21 {
		ada.CreatePost("Gulls", "They receive & keep.")
	}
	t.Run("matching authors come before the posts", func(t *testing.T) {
		main := s.Anonymous().Get("/search?q=ada").Want(200).Page().Find("main")
		link := main.Find("section ul.people a")
		if link.Length() != 1 || link.AttrOr("href", "") != "/@ada" ||
			main.Find("section + ol.posts").Length() != 1 || main.Find(".suggestion").Length() != 0 {
			t.Error(main.Html())
		}
	})
	t.Run("the results are those of the right words if the typed ones have none", func(t *testing.T) {
		main := s.Anonymous().Get("/search?q=sourdogh").Want(200).Page().Find("main")
		if got := main.Find(".suggestion").Text(); got !=
			"Nothing matches your words. These are the results for Sourdough." {
			t.Errorf("the page says %q", got)
		}
		if main.Find("article h2 mark").Text() != "Sourdough" || main.Find(".empty-list").Length() != 0 ||
			main.Find("#q").AttrOr("value", "") != "sourdogh" {
			t.Error(main.Html())
		}
	})
	t.Run("the next page is one of the right words", func(t *testing.T) {
		a := s.Anonymous().Get("/search?q=recieve").Want(200)
		next := a.Page().Find(`main a[rel="next"]`).AttrOr("href", "")
		if next != "/search?q=receive&page=2" {
			t.Fatalf("the next page is %q", next)
		}
		s.Anonymous().Get(next).Want(200).Has("ol.posts", "").HasNo(".suggestion")
	})
	t.Run("a link leads to the right words if the typed ones have results", func(t *testing.T) {
		ada.CreatePost("A slip", "I recieve it.")
		link := s.Anonymous().Get("/search?q=recieve").Want(200).Has("article", "A slip").Page().Find(".suggestion a")
		if link.Text() != "receive" || link.AttrOr("href", "") != "/search?q=receive" {
			t.Errorf("the link %q leads to %q", link.Text(), link.AttrOr("href", ""))
		}
	})
	t.Run("authors whom a moderator has suspended are not listed", func(t *testing.T) {
		s.Suspend(ada)
		s.Anonymous().Get("/search?q=ada").Want(200).HasNo("ul.people")
	})
}

func TestThePageForAMissingAddressLeadsOn(t *testing.T) {
	s := webtest.NewCachedSite(t, "off")
	ada := s.SignUp("ada")
	for range 6 {
		ada.CreatePost("Gulls", "text")
	}
	newest := ada.CreatePost("The newest", "text")
	unlisted := ada.CreatePost("Hidden", "text")
	s.ChangePost(unlisted.ID, func(p *domain.Post) { p.Status = domain.Unlisted })
	missing := []string{"/posts/x", "/nothing", "/@nobody", "/posts/" + domain.NewID()}
	t.Run("to a search and to the five newest posts", func(t *testing.T) {
		for _, path := range missing {
			main := s.Anonymous().Get(path).Want(http.StatusNotFound).Page().Find("main")
			if main.Find(`form[action="/search"] input[name="q"]:not([autofocus])`).Length() != 1 ||
				main.Find("article").Length() != 5 || main.Find("article h2 a").First().AttrOr("href", "") !=
				newest.Path() || strings.Contains(main.Text(), "Hidden") {
				t.Error(path)
				t.Log(main.Html())
			}
		}
	})
	t.Run("without a query for the list, as long as that does not change", func(t *testing.T) {
		s.Anonymous().Get("/posts/x").Want(404)
		before := s.Data.Calls("Feed.FrontPage")
		for range 5 {
			s.Anonymous().Get("/posts/x").Want(404).Has("ol.posts", "")
		}
		if n := s.Data.Calls("Feed.FrontPage") - before; n != 0 {
			t.Errorf("%d queries", n)
		}
	})
	t.Run("even if the list cannot be read", func(t *testing.T) {
		s.ChangePost(newest.ID, func(p *domain.Post) { p.Title = "The very newest" })
		s.Data.Fail("Feed.FrontPage")
		s.Anonymous().Get("/posts/x").Want(404).Has(`form[action="/search"]`, "").HasNo("article")
		s.Data.Recover("Feed.FrontPage")
	})
	t.Run("but not if the address exists", func(t *testing.T) {
		s.Anonymous().Get("/posts/" + newest.ID + "/edit").Want(303)
		ada.Post("/posts/"+newest.ID, "x", "y").HasNo(`form[action="/search"]`)
	})
	t.Run("to the same without a page cache", func(t *testing.T) {
		plain := webtest.NewSite(t)
		plain.SignUp("ada").CreatePost("Gulls", "text")
		plain.Anonymous().Get("/nothing").Want(404).Has(`form[action="/search"]`, "").Has("article", "Gulls")
	})
}
