package markdown_test

import (
	"testing"

	"inkfeed/domain"
	"inkfeed/domain/markdown"
)

func TestWithoutCover(t *testing.T) {
	name, _ := domain.ParseImagePath(picture)
	other := domain.ImageName{Hash: name.Hash, Width: 20, Height: 10, Ext: domain.ExtGIF}
	for what, c := range map[string]struct {
		source, want, caption string
		first                 bool
	}{
		"a picture at the beginning": {"![A cat](" + picture + ")\n\nText.", "<p>Text.</p>\n", "", true},
		"a picture with a caption": {"![A cat](" + picture + " \"Cats & <dogs>\")\n\nText.", "<p>Text.</p>\n",
			"Cats & <dogs>", true},
		"a picture alone":               {"![](" + picture + ")", "", "", true},
		"the same picture twice":        {"![](" + picture + ")\n\nText.\n\n![](" + picture + ")", "", "", true},
		"a picture after a paragraph":   {"Text.\n\n![](" + picture + ")", "", "", false},
		"a picture within a paragraph":  {"![](" + picture + ") and text.", "", "", false},
		"a picture after another":       {"![](" + other.Path() + ")\n\n![](" + picture + ")", "", "", false},
		"a text without pictures":       {"Text.", "", "", false},
		"a text that shows markup only": {"<figure>" + picture + "</figure>", "", "", false},
	} {
		t.Run(what, func(t *testing.T) {
			r := markdown.New().Post(c.source)
			without, caption, first := r.WithoutCover(name)
			if first != c.first || caption != c.caption {
				t.Errorf("first %t with the caption %q, want %t and %q", first, caption, c.first, c.caption)
			}
			if c.want != "" && without.HTML != c.want {
				t.Errorf("the rest is %q, want %q", without.HTML, c.want)
			}
			if !first && without.HTML != r.HTML {
				t.Errorf("the text became %q", without.HTML)
			}
			if first && len(without.HTML) >= len(r.HTML) {
				t.Errorf("the picture stays: %q", without.HTML)
			}
		})
	}
}
