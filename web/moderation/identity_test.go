package moderation_test

import (
	"fmt"
	"io"
	"net/url"
	"strings"
	"testing"

	"github.com/PuerkitoBio/goquery"

	"inkfeed/domain"
	"inkfeed/domain/siteinfo"
	"inkfeed/web/site"
	"inkfeed/web/webtest"
)

// siteForm returns the fields of the form with the site's settings, with some of them changed.
func siteForm(admin *webtest.Visitor, changes ...string) []string {
	version, _ := admin.Get("/admin/settings").Page().Find("[name=version]").Attr("value")
	fields := []string{"version", version, "registration", "open", "role", "author", "days", "3", "invited", "trusted"}
	return append(fields, changes...)
}

func TestLinksInTheFooter(t *testing.T) {
	s := webtest.NewSite(t)
	admin := s.SignUpAs("quinn", domain.RoleAdministrator)
	page := func(path string, published bool, settings ...string) (id string) {
		t.Helper()
		edit := admin.Post("/admin/pages", append([]string{"path", path}, settings...)...).Header.Get("Location")
		id = strings.Split(edit, "/")[2]
		if published {
			admin.Post("/posts", "post", id, "title", "Page", "content", "Text.", "do",
				"publish").WantRedirect(303, path)
		}
		return id
	}
	about := page("/about", true)
	page("/rules", true, "footer", "yes")
	page("/later", false)
	save := func(addresses ...string) *webtest.Response {
		t.Helper()
		fields := siteForm(admin)
		for n, address := range addresses {
			field := fmt.Sprint("link", n+1)
			fields = append(fields, field, "Link", field+"-address", address)
		}
		return admin.Get(admin.Post("/admin/settings", fields...).WantRedirect(303, "/admin/settings?done=yes").
			Header.Get("Location")).Want(200)
	}
	t.Run("are saved although they lead nowhere, with a note above and beside the field", func(t *testing.T) {
		save("/nothing?a#b", "/later", "/Rules/", "/about").
			Has(`.error-summary a[href="#link1-address"]`, "/nothing?a#b: There is nothing at this address.").
			Has("#link1-address-hint", "There is nothing at this address.").
			Has("#link1-address[aria-describedby='link1-address-hint']", "").
			Has("#link2-address-hint", "not published yet").
			Has("#link3-address-hint", "The footer links to this page anyway.").HasNo("#link4-address-hint")
		s.Anonymous().Get("/").Has(`.footer-links a[href="/later"]`, "Link")
	})
	t.Run("have no note if they lead to a route, a former address or another site", func(t *testing.T) {
		admin.Post("/admin/settings", siteForm(admin)...).Want(303)
		admin.Post("/admin/pages/"+about, "path", "/team").Want(303)
		save("/tags/ink", "/@quinn", "https://nowhere.example/", "/about").HasNo(".error-summary").
			HasNo("[id$='-address-hint']")
	})
}

func TestSiteHasItsOwnIdentity(t *testing.T) {
	s := webtest.NewSite(t)
	admin := s.SignUpAs("quinn", domain.RoleAdministrator)
	post := admin.CreatePost("A title", "Some text.")
	admin.Post("/admin/settings", siteForm(admin, "name", "Ada's <Notes>", "tagline", "On engines", "description",
		"What I think.", "accent", "1B4B86", "footer", "Made with care.", "link1", "Code", "link1-address",
		"https://example.org/code", "timeZone", "Asia/Tokyo", "contact", "ada@example.org",
		"postalAddress", " Ada\r\n1 Ink Street\r\nOslo ")...).
		WantRedirect(303, "/admin/settings?done=yes")
	const name = "Ada's <Notes>"
	front := s.Anonymous().Get("/").Want(200).Has("a.brand", name).Has("footer.site", "Made with care.").
		Has("footer.site a[href='https://example.org/code']", "Code").
		Has("footer.site a[href='mailto:ada@example.org']", "Contact").
		Has("link[rel=stylesheet][href='/accent/1b4b86-3.css']", "").
		Has("meta[name=description][content='What I think.']", "")
	if title := front.Page().Find("title").Text(); !strings.HasSuffix(title, " · "+name) {
		t.Errorf("the title is %q", title)
	}
	for address, caching := range map[string]string{
		"/accent/1b4b86-3.css":   "public, max-age=31536000, immutable",
		"/accent/1b4b86.css?v=2": "public, max-age=3600", // of a page of an older release
	} {
		css := s.Anonymous().Get(address).Want(200)
		if !strings.Contains(css.Body, "--accent:light-dark(#1b4b86,") || css.Header.Get("Cache-Control") != caching {
			t.Errorf("%s: %v, %s", address, css.Header, css.Body)
		}
	}
	for path, part := range map[string]string{
		"/feed.atom":            "<title>Ada&#39;s &lt;Notes&gt;</title>",
		"/feed.rss":             "<description>What I think.</description>",
		"/feed.json":            `"title":"Ada's`,
		"/@quinn/feed.atom":     "@quinn on Ada&#39;s",
		"/manifest.webmanifest": `"short_name":"Ada's`,
		"/oembed?url=" + url.QueryEscape("http://example.com"+post.Path()): `"provider_name":"Ada's`,
		post.Path(): `property="og:site_name" content="Ada&#39;s &lt;Notes&gt;"`,
	} {
		if a := s.Anonymous().Get(path).Want(200); !strings.Contains(a.Body, part) {
			t.Errorf("%s does not contain %s:\n%.1500s", path, part, a.Body)
		}
	}
	s.Anonymous().Get(post.Path()).Has("time[title$='JST']", "")
	if got := s.Data.Settings().Info.PostalAddress; got != "Ada\n1 Ink Street\nOslo" {
		t.Errorf("the postal address is %q", got)
	}
	admin.Get("/admin/log").Want(200).Has(".log", "@quinn changed the site settings: Name of the site, Tagline, "+
		"Description, Accent colour, Footer text, Links in the header and the footer, Time zone, Contact address, "+
		"Postal address and New-account period (days)")
}

func TestEveryInstanceKnowsTheIdentity(t *testing.T) {
	s := webtest.NewCachedSite(t, "")
	admin := s.SignUpAs("quinn", domain.RoleAdministrator)
	s.Anonymous().Get("/").Want(200).Has("a.brand", siteinfo.Product)
	admin.Post("/admin/settings", siteForm(admin, "name", "Notes")...).Want(303)
	settings, err := s.Data.Store.Settings.Get(t.Context())
	if err != nil || settings.Info.Name != "Notes" {
		t.Fatalf("stored is %+v, %v", settings, err)
	}
	c := webtest.Config(s.Data, io.Discard, webtest.KeyOne)
	c.Current = site.NewCurrentSettings()
	c.Current.Apply(settings)
	s.Restart(c)
	s.Anonymous().Get("/").Want(200).Has("a.brand", "Notes")
}

func TestInvalidIdentityComesBackBesideItsField(t *testing.T) {
	s := webtest.NewSite(t)
	admin := s.SignUpAs("quinn", domain.RoleAdministrator)
	for field, wrong := range map[string][]string{
		"name":          {"name", strings.Repeat("x", 61)},
		"accent":        {"accent", "blueish"},
		"timeZone":      {"timeZone", "Mars/Olympus"},
		"contact":       {"contact", "javascript:alert(1)//@example.org"},
		"postalAddress": {"postalAddress", strings.Repeat("x", 301)},
		"front":         {"front", "nobody"},
		"link1-address": {"link1", "Click", "link1-address", "javascript:alert(1)"},
		"link2-address": {"link2", "Alone"},
		"link3-address": {"link3", "Elsewhere", "link3-address", "//example.org"},
	} {
		a := admin.Post("/admin/settings", siteForm(admin, append([]string{"tagline", "Kept text"}, wrong...)...)...)
		a.Want(422).Has("[name=tagline][value='Kept text']", "").Has("#"+field+"-error", "")
		typed := a.Page().Find("[name='" + wrong[0] + "']")
		if goquery.NodeName(typed) == "select" {
			typed = typed.Find("[selected]")
		}
		if got := typed.AttrOr("value", typed.Text()); got != wrong[1] {
			t.Errorf("%s: the field has %q instead of what was typed", field, got)
		}
	}
	if s.Anonymous().Get("/").Page().Find("a.brand").Text() == "" {
		t.Error("the site has no name")
	}
}

func TestConflictKeepsWhatWasTyped(t *testing.T) {
	s := webtest.NewSite(t)
	admin := s.SignUpAs("quinn", domain.RoleAdministrator)
	second := siteForm(admin, "name", "Second", "days", "5")
	admin.Post("/admin/settings", siteForm(admin, "name", "First")...).Want(303)
	a := admin.Post("/admin/settings", second...).Want(409).
		Has("[role=alert]", "Another administrator").Has("[name=name][value=Second]", "").Has("[name=days][value='5']",
		"")
	version, _ := a.Page().Find("[name=version]").Attr("value")
	admin.Post("/admin/settings", append(second, "version", version)...).Want(303)
	s.Anonymous().Get("/").Has("a.brand", "Second")
}

func TestAccentWithoutContrastIsAdjusted(t *testing.T) {
	s := webtest.NewSite(t)
	admin := s.SignUpAs("quinn", domain.RoleAdministrator)
	admin.Post("/admin/settings", siteForm(admin, "accent", "#ffff00")...).Want(303)
	admin.Get("/admin/settings").Want(200).Has("#accent-hint", "stays readable")
	for _, missing := range []string{"/accent/FFFF00.css", "/accent/ffff00", "/accent/blue.css", "/accent/ff0.css",
		"/accent/ffff00-2.css", "/accent/ffff00-4.css", "/accent/ffff00-.css", "/accent/ffff00-3-3.css"} {
		s.Anonymous().Get(missing).Want(404)
	}
}
