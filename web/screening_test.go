package web_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"inkfeed/domain"
)

const spam = "Buy at https://spam.example/ now."

// watchful is a site on which links of new accounts wait.
func watchful(t *testing.T) *site {
	s := newSite(t)
	s.set(domain.Settings{})
	return s
}

// vouch lets a user be trusted.
func (s *site) vouch(v *visitor) { s.data.store.Users.Trust(s.t.Context(), v.user.ID) }

func TestCommentsWithLinksOfNewAccountsWait(t *testing.T) {
	s := watchful(t)
	ada, bob, eve, mod := s.member("ada"), s.member("bob"), s.member("eve"), moderator(s, "max")
	p := ada.aPost("A title", "Some text.")
	path := "/posts/" + p.ID + "/comments"
	last := func() domain.Comment {
		list := s.data.comments(p.ID)
		return list[len(list)-1]
	}
	t.Run("one without links does not", func(t *testing.T) {
		bob.post(path, "content", "No [link](/posts/x).").want(http.StatusSeeOther)
		s.stranger().get(p.Path()).has("#Page-comments-title", "1 comment").has("#comment-"+last().ID, "No link.")
	})
	for name, send := range map[string]func() *answer{
		"sent by a form": func() *answer { return bob.post(path, "content", spam) },
		"sent by htmx": func() *answer {
			a := bob.htmx().post(path, "content", spam+" Really.").want(http.StatusOK)
			return a.has(`hx-partial[hx-target="#Page-comment-status"]`, "n review").has(`hx-partial[hx-target="#Page-comments-title"]`, "1 comment")
		},
		"sent as a reply": func() *answer {
			return bob.post(path, "content", spam+" Indeed.", "parent", s.data.comments(p.ID)[0].ID)
		},
	} {
		t.Run("one that is "+name+" does, and its author is told", func(t *testing.T) {
			send()
			c := last()
			if c.Held != domain.HeldForReview {
				t.Fatalf("held as %q", c.Held)
			}
			for _, v := range []*visitor{bob, mod} {
				v.get(p.Path()).has("#comment-"+c.ID+" .hold-notice", "In review")
			}
			for _, v := range []*visitor{s.stranger(), eve, ada} {
				v.get(p.Path()).has("#Page-comments-title", "1 comment").hasNo("#comment-" + c.ID)
			}
		})
	}
	t.Run("one that comes to link by an edit does from then on", func(t *testing.T) {
		for i, v := range []*visitor{bob, bob.htmx()} {
			bob.post(path, "content", "Harmless.").want(http.StatusSeeOther)
			c := last()
			s.stranger().get(p.Path()).has("#comment-"+c.ID, "Harmless.")
			a := v.post(path+"/"+c.ID+"/edit", "content", spam, "began", "")
			if i == 1 {
				a.want(http.StatusOK).has(".hold-notice", "In review").has(`hx-partial[hx-target="#Page-comments-title"]`, "1 comment")
			}
			s.stranger().get(p.Path()).has("#Page-comments-title", "1 comment").hasNo("#comment-" + c.ID)
		}
	})
	t.Run("when it is not known whether it has to, nothing is lost", func(t *testing.T) {
		s.data.fail("Settings.Get")
		defer s.data.recover("Settings.Get")
		n := len(s.data.comments(p.ID))
		bob.post(path, "content", spam).want(http.StatusServiceUnavailable).has("textarea", spam)
		bob.post(path, "content", "Just text.").want(http.StatusSeeOther)
		if len(s.data.comments(p.ID)) != n+1 {
			t.Error("the one with a link came through")
		}
	})
	t.Run("approved, it is there for all, and its author waits no more", func(t *testing.T) {
		c := s.data.comments(p.ID)[1]
		mod.post(path+"/"+c.ID+"/moderate", "do", "approve", "version", "0", "text", "unedited").want(http.StatusSeeOther)
		s.stranger().get(p.Path()).has("#comment-"+c.ID, "spam.example")
		bob.post(path, "content", "Another https://bob.example/").want(http.StatusSeeOther)
		if c := last(); c.Held != domain.NotHeld {
			t.Errorf("held as %q", c.Held)
		}
	})
}

func TestPostsWithLinksOfNewAccountsWait(t *testing.T) {
	s := watchful(t)
	ada := s.member("ada")
	publish := func(fields ...string) domain.Post {
		t.Helper()
		to := ada.post("/posts", append([]string{"post", domain.NewID(), "revision", "0", "version", "0", "do", "publish", "title", "A title", "content", "Text."}, fields...)...).
			want(http.StatusSeeOther).Header.Get("Location")
		return s.data.post(strings.Split(to, "/")[2])
	}
	for name, fields := range map[string][]string{"text": {"content", spam}, "title": {"title", "www.spam.example"}, "tags": {"tags", "www.spam.example"}} {
		t.Run("in the "+name, func(t *testing.T) {
			p := publish(fields...)
			ada.get(p.Path()).want(http.StatusOK).has(".hold-notice", "n review")
			s.stranger().get(p.Path()).want(http.StatusNotFound)
		})
	}
	t.Run("also one that is in no list", func(t *testing.T) {
		if p := publish("content", spam, "status", "unlisted"); p.Held != domain.HeldForReview {
			t.Errorf("held as %q", p.Held)
		}
	})
	t.Run("or that comes to link by an edit", func(t *testing.T) {
		p := publish()
		s.stranger().get(p.Path()).want(http.StatusOK)
		ada.post("/posts/"+p.ID, "title", "A title", "content", spam, "revision", "1", "version", "0", "do", "publish").want(http.StatusSeeOther)
		s.stranger().get(p.Path()).want(http.StatusNotFound)
	})
	t.Run("but not for links that were there before", func(t *testing.T) {
		p := publish("content", spam)
		_, err := s.data.store.Posts.Release(t.Context(), p.ID, p.Revision)
		s.data.must(err)
		ada.post("/posts/"+p.ID, "title", "Another title", "content", spam+" More.", "revision", "1", "version", "0", "do", "publish").want(http.StatusSeeOther)
		s.stranger().get(p.Path()).wantRedirect(http.StatusMovedPermanently, "/posts/"+p.ID+"/another-title")
	})
	t.Run("nor of accounts that are trusted, or new no more", func(t *testing.T) {
		s.data.changeUser(ada.user.ID, func(item map[string]any) { item["creationDate"] = ada.user.Created.Add(-4 * 24 * time.Hour) })
		if p := publish("content", spam); p.Held != domain.NotHeld {
			t.Errorf("of an old account it is held as %q", p.Held)
		}
	})
}

func TestLinksOfNewAccountsOnTheirOwnPages(t *testing.T) {
	s := watchful(t)
	ada := s.member("ada")
	ada.post("/settings/profile", "bio", "I am *Ada*, see [my site](https://ada.example/) and https://x.example").want(http.StatusSeeOther)
	for _, v := range []*visitor{ada, s.stranger()} {
		v.get("/@ada").want(http.StatusOK).has(".bio", "I am Ada, see my site and https://x.example").has(".bio em", "Ada").hasNo(".bio a")
	}
	ada.get("/@ada").has(`[role="note"]`, "links here appear as plain text")
	s.stranger().get("/@ada").hasNo(`[role="note"]`)
	s.vouch(ada)
	s.stranger().get("/@ada").has(`.bio a[href="https://ada.example/"]`, "my site")
}

func TestWhoWasInvitedIsTrusted(t *testing.T) {
	for doubt, trusted := range map[bool]bool{false: true, true: false} {
		s := newSite(t)
		admin := s.staff("quinn", domain.RoleAdministrator)
		s.set(domain.Settings{Registration: domain.RegistrationByCode, DoubtInvited: doubt})
		admin.post("/admin/invitations", "uses", "1", "days", "1", "note", "").want(http.StatusSeeOther)
		v := s.stranger()
		v.post("/signup", "username", "ada", "password", password, "invitation", s.data.invitation().Code).want(http.StatusSeeOther)
		u, err := s.data.store.Users.ByName(t.Context(), "ada")
		if err != nil || u.Trusted != trusted {
			t.Errorf("where invited ones are doubted (%t), trusted %t: %v", doubt, u.Trusted, err)
		}
	}
}

func TestHowLongAnAccountIsNewIsSet(t *testing.T) {
	s := watchful(t)
	admin := s.staff("quinn", domain.RoleAdministrator)
	a := admin.get("/admin/settings").want(http.StatusOK)
	if a.Value("days") != "3" || a.page().Find(`[name="invited"][value="trusted"][checked]`).Length() != 1 {
		t.Errorf("%s days to begin with", a.Value("days"))
	}
	fields := func(days, version string) []string {
		return []string{"registration", "open", "role", "author", "days", days, "invited", "new", "version", version}
	}
	version := a.Value("version")
	for _, days := range []string{"", "-1", "91", "soon"} {
		a := admin.post("/admin/settings", fields(days, version)...).want(http.StatusUnprocessableEntity).has("#days-error", "from 0 to 90")
		if a.Value("days") != days {
			t.Errorf("%q comes back as %q", days, a.Value("days"))
		}
	}
	admin.post("/admin/settings", fields("0", version)...).want(http.StatusSeeOther)
	if got := s.data.settings(); got.NewDays != domain.NeverNew || !got.DoubtInvited {
		t.Errorf("set to %+v", got)
	}
	if a := admin.get("/admin/settings"); a.Value("days") != "0" || a.page().Find(`[name="invited"][value="new"][checked]`).Length() != 1 {
		t.Errorf("shown as %s days", a.Value("days"))
	}
	if e := s.data.audited()[0]; !strings.Contains(e.Detail, "new-account period: 0 days, invited accounts reviewed") {
		t.Errorf("the log says %q", e.Detail)
	}
}

func TestWhatAPostsAuthorHidIsScreenedWhenItIsShownAgain(t *testing.T) {
	s := watchful(t)
	ada, bob, mod := s.member("ada"), s.member("bob"), moderator(s, "max")
	p := ada.aPost("A title", "Some text.")
	c := bob.comments(p, "Harmless.", "Another.")[0]
	path := "/posts/" + p.ID + "/comments/" + c.ID
	held := func(want domain.Hold) {
		t.Helper()
		if got := s.data.comments(p.ID)[0].Held; got != want {
			t.Errorf("it is held as %q, not %q", got, want)
		}
	}
	ada.post(path + "/hide").want(http.StatusSeeOther)
	ada.post(path + "/show").want(http.StatusSeeOther)
	held(domain.NotHeld)
	ada.post(path + "/hide").want(http.StatusSeeOther)
	bob.post(path+"/edit", "content", spam, "began", "").want(http.StatusSeeOther)
	ada.post(path + "/show").want(http.StatusSeeOther)
	held(domain.HeldForReview)
	s.stranger().get(p.Path()).hasNo("#comment-"+c.ID).has("#Page-comments-title", "1 comment")
	text := mod.get(path + "/moderate").Value("text")
	mod.post(path+"/moderate", "do", "approve", "version", "0", "text", text).want(http.StatusSeeOther)
	held(domain.NotHeld)
}

func TestPreviewsOfNewAccountsLeadNowhere(t *testing.T) {
	s := watchful(t)
	ada := s.member("ada")
	secret, err := s.data.store.Drafts.Share(t.Context(), ada.user.ID, ada.aDraft("A title", spam, "").PostID)
	s.data.must(err)
	ada.get("/preview/"+secret).want(http.StatusOK).has(`.prose a[href="https://spam.example/"]`, "")
	for _, v := range []*visitor{s.stranger(), s.member("bob")} {
		v.get("/preview/"+secret).want(http.StatusOK).has(".prose", "https://spam.example/ now.").hasNo(".prose a")
	}
	s.data.fail("Settings.Get")
	s.stranger().get("/preview/" + secret).want(http.StatusServiceUnavailable)
	s.data.recover("Settings.Get")
	s.vouch(ada)
	s.stranger().get("/preview/"+secret).has(`.prose a[href="https://spam.example/"]`, "")
}
