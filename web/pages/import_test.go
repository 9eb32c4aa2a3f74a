package pages_test

import (
	"archive/zip"
	"bytes"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"

	"inkfeed/domain"
	"inkfeed/domain/siteinfo"
	"inkfeed/web/webtest"
)

// upload sends an export to the form that imports pages.
func upload(admin *webtest.Visitor, export string, fields ...string) *webtest.Response {
	admin.T.Helper()
	return admin.Upload("/admin/pages/import", []byte(export), fields...)
}

// pagesOf returns the list of pages.
func pagesOf(s *webtest.Site) siteinfo.Pages {
	s.T.Helper()
	pages, err := s.Data.Store.Pages.Get(s.Data.Context())
	s.Data.Must(err)
	return pages
}

// edited returns an export with a change to each file of texts.
func edited(t *testing.T, export string, change func(name, text string) string) string {
	t.Helper()
	z, err := zip.NewReader(strings.NewReader(export), int64(len(export)))
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	for _, f := range z.File {
		from, err := f.Open()
		if err != nil {
			t.Fatal(err)
		}
		content, err := io.ReadAll(from)
		if err != nil {
			t.Fatal(err)
		}
		to, _ := w.Create(f.Name)
		_, _ = io.WriteString(to, change(f.Name, string(content)))
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func TestPagesMoveToAnotherSite(t *testing.T) {
	one := webtest.NewSite(t)
	ada := one.SignUpAs("ada", domain.RoleAdministrator)
	about := publish(ada, "/us", "About us", "The first text.", "navigation", "yes")
	picture := ada.Upload("/images?of=site", webtest.GreyPNG(t, 5)).Header.Get("Location")
	images, err := one.Data.Store.Images.Of(one.Data.Context(), domain.SiteUserID, 1)
	one.Data.Must(err)
	if len(images.Items) != 1 {
		t.Fatalf("the upload leads to %s", picture)
	}
	text := "The second text. ![A square](" + images.Items[0].Name.Path() + ")"
	ada.Post("/posts/"+about, "title", "About us", "content", text, "revision", "1", "do", "publish").Want(303)
	ada.Post("/admin/pages/"+about, "path", "/club/about", "label", "The club", "navigation", "yes").Want(303)
	ada.Post("/drafts/"+about, "title", "About us", "content", "The third text.", "revision", "2").Want(200)
	draft := add(ada, "/draft", "footer", "yes")
	ada.Post("/drafts/"+draft, "title", "Not yet", "content", "Unfinished.").Want(200)
	add(ada, "/empty")
	first := publish(ada, "/first", "First", "Text.", "navigation", "yes")
	for range 3 {
		ada.Post("/admin/pages/move", "page", first, "to", "up").Want(303)
	}
	ada.UploadTo("/admin/settings", map[string][]byte{"logo": webtest.GreyPNG(t, 200),
		"logoDark": webtest.GreyPNG(t, 100)}, "registration", "closed", "typeface", "slab", "link1-place", "header",
		"role", "author", "days", "3", "version", fmt.Sprint(one.Data.Settings().Version),
		"name", "The Club", "tagline", "Since 1890", "timeZone", "Europe/Prague", "accent", "#1b4b86",
		"css", "a { color: red }",
		"link1", "Source", "link1-address", "https://example.org/").Want(303)
	export := download(ada)

	two := webtest.NewSite(t)
	bob := two.SignUpAs("bob", domain.RoleAdministrator)
	anyone := two.Anonymous()
	imported := upload(bob, export).Want(200).Has("h1", "Import finished").HasNo(".done a[href='/admin/settings']")
	t.Run("with their addresses, links and order", func(t *testing.T) {
		imported.Has("main li a[href='/admin/pages/"+about+"']", "The club")
		var paths []string
		for _, p := range pagesOf(two).List {
			paths = append(paths, p.Path)
		}
		if got := strings.Join(paths, " "); got != "/first /club/about /draft /empty" {
			t.Errorf("the pages are %s", got)
		}
		anyone.Get("/").Has(".page-links li:first-child a[href='/first']", "First").
			Has(".page-links li:last-child a[href='/club/about']", "The club").HasNo("a[href='/draft']")
		anyone.Get("/us").WantRedirect(http.StatusMovedPermanently, "/club/about")
	})
	t.Run("with their texts and pictures", func(t *testing.T) {
		a := anyone.Get("/club/about").Want(200).Has("h1", "About us").Has(".prose", "The second text.")
		src, _ := a.Page().Find(".prose img").Attr("src")
		anyone.Get(src).Want(200)
		bob.Get("/images?of=site").Want(200).Has(".pictures img", "")
	})
	t.Run("with their drafts, unpublished changes and versions", func(t *testing.T) {
		anyone.Get("/draft").Want(404)
		bob.Get("/posts/"+draft+"/edit").Want(200).Has("#content", "Unfinished.")
		bob.Get("/posts/"+about+"/edit").Want(200).Has("#content", "The third text.")
		bob.Get("/posts/"+about+"/versions/1").Want(200).Has("main", "The first text.")
	})
	t.Run("without the settings, unless the administrator wants them too", func(t *testing.T) {
		if got := two.Data.Settings().Info; got.Name != "" || got.Logo.Exists() {
			t.Errorf("the site is %+v", got)
		}
		upload(bob, export, "looks", "yes").Want(200).Has(".done a[href='/admin/settings']", "See the settings")
		got, from := two.Data.Settings(), one.Data.Settings()
		if got.Info.Name != "The Club" || got.Info.Tagline != "Since 1890" || got.Info.TimeZone != "Europe/Prague" ||
			got.Info.Accent != "#1b4b86" || got.Info.CSS != "a { color: red }" ||
			got.Info.Links != from.Info.Links || !got.Info.Logo.Exists() ||
			!got.Info.LogoDark.Exists() || got.Info.Looks != from.Info.Looks || got.Info.Looks.Typeface != "slab" {
			t.Errorf("the site is %+v", got.Info)
		}
		if got.Registration == from.Registration {
			t.Error("the import has changed who may sign up")
		}
		logo, _ := anyone.Get("/").Page().Find("a.brand img").Attr("src")
		anyone.Get(logo).Want(200)
	})
	t.Run("and are in the audit log", func(t *testing.T) {
		bob.Get("/admin/log").Want(200).Has("main", "/club/about").Has("main", "settings")
	})
	t.Run("once, however often the import is repeated", func(t *testing.T) {
		pages, settings := pagesOf(two), two.Data.Settings()
		upload(bob, export, "looks", "yes").Want(200).Has("main tr:last-child", "Already here, unchanged").
			HasNo("#added-title").HasNo("#notes-title")
		if now := pagesOf(two); !now.Equal(pages) || two.Data.Settings() != settings {
			t.Errorf("%+v and %+v became %+v and %+v", pages, settings, now, two.Data.Settings())
		}
		bob.Get("/admin/pages").HasNo("#drafts-title")
	})
	t.Run("and follow later changes there, unless they were changed here", func(t *testing.T) {
		changed := edited(t, export, func(_, text string) string {
			return strings.NewReplacer("The second text.", "The newest text.", "\n\nText.", "\n\nNew text.").
				Replace(text)
		})
		bob.Post("/posts/"+first, "title", "First", "content", "Changed here.", "revision", "1", "do", "publish").
			Want(303)
		upload(bob, changed).Want(200).Has("main", "changed both here and in its source")
		anyone.Get("/club/about").Has(".prose", "The newest text.")
		anyone.Get("/first").Has(".prose", "Changed here.")
	})
	t.Run("and are restored after they were deleted", func(t *testing.T) {
		bob.Post("/admin/pages/" + about + "/delete").Want(303)
		bob.Post("/admin/pages/" + draft + "/delete").Want(303)
		upload(bob, export).Want(200).Has("#added-title", "")
		anyone.Get("/club/about").Want(200).Has(".prose", "The second text.")
		bob.Get("/posts/"+draft+"/edit").Want(200).Has("#content", "Unfinished.")
		upload(bob, export).Want(200).HasNo("#added-title")
	})
	t.Run("once, also when nothing tells any more that they were deleted", func(t *testing.T) {
		two.Data.DeleteItem("posts", about, about) // as if it had expired
		pages := pagesOf(two)
		upload(bob, export).Want(200).HasNo("#added-title")
		if now := pagesOf(two); !now.Equal(pages) {
			t.Errorf("%+v became %+v", pages, now)
		}
	})
	t.Run("also without a text, under an id that can have one", func(t *testing.T) {
		empty, _ := pagesOf(two).At("/empty")
		bob.Post("/posts", "post", empty.PostID, "title", "Full", "content", "Text.", "do", "publish").Want(303)
		bob.Post("/admin/pages/" + empty.PostID + "/delete").Want(303)
		upload(bob, export).Want(200).Has("#added-title", "")
		again, ok := pagesOf(two).At("/empty")
		if !ok {
			t.Fatal("the page was not restored")
		}
		bob.Post("/posts", "post", again.PostID, "title", "Full again", "content", "Text.", "do", "publish").
			WantRedirect(303, "/empty")
		anyone.Get("/empty").Want(200).Has("h1", "Full again")
	})
}

func TestImportedPagesLeaveWhatIsHere(t *testing.T) {
	one := webtest.NewSite(t)
	ada := one.SignUpAs("ada", domain.RoleAdministrator)
	publish(ada, "/about", "About", "Theirs.")
	publish(ada, "/old-post", "A post had this", "Text.")
	export := download(ada)
	two := webtest.NewSite(t)
	bob := two.SignUpAs("bob", domain.RoleAdministrator)
	publish(bob, "/about", "About", "Ours.")
	_, err := two.Data.Store.Redirects.Put(two.Data.Context(),
		domain.Redirect{Path: "/old-post", OwnerID: bob.User.ID, PostID: bob.CreatePost("A post", "Text.").ID})
	two.Data.Must(err)
	upload(bob, export).Want(200).Has("main", "is used by another part of this site")
	for path, text := range map[string]string{"/about": "Ours.", "/about-2": "Theirs.", "/old-post-2": "Text."} {
		two.Anonymous().Get(path).Want(200).Has(".prose", text)
	}
	t.Run("and no page is added beyond the limit", func(t *testing.T) {
		full := webtest.NewSite(t)
		eve := full.SignUpAs("eve", domain.RoleAdministrator)
		for n := range domain.MaxPages - 1 {
			add(eve, fmt.Sprint("/page-", n))
		}
		upload(eve, export).Want(200).Has("main", "the limit of 50 pages is reached")
		if got := len(pagesOf(full).List); got != domain.MaxPages {
			t.Errorf("there are %d pages", got)
		}
		full.Anonymous().Get("/about").Want(200)
		full.Anonymous().Get("/old-post").Want(404)
	})
}

func TestTheFormThatImportsPages(t *testing.T) {
	s := webtest.NewSite(t)
	ada := s.SignUpAs("ada", domain.RoleAdministrator)
	export := download(ada)
	t.Run("refuses what is not an export of pages", func(t *testing.T) {
		ada.CreatePost("A post", "Text.")
		for name, c := range map[string]struct{ file, why string }{
			"an account's export": {ada.Get("/settings/export").Want(200).Body, "with posts"},
			"a broken zip":        {export[:len(export)/2], "damaged or incomplete"},
			"a text":              {"Hello", "neither a zip"},
			"nothing":             {"", "Choose a file"},
		} {
			t.Run(name, func(t *testing.T) {
				a := upload(ada, c.file, "looks", "yes").Want(422).HasFieldError("file", c.why)
				if c.file != "" {
					a.Has("input[name=looks][checked]", "")
				}
			})
		}
		if len(pagesOf(s).List) != 0 {
			t.Error("pages were imported")
		}
	})
	t.Run("is for administrators only", func(t *testing.T) {
		bob := s.SignUpAs("bob", domain.RoleModerator)
		bob.Get("/admin/pages/import").Want(403)
		upload(bob, export).Want(403)
	})
	t.Run("only takes files", func(t *testing.T) {
		ada.Post("/admin/pages/import", "file", "x").Want(http.StatusUnsupportedMediaType)
	})
	t.Run("comes back while the storage is unavailable, and the next import completes the first", func(t *testing.T) {
		one := webtest.NewSite(t)
		carl := one.SignUpAs("carl", domain.RoleAdministrator)
		id := publish(carl, "/about", "About", "Text.")
		export := download(carl)
		two := webtest.NewSite(t)
		dora := two.SignUpAs("dora", domain.RoleAdministrator)
		two.Data.Fail("Posts.Create")
		upload(dora, export).Want(503).Has("main", "The import stopped before it finished")
		two.Data.Recover("Posts.Create")
		upload(dora, export).Want(200)
		two.Anonymous().Get("/about").Want(200).Has(".prose", "Text.")
		if _, ok := pagesOf(two).ByID(id); !ok {
			t.Error("the page has no entry")
		}
		dora.Get("/admin/log").Want(200).Has("main", "/about")
	})
}
