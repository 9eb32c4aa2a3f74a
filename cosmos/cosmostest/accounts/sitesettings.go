package accounts

import (
	"testing"

	"inkfeed/cosmos/cosmostest/fixture"
	"inkfeed/domain"
	"inkfeed/domain/siteinfo"
)

func (s *suite) siteSettings(t *testing.T) {
	if got := fixture.Must[domain.Settings](t)(s.Settings.Get(t.Context())); got != (domain.Settings{}) {
		t.Errorf("the settings at first are %+v", got)
	}
	var settings domain.Settings
	for _, change := range []domain.Settings{
		{Registration: domain.RegistrationByCode, NewRole: domain.RoleReader},
		{Registration: domain.RegistrationClosed, NewDays: 7, DoubtInvited: true},
		{NewDays: domain.NeverNew},
		{Info: siteinfo.Info{Name: "Ada's notes", Tagline: "On engines", Description: "What I think.",
			Accent: "#123456",
			Footer: "Made with care", Links: [siteinfo.MaxLinks]siteinfo.Link{{Label: "Code",
				Address: "https://example.org/"}},
			Language: "en", TimeZone: "Europe/Prague", Contact: "ada@example.org",
			FrontUser: domain.NewUserID(nil),
			Featured:  [siteinfo.MaxFeatured]siteinfo.Post{{PostID: domain.NewID(), AuthorID: domain.NewUserID(nil)}}}},
		{},
	} {
		change.Version = settings.Version
		settings = fixture.Must[domain.Settings](t)(s.Settings.Set(t.Context(), change))
		if got := fixture.Must[domain.Settings](t)(s.Settings.Get(t.Context())); got != settings {
			t.Errorf("got %+v, want %+v", got, settings)
		}
	}
	_, err := s.Settings.Set(t.Context(), domain.Settings{Registration: domain.RegistrationClosed,
		Version: settings.Version - 1})
	fixture.WantKind(t, err, domain.Conflict)
	_, err = s.Settings.Set(t.Context(), domain.Settings{NewRole: domain.RoleAdministrator, Version: settings.Version})
	fixture.WantKind(t, err, domain.Invalid)
	_, err = s.Settings.Set(t.Context(), domain.Settings{NewDays: domain.MaxNewDays + 1, Version: settings.Version})
	fixture.WantKind(t, err, domain.Invalid)
}
