package moderation_test

import (
	"image/color"
	"net/http"
	"strings"
	"testing"

	"inkfeed/domain"
	"inkfeed/domain/siteinfo"
	"inkfeed/web/webtest"
)

func TestExistingSiteLooksAsBefore(t *testing.T) {
	s := webtest.NewSite(t)
	front := s.Anonymous().Get("/").Want(http.StatusOK)
	for f := range siteinfo.LookFields() {
		front.HasNo("html[data-" + f.Name + "]")
	}
	front.HasNo(".scheme-switch").HasNo("script[src*=scheme]").HasNo("link[href*=typeface]").
		HasNo("header.site .page-links")
	t.Run("also after its administrator saved other settings", func(t *testing.T) {
		admin := s.SignUpAs("quinn", domain.RoleAdministrator)
		admin.Post("/admin/settings", siteForm(admin, "name", "Notes")...).Want(http.StatusSeeOther)
		if looks := s.Data.Settings().Info.Looks; looks != (siteinfo.Looks{}) {
			t.Errorf("the looks are %+v", looks)
		}
	})
}

func TestNewSiteHasTheNewLook(t *testing.T) {
	data := webtest.NewEmptyDatabase(t)
	data.Must(data.Store.BeginIfNew(data.Context()))
	settings := data.Settings()
	if settings.Info.Looks != siteinfo.NewLooks() || settings.Version != 0 {
		t.Fatalf("the settings are %+v", settings)
	}
	t.Run("and is still to be set up", func(t *testing.T) {
		s := webtest.NewSiteOn(t, data, webtest.KeyOne)
		ada := s.Anonymous()
		ada.Post("/signup", "username", "ada", "password", webtest.Password).WantRedirect(303, "/admin/setup")
		ada.Post("/admin/setup", "name", "Notes", "registration", "open", "samples", "no").
			WantRedirect(303, "/admin/setup?done=yes")
		s.Anonymous().Get("/").Has("a.brand", "Notes").Has("html[data-typeface=serif]", "").
			Has("link[href*=typeface-serif]", "")
		ada.Get("/admin/settings").HasNo("form[action$=restore], button[form=restore]")
	})
	t.Run("but a second instance, or a site with accounts, changes nothing", func(t *testing.T) {
		data.Must(data.Store.BeginIfNew(data.Context()))
		if now := data.Settings(); now.Version != 1 || now.Info.Name != "Notes" {
			t.Errorf("the settings are %+v", now)
		}
		other := webtest.NewSite(t)
		other.SignUp("ada")
		other.Data.Must(other.Data.Store.BeginIfNew(other.Data.Context()))
		if looks := other.Data.Settings().Info.Looks; looks != (siteinfo.Looks{}) {
			t.Errorf("the looks are %+v", looks)
		}
	})
}

func TestEachLookCanBeChosen(t *testing.T) {
	s := webtest.NewSite(t)
	admin := s.SignUpAs("quinn", domain.RoleAdministrator)
	for f := range siteinfo.LookFields() {
		for _, o := range f.Options {
			admin.Post("/admin/settings", siteForm(admin, f.Name, o.Value)...).
				WantRedirect(303, "/admin/settings?done=yes")
			admin.Get("/admin/settings").Has("input[name="+f.Name+"][value='"+o.Value+"'][checked]", "")
			if got := s.Anonymous().Get("/").Page().Find("html").AttrOr("data-"+f.Name, ""); got != o.Value {
				t.Errorf("with %s = %q, pages have %q", f.Name, o.Value, got)
			}
		}
		admin.Post("/admin/settings", siteForm(admin, f.Name, "nonsense", "tagline", "Typed")...).Want(422).
			Has("#"+f.Name+"-error", "Choose one of the options.").
			Has(".error-summary a[href='#"+f.Name+"']", f.Label.String()).Has("[name=tagline][value=Typed]", "")
	}
}

func TestChangedLookCanBeUndone(t *testing.T) {
	s := webtest.NewSite(t)
	admin := s.SignUpAs("quinn", domain.RoleAdministrator)
	admin.Get("/admin/settings").HasNo("form[action$=restore], button[form=restore]")
	admin.Post("/admin/settings", siteForm(admin, "name", "Notes", "typeface", "slab", "accent", "#aa0000")...).
		Want(303)
	admin.Get("/admin/log").Has(".log li:first-child", "Accent colour").Has(".log li:first-child", "Typefaces")
	version := admin.Get("/admin/settings?done=yes").Has("button[form=restore]", "Restore").Value("version")
	admin.Post("/admin/settings/look/restore", "version", version).
		WantRedirect(303, "/admin/settings?done=restored#looks")
	s.Anonymous().Get("/").HasNo("html[data-typeface]").HasNo("link[href^='/accent/']").Has("a.brand", "Notes")
	admin.Get("/admin/log").Has(".log li:first-child", "Accent colour").Has(".log li:first-child", "Typefaces")
	t.Run("once", func(t *testing.T) {
		admin.Post("/admin/settings/look/restore", "version", version).Want(http.StatusConflict)
	})
	t.Run("and done again", func(t *testing.T) {
		version := admin.Get("/admin/settings?done=restored").Has("[role=status]", "The previous look is back.").
			Value("version")
		admin.Post("/admin/settings/look/restore", "version", version).Want(303)
		s.Anonymous().Get("/").Has("html[data-typeface=slab]", "")
	})
}

func TestPreviewOfTheLookSavesNothing(t *testing.T) {
	s := webtest.NewSite(t)
	admin := s.SignUpAs("quinn", domain.RoleAdministrator)
	admin.CreatePost("A title", "Text.")
	before := s.Data.Settings()
	a := admin.Post("/admin/settings/preview", siteForm(admin, "name", "Typed", "typeface", "book", "scheme", "dark",
		"accent", "#aa0000")...).Want(200).
		Has("html[data-typeface=book][data-scheme=dark]", "").Has("a.brand", "Typed").Has("article", "A title").
		Has("link[href^='/accent/aa0000']", "")
	if a.Header.Get("Cache-Control") != "no-store" || a.Header.Get("X-Robots-Tag") != "noindex" ||
		!strings.HasSuffix(a.Header.Get("Content-Security-Policy"), "frame-ancestors 'self'") ||
		a.Header.Get("X-Frame-Options") != "SAMEORIGIN" {
		t.Errorf("the headers are %v", a.Header)
	}
	if got := s.Data.Settings(); got != before {
		t.Errorf("the settings are %+v, want %+v", got, before)
	}
	s.Anonymous().Get("/").HasNo("html[data-typeface]")
	t.Run("and leaves out what is invalid", func(t *testing.T) {
		admin.Post("/admin/settings/preview", siteForm(admin, "typeface", "book", "accent", "#12")...).Want(200).
			Has("html[data-typeface=book]", "").HasNo("link[href^='/accent/']")
		admin.Post("/admin/settings/preview", siteForm(admin, "typeface", "<nonsense>")...).Want(200).
			HasNo("html[data-typeface]")
	})
	t.Run("and shows pages in frames only there", func(t *testing.T) {
		policy := admin.Get("/admin/settings").Header.Get("Content-Security-Policy")
		if !strings.Contains(policy, "frame-src 'self'") || !strings.Contains(policy, "frame-ancestors 'none'") {
			t.Errorf("the policy is %q", policy)
		}
	})
}

func TestAccentIsExplainedWhileItIsTyped(t *testing.T) {
	s := webtest.NewSite(t)
	admin := s.SignUpAs("quinn", domain.RoleAdministrator)
	for typed, note := range map[string]string{"%23ffff00": "So that text stays readable", "%23ff": "six digits"} {
		if a := admin.Get("/admin/settings/accent?accent=" + typed).Want(200); !strings.Contains(a.Body, note) {
			t.Errorf("%s is explained by %q", typed, a.Body)
		}
	}
}

func TestLogoHasAVariantForDarkColours(t *testing.T) {
	s := webtest.NewSite(t)
	admin := s.SignUpAs("quinn", domain.RoleAdministrator)
	admin.UploadTo("/admin/settings", map[string][]byte{"logo": pngOf(t, 400, 100, color.Black),
		"logoDark": pngOf(t, 400, 100, color.White)},
		siteForm(admin, "name", "Notes", "logo-size", "tall")...).Want(303)
	front := s.Anonymous().Get("/").Has("a.brand .in-light[alt=Notes][width='192'][height='48']", "").
		Has("a.brand .in-dark[alt=Notes][width='192'][height='48']", "")
	for _, scheme := range []string{"light", "dark"} {
		s.Anonymous().Get(front.Page().Find("a.brand .in-"+scheme).AttrOr("src", "")).Want(200)
	}
	admin.Get("/admin/log").Has(".log li:first-child", "Logo for dark colours")
	admin.Post("/admin/settings", siteForm(admin, "logoDark-remove", "yes")...).Want(303)
	s.Anonymous().Get("/").HasNo("a.brand .in-dark").Has("a.brand .logo", "")
}

func TestLinksCanBeInTheHeader(t *testing.T) {
	s := webtest.NewSite(t)
	admin := s.SignUpAs("quinn", domain.RoleAdministrator)
	admin.Post("/admin/settings", siteForm(admin, "link1", "Shop", "link1-address", "https://shop.example/",
		"link1-place", "header", "link2", "Start", "link2-address", "/", "link2-place", "header",
		"link3", "Code", "link3-address", "https://code.example/", "link3-place", "footer")...).Want(303)
	s.Anonymous().Get("/").Has(".page-links a[href='https://shop.example/']", "Shop").
		Has(".page-links a[href='/'][aria-current=page]", "Start").HasNo(".page-links a[href*=code]").
		Has(".footer-links a[href='https://code.example/']", "Code").HasNo(".footer-links a[href*=shop]").
		HasNo("header.site .page-links")
	admin.Post("/admin/settings", siteForm(admin, "link8", "Last", "link8-address", "/about", "link8-place", "header",
		"menu", "header")...).Want(303)
	s.Anonymous().Get("/").Has("header.site .page-links a[href='/about']", "Last")
}

func TestSchemeOfTheSiteIsThatOfTheBrowser(t *testing.T) {
	s := webtest.NewSite(t)
	admin := s.SignUpAs("quinn", domain.RoleAdministrator)
	admin.Post("/admin/settings", siteForm(admin, "scheme", "dark", "scheme-switch", "footer")...).Want(303)
	s.Anonymous().Get("/").Has("html[data-scheme=dark]", "").Has("meta[name=color-scheme][content=dark]", "").
		Has("meta[name=theme-color][content='#16181c'][media=all]", "").
		Has("meta[name=theme-color][content='#fbfaf6'][media='not all']", "").
		Has("footer .scheme-switch[type=button]", "Light or dark").Has("head script[src*=scheme]:not([defer])", "")
}
