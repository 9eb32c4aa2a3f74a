package moderation_test

import (
	"net/http"
	"slices"
	"strings"
	"testing"

	"inkfeed/domain"
	"inkfeed/domain/locale"
	"inkfeed/web/webtest"
)

func TestANewInvitationIsReadyToBeCopied(t *testing.T) {
	s := webtest.NewSite(t)
	admin, other := s.SignUpAs("anna", domain.RoleAdministrator), s.SignUpAs("otto", domain.RoleAdministrator)
	to := admin.Post("/admin/invitations", "uses", "1", "days", "7", "note", "For Ada").Want(http.StatusSeeOther).
		Header.Get("Location")
	t.Run("in a focused field of the page that follows", func(t *testing.T) {
		a := admin.Get(to).Has(".done[role=status] > p", "Copy the link").
			Has(".done .copy-field button[hidden]", "Copy: invitation link, For Ada").
			Has(".done form[action$='/revoke'] button", "Revoke")
		links := a.Page().Find("input[readonly]")
		if links.Length() != 1 || !links.Is("[autofocus][value*='/signup?invitation=']") {
			t.Errorf("the page has %d links", links.Length())
		}
	})
	t.Run("by its creator only", func(t *testing.T) {
		other.Get(to).Want(http.StatusOK).HasNo(".done input").Has(".invitations button:not([type])", "Revoke")
	})
	t.Run("once", func(t *testing.T) {
		admin.Get("/admin/invitations").Want(http.StatusOK).HasNo("[autofocus]")
	})
}

func TestAnInvitationIsCreatedOnceByADoubleClick(t *testing.T) {
	s := webtest.NewSite(t)
	anna, otto := s.SignUpAs("anna", domain.RoleAdministrator), s.SignUpAs("otto", domain.RoleAdministrator)
	form := func() []string {
		attempt := anna.Get("/admin/invitations").Value("attempt")
		return []string{"attempt", attempt, "uses", "1", "days", "7", "note", "For Ada"}
	}
	first := form()
	for range 2 {
		anna.Post("/admin/invitations", first...).Want(http.StatusSeeOther)
	}
	list := func() []domain.Invitation {
		all, err := s.Data.Store.Invitations.List(s.Data.Context())
		s.Data.Must(err)
		return all
	}
	if all := list(); len(all) != 1 || len(s.Data.AuditLog()) != 1 {
		t.Errorf("the invitations are %+v, the log is %+v", all, s.Data.AuditLog())
	}
	anna.Post("/admin/invitations", form()...).Want(http.StatusSeeOther)
	otto.Post("/admin/invitations", first...).Want(http.StatusSeeOther)
	if all := list(); len(all) != 3 {
		t.Errorf("the invitations of other forms are %+v", all)
	}
}

func TestAnInvitationComesBackWhenTheSessionHasExpired(t *testing.T) {
	s := webtest.NewSite(t)
	anna := s.SignUpAs("anna", domain.RoleAdministrator)
	anna.Post("/admin/invitations", "uses", "1", "days", "7", "note", "Secret").Want(http.StatusSeeOther)
	anna.WithoutSession().Post("/admin/invitations", "uses", "3", "days", "5", "note", "For Ada").
		Want(http.StatusUnauthorized).Has(`[role="alert"]`, "session has expired").
		Has(`#uses[value="3"]`, "").Has(`#days[value="5"]`, "").Has(`#note[value="For Ada"]`, "").
		HasNo(".invitations").HasNo("#invitations-title")
}

func TestAnInvitationGivesARole(t *testing.T) {
	s := webtest.NewSite(t)
	admin := s.SignUpAs("anna", domain.RoleAdministrator)
	signUp := func(t *testing.T, name string, role string) domain.Role {
		t.Helper()
		admin.Post("/admin/invitations", "uses", "1", "days", "7", "role", role).Want(http.StatusSeeOther)
		s.Anonymous().Post("/signup", "username", name, "password", webtest.Password, "invitation",
			s.Data.NewestInvitation().Code).Want(http.StatusSeeOther)
		return s.Data.UserNamed(name).Role
	}
	t.Run("or that of all new accounts, whoever can sign up", func(t *testing.T) {
		for n, registration := range []domain.Registration{domain.RegistrationOpen, domain.RegistrationByCode} {
			settings := s.Data.Settings()
			settings.Registration, settings.NewRole = registration, domain.RoleReader
			s.SetSettings(settings)
			for role, want := range map[string]domain.Role{"": domain.RoleReader, "reader": domain.RoleReader,
				"author": domain.RoleAuthor, "moderator": domain.RoleModerator} {
				if got := signUp(t, "new-"+role+string(rune('a'+n)), role); got != want {
					t.Errorf("an account of %q, invited as %q, is %q", registration, role, got)
				}
			}
		}
	})
	t.Run("that the list and the log name", func(t *testing.T) {
		admin.Post("/admin/invitations", "uses", "2", "days", "7", "role", "moderator", "note", "The team").
			Want(http.StatusSeeOther)
		admin.Get("/admin/invitations").Has(".invitations > li:first-child", "For the role moderator.")
		admin.Get("/admin/log").Has(".log li:first-child", "“The team” for 2 people with the role moderator")
	})
	t.Run("but never that of an administrator", func(t *testing.T) {
		before := s.Data.NewestInvitation().Code
		admin.Post("/admin/invitations", "uses", "1", "days", "7", "role", "administrator", "note", "For Ada").
			Want(http.StatusUnprocessableEntity).HasFieldError("role", "Choose one of the options").
			Has(`#note[value="For Ada"]`, "")
		if s.Data.NewestInvitation().Code != before {
			t.Error("there is an invitation")
		}
		s.Data.ChangeItem("moderation", "invitations", before, func(item map[string]any) {
			item["role"] = "administrator"
		})
		s.Anonymous().Post("/signup", "username", "mallory", "password", webtest.Password, "invitation", before).
			Want(http.StatusSeeOther)
		if role := s.Data.UserNamed("mallory").Role; role != domain.RoleReader {
			t.Errorf("the role is %q", role)
		}
	})
}

func TestAnInvitationIsMailed(t *testing.T) {
	const address = "ada@example.org"
	begin := func(t *testing.T) (*webtest.Site, *webtest.Visitor, []string) {
		s := webtest.NewSite(t)
		admin := s.SignUpAs("anna", domain.RoleAdministrator)
		return s, admin, []string{"attempt", admin.Get("/admin/invitations").Value("attempt"), "uses", "1", "days", "7",
			"note", "Secret", "email", address}
	}
	t.Run("once, with the link and without the note", func(t *testing.T) {
		s, admin, form := begin(t)
		var to string
		for range 2 {
			to = admin.Post("/admin/invitations", form...).Want(http.StatusSeeOther).Header.Get("Location")
		}
		admin.Get(to).Has(".done[role=status]", "Sent to "+address).Has(".done input[readonly]", "").
			Has(".done .invitations", "Secret")
		mail, link := s.MailTo(address), "/signup?invitation="+s.Data.NewestInvitation().Code
		if len(s.Data.Mails()) != 1 || !strings.Contains(mail.Text, link) ||
			!strings.Contains(mail.Text, "@anna") || strings.Contains(mail.Text, "Secret") {
			t.Errorf("%d mails, the last is %+v", len(s.Data.Mails()), mail)
		}
	})
	t.Run("in the language of the site", func(t *testing.T) {
		s, admin, form := begin(t)
		version := admin.Get("/admin/settings").Value("version")
		admin.Post("/admin/settings", "version", version, "registration", "open", "role", "author", "days", "3",
			"invited", "trusted", "language", "fr").Want(http.StatusSeeOther)
		admin.Post("/admin/invitations", form...).Want(http.StatusSeeOther)
		isFrench := func(l *locale.Language) bool { return l.Code() == "fr" }
		french := locale.All()[slices.IndexFunc(locale.All(), isFrench)]
		until := locale.Date(locale.With(t.Context(), french), s.Data.NewestInvitation().Expires)
		if mail := s.MailTo(address); !strings.Contains(webtest.CollapseSpace(mail.Text), until) {
			t.Errorf("the mail does not say %q: %s", until, mail.Text)
		}
	})
	t.Run("and stays if the mail cannot be stored", func(t *testing.T) {
		s, admin, form := begin(t)
		s.Data.Fail("Deliveries.Put")
		admin.Post("/admin/invitations", form...).Want(http.StatusUnprocessableEntity).
			HasFieldError("email", "could not be mailed").Has(`#email[value="`+address+`"]`, "").
			Has(".invitations input[readonly]", "")
		s.Data.Recover("Deliveries.Put")
		admin.Post("/admin/invitations", form...).Want(http.StatusSeeOther)
		s.MailTo(address)
		if n := len(s.Data.Items("moderation", "invitation")); n != 1 {
			t.Errorf("there are %d invitations", n)
		}
	})
	t.Run("unless the address is none, or the site sends no mail", func(t *testing.T) {
		s, admin, form := begin(t)
		admin.Post("/admin/invitations", "uses", "1", "days", "7", "email", "ada").
			Want(http.StatusUnprocessableEntity).HasFieldError("email", "Enter an email address").
			Has(`#email[value="ada"]`, "")
		s.Data.Mail.Away = true
		admin.Get("/admin/invitations").HasNo("#email")
		admin.Post("/admin/invitations", form...).Want(http.StatusUnprocessableEntity).
			HasFieldError("email", "Copy the link")
		if n := len(s.Data.Items("moderation", "invitation")); n != 0 {
			t.Errorf("there are %d invitations", n)
		}
	})
}
