package moderation_test

import (
	"net/http"
	"strings"
	"testing"

	"inkfeed/domain"
	"inkfeed/domain/siteinfo"
	"inkfeed/web/site"
	"inkfeed/web/webtest"
)

const redLinks = "a {\n\tcolor: #a00;\n}"

// wantTyped checks the text in the field, with its lines.
func wantTyped(t *testing.T, page *webtest.Response, want string) {
	t.Helper()
	if got := page.Page().Find("textarea#css").Text(); got != want {
		t.Errorf("the field has %q, want %q", got, want)
	}
}

func TestCustomCSSIsOnThePagesThatEveryoneCanRead(t *testing.T) {
	s := webtest.NewSite(t)
	admin := s.SignUpAs("quinn", domain.RoleAdministrator)
	post := admin.CreatePost("A title", "Text.").Path()
	s.Anonymous().Get("/").HasNo("#Page-css")
	admin.Post("/admin/settings", siteForm(admin, "css", strings.ReplaceAll(redLinks, "\n", "\r\n")+"\r\n")...).
		WantRedirect(303, "/admin/settings?done=yes")
	wantTyped(t, admin.Get("/admin/settings").HasNo("#Page-css"), redLinks)
	admin.Get("/admin/log").Has(".log li:first-child", "Custom CSS")
	for _, path := range []string{"/", post, "/search?q=title", "/@quinn"} {
		s.Anonymous().Get(path).Has("head link#Page-css[rel=stylesheet]", "")
		admin.Get(path).Has("head link#Page-css[rel=stylesheet]", "")
	}
	for _, path := range []string{"/login", "/signup", "/missing"} {
		s.Anonymous().Get(path).HasNo("#Page-css")
	}
	t.Run("at an address that browsers keep for ever", func(t *testing.T) {
		sheet := s.Anonymous().Get(siteinfo.CSSAddress(redLinks)).Want(http.StatusOK)
		if sheet.Body != redLinks || sheet.Header.Get("Content-Type") != "text/css; charset=utf-8" ||
			sheet.Header.Get("Cache-Control") != site.CacheForever {
			t.Errorf("%q has the headers %v", sheet.Body, sheet.Header)
		}
	})
	t.Run("and not kept at the address of other CSS, whose settings have not arrived yet", func(t *testing.T) {
		sheet := s.Anonymous().Get(siteinfo.CSSAddress("other")).Want(http.StatusOK)
		if sheet.Body != redLinks || sheet.Header.Get("Cache-Control") != site.CacheNever {
			t.Errorf("%q has the headers %v", sheet.Body, sheet.Header)
		}
	})
	t.Run("until it is undone", func(t *testing.T) {
		version := admin.Get("/admin/settings").Has("button[form=restore]", "Restore").Value("version")
		admin.Post("/admin/settings/look/restore", "version", version).Want(303)
		s.Anonymous().Get("/").HasNo("#Page-css")
		if got := s.Anonymous().Get(siteinfo.CSSAddress(redLinks)).Want(http.StatusOK).Body; got != "" {
			t.Errorf("the sheet is still %q", got)
		}
		version = admin.Get("/admin/settings").Value("version")
		admin.Post("/admin/settings/look/restore", "version", version).Want(303)
		s.Anonymous().Get("/").Has("#Page-css", "")
	})
}

func TestRefusedCSSComesBackWithItsLine(t *testing.T) {
	s := webtest.NewSite(t)
	admin := s.SignUpAs("quinn", domain.RoleAdministrator)
	const typed = "\na {\n\tb: c\n}\n@import '//evil.example/';"
	wantTyped(t, admin.Post("/admin/settings", siteForm(admin, "css", typed, "tagline", "Typed")...).Want(422).
		Has("#css-error", "Line 5: “@import” isn't allowed here.").
		Has(".error-summary a[href='#css']", "Custom CSS: Line 5").Has("[name=tagline][value=Typed]", ""), typed)
	admin.Post("/admin/settings", siteForm(admin, "css", strings.Repeat("a{} ", 6000))...).Want(422).
		Has("#css-error", "Use at most 20 KB.")
	if got := s.Data.Settings().Info.CSS; got != "" {
		t.Errorf("the CSS is %q", got)
	}
}

func TestConflictShowsTheOtherCSS(t *testing.T) {
	s := webtest.NewSite(t)
	admin := s.SignUpAs("quinn", domain.RoleAdministrator)
	mine, theirs := siteForm(admin, "css", "b {}"), siteForm(admin, "css", redLinks)
	admin.Post("/admin/settings", theirs...).Want(303)
	wantTyped(t, admin.Post("/admin/settings", mine...).Want(http.StatusConflict).Has(".conflict dt", "Custom CSS").
		Has(".conflict dd", "a { color: #a00; }"), "b {}")
}

func TestAdministratorsSeePagesWithoutCustomCSSInSafeMode(t *testing.T) {
	s := webtest.NewSite(t)
	admin := s.SignUpAs("quinn", domain.RoleAdministrator)
	post := admin.CreatePost("A title", "Text.").Path()
	admin.Get("/?safe").HasNo(".safe-notice") // there is nothing to leave out
	admin.Post("/admin/settings", siteForm(admin, "css", redLinks)...).Want(303)
	admin.Get("/admin/settings").Has("#css-hint a[href='/?safe']", "")
	ada := s.SignUp("ada")
	for _, path := range []string{"/?safe", post + "?safe", "/search?q=title&safe"} {
		a := admin.Get(path).Want(200).HasNo("#Page-css").Has(".safe-notice a[href='/admin/settings#css']", "")
		if got := a.Header.Get("Cache-Control"); got != site.CachePersonal {
			t.Errorf("Cache-Control of %s is %q", path, got)
		}
		s.Anonymous().Get(path).Has("#Page-css", "").HasNo(".safe-notice")
		ada.Get(path).Has("#Page-css", "").HasNo(".safe-notice")
	}
	admin.Get(post).Has("#Page-css", "").HasNo(".safe-notice")
}

func TestPreviewLinksToAcceptedCSSOnly(t *testing.T) {
	s := webtest.NewSite(t)
	admin := s.SignUpAs("quinn", domain.RoleAdministrator)
	preview := func(changes ...string) *webtest.Response {
		t.Helper()
		return admin.Post("/admin/settings/preview", siteForm(admin, changes...)...).Want(200)
	}
	preview("css", redLinks).Has("#Page-css[href='"+siteinfo.CSSAddress(redLinks)+"']", "")
	preview("css", redLinks, "accent", "#12").Has("#Page-css", "")
	preview("css", "a { b: url(//evil.example/) }").HasNo("#Page-css")
	preview("css", "a {", "typeface", "book").HasNo("#Page-css").HasNo("html[data-typeface=serif]")
}
