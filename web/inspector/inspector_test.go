package inspector_test

import (
	"io"
	"net/http"
	"strconv"
	"strings"
	"testing"

	"github.com/PuerkitoBio/goquery"

	"inkfeed/domain"
	"inkfeed/web/webtest"
)

const (
	path  = "/admin/inspector"
	panel = "section.inspector"
)

// administrator returns an administrator of a site who has turned the inspector on in a mode.
func administrator(s *webtest.Site, mode string) *webtest.Visitor {
	s.T.Helper()
	v := s.SignUp("ada")
	s.SetRole(v, domain.RoleAdministrator)
	turn(v, mode)
	return v
}

func turn(v *webtest.Visitor, mode string) {
	v.T.Helper()
	v.Post(path, "mode", mode).WantRedirect(http.StatusSeeOther, path+"?done=yes")
}

// row returns the row of the panel whose first cell begins with a text.
func row(doc *goquery.Document, operation string) []string {
	var cells []string
	doc.Find(panel + " tbody tr").EachWithBreak(func(_ int, tr *goquery.Selection) bool {
		if !strings.HasPrefix(strings.TrimSpace(tr.Find("th").Text()), operation) {
			return true
		}
		tr.Find("th, td").Each(func(_ int, cell *goquery.Selection) {
			cells = append(cells, webtest.CollapseSpace(cell.Text()))
		})
		return false
	})
	return cells
}

func TestThePanelListsTheStorageOperationsOfAPage(t *testing.T) {
	s := webtest.NewSite(t)
	ada := administrator(s, "cached")
	post := ada.CreatePost("A post", "Its text")
	ada.Get("/") // shows the form
	doc := ada.Get(post.Path()).Want(http.StatusOK).Page()

	t.Run("with container, logical partition, ranges, charge, latency and answer", func(t *testing.T) {
		q2 := row(doc, "Q2")
		if len(q2) != 8 {
			t.Fatalf("the row is %q", q2)
		}
		charge, err := strconv.ParseFloat(q2[5], 64)
		if err != nil || charge < 1 || q2[1] != "point read of one item by its id" || q2[2] != "posts" ||
			q2[3] != post.ID || q2[4] != "1" || q2[7] != "200" {
			t.Errorf("the row is %q", q2)
		}
		if ms, err := strconv.ParseFloat(q2[6], 64); err != nil || ms < 0 || ms > 5000 {
			t.Errorf("the latency is %q", q2[6])
		}
	})
	t.Run("with the text of queries", func(t *testing.T) {
		if q4 := row(doc, "Q4"); len(q4) != 8 || !strings.HasPrefix(q4[1], "SELECT ") ||
			strings.Contains(q4[1], post.ID) {
			t.Errorf("the row is %q", q4)
		}
	})
	t.Run("with their total", func(t *testing.T) {
		total := 0.0
		doc.Find(panel + " tbody tr").Each(func(_ int, tr *goquery.Selection) {
			charge, _ := strconv.ParseFloat(tr.Find("td").Eq(4).Text(), 64)
			total += charge
		})
		said, err := strconv.ParseFloat(strings.TrimSuffix(doc.Find(panel+" strong").First().Text(), " RU"), 64)
		if err != nil || said < total-0.1 || said > total+0.1 || total < 2 {
			t.Errorf("the panel says %q, the rows add up to %v", doc.Find(panel+" strong").First().Text(), total)
		}
	})
	t.Run("below an error page", func(t *testing.T) {
		doc := ada.Get("/posts/" + domain.NewID()).Want(http.StatusNotFound).Page()
		if q2 := row(doc, "Q2"); len(q2) != 8 || q2[7] != "404: not found" {
			t.Errorf("the row is %q", q2)
		}
	})
	t.Run("without the keys of sessions", func(t *testing.T) {
		other := *ada // the server has cached the session, so another one reads it
		other.Site = webtest.NewSiteOn(t, s.Data, webtest.KeyOne)
		doc := other.Get("/").Page()
		if session := row(doc, "session"); len(session) != 8 || session[2] != "sessions" ||
			session[3] != "one (hidden)" {
			t.Errorf("the row is %q", session)
		}
	})
}

func TestTheInspectorIsForOneSessionOfAnAdministrator(t *testing.T) {
	s := webtest.NewSite(t)
	ada := administrator(s, "cached")
	ada.Get("/").Has(panel, "")
	value := ada.Cookies["inkfeed-inspector"]
	if value == "" {
		t.Fatalf("the cookies are %v", ada.Cookies)
	}

	t.Run("another session of the same user has no panel", func(t *testing.T) {
		again := s.Anonymous()
		again.Post("/login", "username", "ada", "password", webtest.Password).Want(http.StatusSeeOther)
		again.Get("/").HasNo(panel)
		again.Cookies["inkfeed-inspector"] = value
		again.Get("/").HasNo(panel)
	})
	t.Run("a user with the administrator's cookie has no panel", func(t *testing.T) {
		ben := s.SignUp("ben")
		ben.Cookies["inkfeed-inspector"] = value
		ben.Get("/").HasNo(panel)
	})
	t.Run("a forged cookie has no effect", func(t *testing.T) {
		eve := administratorNamed(s, "eve")
		for _, forged := range []string{"cached", "cached ", value + "x", ""} {
			eve.Cookies["inkfeed-inspector"] = forged
			eve.Get("/").Want(http.StatusOK).HasNo(panel)
		}
	})
	t.Run("a moderator cannot turn it on", func(t *testing.T) {
		mo := s.SignUp("mo")
		s.SetRole(mo, domain.RoleModerator)
		mo.Post(path, "mode", "cached").Want(http.StatusForbidden)
		mo.Get(path).Want(http.StatusForbidden)
	})
	t.Run("a former administrator has no panel", func(t *testing.T) {
		administratorNamed(s, "rosa") // one must be left
		s.SetRole(ada, domain.RoleAuthor)
		ada.Get("/").HasNo(panel)
		ada.Get("/nothing").Want(http.StatusNotFound).HasNo(panel)
		if timing := ada.Get("/").Header.Get("Server-Timing"); timing != "" {
			t.Errorf("Server-Timing is %q", timing)
		}
		s.SetRole(ada, domain.RoleAdministrator)
	})
	t.Run("it can be turned off from the panel", func(t *testing.T) {
		ada.Post(path, "mode", "off", "next", "/search").WantRedirect(http.StatusSeeOther, "/search")
		ada.Get("/").HasNo(panel)
	})
	t.Run("a mode that does not exist is refused", func(t *testing.T) {
		ada.Post(path, "mode", "loud").Want(http.StatusUnprocessableEntity).
			HasFieldError("mode", "Choose whether the panel is shown.")
	})
}

func administratorNamed(s *webtest.Site, name string) *webtest.Visitor {
	v := s.SignUp(name)
	s.SetRole(v, domain.RoleAdministrator)
	return v
}

func TestFormsAreShownOnThePageThatTheyLeadTo(t *testing.T) {
	s := webtest.NewSite(t)
	ada := administrator(s, "cached")
	post := ada.CreatePost("A post", "Its text")
	ada.Get("/")
	to := ada.Post("/posts/"+post.ID+"/comments", "content",
		"A comment").Want(http.StatusSeeOther).Header.Get("Location")
	to, _, _ = strings.Cut(to, "#")
	doc := ada.Get(to).Page()
	c3 := row(doc, "C3")
	if len(c3) != 8 || !strings.HasPrefix(c3[1], "transactional batch of 2: ") {
		t.Errorf("the row is %q", c3)
	}
	if heading := doc.Find(panel + " h3").Text(); heading != "Submitted form: POST /posts/:id/comments" {
		t.Errorf("the heading is %q", heading)
	}
	t.Run("once", func(t *testing.T) {
		ada.Get(to).HasNo(panel + " h3")
	})
	t.Run("and in the same session only", func(t *testing.T) {
		eve := administratorNamed(s, "eve")
		turn(eve, "cached")
		ada.Post("/posts/" + post.ID + "/like").Want(http.StatusSeeOther)
		eve.Get("/").HasNo(panel + " h3")
	})
}

func TestFragmentsAddTheirOperationsToThePanel(t *testing.T) {
	s := webtest.NewSite(t)
	ada := administrator(s, "cached")
	post := ada.CreatePost("A post", "Its text")
	answer := ada.HTMX().Post("/posts/" + post.ID + "/like").Want(http.StatusOK)
	partial := answer.Page().Find(`hx-partial[hx-target="#Page-inspector-fragments"]`)
	if heading := partial.Find("h3").Text(); heading != "Since then: POST /posts/:id/like" {
		t.Errorf("the heading is %q", heading)
	}
	if control := answer.Header.Get("Cache-Control"); control != "no-store" {
		t.Errorf("Cache-Control is %q", control)
	}
	ada.Get(post.Path()).Has("#Page-inspector-fragments", "")
	t.Run("but not for others", func(t *testing.T) {
		ben := s.SignUp("ben")
		ben.HTMX().Post("/posts/" + post.ID +
			"/like").Want(http.StatusOK).HasNo(`[hx-target="#Page-inspector-fragments"]`)
	})
	t.Run("but not to the preview of a post, which a script inserts as it is", func(t *testing.T) {
		editor := *ada
		editor.Header = http.Header{"Hx-Request": {"true"}} // all that static/editor sends
		editor.Post("/preview", "title", "A title", "content", "x").Want(http.StatusOK).Has(".title", "A title").
			HasNo("hx-partial")
	})
	t.Run("but not to pages of which htmx selects an element", func(t *testing.T) {
		progress := ada.HTMX()
		progress.Header.Set("HX-Request-Type", "full")
		progress.Get("/settings/import").Want(http.StatusOK).Has("main", "").HasNo("hx-partial")
		ada.Post("/posts/" + post.ID + "/like").Want(http.StatusSeeOther)
		progress.Get("/settings/import").HasNo(panel)
		ada.Get(post.Path()).Has(panel+" h3", "Submitted form: POST /posts/:id/like")
	})
}

func TestFeedsNameTheirCostInAHeader(t *testing.T) {
	s := webtest.NewSite(t)
	ada := administrator(s, "cached")
	ada.CreatePost("A post", "Its text")
	ada.Get("/")
	if timing := ada.Get("/feed.atom").Want(http.StatusOK).Header.Get("Server-Timing"); !strings.HasPrefix(timing,
		"storage;dur=") ||
		!strings.HasSuffix(timing, ` RU"`) {
		t.Errorf("Server-Timing is %q", timing)
	}
	if timing := s.SignUp("ben").Get("/feed.atom").Header.Get("Server-Timing"); timing != "" {
		t.Errorf("Server-Timing of another user is %q", timing)
	}
}

func TestNoCacheStoresAnAnswerThatNamesItsCost(t *testing.T) {
	data := webtest.NewDatabase(t)
	c := webtest.Config(data, io.Discard, webtest.KeyOne)
	c.URL = "https://blog.example.org" // so feeds are public for a minute
	s := &webtest.Site{T: t, Data: data}
	s.Restart(c)
	ada := administrator(s, "cached")
	picture := ada.Scripted().Upload("/images", webtest.GreyPNG(t, 8)).JSON().URL
	for _, address := range []string{"/feed.atom", picture} {
		t.Run(address, func(t *testing.T) {
			control := s.Anonymous().Get(address).Header.Get("Cache-Control")
			if !strings.HasPrefix(control, "public, ") {
				t.Errorf("Cache-Control of an anonymous visitor's answer is %q", control)
			}
			h := ada.Get(address).Want(http.StatusOK).Header
			if h.Get("Server-Timing") == "" || h.Get("Cache-Control") != "no-store" {
				t.Errorf("Server-Timing is %q, Cache-Control %q", h.Get("Server-Timing"), h.Get("Cache-Control"))
			}
		})
	}
}

func TestThePageCacheNeverHasAPanel(t *testing.T) {
	s := webtest.NewCachedSite(t, "off")
	ada := administrator(s, "cached")
	post := ada.CreatePost("A post", "Its text")
	s.Data.CatchUp()
	delete(ada.Cookies, "inkfeed-wrote")
	for _, address := range []string{"/", post.Path(), "/@ada", "/nothing"} {
		t.Run(address, func(t *testing.T) {
			anonymous, ben := s.Anonymous(), s.SignUp("ben"+strconv.Itoa(len(address)))
			delete(ben.Cookies, "inkfeed-wrote")
			for range 3 {
				doc := ada.Get(address).Has(panel, "")
				if control := doc.Header.Get("Cache-Control"); control != "private, no-store" && control != "no-store" {
					t.Errorf("Cache-Control of the page with a panel is %q", control)
				}
				anonymous.Get(address).HasNo(panel)
				ben.Get(address).HasNo(panel)
			}
		})
	}
	t.Run("the panel tells what the caches hold", func(t *testing.T) {
		doc := ada.Get("/").Page()
		said := webtest.CollapseSpace(doc.Find(panel + " dl").Text())
		for _, want := range []string{"Query cacheUsed.", "Anonymous visitorsPage cache hit",
			"Signed-in usersShell hit"} {
			if !strings.Contains(said, want) {
				t.Errorf("the panel does not say %q: %s", want, said)
			}
		}
		if hit := row(doc, "query cache"); len(hit) != 8 || hit[5] != "0" || hit[7] != "from memory" {
			t.Errorf("the first hit is %q", hit)
		}
	})
	t.Run("without the query cache everything is read", func(t *testing.T) {
		turn(ada, "fresh")
		delete(ada.Cookies, "inkfeed-wrote")
		doc := ada.Get("/").Page()
		if hit := row(doc, "query cache"); hit != nil {
			t.Errorf("there is a hit: %q", hit)
		}
		if q6 := row(doc, "Q6"); len(q6) != 8 || q6[2] != "feed" {
			t.Errorf("the row is %q", q6)
		}
	})
}
