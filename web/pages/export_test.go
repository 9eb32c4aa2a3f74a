package pages_test

import (
	"archive/zip"
	"io/fs"
	"net/http"
	"strings"
	"testing"
	"time"

	"inkfeed/domain"
	"inkfeed/domain/portable"
	"inkfeed/domain/portable/formats"
	"inkfeed/web/webtest"
)

// download returns the export of all pages.
func download(admin *webtest.Visitor) string {
	admin.T.Helper()
	a := admin.Get("/admin/pages/export").Want(http.StatusOK)
	if got := a.Header.Get("Content-Disposition"); !strings.Contains(got, "attachment; filename=inkfeed-pages-") {
		admin.T.Errorf("the content disposition is %s", got)
	}
	if got := a.Header.Get("Cache-Control"); !strings.Contains(got, "no-store") {
		admin.T.Errorf("Cache-Control is %q", got)
	}
	return a.Body
}

// read reads an export as an import would.
func read(t *testing.T, content string) *portable.Blog {
	t.Helper()
	z, err := zip.NewReader(strings.NewReader(content), int64(len(content)))
	if err != nil {
		t.Fatal(err)
	}
	blog, err := formats.Read([]fs.FS{z}, time.Now())
	if err != nil {
		t.Fatal(err)
	}
	if blog.Site == nil || len(blog.Problems) > 0 {
		t.Fatalf("site %v, problems %v", blog.Site, blog.Problems)
	}
	return blog
}

func TestTheExportOfPages(t *testing.T) {
	t.Run("contains their addresses and texts, and what the site says about itself", func(t *testing.T) {
		s := webtest.NewSite(t)
		ada := s.SignUpAs("ada", domain.RoleAdministrator)
		ada.CreatePost("A post", "Not a page.")
		id := publish(ada, "/about", "About", "Text.", "navigation", "yes")
		ada.Post("/admin/pages/"+id, "path", "/club", "label", "The club", "footer", "yes").Want(303)
		add(ada, "/empty")
		settings := s.Data.Settings()
		settings.Info.Name, settings.Info.TimeZone = "The Club", "Europe/Prague"
		_, err := s.Data.Store.Settings.Set(s.Data.Context(), settings)
		s.Data.Must(err)
		blog := read(t, download(ada))
		if len(blog.Posts) != 1 || blog.Posts[0].ID != id || blog.Posts[0].Content != "Text." {
			t.Errorf("the texts are %+v", blog.Posts)
		}
		if blog.Site.Name != "The Club" || blog.Site.TimeZone != "Europe/Prague" {
			t.Errorf("the site is %+v", blog.Site)
		}
		pages := blog.Site.Pages
		if len(pages) != 2 || pages[0].ID != id || pages[0].Path != "/club" || pages[0].Label != "The club" ||
			pages[0].Navigation || !pages[0].Footer || len(pages[0].Former) != 1 || pages[0].Former[0] != "/about" ||
			pages[1].Path != "/empty" {
			t.Errorf("the pages are %+v", pages)
		}
	})
	t.Run("is for administrators only", func(t *testing.T) {
		s := webtest.NewSite(t)
		s.SignUpAs("bob", domain.RoleModerator).Get("/admin/pages/export").Want(403)
		s.SignUpAs("ada", domain.RoleAdministrator).Get("/admin/pages").
			Has(`main a[href="/admin/pages/export"][download]`, "Download all pages")
	})
	t.Run("has no body in the answer to HEAD", func(t *testing.T) {
		s := webtest.NewSite(t)
		a := s.SignUpAs("ada", domain.RoleAdministrator).Send(http.MethodHead, "/admin/pages/export", nil)
		if a.Want(200); a.Body != "" || a.Header.Get("Content-Type") != "application/zip" {
			t.Errorf("the answer has %d bytes of %s", len(a.Body), a.Header.Get("Content-Type"))
		}
	})
	t.Run("fails with 503 if it cannot begin", func(t *testing.T) {
		s := webtest.NewSite(t)
		ada := s.SignUpAs("ada", domain.RoleAdministrator)
		s.Data.Fail("Settings.Get")
		ada.Get("/admin/pages/export").Want(503)
	})
}
