package reading_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/PuerkitoBio/goquery"

	"inkfeed/domain"
	"inkfeed/web/webtest"
)

// inSeries publishes a post in a series of the visitor.
func inSeries(v *webtest.Visitor, title, series, part string) domain.Post {
	v.T.Helper()
	return v.CreatePostWith(title, "Text.", func(p *domain.Post) {
		p.Details.Series, p.Details.SeriesPart = series, part
	})
}

// texts returns the texts of the elements that match a selector.
func texts(a *webtest.Response, selector string) string {
	return strings.Join(a.Page().Find(selector).Map(func(_ int, e *goquery.Selection) string {
		return strings.Join(strings.Fields(e.Text()), " ")
	}), "; ")
}

func TestSeries(t *testing.T) {
	s := webtest.NewSite(t)
	ada, ben := s.SignUp("ada"), s.SignUp("ben")
	third := inSeries(ada, "Channels", "Learning Go", "3")
	first := inSeries(ada, "Hello", "Learning Go", "1")
	late := inSeries(ada, "Appendix", "learning go!", "")
	second := inSeries(ada, "Types", "Learning Go", "2")
	alsoSecond := inSeries(ada, "More types", "Learning Go", "2")
	inSeries(ben, "Another author's", "Learning Go", "1")
	alone := inSeries(ada, "Alone", "Short", "")
	other := ada.CreatePost("In no series", "Text.")
	const path = "/@ada/series/learning-go"
	t.Run("has a page with its parts by number, then by date", func(t *testing.T) {
		a := ben.Get(path).Want(http.StatusOK).Has("h1", "Learning Go").Has(".heading .muted", "by @ada")
		const want = "Hello; Types; More types; Channels; Appendix"
		if got := texts(a, ".parts li > a"); got != want {
			t.Errorf("the parts are %q, want %q", got, want)
		}
	})
	t.Run("has one address", func(t *testing.T) {
		ben.Get("/@Ada/series/Learning%20Go").WantRedirect(http.StatusMovedPermanently, path)
		ben.Get("/@ada/series/unknown").Want(http.StatusNotFound)
		ben.Get("/@ada/series/%21").Want(http.StatusNotFound)
		ben.Get("/@nobody/series/learning-go").Want(http.StatusNotFound)
	})
	t.Run("is in the list of its author's series", func(t *testing.T) {
		a := ben.Get("/@ada/series").Want(http.StatusOK).Has(`.parts a[href="`+path+`"]`, "Learning Go")
		if got := texts(a, ".parts .meta span"); got != "5 posts; 1 post" {
			t.Errorf("the lengths are %q", got)
		}
		ben.Get("/@ada").Has(`.more a[href="/@ada/series"]`, "All series")
	})
	t.Run("is named and followed by its posts", func(t *testing.T) {
		a := ben.Get(second.Path()).Want(http.StatusOK).Has(".series-line", "Part 2 of 5 of Learning Go").
			Has(`.series-line a[href="`+path+`"]`, "Learning Go").
			Has(`.adjacent-posts[aria-label="Series: Learning Go"] a[rel="prev"]`, "Hello").
			Has(`.adjacent-posts a[rel="next"]`, "More types")
		if n := a.Page().Find(".adjacent-posts").Length(); n != 1 {
			t.Errorf("there are %d lists of neighbours", n)
		}
		ben.Get(first.Path()).Has(".series-line", "Part 1 of 5").HasNo(`[rel="prev"]`)
		ben.Get(late.Path()).Has(".series-line", "Part 5 of 5").HasNo(`.adjacent-posts [rel="next"]`)
	})
	t.Run("changes nothing on other posts", func(t *testing.T) {
		ben.Get(other.Path()).Want(http.StatusOK).HasNo(".series-line").Has(`[rel="prev"]`, "Alone")
	})
	t.Run("of one post leaves the links to other posts of the author", func(t *testing.T) {
		ben.Get(alone.Path()).Has(".series-line", "Part of Short").Has(`[rel="next"]`, "In no series")
	})
	t.Run("omits posts that lists omit", func(t *testing.T) {
		ada.UpdatePost(third, func(p *domain.Post) { p.Status = domain.Unlisted })
		s.Hold(alsoSecond.ID, "", domain.HeldByModerator)
		const want = "Hello; Types; Appendix"
		for _, v := range []*webtest.Visitor{ada, ben, s.Anonymous()} {
			if got := texts(v.Get(path).Want(http.StatusOK), ".parts li > a"); got != want {
				t.Errorf("the parts are %q, want %q", got, want)
			}
		}
		ben.Get(third.Path()).Has(".series-line", "Part of Learning Go")
		if feed := ben.Get(path + "/feed.atom").Want(http.StatusOK).Body; strings.Contains(feed, "Channels") {
			t.Errorf("the feed is %s", feed)
		}
	})
	t.Run("follows its author's new name", func(t *testing.T) {
		ada.Post("/settings/username", "username", "lovelace").Want(http.StatusSeeOther)
		ben.Get(path).WantRedirect(http.StatusMovedPermanently, "/@lovelace/series/learning-go")
		ben.Get("/@lovelace/series/learning-go").Want(http.StatusOK)
		ben.Get(first.Path()).Has(`.series-line a[href="/@lovelace/series/learning-go"]`, "Learning Go")
	})
	t.Run("is gone with its last post", func(t *testing.T) {
		ada.Post("/posts/"+alone.ID+"/delete", "confirmed", "yes").Want(http.StatusSeeOther)
		ben.Get("/@lovelace/series/short").Want(http.StatusNotFound)
	})
	t.Run("is gone while its author is suspended", func(t *testing.T) {
		s.Suspend(ada)
		ben.Get("/@lovelace/series/learning-go").Want(http.StatusNotFound)
		ben.Get("/@lovelace/series").Want(http.StatusNotFound)
		ben.Get("/@lovelace/series/learning-go/feed.json").Want(http.StatusNotFound)
	})
}

func TestPlaceInASeriesBeforeItsListKnowsIt(t *testing.T) {
	s := webtest.NewSite(t)
	ada := s.SignUp("ada")
	inSeries(ada, "One", "Learning Go", "1")
	inSeries(ada, "Three", "Learning Go", "3")
	moved := inSeries(ada, "Four", "Learning Go", "4")
	s.Data.StopProjection()
	t.Run("a new part has its number", func(t *testing.T) {
		p := inSeries(ada, "Two", "Learning Go", "2")
		s.Anonymous().Get(p.Path()).Want(http.StatusOK).Has(".series-line", "Part 2 of 4 of Learning Go").
			Has(`[rel="prev"]`, "One").Has(`[rel="next"]`, "Three")
	})
	t.Run("a part that was moved has its new number", func(t *testing.T) {
		e := domain.Edit{PostID: moved.ID, Revision: 1, Title: moved.Title, Content: moved.Content,
			Details: domain.Details{Series: "Learning Go", SeriesPart: "0"}, At: moved.Created.Add(time.Hour)}
		if _, err := s.Data.Store.Posts.Edit(t.Context(), e, ada.User.ID); err != nil {
			t.Fatal(err)
		}
		s.Anonymous().Get(moved.Path()).Want(http.StatusOK).Has(".series-line", "Part 1 of 3").
			HasNo(`[rel="prev"]`).Has(`[rel="next"]`, "One")
	})
	t.Run("a part that was unlisted has no number", func(t *testing.T) {
		ada.UpdatePost(moved, func(p *domain.Post) { p.Status = domain.Unlisted })
		s.Anonymous().Get(moved.Path()).Want(http.StatusOK).Has(".series-line", "Part of Learning Go")
	})
	t.Run("the first part names its series", func(t *testing.T) {
		p := inSeries(ada, "Alone", "Short", "")
		s.Anonymous().Get(p.Path()).Want(http.StatusOK).Has(".series-line", "Part of Short")
	})
}

func TestTitlesOfSeriesInAnyScript(t *testing.T) {
	s := webtest.NewSite(t)
	ada := s.SignUp("ada")
	inSeries(ada, "一", "日本語 入門", "")
	p := inSeries(ada, "二", "日本語 入門", "")
	address, _ := s.Anonymous().Get(p.Path()).Want(http.StatusOK).Has(".series-line", "Part 2 of 2 of 日本語 入門").
		Page().Find(".series-line a").Attr("href")
	s.Anonymous().Get(address).Want(http.StatusOK).Has("h1", "日本語 入門")
}

func TestSeriesWhoseTitlesDifferInSigns(t *testing.T) {
	s := webtest.NewSite(t)
	ada := s.SignUp("ada")
	plus := inSeries(ada, "Pointers", "C++", "")
	t.Run("a series with signs is found at the address of an earlier release", func(t *testing.T) {
		ada.Get("/@ada/series/c").WantRedirect(http.StatusFound, "/@ada/series/c++")
		ada.Get("/@ada/series/c/feed.atom").WantRedirect(http.StatusMovedPermanently, "/@ada/series/c++/feed.atom")
	})
	inSeries(ada, "Delegates", "C#", "")
	inSeries(ada, "Structs", "C", "")
	t.Run("are apart, each with an address", func(t *testing.T) {
		for path, title := range map[string]string{"/@ada/series/c": "Structs", "/@ada/series/c++": "Pointers",
			"/@ada/series/c%23": "Delegates"} {
			if got := texts(ada.Get(path).Want(http.StatusOK), ".parts li > a"); got != title {
				t.Errorf("%s has the parts %q", path, got)
			}
		}
		ada.Get(plus.Path()).Has(`.series-line a[href="/@ada/series/c++"]`, "C++")
		ada.Get("/@ada/series").Has(`.parts a[href="/@ada/series/c%23"]`, "C#")
	})
	t.Run("spellings of one title are one series", func(t *testing.T) {
		inSeries(ada, "One", "IĞDIR", "1")
		inSeries(ada, "Two", "ığdır", "2")
		ada.Get("/@ada/series/ığdır").WantRedirect(http.StatusMovedPermanently, "/@ada/series/i%C4%9Fdir")
		if got := texts(ada.Get("/@ada/series/iğdir").Want(http.StatusOK), ".parts li > a"); got != "One; Two" {
			t.Errorf("the parts are %q", got)
		}
	})
}
