package moderation_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"inkfeed/domain"
	"inkfeed/web/webtest"
)

func TestNewAccountsHaveCommentsWithLinksHeld(t *testing.T) {
	s := webtest.NewScreeningSite(t)
	ada, bob, eve, mod := s.SignUp("ada"), s.SignUp("bob"), s.SignUp("eve"), moderator(s, "max")
	p := ada.CreatePost("A title", "Some text.")
	path := "/posts/" + p.ID + "/comments"
	last := func() domain.Comment {
		list := s.Data.Comments(p.ID)
		return list[len(list)-1]
	}
	t.Run("publishes a comment without links to other sites", func(t *testing.T) {
		bob.Post(path, "content", "No [link](/posts/x).").Want(http.StatusSeeOther)
		s.Anonymous().Get(p.Path()).Has("#Page-comments-title", "1 comment").Has("#comment-"+last().ID, "No link.")
	})
	for name, send := range map[string]func() *webtest.Response{
		"sent by a form": func() *webtest.Response { return bob.Post(path, "content", webtest.SpamText) },
		"sent by htmx": func() *webtest.Response {
			a := bob.HTMX().Post(path, "content", webtest.SpamText+" Really.").Want(http.StatusOK)
			return a.Has(`hx-partial[hx-target="#Page-comment-status"]`, "n review").
				Has(`hx-partial[hx-target="#Page-comments-title"]`, "1 comment")
		},
		"sent as a reply": func() *webtest.Response {
			return bob.Post(path, "content", webtest.SpamText+" Indeed.", "parent", s.Data.Comments(p.ID)[0].ID)
		},
	} {
		t.Run("holds a comment "+name+" and tells its author", func(t *testing.T) {
			send()
			c := last()
			if c.Held != domain.HeldForReview {
				t.Fatalf("held as %q", c.Held)
			}
			for _, v := range []*webtest.Visitor{bob, mod} {
				v.Get(p.Path()).Has("#comment-"+c.ID+" .hold-notice", "In review")
			}
			for _, v := range []*webtest.Visitor{s.Anonymous(), eve, ada} {
				v.Get(p.Path()).Has("#Page-comments-title", "1 comment").HasNo("#comment-" + c.ID)
			}
		})
	}
	t.Run("holds a comment whose edit adds a link", func(t *testing.T) {
		for i, v := range []*webtest.Visitor{bob, bob.HTMX()} {
			bob.Post(path, "content", "Harmless.").Want(http.StatusSeeOther)
			c := last()
			s.Anonymous().Get(p.Path()).Has("#comment-"+c.ID, "Harmless.")
			a := v.Post(path+"/"+c.ID+"/edit", "content", webtest.SpamText, "began", "")
			if i == 1 {
				a.Want(http.StatusOK).Has(".hold-notice", "In review").
					Has(`hx-partial[hx-target="#Page-comments-title"]`, "1 comment")
			}
			s.Anonymous().Get(p.Path()).Has("#Page-comments-title", "1 comment").HasNo("#comment-" + c.ID)
		}
	})
	t.Run("keeps the text when the settings cannot be read", func(t *testing.T) {
		s.Data.Fail("Settings.Get")
		defer s.Data.Recover("Settings.Get")
		n := len(s.Data.Comments(p.ID))
		bob.Post(path, "content", webtest.SpamText).Want(http.StatusServiceUnavailable).
			Has("textarea", webtest.SpamText)
		bob.Post(path, "content", "Just text.").Want(http.StatusSeeOther)
		if len(s.Data.Comments(p.ID)) != n+1 {
			t.Error("a comment with a link was stored")
		}
	})
	t.Run("publishes an approved comment and holds no more of its author", func(t *testing.T) {
		c := s.Data.Comments(p.ID)[1]
		mod.Post(path+"/"+c.ID+"/moderate", "do", "approve", "version", "0", "text", "unedited").
			Want(http.StatusSeeOther)
		s.Anonymous().Get(p.Path()).Has("#comment-"+c.ID, "spam.example")
		bob.Post(path, "content", "Another https://bob.example/").Want(http.StatusSeeOther)
		if c := last(); c.Held != domain.NotHeld {
			t.Errorf("held as %q", c.Held)
		}
	})
}

func TestNewAccountsHavePostsWithLinksHeld(t *testing.T) {
	s := webtest.NewScreeningSite(t)
	ada := s.SignUp("ada")
	publish := func(fields ...string) domain.Post {
		t.Helper()
		to := ada.Post("/posts", append([]string{
			"post", domain.NewID(), "revision", "0", "version", "0", "do", "publish",
			"title", "A title", "content", "Text.",
		}, fields...)...).Want(http.StatusSeeOther).Header.Get("Location")
		return s.Data.Post(strings.Split(to, "/")[2])
	}
	for name, fields := range map[string][]string{
		"text":  {"content", webtest.SpamText},
		"title": {"title", "www.spam.example"},
		"tags":  {"tags", "www.spam.example"},
	} {
		t.Run("holds a link in the "+name, func(t *testing.T) {
			p := publish(fields...)
			ada.Get(p.Path()).Want(http.StatusOK).Has(".hold-notice", "n review")
			s.Anonymous().Get(p.Path()).Want(http.StatusNotFound)
		})
	}
	t.Run("holds an unlisted post", func(t *testing.T) {
		if p := publish("content", webtest.SpamText, "status", "unlisted"); p.Held != domain.HeldForReview {
			t.Errorf("held as %q", p.Held)
		}
	})
	t.Run("holds a post whose edit adds a link", func(t *testing.T) {
		p := publish()
		s.Anonymous().Get(p.Path()).Want(http.StatusOK)
		ada.Post("/posts/"+p.ID, "title", "A title", "content", webtest.SpamText, "revision", "1", "version", "0", "do",
			"publish").Want(http.StatusSeeOther)
		s.Anonymous().Get(p.Path()).Want(http.StatusNotFound)
	})
	t.Run("publishes an edit that adds no link", func(t *testing.T) {
		p := publish("content", webtest.SpamText)
		_, err := s.Data.Store.Posts.Release(t.Context(), p.ID, p.Revision)
		s.Data.Must(err)
		ada.Post("/posts/"+p.ID, "title", "Another title", "content", webtest.SpamText+" More.", "revision", "1",
			"version", "0", "do", "publish").Want(http.StatusSeeOther)
		s.Anonymous().Get(p.Path()).WantRedirect(http.StatusMovedPermanently, "/posts/"+p.ID+"/another-title")
	})
	t.Run("publishes links of accounts that are no longer new", func(t *testing.T) {
		s.Data.ChangeUser(ada.User.ID,
			func(item map[string]any) { item["creationDate"] = ada.User.Created.Add(-4 * 24 * time.Hour) })
		if p := publish("content", webtest.SpamText); p.Held != domain.NotHeld {
			t.Errorf("a post of an old account is held as %q", p.Held)
		}
	})
}

func TestNewAccountsHavePlainTextLinksInTheirProfile(t *testing.T) {
	s := webtest.NewScreeningSite(t)
	ada := s.SignUp("ada")
	ada.Post("/settings/profile", "bio", "I am *Ada*, see [my site](https://ada.example/) and https://x.example").
		Want(http.StatusSeeOther)
	for _, v := range []*webtest.Visitor{ada, s.Anonymous()} {
		v.Get("/@ada").Want(http.StatusOK).Has(".bio", "I am Ada, see my site and https://x.example").
			Has(".bio em", "Ada").HasNo(".bio a")
	}
	ada.Get("/@ada").Has(`[role="note"]`, "links here appear as plain text")
	s.Anonymous().Get("/@ada").HasNo(`[role="note"]`)
	s.Trust(ada)
	s.Anonymous().Get("/@ada").Has(`.bio a[href="https://ada.example/"]`, "my site")
}

func TestInvitedAccountsAreTrustedUnlessSetOtherwise(t *testing.T) {
	for doubt, trusted := range map[bool]bool{false: true, true: false} {
		s := webtest.NewSite(t)
		admin := s.SignUpAs("quinn", domain.RoleAdministrator)
		s.SetSettings(domain.Settings{Registration: domain.RegistrationByCode, DoubtInvited: doubt})
		admin.Post("/admin/invitations", "uses", "1", "days", "1", "note", "").Want(http.StatusSeeOther)
		v := s.Anonymous()
		v.Post("/signup", "username", "ada", "password", webtest.Password,
			"invitation", s.Data.NewestInvitation().Code).Want(http.StatusSeeOther)
		u, err := s.Data.Store.Users.ByName(t.Context(), "ada")
		if err != nil || u.Trusted != trusted {
			t.Errorf("with DoubtInvited %t, trusted is %t: %v", doubt, u.Trusted, err)
		}
	}
}

func TestTheReviewPeriodIsASetting(t *testing.T) {
	s := webtest.NewScreeningSite(t)
	admin := s.SignUpAs("quinn", domain.RoleAdministrator)
	a := admin.Get("/admin/settings").Want(http.StatusOK)
	if a.Value("days") != "3" || a.Page().Find(`[name="invited"][value="trusted"][checked]`).Length() != 1 {
		t.Errorf("the form starts with %q days", a.Value("days"))
	}
	fields := func(days, version string) []string {
		return []string{"registration", "open", "role", "author", "days", days, "invited", "new", "version", version}
	}
	version := a.Value("version")
	for _, days := range []string{"", "-1", "91", "soon"} {
		a := admin.Post("/admin/settings", fields(days, version)...).Want(http.StatusUnprocessableEntity).
			Has("#days-error", "from 0 to 90")
		if a.Value("days") != days {
			t.Errorf("%q is shown again as %q", days, a.Value("days"))
		}
	}
	admin.Post("/admin/settings", fields("0", version)...).Want(http.StatusSeeOther)
	if got := s.Data.Settings(); got.NewDays != domain.NeverNew || !got.DoubtInvited {
		t.Errorf("the settings are %+v", got)
	}
	if a := admin.Get("/admin/settings"); a.Value("days") != "0" ||
		a.Page().Find(`[name="invited"][value="new"][checked]`).Length() != 1 {
		t.Errorf("the form has %s days", a.Value("days"))
	}
	if e := s.Data.AuditLog()[0]; e.Detail != "changed days, invited" {
		t.Errorf("the log entry is %q", e.Detail)
	}
}

func TestAnEditedCommentIsScreenedWhenItIsShownAgain(t *testing.T) {
	s := webtest.NewScreeningSite(t)
	ada, bob, mod := s.SignUp("ada"), s.SignUp("bob"), moderator(s, "max")
	p := ada.CreatePost("A title", "Some text.")
	c := bob.CreateComments(p, "Harmless.", "Another.")[0]
	path := "/posts/" + p.ID + "/comments/" + c.ID
	held := func(want domain.Hold) {
		t.Helper()
		if got := s.Data.Comments(p.ID)[0].Held; got != want {
			t.Errorf("held as %q, want %q", got, want)
		}
	}
	ada.Post(path + "/hide").Want(http.StatusSeeOther)
	ada.Post(path + "/show").Want(http.StatusSeeOther)
	held(domain.NotHeld)
	ada.Post(path + "/hide").Want(http.StatusSeeOther)
	bob.Post(path+"/edit", "content", webtest.SpamText, "began", "").Want(http.StatusSeeOther)
	ada.Post(path + "/show").Want(http.StatusSeeOther)
	held(domain.HeldForReview)
	s.Anonymous().Get(p.Path()).HasNo("#comment-"+c.ID).Has("#Page-comments-title", "1 comment")
	text := mod.Get(path + "/moderate").Value("text")
	mod.Post(path+"/moderate", "do", "approve", "version", "0", "text", text).Want(http.StatusSeeOther)
	held(domain.NotHeld)
}

func TestPreviewsOfNewAccountsHavePlainTextLinks(t *testing.T) {
	s := webtest.NewScreeningSite(t)
	ada := s.SignUp("ada")
	draft := ada.CreateDraft("A title", webtest.SpamText, "")
	secret, err := s.Data.Store.Drafts.Share(t.Context(), ada.User.ID, draft.PostID)
	s.Data.Must(err)
	ada.Get("/preview/"+secret).Want(http.StatusOK).Has(`.prose a[href="https://spam.example/"]`, "")
	for _, v := range []*webtest.Visitor{s.Anonymous(), s.SignUp("bob")} {
		v.Get("/preview/"+secret).Want(http.StatusOK).Has(".prose", "https://spam.example/ now.").HasNo(".prose a")
	}
	s.Data.Fail("Settings.Get")
	s.Anonymous().Get("/preview/" + secret).Want(http.StatusServiceUnavailable)
	s.Data.Recover("Settings.Get")
	s.Trust(ada)
	s.Anonymous().Get("/preview/"+secret).Has(`.prose a[href="https://spam.example/"]`, "")
}
