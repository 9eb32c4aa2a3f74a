package reading_test

import (
	"image"
	"net/http"
	"strings"
	"testing"

	"inkfeed/domain"
	"inkfeed/web/webtest"
)

// forgetOwner deletes the file with the owner of a picture, as for pictures from before such files existed.
func forgetOwner(d *webtest.Database, picture string) {
	d.T.Helper()
	name, ok := domain.ParseImageName(picture)
	if !ok {
		d.T.Fatalf("%q is not the name of a picture", picture)
	}
	d.Must(d.Files.Disk.Delete(d.Context(), name.OwnerFile()))
}

func TestPicturesAreServed(t *testing.T) {
	ada := webtest.NewSite(t).SignUp("ada")
	url := ada.Scripted().Upload("/images", webtest.Photo(t, 600, 300)).JSON().URL
	visitor := ada.Site.Anonymous()
	t.Run("with headers for caching and against scripts", func(t *testing.T) {
		a := visitor.Get(url).Want(http.StatusOK)
		for name, want := range map[string]string{
			"Content-Type":                 "image/jpeg",
			"Cache-Control":                "public, max-age=31536000, s-maxage=3600, immutable",
			"X-Content-Type-Options":       "nosniff",
			"Content-Security-Policy":      "default-src 'none'; sandbox; frame-ancestors 'none'",
			"Cross-Origin-Resource-Policy": "cross-origin",
			"Accept-Ranges":                "bytes",
			"Content-Encoding":             "",
		} {
			if got := a.Header.Get(name); got != want {
				t.Errorf("%s is %q, want %q", name, got, want)
			}
		}
		if config, format, err := image.DecodeConfig(strings.NewReader(a.Body)); err != nil || format != "jpeg" ||
			config.Width != 600 {
			t.Errorf("the picture is a %s of %d pixels, error %v", format, config.Width, err)
		}
	})
	t.Run("as SVG without scripts", func(t *testing.T) {
		svg := `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 40 20"><script>alert(1)</script>` +
			`<style>rect { fill: red }</style><rect width="9" height="9"/></svg>`
		url := ada.Scripted().Upload("/images", []byte(svg)).Want(http.StatusCreated).JSON().URL
		a := visitor.Get(url).Want(http.StatusOK)
		for name, want := range map[string]string{
			"Content-Type":            "image/svg+xml",
			"X-Content-Type-Options":  "nosniff",
			"Content-Security-Policy": "default-src 'none'; sandbox; frame-ancestors 'none'; style-src 'unsafe-inline'",
		} {
			if got := a.Header.Get(name); got != want {
				t.Errorf("%s is %q, want %q", name, got, want)
			}
		}
		if strings.Contains(a.Body, "script") || !strings.Contains(a.Body, "<rect ") ||
			!strings.HasSuffix(url, "-40x20.svg") {
			t.Errorf("%s is %s", url, a.Body)
		}
	})
	t.Run("in each width", func(t *testing.T) {
		name, _ := domain.ParseImagePath(url)
		a := visitor.Get("/media/" + name.Variant(480)).Want(http.StatusOK)
		if config, _, err := image.DecodeConfig(strings.NewReader(a.Body)); err != nil || config.Width != 480 ||
			config.Height != 240 {
			t.Errorf("the picture is %dx%d, error %v", config.Width, config.Height, err)
		}
		visitor.Get("/media/" + name.Variant(960)).Want(http.StatusNotFound)
	})
	t.Run("in the next wider size if an older picture has no file of a width", func(t *testing.T) {
		name, _ := domain.ParseImagePath(ada.Scripted().Upload("/images", webtest.Photo(t, 500, 250)).JSON().URL)
		ada.Data.Must(ada.Data.Files.Disk.Delete(ada.Data.Context(), name.Variant(240)))
		a := visitor.Get("/media/" + name.Variant(240)).Want(http.StatusOK)
		if config, _, err := image.DecodeConfig(strings.NewReader(a.Body)); err != nil || config.Width != 480 {
			t.Errorf("the picture is %d pixels wide, error %v", config.Width, err)
		}
	})
	t.Run("with 304 for a matching entity tag", func(t *testing.T) {
		again := *visitor
		again.Header = http.Header{"If-None-Match": {visitor.Get(url).Header.Get("ETag")}}
		if a := again.Get(url).Want(http.StatusNotModified); a.Body != "" {
			t.Errorf("the body has %d bytes", len(a.Body))
		}
	})
	t.Run("in byte ranges", func(t *testing.T) {
		part := *visitor
		part.Header = http.Header{"Range": {"bytes=0-2"}}
		if a := part.Get(url).Want(http.StatusPartialContent); a.Body != "\xff\xd8\xff" {
			t.Errorf("the body is %q", a.Body)
		}
	})
	t.Run("without a body for HEAD", func(t *testing.T) {
		if a := visitor.Send(http.MethodHead, url, nil).Want(http.StatusOK); a.Body != "" ||
			a.Header.Get("Content-Length") == "" {
			t.Errorf("the body has %d bytes, Content-Length is %q", len(a.Body), a.Header.Get("Content-Length"))
		}
	})
	t.Run("only to moderators and without caching while their owner is suspended", func(t *testing.T) {
		mod := ada.Site.SignUp("molly")
		ada.Site.SetRole(mod, domain.RoleModerator)
		ada.Site.SetSuspended(ada, true)
		cacheControl := func(a *webtest.Response) string { return a.Header.Get("Cache-Control") }
		if a := visitor.Get(url).Want(http.StatusNotFound); cacheControl(a) != "no-store" {
			t.Errorf("the 404 may be cached: %q", cacheControl(a))
		}
		ada.Site.SignUp("ben").Get(url).Want(http.StatusNotFound)
		if a := mod.Get(url).Want(http.StatusOK); cacheControl(a) != "no-store" {
			t.Errorf("the response to a moderator may be cached: %q", cacheControl(a))
		}
		ada.Site.SetSuspended(ada, false)
		visitor.Get(url).Want(http.StatusOK)
	})
	t.Run("not even to moderators after their owner has deleted the account", func(t *testing.T) {
		ben, mod := ada.Site.SignUp("benjamin"), ada.Site.SignUp("mona")
		ada.Site.SetRole(mod, domain.RoleModerator)
		other := ben.Scripted().Upload("/images", webtest.Photo(t, 45, 30)).JSON().URL
		visitor.Get(other).Want(http.StatusOK)
		ada.Data.StopProjection() // which deletes the picture
		defer ada.Data.ResumeProjection()
		ada.Data.Must(ada.Data.Store.AccountDeletions.Delete(ada.Data.Context(), ben.User.ID))
		visitor.Get(other).Want(http.StatusNotFound)
		mod.Get(other).Want(http.StatusNotFound)
	})
	t.Run("without a query over all partitions for their owner", func(t *testing.T) {
		other := ada.Scripted().Upload("/images", webtest.Photo(t, 50, 30)).JSON().URL
		asked := ada.Data.Calls("Images.Owner")
		ada.Site.SetSuspended(ada, true)
		defer ada.Site.SetSuspended(ada, false)
		visitor.Get(other).Want(http.StatusNotFound)
		visitor.Get(other + ".owner").Want(http.StatusNotFound)
		if ada.Data.Calls("Images.Owner") != asked {
			t.Error("the owner was queried")
		}
	})
	t.Run("with a query for the owner of older pictures", func(t *testing.T) {
		older := ada.Scripted().Upload("/images", webtest.Photo(t, 40, 30)).JSON().URL
		forgetOwner(ada.Data, strings.TrimPrefix(older, domain.MediaPrefix))
		ada.Site.SetSuspended(ada, true)
		defer ada.Site.SetSuspended(ada, false)
		visitor.Get(older).Want(http.StatusNotFound)
	})
	t.Run("also when the owner cannot be read", func(t *testing.T) {
		other := ada.Scripted().Upload("/images", webtest.Photo(t, 60, 30)).JSON().URL
		forgetOwner(ada.Data, strings.TrimPrefix(other, domain.MediaPrefix))
		ada.Data.Fail("Images.Owner")
		defer ada.Data.Recover("Images.Owner")
		visitor.Get(other).Want(http.StatusOK)
	})
	t.Run("with 404 if they do not exist", func(t *testing.T) {
		for _, path := range []string{
			"/media/", "/media/x.jpg", "/media/..%2f..%2fgo.mod", "/media/" + domain.NewID() + "-5x5.png",
		} {
			visitor.Get(path).Want(http.StatusNotFound)
		}
	})
	t.Run("with 503 if the files cannot be read", func(t *testing.T) {
		ada.Data.Fail("Files.Open")
		visitor.Get(url).Want(http.StatusServiceUnavailable)
		ada.Data.Recover("Files.Open")
	})
}
