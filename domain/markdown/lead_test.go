package markdown_test

import (
	"testing"

	"inkfeed/domain"
	"inkfeed/domain/markdown"
)

func TestWithoutLead(t *testing.T) {
	name, _ := domain.ParseImagePath(picture)
	other := domain.ImageName{Hash: name.Hash, Width: 20, Height: 10, Ext: domain.ExtGIF}
	for what, c := range map[string]struct {
		source, want, caption string
		lead                  bool
	}{
		"a picture at the beginning": {"![A cat](" + picture + ")\n\nText.", "<p>Text.</p>\n", "", true},
		"a picture with a caption": {"![A cat](" + picture + " \"Cats & <dogs>\")\n\nText.", "<p>Text.</p>\n",
			"Cats & <dogs>", true},
		"a picture that is all":         {"![](" + picture + ")", "", "", true},
		"the same picture twice":        {"![](" + picture + ")\n\nText.\n\n![](" + picture + ")", "", "", true},
		"a picture after a paragraph":   {"Text.\n\n![](" + picture + ")", "", "", false},
		"a picture within a paragraph":  {"![](" + picture + ") and text.", "", "", false},
		"a picture after another":       {"![](" + other.Path() + ")\n\n![](" + picture + ")", "", "", false},
		"a text without pictures":       {"Text.", "", "", false},
		"a text that shows markup only": {"<figure>" + picture + "</figure>", "", "", false},
	} {
		t.Run(what, func(t *testing.T) {
			r := markdown.New().Post(c.source)
			without, caption, lead := r.WithoutLead(name)
			if lead != c.lead || caption != c.caption {
				t.Errorf("lead %t with the caption %q, want %t and %q", lead, caption, c.lead, c.caption)
			}
			if c.want != "" && without.HTML != c.want {
				t.Errorf("the rest is %q, want %q", without.HTML, c.want)
			}
			if !lead && without.HTML != r.HTML {
				t.Errorf("the text became %q", without.HTML)
			}
			if lead && len(without.HTML) >= len(r.HTML) {
				t.Errorf("the picture stays: %q", without.HTML)
			}
		})
	}
}
