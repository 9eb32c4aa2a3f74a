package moderation_test

import (
	"bytes"
	"encoding/json"
	"image"
	"image/color"
	"image/png"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/PuerkitoBio/goquery"

	"inkfeed/domain"
	"inkfeed/web/webtest"
)

// pngOf returns a picture of one colour.
func pngOf(t *testing.T, width, height int, c color.Color) []byte {
	t.Helper()
	img := image.NewPaletted(image.Rect(0, 0, width, height), color.Palette{c})
	var b bytes.Buffer
	if err := png.Encode(&b, img); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// wantPNG checks that an address serves a square PNG of a size.
func wantPNG(t *testing.T, v *webtest.Visitor, address string, side int) {
	t.Helper()
	a := v.Get(address).Want(http.StatusOK)
	img, err := png.Decode(strings.NewReader(a.Body))
	if err != nil || img.Bounds().Size() != image.Pt(side, side) {
		t.Errorf("%s: %v, %v", address, img, err)
	}
	if a.Header.Get("Content-Type") != "image/png" || !strings.Contains(a.Header.Get("Cache-Control"), "immutable") {
		t.Errorf("%s: %v", address, a.Header)
	}
}

func TestSiteHasItsOwnLogoAndIcon(t *testing.T) {
	s := webtest.NewSite(t)
	admin := s.SignUpAs("quinn", domain.RoleAdministrator)
	post := admin.CreatePost("A title", "Some text.")
	anyone := s.Anonymous()
	anyone.Get("/").Want(200).Has("a.brand svg", "").HasNo("a.brand img").Has("link[rel=icon][href='/favicon.svg']", "")

	logo := pngOf(t, 400, 100, color.Black)
	admin.UploadTo("/admin/settings", map[string][]byte{"logo": logo}, siteForm(admin, "name", "Notes")...).
		WantRedirect(303, "/admin/settings?done=yes")
	front := anyone.Get("/").Want(200)
	front.HasNo("a.brand svg").Has("a.brand img[alt=Notes][width='128'][height='32']", "")
	src, _ := front.Page().Find("a.brand img").Attr("src")
	if img, err := png.Decode(strings.NewReader(anyone.Get(src).Want(200).Body)); err != nil ||
		img.Bounds().Size() != image.Pt(384, 96) {
		t.Errorf("the logo is %v, %v", img, err)
	}
	icon := func(rel string) string {
		href, _ := anyone.Get("/").Page().Find("link[rel='" + rel + "']").Last().Attr("href")
		return href
	}
	wantPNG(t, anyone, icon("icon"), 192)
	wantPNG(t, anyone, icon("apple-touch-icon"), 180)

	fromLogo := icon("icon")
	admin.UploadTo("/admin/settings", map[string][]byte{"icon": pngOf(t, 256, 256, color.White)},
		siteForm(admin, "name", "Notes")...).Want(303)
	if icon("icon") == fromLogo {
		t.Error("the icon is still that of the logo")
	}
	anyone.Get("/").Has("a.brand img[src='"+src+"']", "")
	var manifest struct {
		Icons []struct{ Src, Sizes, Purpose string }
	}
	if err := json.Unmarshal([]byte(anyone.Get("/manifest.webmanifest").Want(200).Body), &manifest); err != nil ||
		len(manifest.Icons) != 3 || manifest.Icons[2].Purpose != "maskable" {
		t.Fatalf("%+v, %v", manifest, err)
	}
	for i, side := range []int{192, 512, 512} {
		wantPNG(t, anyone, manifest.Icons[i].Src, side)
	}
	for path, part := range map[string]string{
		"/feed.atom": "<icon>http://example.com" + icon("icon"), "/feed.rss": "<url>http://example.com" + icon("icon"),
		"/feed.json": `"favicon":"http://example.com` + icon("icon"),
		post.Path():  manifest.Icons[1].Src,
		"/oembed?url=" + url.QueryEscape("http://example.com"+post.Path()): manifest.Icons[1].Src,
	} {
		if a := anyone.Get(path).Want(200); !strings.Contains(a.Body, part) {
			t.Errorf("%s does not contain %s", path, part)
		}
	}
	if a := anyone.Get("/feed.atom"); !strings.Contains(a.Body, "<logo>http://example.com"+src) {
		t.Error("the feed has no logo")
	}
	ico := anyone.Get("/favicon.ico").Want(200)
	if !strings.HasPrefix(ico.Body, "\x00\x00\x01\x00\x03\x00") || ico.Header.Get("Content-Type") != "image/x-icon" {
		t.Errorf("the favicon is %.8q, %v", ico.Body, ico.Header)
	}
	anyone.Get("/favicon.svg").WantRedirect(302, icon("icon"))

	admin.Post("/admin/settings", siteForm(admin, "name", "Notes", "logo-remove", "yes", "icon-remove", "yes")...).
		Want(303)
	anyone.Get("/").Has("a.brand svg", "").Has("a.brand", "Notes").Has("link[rel=icon][href='/favicon.svg']", "")
	anyone.Get(src).Want(200) // for pages in caches
}

func TestLogoBesideTheName(t *testing.T) {
	s := webtest.NewSite(t)
	admin := s.SignUpAs("quinn", domain.RoleAdministrator)
	admin.UploadTo("/admin/settings", map[string][]byte{"logo": pngOf(t, 96, 96, color.Black)},
		siteForm(admin, "name", "Notes")...).Want(303)
	s.Anonymous().Get("/").Has("a.brand", "Notes").Has("a.brand img[alt=''][width='32']", "")
	admin.Get("/admin/settings").Has(".current-picture img", "").Has("[name=logo-remove]", "").
		HasNo("[name=icon-remove]")
}

func TestLogoSurvivesItsUploader(t *testing.T) {
	s := webtest.NewSite(t)
	admin := s.SignUpAs("quinn", domain.RoleAdministrator)
	s.SignUpAs("robin", domain.RoleAdministrator)
	admin.UploadTo("/admin/settings", map[string][]byte{"logo": pngOf(t, 96, 96, color.Black)},
		siteForm(admin)...).Want(303)
	admin.Post("/settings/delete", "password", webtest.Password).Want(303)
	s.Data.CatchUp()
	src, _ := s.Anonymous().Get("/").Page().Find("a.brand img").Attr("src")
	s.Anonymous().Get(src).Want(200)
}

func TestUnsuitablePictureComesBackBesideItsField(t *testing.T) {
	s := webtest.NewSite(t)
	admin := s.SignUpAs("quinn", domain.RoleAdministrator)
	good := pngOf(t, 200, 200, color.Black)
	for name, c := range map[string]struct {
		files map[string][]byte
		field string
		error string
	}{
		"a text":      {map[string][]byte{"logo": []byte("text")}, "logo", "isn't a picture"},
		"an SVG":      {map[string][]byte{"logo": []byte("<svg xmlns='http://www.w3.org/2000/svg'/>")}, "logo", "PNG"},
		"a pixel":     {map[string][]byte{"icon": pngOf(t, 1, 1, color.Black), "logo": good}, "icon", "at least 192"},
		"a banner":    {map[string][]byte{"logo": pngOf(t, 2000, 50, color.Black), "icon": good}, "logo", "too wide"},
		"a huge file": {map[string][]byte{"logo": make([]byte, domain.MaxUpload+1)}, "logo", "10 MB"},
	} {
		t.Run(name, func(t *testing.T) {
			admin.UploadTo("/admin/settings", c.files, siteForm(admin, "name", "Typed name", "days", "7")...).Want(422).
				Has("#"+c.field+"-error", c.error).Has("[name=name][value='Typed name']", "").
				Has("[name=days][value='7']", "").HasNo(".current-picture")
			s.Anonymous().Get("/").Has("a.brand svg", "")
		})
	}
	t.Run("a good picture with a bad text", func(t *testing.T) {
		admin.UploadTo("/admin/settings", map[string][]byte{"logo": good},
			siteForm(admin, "days", "many")...).Want(422).
			Has("#days-error", "").Has("#logo-hint", "Choose the file again").HasNo(".current-picture")
		s.Anonymous().Get("/").Has("a.brand svg", "")
	})
}

func TestUnknownPictureOfTheSiteIsNotFound(t *testing.T) {
	s := webtest.NewSite(t)
	hash := strings.Repeat("a", 32)
	for _, file := range []string{hash + "-192.png", hash + "-193.png", hash + ".png", "x-192.png", hash + "-192.svg"} {
		s.Anonymous().Get("/brand/" + file).Want(404)
	}
}

func TestSavingASectionOfTheSettingsLeadsBackToIt(t *testing.T) {
	s := webtest.NewSite(t)
	quinn := s.SignUpAs("quinn", domain.RoleAdministrator)
	quinn.Post("/admin/settings", siteForm(quinn, "section", "links")...).
		WantRedirect(303, "/admin/settings?done=yes#links")
	quinn.Get("/admin/settings").HasNo("form.whole")
	quinn.Post("/admin/settings", siteForm(quinn, "section", "links", "days", "x")...).Want(422).
		Has("form.whole #days[aria-invalid]", "")
}

func TestErrorsOfTheSettingsNameTheirFields(t *testing.T) {
	s := webtest.NewSite(t)
	quinn := s.SignUpAs("quinn", domain.RoleAdministrator)
	a := quinn.Post("/admin/settings", "version", "0", "registration", "ajar", "role", "author", "days", "3",
		"link2", "About", "link2-address", "no address", "featured3", "/posts/none").Want(422).
		Has(".error-summary a[href='#link2-address']", "Address of link 2: Enter a path").
		Has(".error-summary a[href='#featured3']", "Address of featured post 3: There is no public post").
		Has("#link2-address[autofocus][aria-invalid]", "").Has("label[for=featured3]", "Address of featured post 3").
		HasNo("#link2[aria-invalid]")
	a.Page().Find(".error-summary a, .sections a, .room-menu a[href*='#']").Each(func(_ int, link *goquery.Selection) {
		target := strings.TrimPrefix(link.AttrOr("href", ""), "/admin/settings")
		if a.Page().Find(target).Length() != 1 {
			t.Errorf("the link %s leads nowhere", target)
		}
	})
}
