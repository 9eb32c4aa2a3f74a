package moderation_test

import (
	"path"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/PuerkitoBio/goquery"

	"inkfeed/domain"
	"inkfeed/web/webtest"
)

// newSite returns a site without users, and the visitor who has just signed up as the first one.
func newSite(t *testing.T) (*webtest.Site, *webtest.Visitor) {
	s := webtest.NewSiteOn(t, webtest.NewEmptyDatabase(t), webtest.KeyOne)
	ada := s.Anonymous()
	ada.Post("/signup", "username", "ada", "password", webtest.Password).WantRedirect(303, "/admin/setup")
	return s, ada
}

func TestFirstAdministratorSetsTheSiteUp(t *testing.T) {
	s, ada := newSite(t)
	ada.Get("/admin/setup").Want(200).Has("h1", "Set up your site").Has("[name=samples][value=yes][checked]", "")
	ada.Get("/admin/settings").Want(200).Has("[role=status] a[href='/admin/setup']", "")
	ada.Post("/admin/setup", "name", "Ada's notes", "tagline", "On engines", "registration", "closed", "samples", "no").
		WantRedirect(303, "/admin/setup?done=yes")
	ada.Get("/admin/setup?done=yes").Want(200).Has("h1", "Your site is ready").
		HasNo("form[action='/admin/samples/delete']")
	ada.Get("/admin/settings").Has("[name=tagline][value='On engines']", "")
	s.Anonymous().Get("/").Want(200).Has("a.brand", "Ada's notes").HasNo("a[href^='/signup']")
	t.Run("and never again", func(t *testing.T) {
		ada.Get("/admin/setup").WantRedirect(303, "/admin/settings")
		ada.Post("/admin/setup", "name", "Other", "registration", "open").WantRedirect(303, "/admin/settings")
		ada.Get("/admin/settings").Want(200).HasNo("a[href='/admin/setup']")
		s.Anonymous().Get("/").Has("a.brand", "Ada's notes")
	})
}

func TestSkippedSetupDoesNotComeBack(t *testing.T) {
	s, ada := newSite(t)
	ada.Post("/admin/setup", "skip", "yes", "name", "Typed", "samples", "yes").
		WantRedirect(303, "/admin/setup?done=yes")
	ada.Get("/admin/setup").WantRedirect(303, "/admin/settings")
	s.Anonymous().Get("/").Has("a.brand", "Inkfeed").HasNo("article")
}

func TestInvalidSetupComesBack(t *testing.T) {
	s, ada := newSite(t)
	ada.Post("/admin/setup", "name", "Kept", "tagline", "x", "registration", "ajar", "samples", "yes").Want(422).
		Has("[name=name][value=Kept]", "").Has("#registration-error", "")
	ada.Get("/admin/setup").Want(200)
	s.Anonymous().Get("/").HasNo("article")
}

func TestSetupComesBackWhenTheSessionHasExpired(t *testing.T) {
	s, ada := newSite(t)
	ada.WithoutSession().Post("/admin/setup", "name", "Kept", "tagline", "x", "front", "own", "registration", "closed",
		"samples", "no").Want(401).Has(`[role="alert"]`, "session has expired").
		Has("[name=name][value=Kept]", "").Has("[name=tagline][value=x]", "").
		Has("[name=front][value=own][checked]", "").Has("[name=registration][value=closed][checked]", "").
		Has("[name=samples][value=no][checked]", "")
	s.Anonymous().Get("/").Has("a.brand", "Inkfeed")
}

func TestSecondAdministratorDoesNotSetUp(t *testing.T) {
	s, ada := newSite(t)
	ben := s.SignUpAs("ben", domain.RoleAdministrator)
	for _, v := range []*webtest.Visitor{ada, ben} {
		v.Get("/admin/setup").WantRedirect(303, "/admin/settings")
		v.Get("/admin/settings").Want(200).HasNo("a[href='/admin/setup']")
	}
}

func TestSamplePostsAreDeletedTogether(t *testing.T) {
	s, ada := newSite(t)
	own := ada.Post("/posts", "title", "My own post", "content", "Some text.", "do", "publish").Want(303).
		Header.Get("Location")
	ada.Post("/admin/setup", "name", "Notes", "registration", "open", "samples", "yes").Want(303)
	done := ada.Get("/admin/setup?done=yes").Want(200).Has("form[action='/admin/samples/delete']", "")
	links := done.Page().Find("#samples-title ~ ul a")
	if links.Length() != 8 {
		t.Fatalf("there are %d sample posts", links.Length())
	}
	welcome, _ := links.First().Attr("href")
	code, _ := links.Eq(1).Attr("href")
	picture, _ := s.Anonymous().Get(welcome).Want(200).Page().Find("main figure img").Attr("src")
	s.Anonymous().Get(picture).Want(200)
	s.Anonymous().Get(code).Want(200).Has("table", "")

	post, err := s.Data.Store.Posts.Get(t.Context(), strings.Split(code, "/")[2])
	if err != nil {
		t.Fatal(err)
	}
	ada.UpdatePost(post, func(p *domain.Post) { p.Content, p.Revision = "My own text now.", 2 })
	ben := s.SignUpAs("ben", domain.RoleAdministrator)
	ben.Post("/admin/samples/delete").Want(303)
	s.Anonymous().Get(welcome).Want(200)

	ada.Get("/admin/settings").Want(200).Has("form[action='/admin/samples/delete']", "")
	ada.Post("/admin/samples/delete").WantRedirect(303, "/admin/settings?samples=deleted")
	ada.Get("/admin/log").Has(".log li:first-child", "@ada deleted the sample posts")
	ada.Get("/admin/settings?samples=deleted").Has("[role=status]", "deleted").
		HasNo("form[action='/admin/samples/delete']")
	s.Anonymous().Get(welcome).Want(404)
	s.Anonymous().Get(picture).Want(404)
	s.Anonymous().Get(code).Want(200)
	s.Anonymous().Get(own).Want(200)
}

func TestNextStepsFitTheSetup(t *testing.T) {
	const invitations, own = "main .steps a[href='/admin/invitations']", "main .steps a[href='/admin/settings#front']"
	done := func(t *testing.T, choices ...string) *webtest.Response {
		_, ada := newSite(t)
		ada.Post("/admin/setup", append(choices, "name", "Notes", "samples", "no")...).Want(303)
		return ada.Get("/admin/setup?done=yes").Want(200).Has("main .steps a[href='/admin/pages']", "").
			Has("main .steps a[href='/settings/profile']", "")
	}
	t.Run("on a site of several authors", func(t *testing.T) {
		done(t, "registration", "open", "front", "all").Has(invitations, "").Has(own, "")
	})
	t.Run("on a personal site", func(t *testing.T) {
		done(t, "registration", "closed", "front", "own").HasNo(invitations).HasNo(own)
	})
}

func TestSetupMakesTheBlogOfTheAdministratorTheFrontPage(t *testing.T) {
	s, ada := newSite(t)
	ada.Post("/admin/setup", "name", "Notes", "registration", "closed", "front", "own", "samples", "no").Want(303)
	s.Anonymous().Get("/").Want(200).Has("h1", "@ada")
	ada.Get("/admin/settings").Has("#front[value=ada]", "")
}

// samplesBy returns the titles and the languages of the published posts.
func samplesBy(v *webtest.Visitor) (titles, languages []string) {
	v.Get("/").Want(200).Page().Find("article h2 a").Each(func(_ int, a *goquery.Selection) {
		titles = append(titles, a.Text())
		post := v.Get(a.AttrOr("href", "")).Want(200)
		languages = append(languages, post.Page().Find("main h1").Closest("[lang]").AttrOr("lang", ""))
	})
	return titles, languages
}

func TestSamplePostsAreInTheLanguageOfTheSite(t *testing.T) {
	for language, welcome := range map[string]string{"en": "Welcome", "cs": "Vítejte", "fr": "Bienvenue",
		"tr": "hoş geldiniz"} {
		t.Run(language, func(t *testing.T) {
			_, ada := newSite(t)
			ada.Post("/admin/setup", "name", "Notes", "registration", "open", "language", language, "samples", "yes").
				WantRedirect(303, "/admin/setup?done=yes")
			titles, languages := samplesBy(ada)
			if len(titles) != 8 || !strings.Contains(titles[0], welcome) {
				t.Errorf("the posts are %q", titles)
			}
			own := slices.DeleteFunc(slices.Clone(languages), func(l string) bool { return l != language })
			if len(own) != 7 {
				t.Errorf("their languages are %q", languages)
			}
		})
	}
}

func TestRepeatedSetupLeavesOneSetOfSamples(t *testing.T) {
	form := func(language string) []string {
		return []string{"name", "Notes", "registration", "open", "language", language, "samples", "yes"}
	}
	t.Run("of the setup that came first", func(t *testing.T) {
		s, ada := newSite(t)
		var wait sync.WaitGroup
		for _, language := range []string{"cs", "fr", "en"} {
			wait.Go(func() { ada.Post("/admin/setup", form(language)...).Want(303) })
		}
		wait.Wait()
		titles, languages := samplesBy(s.Anonymous())
		if len(titles) != 8 || languages[0] != languages[1] || languages[0] != languages[7] {
			t.Errorf("the posts are %q, in %q", titles, languages)
		}
		if records := ada.Data.ImageRecords(); len(records) != 8 {
			t.Errorf("there are %d pictures", len(records))
		}
	})
	t.Run("and nothing is published if the settings are not stored", func(t *testing.T) {
		s, ada := newSite(t)
		s.Data.FailWrites("Settings.Set", webtest.StatusUnavailable)
		ada.Post("/admin/setup", form("en")...).Want(503)
		s.Anonymous().Get("/").Want(200).HasNo("article")
	})
	t.Run("also if they could not be published at first", func(t *testing.T) {
		s, ada := newSite(t)
		s.Data.FailWrites("Drafts.Publish", webtest.StatusUnavailable)
		ada.Post("/admin/setup", form("cs")...).WantRedirect(303, "/admin/setup?done=yes&samples=failed")
		ada.Get("/admin/setup?done=yes&samples=failed").Want(200).
			Has("[role=alert][action='/admin/samples'] button", "")
		s.Data.Recover("Drafts.Publish")
		for range 2 {
			ada.Post("/admin/samples").WantRedirect(303, "/admin/setup?done=yes")
		}
		if titles, languages := samplesBy(s.Anonymous()); len(titles) != 8 || languages[0] != "cs" {
			t.Errorf("the posts are %q, in %q", titles, languages)
		}
	})
}

func TestSamplePostThatIsEditedMeanwhileStays(t *testing.T) {
	s, ada := newSite(t)
	ada.Post("/admin/setup", "name", "Notes", "registration", "open", "samples", "yes").Want(303)
	welcome := ada.Get("/").Page().Find("article h2 a").First().AttrOr("href", "")
	id := strings.Split(welcome, "/")[2]
	s.Data.Before("Posts.DeleteRevision", sync.OnceFunc(func() {
		post, err := s.Data.Store.Posts.Get(t.Context(), id)
		s.Data.Must(err)
		ada.UpdatePost(post, func(p *domain.Post) { p.Content, p.Revision = "My own text now.", 2 })
	}))
	ada.Post("/admin/samples/delete").WantRedirect(303, "/admin/settings?samples=deleted")
	ada.Get(welcome).Want(200).Has(".prose", "My own text now.")
	ada.Get("/").Want(200)
	if titles, _ := samplesBy(ada); len(titles) != 1 {
		t.Errorf("the posts are %q", titles)
	}
}

func TestPictureOfTheSamplesStaysWhileItIsUsed(t *testing.T) {
	set := func(t *testing.T) (ada *webtest.Visitor, picture string) {
		_, ada = newSite(t)
		ada.Post("/admin/setup", "name", "Notes", "registration", "open", "samples", "yes").Want(303)
		picture = "/media/" + ada.Data.ImageRecords()[0]["name"].(string)
		ada.Get(picture).Want(200)
		return ada, picture
	}
	for name, use := range map[string]func(ada *webtest.Visitor, picture string){
		"by another post": func(ada *webtest.Visitor, picture string) {
			ada.Post("/posts", "title", "Mine", "content", "![Hills]("+picture+")", "do", "publish").Want(303)
		},
		"by a draft": func(ada *webtest.Visitor, picture string) {
			ada.Post("/posts", "title", "Mine", "content", "![Hills]("+picture+")", "do", "draft").Want(303)
		},
		"as the header of the author's page": func(ada *webtest.Visitor, picture string) {
			ada.Upload("/settings/header", nil, "picture", path.Base(picture), "alt", "").Want(303)
		},
	} {
		t.Run(name, func(t *testing.T) {
			ada, picture := set(t)
			use(ada, picture)
			ada.Post("/admin/samples/delete").Want(303)
			ada.Get(picture).Want(200)
		})
	}
}
