package domain_test

import (
	"net/url"
	"strings"
	"testing"

	"inkfeed/domain"
)

func pictureNamed(letter string) domain.ImageName {
	return domain.ImageName{Hash: strings.Repeat(letter, 26), Width: 2000, Height: 1500, Ext: domain.ExtJPEG}
}

func TestCoverOfAPost(t *testing.T) {
	a, b, c := pictureNamed("a"), pictureNamed("b"), pictureNamed("c")
	shown := []domain.Cover{{Image: a, Alt: "A cat"}, {Image: b, Alt: "A dog"}}
	for name, test := range map[string]struct {
		details  domain.Details
		pictures []domain.Cover
		want     domain.Cover
	}{
		"is the text's first picture":              {domain.Details{}, shown, shown[0]},
		"is none if the text has no picture":       {domain.Details{}, nil, domain.Cover{}},
		"is none if the author wants none":         {domain.Details{Cover: domain.NoCover}, shown, domain.Cover{}},
		"is another picture of the text":           {domain.Details{Cover: b.String()}, shown, shown[1]},
		"is a picture that the text does not show": {domain.Details{Cover: c.String()}, shown, domain.Cover{Image: c}},
		"has the author's description": {domain.Details{CoverAlt: "Mine"}, shown,
			domain.Cover{Image: a, Alt: "Mine"}},
		"has no description without a picture": {domain.Details{CoverAlt: "Mine"}, nil, domain.Cover{}},
		"has a description of limited length": {domain.Details{},
			[]domain.Cover{{Image: a, Alt: strings.Repeat("x", 2*domain.MaxAlt)}},
			domain.Cover{Image: a, Alt: strings.Repeat("x", domain.MaxAlt-1) + "…"}},
		"is none if the name is not one of pictures": {domain.Details{Cover: "x.png"}, shown, domain.Cover{}},
	} {
		t.Run(name, func(t *testing.T) {
			got := test.details.CoverOf(test.pictures)
			if got != test.want {
				t.Errorf("got %+v, want %+v", got, test.want)
			}
		})
	}
}

func TestCleanNormalisesTheCover(t *testing.T) {
	a := pictureNamed("a")
	for typed, want := range map[string]string{"": "", " none ": domain.NoCover, a.String(): a.String(),
		a.Path(): a.String(), domain.MediaPrefix + a.Variant(480): a.String()} {
		if d, err := (domain.Details{Cover: typed, CoverAlt: " A  cat "}).Clean(); err != nil || d.Cover != want ||
			(d.CoverAlt == "A cat") == (want == domain.NoCover) {
			t.Errorf("%q becomes %+v, %v; want %q", typed, d, err, want)
		}
	}
	for _, typed := range []string{"cat.jpg", "https://example.org/cat.jpg", a.Path() + "?x", "/media/" + a.Path(),
		"None"} {
		d, err := domain.Details{Cover: typed}.Clean()
		if f := fields(t, err); f["cover"].IsZero() || d.Cover != "" {
			t.Errorf("%q becomes %q with the errors %v", typed, d.Cover, f)
		}
	}
	d, err := domain.Details{CoverAlt: strings.Repeat("a", domain.MaxAlt+1)}.Clean()
	if f := fields(t, err); f["coverAlt"].IsZero() || d.CoverAlt != "" {
		t.Errorf("a description that is too long becomes %q with the errors %v", d.CoverAlt, f)
	}
}

// The editor recognises its own text in the answer to a save, so drafts keep it as typed.
func TestDetailsOfAFormAreAsTyped(t *testing.T) {
	typed := url.Values{"coverAlt": {" A  cat, on "}}
	if d := domain.DetailsOf(typed.Get); d.CoverAlt != " A  cat, on " {
		t.Errorf("the description is %q", d.CoverAlt)
	}
	if d, err := domain.DetailsOf(typed.Get).Clean(); err != nil || d.CoverAlt != "A cat, on" {
		t.Errorf("published, the description is %q, %v", d.CoverAlt, err)
	}
}
