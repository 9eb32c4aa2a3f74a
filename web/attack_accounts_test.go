package web_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode"

	"inkfeed/domain"
	"inkfeed/domain/plaintext"
	"inkfeed/web/webtest"
)

// Submit opens a page of the site, submits a form with the fields from there to path, and waits until the response has
// loaded.
func Submit(b *webtest.Tab, path string, fields ...string) {
	b.T.Helper()
	b.Open("/healthz")
	sent, err := json.Marshal(fields)
	if err != nil {
		b.T.Fatal(err)
	}
	b.Eval(fmt.Sprintf(`(() => {
		const form = document.createElement('form'), fields = %s;
		form.method = 'post';
		form.action = %q;
		for (let i = 0; i < fields.length; i += 2) {
			const field = document.createElement('textarea');
			field.name = fields[i];
			field.value = fields[i + 1];
			form.append(field);
		}
		document.body.append(form);
		form.submit();
	})()`, sent, path))
	b.WaitUntil("location.pathname !== '/healthz' && document.readyState === 'complete'")
}

// fitting distributes the attacks over as few texts as possible, each of at most limit characters.
func fitting(limit int) (texts []string) {
	text := ""
	for _, attack := range attacks {
		if plaintext.Characters(text+attack)+1 > limit {
			texts, text = append(texts, text), ""
		}
		text += attack + "\n"
	}
	return append(texts, text)
}

// accountsAreUnharmed checks usernames, profiles, reports and moderation with attacks as their texts. Most attacks are
// written to the store directly, because the forms of the site accept less.
func accountsAreUnharmed(t *testing.T, s *webtest.Site, b *webtest.Tab, p domain.Post) {
	ada, ben, quinn := visitorOf(s, "ada"), visitorOf(s, "ben"), s.SignUpAs("quinn", domain.RoleAdministrator)
	now := time.Now()
	unharmed := func(v *webtest.Visitor, what string, paths ...string) {
		t.Helper()
		b.SignInAs(v)
		for _, path := range paths {
			if a := v.Get(path); a.StatusCode != http.StatusOK || !strings.Contains(a.Body, "ran()") {
				t.Errorf("%s: %s lacks the attacks, with status %d", what, path, a.StatusCode)
			}
			b.Open(path)
			wantUnharmed(b, what)
		}
	}
	// harmless checks the source of a page as unharmed checks a page in the browser.
	harmless := func(a *webtest.Response) {
		t.Helper()
		if bad := suspicious(a.Page()); len(bad) > 0 || !strings.Contains(a.Body, "ran()") {
			t.Errorf("%s has %q, or lacks the attacks", a.Request, bad)
		}
	}
	t.Run("display names", func(t *testing.T) {
		of := ada.CreatePost("Names", "text")
		for i, attack := range attacks {
			u, err := domain.NewUser(fmt.Sprintf("called%d", i), now)
			if err != nil {
				t.Fatal(err)
			}
			u.DisplayName, u.Bio = attack, attack
			if i < 40 {
				u.Role = domain.RoleModerator
			}
			if err := s.Data.Store.Accounts.Create(t.Context(), u, ""); err != nil {
				t.Fatal(err)
			}
			if _, err := s.Data.Store.Posts.Like(t.Context(), domain.NewLike(u, of.ID, now)); err != nil {
				t.Fatal(err)
			}
			(&webtest.Visitor{Site: s, User: u}).CreateComments(of, "text")
		}
		unharmed(ada, "display names", "/posts/"+of.ID+"/likes", "/posts/"+of.ID+"/likes?page=2", of.Path(),
			"/posts/"+of.ID+"/comments?page=2", "/posts/"+of.ID+"/comments?page=3", "/@called3")
		s.Data.ChangeUser(ben.User.ID, func(item map[string]any) { item["displayName"] = attacks[0] + attacks[18] })
		unharmed(ben, "the reader's own display name", "/settings/profile", "/@ben")
	})
	t.Run("reports and reasons of moderators", func(t *testing.T) {
		texts := fitting(domain.MaxReportText)
		reported := domain.Target{PostID: p.ID}
		for i, text := range texts {
			reporter, err := s.Data.Store.Users.ByName(t.Context(), fmt.Sprintf("called%d", i))
			if err != nil {
				t.Fatal(err)
			}
			report, err := domain.NewReport(reporter, "other", text, now)
			if err != nil {
				t.Fatal(err)
			}
			if _, err := s.Data.Store.Reports.Report(t.Context(), reported, report, time.Time{}); err != nil {
				t.Fatal(err)
			}
		}
		unharmed(quinn, "the reports", "/moderation", "/posts/"+p.ID+"/moderate")
		unharmed(ben, "the reader's own report", "/posts/"+p.ID+"/report")
		for i, reason := range fitting(domain.MaxReason) {
			hidden := ada.CreatePost(fmt.Sprintf("Hidden %d", i), "text")
			_, err := s.Data.Store.Reports.Decide(s.Data.Context(), domain.Target{PostID: hidden.ID}, 0,
				domain.DecisionHidden, quinn.User.ID, reason, now)
			s.Data.Must(err)
			s.Hold(hidden.ID, "", domain.HeldByModerator)
			harmless(ada.Get(hidden.Path()).Want(http.StatusOK))
			if i == 0 {
				unharmed(ada, "the reason why a post is hidden", hidden.Path())
				unharmed(quinn, "the reason why a post is hidden", "/posts/"+hidden.ID+"/moderate")
			}
		}
		for i, attack := range attacks {
			s.Data.Must(s.Data.Store.Audit.Record(s.Data.Context(), domain.AuditEntry{
				ID: domain.NewID(), At: now, ActorID: quinn.User.ID, ActorName: attack, Action: domain.AuditHidePost,
				TargetKind: []string{
					domain.AuditsUser, domain.AuditsPost, domain.AuditsComment, domain.AuditsInvitation, attack,
				}[i%5],
				TargetID: attack, TargetPost: attack, TargetName: attack, Detail: attack, Reason: attack}))
		}
		unharmed(quinn, "the log", "/admin/log", "/admin/log?page=2", "/admin/log?page=3")
	})
	t.Run("reasons for suspensions", func(t *testing.T) {
		for i, reason := range fitting(domain.MaxReason) {
			name := fmt.Sprintf("gone%d", i)
			v := s.SignUp(name)
			if i == 0 {
				v.CreatePost("A title", "text")
			}
			if _, err := s.Data.Store.Accounts.Suspend(t.Context(), v.User.ID, reason, now); err != nil {
				t.Fatal(err)
			}
			harmless(s.Anonymous().Post("/login", "username", name, "password", webtest.Password).
				Want(http.StatusForbidden))
			if i == 0 {
				b.SignInAs(nil)
				Submit(b, "/login", "username", name, "password", webtest.Password)
				b.WaitUntil("document.querySelector('main').textContent.includes('ran()')")
				wantUnharmed(b, "the log-in of a suspended user")
				unharmed(quinn, "a suspended account", "/admin/users?name="+name)
			}
		}
	})
	t.Run("passkeys, devices and invitations", func(t *testing.T) {
		var last string
		for i, attack := range attacks {
			last = s.AddPasskey(ben, domain.Passkey{ID: fmt.Sprint("key", i), Name: attack, Created: now})
		}
		unharmed(ben, "passkeys", "/settings/security", "/settings/security/passkeys/"+last,
			"/settings/security/passkeys/"+last+"/delete")
		// older than Ben's own session, which would otherwise be evicted
		used := now.Add(-time.Hour)
		for some := range slices.Chunk(attacks, 40) { // a user has at most 50 sessions
			for _, attack := range some {
				used = used.Add(time.Second)
				s.Data.Must(s.Data.Store.Sessions.Create(s.Data.Context(), domain.Session{
					ID: domain.NewID(), UserID: ben.User.ID, Device: attack, Created: used, LastUsed: used}))
			}
			unharmed(ben, "devices", "/settings/sessions")
		}
		for some := range slices.Chunk(attacks, 90) { // there are at most 100 invitations
			var codes []string
			for _, attack := range some {
				codes = append(codes, domain.NewID())
				s.Data.Must(s.Data.Store.Invitations.Create(s.Data.Context(), domain.Invitation{
					Code: codes[len(codes)-1], Created: now, Expires: now.Add(time.Hour),
					CreatorID: quinn.User.ID, CreatorName: attack, Note: attack, MaxUses: 1}))
			}
			unharmed(quinn, "invitations", "/admin/invitations")
			for _, code := range codes {
				s.Data.Must(s.Data.Store.Invitations.Revoke(s.Data.Context(), code))
			}
		}
	})
	t.Run("confirmations of deletion", func(t *testing.T) {
		all := strings.Join(attacks, "\n\n")
		title := ada.CreatePost(strings.Join(strings.Fields(fitting(domain.MaxTitle)[0]), " "), all)
		comment := ada.CreateComments(title, all)[0]
		draft := ada.CreateDraft(all, all, all)
		unharmed(ada, "a confirmation", "/posts/"+title.ID+"/delete", "/posts/"+title.ID+"/unpublish",
			webtest.DeletePath(comment), "/drafts/"+draft.PostID+"/delete",
			"/posts/"+title.ID+"/comments/"+comment.ID+"/edit", "/posts/"+title.ID+"/comments/"+comment.ID+"/reply")
	})
	t.Run("rejected forms", func(t *testing.T) {
		all := strings.Join(attacks, " ")
		for _, form := range []struct {
			as     *webtest.Visitor
			path   string
			fields []string
		}{
			{ben, "/settings/profile", []string{"displayName", all, "bio", strings.Repeat(all, 2)}},
			{ben, "/settings/email", []string{"email", all}},
			{ben, "/settings/password", []string{"current", all, "password", all}},
			{ben, "/settings/delete", []string{"password", all}},
			{ben, "/settings/security/passkeys/new", []string{"name", all, "passkey", all}},
			{ben, "/posts/" + p.ID + "/report", []string{"reason", all, "text", all}},
			{ben, "/confirm", []string{"password", all, "next", all}},
			{nil, "/signup", []string{"username", all, "email", all, "invitation", all, "password", all}},
			{nil, "/reset", []string{"account", all}},
			{quinn, "/admin/settings", []string{"registration", all, "role", all, "days", all, "version", all}},
			{quinn, "/admin/invitations", []string{"uses", all, "days", all, "note", all}},
			{quinn, "/admin/users/" + ben.User.ID + "/suspend", []string{"reason", all}},
			{quinn, "/posts/" + p.ID + "/moderate", []string{"do", "hide", "why", all, "words", all, "version", all}},
			{quinn, "/posts/" + p.ID + "/moderate", []string{"do", "suspend", "reason", all}},
		} {
			b.SignInAs(form.as)
			Submit(b, form.path, form.fields...)
			b.WaitUntil("document.querySelector('main')")
			wantUnharmed(b, "the form of "+form.path)
		}
	})
}

// visitorOf returns a visitor who has just logged in as the user of that name.
func visitorOf(s *webtest.Site, name string) *webtest.Visitor {
	s.T.Helper()
	v := s.Anonymous()
	v.Post("/login", "username", name, "password", webtest.Password).Want(http.StatusSeeOther)
	u, err := s.Data.Store.Users.ByName(s.T.Context(), name)
	if err != nil {
		s.T.Fatal(err)
	}
	v.User = u
	return v
}

// The User-Agent is shown in mails and on a page as one short line without control characters.
func TestDevicesAreDescribedInOneShortLine(t *testing.T) {
	s := webtest.NewSite(t)
	ada := s.SignUp("ada")
	ada.SetVerifiedEmail("ada@example.org")
	for _, agent := range append(slices.Clone(attacks),
		"Mozilla/5.0 (X11; \u202eLinux\u2028x) Gecko/1 Fire\u202efox\u0085/1", strings.Repeat("Ω/1 ", 200),
		"x\u2028Browser: y/1.0", "A\u200bB\u2066/1.0 (Q\u2029)", "\x1b[31mred/1", "a\tb/1 (c\td)",
		"\xff\xfe/1 (\xff)") {
		ada.Header.Set("User-Agent", agent)
		ada.Post("/login", "username", "ada", "password", webtest.Password).Want(http.StatusSeeOther)
		ada.Post("/settings/password", "current", webtest.Password, "password", webtest.NewPassword).
			Want(http.StatusSeeOther)
		ada.Post("/settings/password", "current", webtest.NewPassword, "password", webtest.Password).
			Want(http.StatusSeeOther)
		_, with, _ := strings.Cut(s.MailTo("ada@example.org").Text, "\nBrowser: ")
		device, _, _ := strings.Cut(with, "\n")
		for _, text := range append([]string{device}, devices(s)...) {
			if text == "" && text == device || plaintext.Characters(text) > 64 ||
				strings.ContainsFunc(text, func(r rune) bool {
					return r == '\uFFFD' || unicode.In(r, unicode.Cc, unicode.Cf, unicode.Zl, unicode.Zp)
				}) {
				t.Errorf("the User-Agent %q is described as %q", agent, text)
			}
		}
	}
}

func devices(s *webtest.Site) (all []string) {
	for _, session := range s.Data.Sessions() {
		all = append(all, session.Device)
	}
	return all
}
