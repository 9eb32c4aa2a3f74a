package commands

import (
	"bytes"
	"errors"
	"image"
	"image/png"
	"mime/multipart"
	"net/http"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"inkfeed/domain"
	"inkfeed/domain/siteinfo"
	"inkfeed/web/cli/systemtest/harness"
)

// addSiteContent gives a blog a published static page, a logo, and a pinned post: the newest one. It returns the author
// and the title of that post.
func addSiteContent(t *testing.T, env map[string]string) (author, pinned string) {
	t.Helper()
	store, closeStore := harness.OpenStore(t, env)
	defer closeStore()
	ctx := t.Context()
	check := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	text, err := store.Drafts.Publish(ctx, domain.SiteUser(), domain.Draft{PostID: domain.NewPageID(),
		Title: "About us", Content: "We sail.", Details: domain.Details{Language: "en"}}, time.Now())
	check(err)
	_, err = store.Pages.Change(ctx, func(pages siteinfo.Pages) (siteinfo.Pages, error) {
		return domain.PutPage(pages, siteinfo.StaticPage{PostID: text.ID, Path: "/about", Footer: true})
	})
	check(err)
	_, err = store.Pages.Refresh(ctx, text)
	check(err)

	settings, err := store.Settings.Get(ctx)
	check(err)
	content := domain.NewSitePicture(logoFile(t))
	settings.NewRole = domain.RoleAuthor
	settings.Info.Logo = siteinfo.Picture{Hash: content.Hash, Width: 100, Height: 50}
	_, err = store.Settings.Set(ctx, settings, content)
	check(err)

	front, err := store.Feed.FrontPage(ctx, 1)
	check(err)
	newest := front.Items[0]
	check(store.Profiles.Pin(ctx, newest.AuthorID, newest.PostID, nil))
	u, err := store.Users.ByID(ctx, newest.AuthorID)
	check(err)
	return u.Username, newest.Title
}

func logoFile(t *testing.T) []byte {
	t.Helper()
	var logo bytes.Buffer
	if err := png.Encode(&logo, image.NewGray(image.Rect(0, 0, 100, 50))); err != nil {
		t.Fatal(err)
	}
	return logo.Bytes()
}

// TestSiteContentSurvives checks what belongs to the site, beside the posts, after the commands that rewrite data.
func TestSiteContentSurvives(t *testing.T) {
	t.Parallel()
	env := map[string]string{"INKFEED_DATA": t.TempDir()}
	harness.RunCommand(t, env, "seed", "--users", "1")
	author, title := addSiteContent(t, env)
	harness.Verify(t, env, "--wait")
	wantContent := func(t *testing.T, env map[string]string) {
		t.Helper()
		base, stop := harness.Serve(t, env, "--addr", "127.0.0.1:0")
		defer stop()
		v := harness.NewVisitor(t, base)
		about := v.Get("/about") // the server knows the pages from its start
		if got := harness.Text(about.Find("h1")); about.Status != http.StatusOK || got != "About us" {
			t.Errorf("the static page has status %d and the title %q", about.Status, got)
		}
		if link := harness.Text(about.Find(".footer-links a[href='/about']")); link != "About us" {
			t.Errorf("the link in the footer is %q", link)
		}
		logo := about.Find("a.brand img").AttrOr("src", "/no-logo")
		if p := v.Get(logo); p.Status != http.StatusOK {
			t.Errorf("the logo %s has status %d", logo, p.Status)
		}
		if pinned := harness.Text(v.Get("/@" + author).Find(".pinned h2 a").First()); pinned != title {
			t.Errorf("the first pinned post is %q, want %q", pinned, title)
		}
	}
	t.Run("a backup and its restoration", func(t *testing.T) {
		file := filepath.Join(t.TempDir(), "blog.backup")
		harness.RunCommand(t, env, "backup", file)
		restored := map[string]string{"INKFEED_DATA": filepath.Join(t.TempDir(), "data")}
		harness.RunCommand(t, restored, "restore", file)
		harness.Verify(t, restored)
		wantContent(t, restored)
	})
	t.Run("a rebuild, which repairs the titles that links show", func(t *testing.T) {
		harness.Tamper(t, env, func(d *harness.Database) {
			list := onlyOne(d, "moderation", "c.id = 'pages'")
			list["pages"].([]any)[0].(map[string]any)["title"] = "Something else"
			d.Put("moderation", list)
		})
		if out, err := harness.Try(t, env, "verify"); err == nil || !strings.Contains(out, `"Something else"`) {
			t.Errorf("verify does not find a wrong title: %s (%v)", out, err)
		}
		harness.RunCommand(t, env, "rebuild")
		harness.Verify(t, env)
		wantContent(t, env)
	})
	t.Run("but verify finds a logo without its picture", func(t *testing.T) {
		harness.Tamper(t, env, func(d *harness.Database) {
			picture := d.Find("moderation", "c.type = 'site-picture'")
			if len(picture) != 1 {
				t.Fatalf("there are %d pictures", len(picture))
			}
			d.Delete("moderation", picture[0])
		})
		if out, err := harness.Try(t, env, "verify"); err == nil || !strings.Contains(out, "picture") {
			t.Errorf("verify does not find the missing picture: %s (%v)", out, err)
		}
	})
}

func TestWhatTheSiteSaysAboutItselfChangesOnEveryServer(t *testing.T) {
	t.Parallel()
	env := harness.OnEngine(t)
	one, _ := harness.Serve(t, env, "--addr", "127.0.0.1:0")
	two, _ := harness.Serve(t, env, "--addr", "127.0.0.1:0")
	admin, reader := harness.NewVisitor(t, one), harness.NewVisitor(t, two)
	admin.SignUp("ada")
	logo := func() string { return reader.Get("/").Find("a.brand img").AttrOr("src", "") }
	if src := logo(); src != "" {
		t.Fatalf("a new site has the logo %s", src)
	}
	reader.Get("/feed.atom") // both are in the reader's cache now
	var body bytes.Buffer
	form := multipart.NewWriter(&body)
	version := admin.Get("/admin/settings").Find("[name=version]").AttrOr("value", "")
	for name, value := range map[string]string{"version": version, "registration": "open", "role": "author",
		"days": "3", "name": "The Reading Circle", "description": "Books and tea.",
		"footer": "Since 1998.",
		"link1":  "Library", "link1-address": "https://library.example/"} {
		if err := form.WriteField(name, value); err != nil {
			t.Fatal(err)
		}
	}
	part, err := form.CreateFormFile("logo", "logo.png")
	if err == nil {
		_, err = part.Write(logoFile(t))
	}
	if err := errors.Join(err, form.Close()); err != nil {
		t.Fatal(err)
	}
	p, err := admin.Ask(http.MethodPost, "/admin/settings", body.String(), http.Header{
		"Content-Type": {form.FormDataContentType()}, "Sec-Fetch-Site": {"same-origin"}})
	if err != nil || p.Status != http.StatusOK {
		t.Fatalf("the new logo is answered with %d (%v)", p.Status, err)
	}
	harness.Eventually(t, "the other server shows the logo", func() bool { return logo() != "" })
	front, feed := reader.Get("/"), reader.Get("/feed.atom")
	for _, part := range []struct{ what, found, want string }{
		{"title", front.Find("title").Text(), "The Reading Circle"},
		{"description of the feed", feed.Find("feed > subtitle").Text(), "Books and tea."},
		{"footer", front.Find("footer").Text(), "Since 1998."},
		{"link of the footer", front.Find("footer a[href='https://library.example/']").Text(), "Library"},
		{"title of the feed", feed.Find("feed > title").Text(), "The Reading Circle"},
	} {
		if !strings.Contains(part.found, part.want) {
			t.Errorf("the %s is %q on the other server, want %q", part.what, part.found, part.want)
		}
	}
	if p := reader.Get(logo()); p.Status != http.StatusOK {
		t.Errorf("the logo has status %d on the other server", p.Status)
	}
}

// An earlier release stored no languages of static pages, by which links to them get their attribute lang.
func TestRebuildAddsTheLanguagesOfStaticPages(t *testing.T) {
	t.Parallel()
	env := map[string]string{"INKFEED_DATA": t.TempDir()}
	harness.RunCommand(t, env, "seed", "--users", "1")
	addSiteContent(t, env)
	language := func(change func(siteinfo.Pages) (siteinfo.Pages, error)) string {
		t.Helper()
		store, closeStore := harness.OpenStore(t, env)
		defer closeStore()
		pages, err := store.Pages.Change(t.Context(), change)
		if err != nil {
			t.Fatal(err)
		}
		return pages.List[0].Language
	}
	language(func(pages siteinfo.Pages) (siteinfo.Pages, error) {
		pages.List = slices.Clone(pages.List)
		pages.List[0].Language = ""
		return pages, nil
	})
	harness.RunCommand(t, env, "rebuild", "--projector", "posts")
	unchanged := func(pages siteinfo.Pages) (siteinfo.Pages, error) { return pages, nil }
	if got := language(unchanged); got != "en" {
		t.Errorf("the language of the page is %q", got)
	}
}
