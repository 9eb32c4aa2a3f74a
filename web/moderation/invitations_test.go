package moderation_test

import (
	"net/http"
	"testing"

	"inkfeed/domain"
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
