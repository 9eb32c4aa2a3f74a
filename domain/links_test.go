package domain_test

import (
	"testing"

	"inkfeed/domain"
	"inkfeed/domain/siteinfo"
)

// People type example.org where they mean https://example.org.
func TestFieldsForAddressesAcceptThemWithoutAScheme(t *testing.T) {
	for typed, want := range map[string]string{" example.org ": "https://example.org",
		"www.example.org/ada": "https://www.example.org/ada", "ada@example.org": "mailto:ada@example.org"} {
		link := siteinfo.Link{Label: "Site", Address: typed}
		var p domain.Profile
		p.Links[0] = link
		if p, err := domain.CleanProfile(p); err != nil || p.Links[0].Address != want {
			t.Errorf("%q becomes %q in a profile, %v", typed, p.Links[0].Address, err)
		}
		i := siteinfo.Info{Contact: typed}
		i.Links[0] = link
		if i, err := domain.CleanInfo(i); err != nil || i.Links[0].Address != want || i.ContactLink() != want {
			t.Errorf("%q becomes %q in the footer and %q as the contact, %v", typed, i.Links[0].Address,
				i.ContactLink(), err)
		}
	}
	var p domain.Profile
	p.Links[0] = siteinfo.Link{Label: "Site", Address: "about.html"}
	if _, err := domain.CleanProfile(p); err == nil {
		t.Error("a profile links to about.html")
	}
}
