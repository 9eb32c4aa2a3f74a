package accounts

import (
	"bytes"
	"sync"
	"sync/atomic"
	"testing"

	"inkfeed/cosmos/cosmostest/fixture"
	"inkfeed/domain"
	"inkfeed/domain/siteinfo"
)

// firstSettings checks the settings before an administrator changes them. It runs before the other tests of settings.
func (s *suite) firstSettings(t *testing.T) {
	get := func(t *testing.T) domain.Settings {
		t.Helper()
		return fixture.Must[domain.Settings](t)(s.Settings.Get(t.Context()))
	}
	fixture.Run(t, "a site with accounts keeps its empty settings", func(t *testing.T) {
		s.MustUser(t)
		fixture.Check(t, s.BeginIfNew(t.Context()))
		if got := get(t); got != (domain.Settings{}) {
			t.Errorf("the settings are %+v", got)
		}
	})
	fixture.Run(t, "several instances begin a new site with the look of new sites", func(t *testing.T) {
		var group sync.WaitGroup
		for range 8 {
			group.Go(func() {
				if err := s.Settings.Begin(t.Context()); err != nil {
					t.Error(err)
				}
			})
		}
		group.Wait()
		look := siteinfo.Look{Looks: siteinfo.NewLooks()}
		if got, want := get(t), (domain.Settings{Info: siteinfo.Info{Looks: look.Looks, Former: look}}); got != want {
			t.Errorf("got %+v, want %+v", got, want)
		}
	})
	fixture.Run(t, "of several first changes, one is stored, and a later begin changes nothing", func(t *testing.T) {
		first := get(t)
		var group sync.WaitGroup
		var stored atomic.Int32
		for n := range 4 {
			group.Go(func() {
				change := first
				change.NewDays = n + 1
				switch _, err := s.Settings.Set(t.Context(), change); {
				case err == nil:
					stored.Add(1)
				case !domain.Is(err, domain.Conflict):
					t.Error(err)
				}
			})
		}
		group.Wait()
		changed := get(t)
		fixture.Check(t, s.Settings.Begin(t.Context()))
		fixture.Check(t, s.BeginIfNew(t.Context()))
		if got := get(t); stored.Load() != 1 || got.Version != 1 || got != changed || got.Info != first.Info {
			t.Errorf("%d changes were stored, the settings are %+v, then %+v", stored.Load(), changed, got)
		}
	})
}

func (s *suite) siteSettings(t *testing.T) {
	settings := fixture.Must[domain.Settings](t)(s.Settings.Get(t.Context()))
	for _, change := range []domain.Settings{
		{Registration: domain.RegistrationByCode, NewRole: domain.RoleReader},
		{Registration: domain.RegistrationClosed, NewDays: 7, DoubtInvited: true},
		{NewDays: domain.NeverNew},
		{Info: siteinfo.Info{FrontPage: domain.NewPageID()}},
		{Info: siteinfo.Info{Name: "Ada's notes", Tagline: "On engines", Description: "What I think.",
			Accent: "#123456", CSS: "a { color: red }",
			Footer: "Made with care", Links: [siteinfo.MaxLinks]siteinfo.Link{{Label: "Code",
				Address: "https://example.org/"}},
			Language: "en", TimeZone: "Europe/Prague", Contact: "ada@example.org", PostalAddress: "Ada\nOslo",
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
