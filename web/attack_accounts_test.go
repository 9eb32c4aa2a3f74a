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
)

// Submit sends a form from the page that is open to wherever it is to go, and waits for the
// page that answers.
func Submit(b *tab, path string, fields ...string) {
	b.t.Helper()
	b.Open("/healthz")
	sent, err := json.Marshal(fields)
	if err != nil {
		b.t.Fatal(err)
	}
	b.eval(fmt.Sprintf(`(() => {
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
	b.eventually("location.pathname !== '/healthz' && document.readyState === 'complete'")
}

// fitting are the attacks in texts of that many characters at most, as few as take them all.
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

// What people are called and say of each other, on the pages of accounts and of those who
// moderate. Most is put behind the site's back, since the site itself takes less.
func accountsAreUnharmed(t *testing.T, s *site, b *tab, p domain.Post) {
	ada, ben, quinn := visitorOf(s, "ada"), visitorOf(s, "ben"), s.staff("quinn", domain.RoleAdministrator)
	now := time.Now()
	unharmed := func(v *visitor, what string, paths ...string) {
		t.Helper()
		b.as(v)
		for _, path := range paths {
			if a := v.get(path); a.StatusCode != http.StatusOK || !strings.Contains(a.body, "ran()") {
				t.Errorf("%s: %s shows none of it, with status %d", what, path, a.StatusCode)
			}
			b.Open(path)
			wantUnharmed(b, what)
		}
	}
	// harmless wants of a page's source what unharmed does of a page in the browser.
	harmless := func(a *answer) {
		t.Helper()
		if bad := suspicious(a.page()); len(bad) > 0 || !strings.Contains(a.body, "ran()") {
			t.Errorf("%s has %q, or none of it", a.what, bad)
		}
	}
	t.Run("display names", func(t *testing.T) {
		of := ada.aPost("Names", "text")
		for i, attack := range attacks {
			u, err := domain.NewUser(fmt.Sprintf("called%d", i), now)
			if err != nil {
				t.Fatal(err)
			}
			u.DisplayName, u.Bio = attack, attack
			if i < 40 {
				u.Role = domain.RoleModerator
			}
			if err := s.data.store.Users.Create(t.Context(), u, ""); err != nil {
				t.Fatal(err)
			}
			if _, err := s.data.store.Posts.Like(t.Context(), domain.NewLike(u, of.ID, now)); err != nil {
				t.Fatal(err)
			}
			(&visitor{site: s, user: u}).comments(of, "text")
		}
		unharmed(ada, "display names", "/posts/"+of.ID+"/likes", "/posts/"+of.ID+"/likes?page=2", of.Path(), "/posts/"+of.ID+"/comments?page=2",
			"/posts/"+of.ID+"/comments?page=3", "/@called3")
		s.data.changeUser(ben.user.ID, func(item map[string]any) { item["displayName"] = attacks[0] + attacks[18] })
		unharmed(ben, "the display name of who reads", "/settings/profile", "/@ben")
	})
	t.Run("reports, and what moderators say", func(t *testing.T) {
		texts := fitting(domain.MaxReportText)
		reported := domain.Target{PostID: p.ID}
		for i, text := range texts {
			reporter, err := s.data.store.Users.ByName(t.Context(), fmt.Sprintf("called%d", i))
			if err != nil {
				t.Fatal(err)
			}
			report, err := domain.NewReport(reporter, "other", text, now)
			if err != nil {
				t.Fatal(err)
			}
			if _, err := s.data.store.Reports.Report(t.Context(), reported, report, time.Time{}); err != nil {
				t.Fatal(err)
			}
		}
		unharmed(quinn, "the reports", "/moderation", "/posts/"+p.ID+"/moderate")
		unharmed(ben, "a report of one's own", "/posts/"+p.ID+"/report")
		for i, reason := range fitting(domain.MaxReason) {
			hidden := ada.aPost(fmt.Sprintf("Hidden %d", i), "text")
			_, err := s.data.store.Reports.Decide(s.data.ctx(), domain.Target{PostID: hidden.ID}, 0, domain.DecisionHidden, quinn.user.ID, reason, now)
			s.data.must(err)
			s.hold(hidden.ID, "", domain.HeldByModerator)
			harmless(ada.get(hidden.Path()).want(http.StatusOK))
			if i == 0 {
				unharmed(ada, "why a post is hidden", hidden.Path())
				unharmed(quinn, "why a post is hidden", "/posts/"+hidden.ID+"/moderate")
			}
		}
		for i, attack := range attacks {
			s.data.must(s.data.store.Audit.Record(s.data.ctx(), domain.AuditEntry{ID: domain.NewID(), At: now, ActorID: quinn.user.ID, ActorName: attack, Action: domain.AuditHidePost,
				TargetKind: []string{domain.AuditsUser, domain.AuditsPost, domain.AuditsComment, domain.AuditsInvitation, attack}[i%5],
				TargetID:   attack, TargetPost: attack, TargetName: attack, Detail: attack, Reason: attack}))
		}
		unharmed(quinn, "the log", "/admin/log", "/admin/log?page=2", "/admin/log?page=3")
	})
	t.Run("why somebody is suspended", func(t *testing.T) {
		for i, reason := range fitting(domain.MaxReason) {
			name := fmt.Sprintf("gone%d", i)
			v := s.member(name)
			if i == 0 {
				v.aPost("A title", "text")
			}
			if _, err := s.data.store.Users.Suspend(t.Context(), v.user.ID, reason, now); err != nil {
				t.Fatal(err)
			}
			harmless(s.stranger().post("/login", "username", name, "password", password).want(http.StatusForbidden))
			if i == 0 {
				b.as(nil)
				Submit(b, "/login", "username", name, "password", password)
				b.eventually("document.querySelector('main').textContent.includes('ran()')")
				wantUnharmed(b, "the log-in of who is suspended")
				unharmed(quinn, "an account that is suspended", "/admin/users?name="+name)
			}
		}
	})
	t.Run("passkeys, devices and invitations", func(t *testing.T) {
		var last string
		for i, attack := range attacks {
			last = s.keep(ben, domain.Passkey{ID: fmt.Sprint("key", i), Name: attack, Created: now})
		}
		unharmed(ben, "passkeys", "/settings/security", "/settings/security/passkeys/"+last, "/settings/security/passkeys/"+last+"/delete")
		used := now.Add(-time.Hour)                   // before Ben's own session, which must not be the one that makes room
		for some := range slices.Chunk(attacks, 40) { // a user has at most 50 sessions
			for _, attack := range some {
				used = used.Add(time.Second)
				s.data.must(s.data.store.Sessions.Create(s.data.ctx(), domain.Session{ID: domain.NewID(), UserID: ben.user.ID, Device: attack, Created: used, LastUsed: used}))
			}
			unharmed(ben, "devices", "/settings/sessions")
		}
		for some := range slices.Chunk(attacks, 90) { // there may be 100 invitations
			var codes []string
			for _, attack := range some {
				codes = append(codes, domain.NewID())
				s.data.must(s.data.store.Invitations.Create(s.data.ctx(), domain.Invitation{Code: codes[len(codes)-1], Created: now, Expires: now.Add(time.Hour),
					CreatorID: quinn.user.ID, CreatorName: attack, Note: attack, MaxUses: 1}))
			}
			unharmed(quinn, "invitations", "/admin/invitations")
			for _, code := range codes {
				s.data.must(s.data.store.Invitations.Revoke(s.data.ctx(), code))
			}
		}
	})
	t.Run("what is about to be deleted", func(t *testing.T) {
		all := strings.Join(attacks, "\n\n")
		title := ada.aPost(strings.Join(strings.Fields(fitting(domain.MaxTitle)[0]), " "), all)
		comment := ada.comments(title, all)[0]
		draft := ada.aDraft(all, all, all)
		unharmed(ada, "the question before", "/posts/"+title.ID+"/delete", "/posts/"+title.ID+"/unpublish", deletePath(comment), "/drafts/"+draft.PostID+"/delete",
			"/posts/"+title.ID+"/comments/"+comment.ID+"/edit", "/posts/"+title.ID+"/comments/"+comment.ID+"/reply")
	})
	t.Run("forms that come back", func(t *testing.T) {
		all := strings.Join(attacks, " ")
		for _, form := range []struct {
			as     *visitor
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
			{quinn, "/admin/users/" + ben.user.ID + "/suspend", []string{"reason", all}},
			{quinn, "/posts/" + p.ID + "/moderate", []string{"do", "hide", "why", all, "words", all, "version", all}},
			{quinn, "/posts/" + p.ID + "/moderate", []string{"do", "suspend", "reason", all}},
		} {
			b.as(form.as)
			Submit(b, form.path, form.fields...)
			b.eventually("document.querySelector('main')")
			wantUnharmed(b, "the form of "+form.path)
		}
	})
}

// visitorOf is a browser of a member's, just signed in.
func visitorOf(s *site, name string) *visitor {
	s.t.Helper()
	v := s.stranger()
	v.post("/login", "username", name, "password", password).want(http.StatusSeeOther)
	u, err := s.data.store.Users.ByName(s.t.Context(), name)
	if err != nil {
		s.t.Fatal(err)
	}
	v.user = u
	return v
}

// What a browser says of itself is told in mails and on a page, in a few words of one line.
func TestABrowserSaysLittleOfItself(t *testing.T) {
	s := newSite(t)
	ada := s.member("ada")
	ada.verified("ada@example.org")
	for _, agent := range append(slices.Clone(attacks), "Mozilla/5.0 (X11; \u202eLinux\u2028x) Gecko/1 Fire\u202efox\u0085/1", strings.Repeat("Ω/1 ", 200),
		"x\u2028With: y/1.0", "A\u200bB\u2066/1.0 (Q\u2029)", "\x1b[31mred/1", "a\tb/1 (c\td)", "\xff\xfe/1 (\xff)") {
		ada.header.Set("User-Agent", agent)
		ada.post("/login", "username", "ada", "password", password).want(http.StatusSeeOther)
		ada.post("/settings/password", "current", password, "password", newPassword).want(http.StatusSeeOther)
		ada.post("/settings/password", "current", newPassword, "password", password).want(http.StatusSeeOther)
		_, with, _ := strings.Cut(s.mailed("ada@example.org").text, "\nWith: ")
		device, _, _ := strings.Cut(with, "\n")
		for _, said := range append([]string{device}, devices(s)...) {
			if said == "" && said == device || plaintext.Characters(said) > 64 || strings.ContainsFunc(said, func(r rune) bool {
				return r == '\uFFFD' || unicode.In(r, unicode.Cc, unicode.Cf, unicode.Zl, unicode.Zp)
			}) {
				t.Errorf("%q says %q of itself", agent, said)
			}
		}
	}
}

func devices(s *site) (all []string) {
	for _, session := range s.data.sessions() {
		all = append(all, session.Device)
	}
	return all
}
