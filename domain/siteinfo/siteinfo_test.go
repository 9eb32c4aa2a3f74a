package siteinfo

import (
	"context"
	"testing"
	"time"
)

func TestOnlyAnEmailContactBecomesAMailtoLink(t *testing.T) {
	for contact, want := range map[string]string{
		"ada@example.org":                   "mailto:ada@example.org",
		"https://example.org/contact?a@b":   "https://example.org/contact?a@b",
		"/contact":                          "/contact",
		"javascript:alert(1)//@example.org": "javascript:alert(1)//@example.org", // domain.CleanInfo refuses it
		"":                                  "",
	} {
		if got := (Info{Contact: contact}).ContactLink(); got != want {
			t.Errorf("%q leads to %q, want %q", contact, got, want)
		}
	}
	for _, text := range []string{"javascript:x@example.org", "Ada <ada@example.org>", `"x:y"@example.org`, "nobody",
		"/@ada"} {
		if IsMailAddress(text) {
			t.Errorf("%q is an email address", text)
		}
	}
}

func TestDatesAreInTheSitesZone(t *testing.T) {
	ctx := With(t.Context(), &Info{TimeZone: "Asia/Tokyo"})
	if got := time.Unix(0, 0).In(Zone(ctx)).Hour(); got != 9 {
		t.Errorf("the epoch was at %d o'clock", got)
	}
	for name, ctx := range map[string]context.Context{"no site": context.Background(),
		"an unknown zone": With(t.Context(), &Info{TimeZone: "Mars/Olympus"})} {
		if Zone(ctx) != time.UTC {
			t.Errorf("%s has the zone %s", name, Zone(ctx))
		}
	}
}

func TestNewSiteHasTheProductsName(t *testing.T) {
	if got := From(t.Context()).Title(); got != Product {
		t.Errorf("the title is %q", got)
	}
	links := Info{Links: [MaxLinks]Link{{}, {Label: "About", Address: "/about"}}}.FooterLinks()
	if len(links) != 1 || links[0].Label != "About" {
		t.Errorf("the links are %v", links)
	}
}
