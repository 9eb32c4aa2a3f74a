package moderation

import (
	"slices"
	"testing"

	"inkfeed/domain"
	"inkfeed/domain/siteinfo"
)

func TestAConflictShowsEachChangedSetting(t *testing.T) {
	stored := domain.Settings{Registration: domain.RegistrationClosed, NewRole: domain.RoleReader, NewDays: 9,
		DoubtInvited: true, PlainEmbeds: true,
		Info: siteinfo.Info{Name: "a", Tagline: "b", Description: "c", Accent: "d", CSS: "d", Footer: "e",
			Links: [siteinfo.MaxLinks]siteinfo.Link{{Label: "f"}}, Language: "g", TimeZone: "h", Contact: "i",
			PostalAddress: "p", FrontUser: "j", FrontPage: "k",
			Featured: [siteinfo.MaxFeatured]siteinfo.Post{{PostID: "l"}},
			Logo:     siteinfo.Picture{Hash: "m"}, LogoDark: siteinfo.Picture{Hash: "n"},
			Icon: siteinfo.Picture{Hash: "o"}}}
	looks := 0
	for f := range siteinfo.LookFields() {
		f.Set(&stored.Info.Looks, f.Options[0].Value+f.Options[1].Value)
		looks++
	}
	var shown []string
	for _, d := range differences(t.Context(), domain.Settings{}, stored, FrontForm{}) {
		shown = append(shown, d.setting)
	}
	changed := domain.ChangedSettings(domain.Settings{}, stored)
	if len(changed) != len(settingLabels)+looks {
		t.Errorf("of all settings only these differ: %q", changed)
	}
	want := slices.DeleteFunc(changed, func(name string) bool {
		return slices.Contains([]string{"logo", "logoDark", "icon"}, name)
	})
	slices.Sort(shown)
	slices.Sort(want)
	if !slices.Equal(shown, want) {
		t.Errorf("shown are %q, want %q", shown, want)
	}
}
