package settings_test

import (
	"image"
	"net/http"
	"strings"
	"testing"

	"inkfeed/domain"
	"inkfeed/web/webtest"
)

func TestProfileSettings(t *testing.T) {
	t.Run("shows the bio on the author's page", func(t *testing.T) {
		ada := webtest.NewSite(t).SignUp("ada")
		ada.Post("/settings/profile", "bio", "# Me\n\nI *count* <b>much</b>.").
			WantRedirect(http.StatusSeeOther, "/settings/profile?saved=yes")
		ada.Get("/settings/profile?saved=yes").Has(".done", "Profile saved")
		page := ada.Site.Anonymous().Get("/@ada").Want(http.StatusOK)
		page.Has(".bio em", "count").Has(".bio h2", "Me").HasNo(".bio b").HasNo(".bio img")
		page.Has(".profile svg text", "A").HasNo(`.profile a[href="/settings/profile"]`)
		ada.Get("/@ada").Has(`.profile a[href="/settings/profile"]`, "Edit")
	})
	t.Run("shows a bio that is too long again", func(t *testing.T) {
		ada := webtest.NewSite(t).SignUp("ada")
		long := strings.Repeat("é", domain.MaxBio+1)
		page := ada.Post("/settings/profile", "bio", long).Want(http.StatusUnprocessableEntity).
			HasFieldError("bio", "1,001 characters")
		if page.Value("bio") != long {
			t.Errorf("the form has %d bytes of the bio", len(page.Value("bio")))
		}
	})
	t.Run("keeps the bio when the session has expired", func(t *testing.T) {
		ada := webtest.NewSite(t).SignUp("ada")
		page := ada.WithoutSession().Post("/settings/profile", "bio", "I count.").Want(http.StatusUnauthorized)
		if page.Has(`[role="alert"]`, "Your session has expired").Value("bio") != "I count." {
			t.Errorf("the form has the bio %q", page.Value("bio"))
		}
	})
	t.Run("crops the avatar to a square and replaces the former one", func(t *testing.T) {
		ada := webtest.NewSite(t).SignUp("ada")
		for i := range 2 {
			ada.Upload("/settings/avatar", webtest.Photo(t, 900+i, 500)).
				WantRedirect(http.StatusSeeOther, "/settings/profile?avatar=yes")
		}
		ada.Data.CatchUp()
		// one of the files names the owner of the others
		if len(ada.Data.ImageRecords()) != 1 || len(ada.Data.StoredFiles()) != 4 {
			t.Errorf("%d records, %d files", len(ada.Data.ImageRecords()), len(ada.Data.StoredFiles()))
		}
		page := ada.Site.Anonymous().Get("/@ada")
		src := page.Page().Find(".profile img").AttrOr("src", "")
		config, _, err := image.DecodeConfig(strings.NewReader(ada.Get(src).Want(http.StatusOK).Body))
		if err != nil || config.Width != 192 || config.Height != 192 {
			t.Errorf("%s is %dx%d, error %v", src, config.Width, config.Height, err)
		}
		ada.Get("/images").HasNo(".pictures")
	})
	t.Run("removes the avatar", func(t *testing.T) {
		ada := webtest.NewSite(t).SignUp("ada")
		ada.Upload("/settings/avatar", webtest.Photo(t, 90, 90)).Want(http.StatusSeeOther)
		for range 2 { // a double click
			ada.Post("/settings/avatar/remove").WantRedirect(http.StatusSeeOther, "/settings/profile?avatar=yes")
		}
		ada.Data.CatchUp()
		if len(ada.Data.StoredFiles()) > 0 {
			t.Errorf("%d files are left", len(ada.Data.StoredFiles()))
		}
		ada.Get("/@ada").HasNo(".profile img").Has(".profile svg text", "A")
	})
	t.Run("keeps the former avatar until all posts show the new one", func(t *testing.T) {
		ada := webtest.NewSite(t).SignUp("ada")
		path := ada.CreatePost("A title", "Text.").Path()
		ada.Upload("/settings/avatar", webtest.Photo(t, 90, 90)).Want(http.StatusSeeOther)
		ada.Data.StopProjection()
		former := ada.Get(path).Page().Find(".author-line img").AttrOr("src", "")
		ada.Upload("/settings/avatar", webtest.Photo(t, 91, 90)).Want(http.StatusSeeOther)
		ada.Get(ada.Get(path).Page().Find(".author-line img").AttrOr("src", "")).Want(http.StatusOK)
		ada.Data.ResumeProjection()
		ada.Data.CatchUp()
		ada.Get(former).Want(http.StatusNotFound)
		ada.Get(ada.Get(path).Page().Find(".author-line img").AttrOr("src", "")).Want(http.StatusOK)
	})
	t.Run("refuses files that are no pictures", func(t *testing.T) {
		ada := webtest.NewSite(t).SignUp("ada")
		ada.Upload("/settings/avatar", []byte("<svg>")).Want(http.StatusUnsupportedMediaType).
			HasFieldError("file", "JPEG, PNG, GIF or WebP")
		ada.Upload("/settings/avatar", make([]byte, domain.MaxUpload+1)).Want(http.StatusRequestEntityTooLarge).
			HasFieldError("file", "10 MB")
		ada.WithoutSession().Upload("/settings/avatar", webtest.Photo(t, 9, 9)).Want(http.StatusUnauthorized)
	})
	t.Run("keeps the bio when only the avatar is changed", func(t *testing.T) {
		ada := webtest.NewSite(t).SignUp("ada")
		ada.Post("/settings/profile", "bio", "I count.")
		ada.Upload("/settings/avatar", webtest.Photo(t, 90, 90))
		if bio := ada.Get("/settings/profile").Value("bio"); strings.TrimSpace(bio) != "I count." {
			t.Errorf("the bio is %q", bio)
		}
	})
}
