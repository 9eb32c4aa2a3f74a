package accounts

import (
	"bytes"
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
		{Info: siteinfo.Info{FrontPage: domain.NewPageID()}},
		{Info: siteinfo.Info{Name: "Ada's notes", Tagline: "On engines", Description: "What I think.",
			Accent: "#123456",
			Footer: "Made with care", Links: [siteinfo.MaxLinks]siteinfo.Link{{Label: "Code",
				Address: "https://example.org/"}},
			Language: "en", TimeZone: "Europe/Prague", Contact: "ada@example.org",
			FrontUser: domain.NewUserID(nil),
			Featured:  [siteinfo.MaxFeatured]siteinfo.Post{{PostID: domain.NewID(), AuthorID: domain.NewUserID(nil)}},
			Logo: siteinfo.Picture{Hash: domain.NewSitePicture(nil).Hash, Width: 2, Height: 1,
				Tone: siteinfo.DarkTone}}},
		{Info: siteinfo.Info{Looks: siteinfo.NewLooks(), Former: siteinfo.Look{Accent: "#123456"}}},
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

// sitePictures checks that the site's pictures change together with the settings.
func (s *suite) sitePictures(t *testing.T) {
	logo, icon := domain.NewSitePicture([]byte("logo")), domain.NewSitePicture([]byte("icon"))
	named := func(version int, logo, icon domain.SitePicture) domain.Settings {
		return domain.Settings{Version: version, Info: siteinfo.Info{
			Logo: siteinfo.Picture{Hash: logo.Hash, Width: 1, Height: 1},
			Icon: siteinfo.Picture{Hash: icon.Hash, Width: 1, Height: 1}}}
	}
	wantPictures := func(pictures ...domain.SitePicture) {
		t.Helper()
		for _, p := range pictures {
			if got := fixture.Must[[]byte](t)(s.Settings.Picture(t.Context(), p.Hash)); !bytes.Equal(got, p.Content) {
				t.Errorf("got %q, want %q", got, p.Content)
			}
		}
	}
	before := fixture.Must[domain.Settings](t)(s.Settings.Get(t.Context()))
	first := fixture.Must[domain.Settings](t)(s.Settings.Set(t.Context(),
		named(before.Version, logo, icon), logo, icon))
	wantPictures(logo, icon)

	_, err := s.Settings.Set(t.Context(), named(before.Version, logo, logo), domain.NewSitePicture([]byte("late")))
	fixture.WantKind(t, err, domain.Conflict)
	_, err = s.Settings.Picture(t.Context(), domain.NewSitePicture([]byte("late")).Hash)
	fixture.WantKind(t, err, domain.NotFound)

	// Replaced pictures stay for cached pages, and can be used again.
	second := fixture.Must[domain.Settings](t)(s.Settings.Set(t.Context(), named(first.Version, logo, logo)))
	wantPictures(logo, icon)
	third := fixture.Must[domain.Settings](t)(s.Settings.Set(t.Context(), named(second.Version, icon, icon), icon))
	wantPictures(logo, icon)
	fixture.Must[domain.Settings](t)(s.Settings.Set(t.Context(), domain.Settings{Version: third.Version}))
	for _, hash := range []string{"", "../settings", logo.Hash[1:]} {
		_, err = s.Settings.Picture(t.Context(), hash)
		fixture.WantKind(t, err, domain.NotFound)
	}
}
