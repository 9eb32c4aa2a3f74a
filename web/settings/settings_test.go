package settings_test

import (
	"testing"

	"inkfeed/domain"
	"inkfeed/web/webtest"
)

func TestSettingsLinkToPagesThatTheUserMayOpen(t *testing.T) {
	s := webtest.NewSite(t)
	ada := s.SignUp("ada")
	ada.Get("/settings").Want(200).Has(`.room-list a[href="/images"]`, "Pictures").
		Has(`.room-menu a[href="/images"]`, "Pictures")
	ada.Get("/images").Want(200)
	s.SetRole(ada, domain.RoleReader)
	ada.Get("/settings").Want(200).HasNo(`main a[href="/images"]`)
}
