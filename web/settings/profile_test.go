package settings_test

import (
	"image"
	"net/http"
	"strings"
	"testing"

	"inkfeed/domain"
	"inkfeed/web/webtest"
)

// blogFields returns the fields of the form for a profile with two links.
func blogFields(more ...string) []string {
	return append([]string{"bio", "I count.", "blogTitle", "Notes on engines", "writingLanguage", "cs",
		"link1", "Engine", "link1-address", "https://engine.example/@ada",
		"link3", "Mail", "link3-address", "mailto:ada@example.org"}, more...)
}

func TestSettingsOfABlog(t *testing.T) {
	t.Run("give the page a title, links and a language", func(t *testing.T) {
		ada := webtest.NewSite(t).SignUp("ada")
		ada.Post("/settings/profile", blogFields("displayName", "Ada L.")...).Want(http.StatusSeeOther)
		page := ada.Site.Anonymous().Get("/@ada").Want(http.StatusOK)
		page.Has("h1[lang=cs]", "Notes on engines").Has("p.handle", "Ada L. @ada").
			Has(`.profile-links a[rel~=me][href="https://engine.example/@ada"]`, "Engine").
			Has(`.profile-links a[href="mailto:ada@example.org"]`, "Mail").Has("title", "Notes on engines").
			Has(`script[type="application/ld+json"]`, `"sameAs":["https://engine.example/@ada"]`).
			Has(`script[type="application/ld+json"]`, `"inLanguage":"cs","name":"Notes on engines"`)
		if n := page.Page().Find(`link[rel=alternate][title^="Notes on engines"]`).Length(); n != 3 {
			t.Errorf("%d feeds have the title of the blog", n)
		}
		if title := page.Page().Find(`meta[property="og:title"]`).AttrOr("content", ""); title != "Notes on engines" {
			t.Errorf("og:title is %q", title)
		}
		if feed := ada.Site.Anonymous().Get("/@ada/feed.atom").Want(http.StatusOK).Body; !strings.Contains(feed,
			"<title>Notes on engines</title>") {
			t.Errorf("the feed is %s", feed)
		}
		form := ada.Get("/settings/profile")
		if form.Value("link2-address") != "mailto:ada@example.org" || form.Value("writingLanguage") != "cs" {
			t.Errorf("the form has %q", form.Value("link2-address"))
		}
	})
	t.Run("come back with an error beside each field", func(t *testing.T) {
		ada := webtest.NewSite(t).SignUp("ada")
		for _, address := range []string{"javascript:alert(1)", "ftp://x.example", "/path", "//x.example", "x.html",
			"data:text/html,x", "https://", "mailto:", "https://user@x.example", "https://x.example/ y"} {
			page := ada.Post("/settings/profile", blogFields("link4", "Bad", "link4-address", address)...).
				Want(http.StatusUnprocessableEntity).HasFieldError("link4-address", "Enter an email address")
			if page.Value("link4-address") != address || page.Value("blogTitle") != "Notes on engines" {
				t.Errorf("the form has %q", page.Value("link4-address"))
			}
		}
		ada.Post("/settings/profile", blogFields("link1", "Mastodon", "link1-address", "@ada@example.org")...).
			Want(http.StatusUnprocessableEntity).HasFieldError("link1-address", "such as https://example.org/@ada")
		ada.Post("/settings/profile", "bio", "", "blogTitle", strings.Repeat("x", domain.MaxBlogTitle+1),
			"writingLanguage", "my own", "link1", strings.Repeat("é", domain.MaxLinkLabel+1), "link1-address",
			"https://x.example/"+strings.Repeat("x", domain.MaxLinkAddress), "link2", "Only a label",
			"link3-address", "https://only.example").Want(http.StatusUnprocessableEntity).
			HasFieldError("blogTitle", "at most 80 characters").HasFieldError("writingLanguage", "language code").
			HasFieldError("link1", "at most 40 characters").HasFieldError("link1-address", "at most 300 characters").
			HasFieldError("link2-address", "Enter the address").HasFieldError("link3", "Enter a label")
		ada.Get("/@ada").HasNo(".profile-links")
	})
	t.Run("stay as they are when a form has no such fields", func(t *testing.T) {
		ada := webtest.NewSite(t).SignUp("ada")
		ada.Post("/settings/profile", blogFields()...).Want(http.StatusSeeOther)
		ada.Post("/settings/profile", "bio", "Changed.").Want(http.StatusSeeOther)
		ada.Get("/@ada").Has("h1", "Notes on engines").Has(".bio", "Changed.").Has(".profile-links", "Engine")
	})
	t.Run("show the links of a new account as plain text", func(t *testing.T) {
		s := webtest.NewScreeningSite(t)
		s.SignUp("first")
		ada := s.SignUp("ada")
		ada.Post("/settings/profile", blogFields()...).Want(http.StatusSeeOther)
		s.Anonymous().Get("/@ada").Has(".profile-links", "Engine").HasNo(".profile-links a").HasNo(".hold-notice")
		if body := s.Anonymous().Get("/@ada").Body; strings.Contains(body, "engine.example") {
			t.Error("the page has the address of the link")
		}
		ada.Get("/@ada").Has(".hold-notice", "Your account is new").HasNo(".profile-links a")
		s.Trust(ada)
		s.Anonymous().Get("/@ada").Has(`.profile-links a[rel~=me]`, "Engine")
	})
	t.Run("are not shown while the account is suspended", func(t *testing.T) {
		s := webtest.NewSite(t)
		s.SignUp("first")
		ada := s.SignUp("ada")
		ada.Post("/settings/profile", blogFields()...).Want(http.StatusSeeOther)
		s.Suspend(ada)
		if a := s.Anonymous().Get("/@ada").Want(http.StatusNotFound); strings.Contains(a.Body, "engines") {
			t.Error("the page has the title of the blog")
		}
		s.Anonymous().Get("/@ada/feed.atom").Want(http.StatusNotFound)
	})
}

func TestPostsInheritTheLanguageOfTheirAuthor(t *testing.T) {
	s := webtest.NewSite(t)
	ada := s.SignUp("ada")
	p := ada.CreatePost("Xyz", `Qwx "zyx" qyz.`)
	own := ada.CreatePostWith("Zyx", `Wxq "zyx" yzq.`, func(p *domain.Post) { p.Details.Language = "fr" })
	s.Anonymous().Get(p.Path()).Has(".prose", `"zyx"`).HasNo(".prose[lang]")
	ada.Post("/settings/profile", "bio", "", "blogTitle", "", "writingLanguage", "de-AT").Want(http.StatusSeeOther)
	t.Run("with its quotation marks", func(t *testing.T) {
		s.Anonymous().Get(p.Path()).Has(".prose[lang=de-AT]", "„zyx“").Has("h1[lang=de-AT]", "Xyz")
	})
	t.Run("unless they name their own", func(t *testing.T) {
		s.Anonymous().Get(own.Path()).Has(".prose[lang=fr]", "« zyx »")
	})
	t.Run("in lists and feeds of the author", func(t *testing.T) {
		s.Anonymous().Get("/@ada").Has(".posts a[lang=de-AT]", "Xyz").Has(".posts a[lang=fr]", "Zyx")
		s.Anonymous().Get("/@ada/archive").Has("a[lang=de-AT]", "Xyz")
		feed := s.Anonymous().Get("/@ada/feed.json").Want(http.StatusOK).Body
		if !strings.Contains(feed, `"language":"de-AT"`) || !strings.Contains(feed, `"language":"fr"`) ||
			!strings.Contains(feed, "„zyx“") {
			t.Errorf("the feed is %s", feed)
		}
	})
	t.Run("in previews", func(t *testing.T) {
		ada.Post("/preview", "title", "Xyz", "content", `Qwx "zyx" qyz.`).Want(http.StatusOK).
			Has(".prose[lang=de-AT]", "„zyx“")
	})
}

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

func TestProfileLinkMayBeABareEmailAddress(t *testing.T) {
	ada := webtest.NewSite(t).SignUp("ada")
	ada.Post("/settings/profile", "blogTitle", "Notes", "link1", "Mail", "link1-address", "ada@example.org").
		Want(http.StatusSeeOther)
	ada.Site.Anonymous().Get("/@ada").Want(http.StatusOK).Has(`.profile-links a[href="mailto:ada@example.org"]`, "Mail")
}

func TestTheProfileIsNeverChangedForTheNextUser(t *testing.T) {
	s := webtest.NewSite(t)
	ada, ben := s.SignUp("ada"), s.SignUp("ben")
	form := ada.Get("/settings/profile").Want(http.StatusOK)
	userOf := func(a *webtest.Response, action string) string {
		return a.Page().Find(`form[action="`+action+`"] input[name="user"]`).AttrOr("value", "")
	}
	before := s.Data.User(ben.User.ID)
	t.Run("by the form for the profile picture", func(t *testing.T) {
		const path = "/settings/avatar"
		a := ben.Upload(path, webtest.Photo(t, 90, 90), "user", userOf(form, path)).Want(http.StatusForbidden).
			Has(".error-summary", "Another user is logged in")
		if userOf(a, path) != ada.User.ID || userOf(a, "/settings/profile") != ben.User.ID {
			t.Error("a form on the page is for the wrong user")
		}
		ada.Upload(path, webtest.Photo(t, 90, 90), "user", userOf(a, path)).Want(http.StatusSeeOther)
	})
	t.Run("by the button that removes the picture", func(t *testing.T) {
		const path = "/settings/avatar/remove"
		ben.Upload("/settings/avatar", webtest.Photo(t, 80, 80)).Want(http.StatusSeeOther)
		if userOf(ben.Get("/settings/profile"), path) != ben.User.ID {
			t.Error("the form does not name its user")
		}
		ben.Post(path, "user", ada.User.ID).Want(http.StatusForbidden)
		before = s.Data.User(ben.User.ID)
		if before.Avatar == "" {
			t.Error("the picture is gone")
		}
	})
	t.Run("by the form for the texts, which comes back", func(t *testing.T) {
		const path = "/settings/profile"
		a := ben.Post(path, "user", userOf(form, path), "displayName", "Ada", "bio", "I am Ada.").
			Want(http.StatusForbidden).Has(".error-summary", "Another user is logged in").Has("#bio", "I am Ada.")
		if userOf(a, path) != ada.User.ID {
			t.Error("the form is for another user now")
		}
		ada.Post(path, "user", userOf(a, path), "displayName", "Ada", "bio", "I am Ada.").Want(http.StatusSeeOther)
	})
	if now := s.Data.User(ben.User.ID); now.Avatar != before.Avatar || now.Bio != before.Bio ||
		now.DisplayName != before.DisplayName {
		t.Errorf("the profile of the next user is %+v", now)
	}
}

func TestAnExpiredSessionLeavesNoEmptyProfileForm(t *testing.T) {
	s := webtest.NewSite(t)
	ada := s.SignUp("ada")
	ada.WithoutSession().Upload("/settings/avatar", webtest.Photo(t, 90, 90)).Want(http.StatusUnauthorized).
		HasNo(`form[action="/settings/profile"]`)
}
