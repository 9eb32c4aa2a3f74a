package markdown_test

import (
	"strings"
	"testing"

	"inkfeed/domain"
	"inkfeed/domain/markdown"
)

func TestWithoutCover(t *testing.T) {
	name, _ := domain.ParseImagePath(picture)
	other := domain.ImageName{Hash: name.Hash, Width: 20, Height: 10, Ext: domain.ExtGIF}
	gallery := "![](" + other.Path() + ")\n![](" + picture + ")"
	for what, c := range map[string]struct {
		source, want, caption string
		place                 markdown.CoverPlace
	}{
		"a picture at the beginning": {"![A cat](" + picture + ")\n\nText.", "<p>Text.</p>\n", "",
			markdown.CoverFirst},
		"a picture with a caption": {"![A cat](" + picture + " \"Cats & <dogs>\")\n\nText.", "<p>Text.</p>\n",
			"Cats & <dogs>", markdown.CoverFirst},
		"a picture alone": {"![](" + picture + ")", "", "", markdown.CoverFirst},
		"the same picture twice": {"![](" + picture + ")\n\nText.\n\n![](" + picture + ")", "", "",
			markdown.CoverFirst},
		"a picture after a paragraph": {"Text.\n\n![](" + picture + " \"Cats\")\n\nMore.",
			"<p>Text.</p>\n<p>More.</p>\n", "Cats", markdown.CoverAlone},
		"a picture after another": {"![](" + other.Path() + ")\n\n![](" + picture + ")", "", "", markdown.CoverAlone},
		"a picture after a quote with it": {"> ![](" + picture + ")\n\n![](" + picture + ")", "", "",
			markdown.CoverAlone},
		"a picture within a paragraph": {"![](" + picture + ") and text.", "", "", markdown.CoverWithin},
		"a picture that is a link":     {"[![](" + picture + ")](https://example.org/)", "", "", markdown.CoverWithin},
		"a picture in a gallery":       {gallery, "", "", markdown.CoverWithin},
		"a picture in a quote":         {"> ![](" + picture + ")", "", "", markdown.CoverWithin},
		"a picture in a list":          {"- One\n\n  ![](" + picture + ")", "", "", markdown.CoverWithin},
		"a picture in a section": {"<details>\n<summary>S</summary>\n\n![](" + picture + ")\n\n</details>", "", "",
			markdown.CoverWithin},
		"a text without pictures":       {"Text.", "", "", markdown.CoverNowhere},
		"a text that shows markup only": {"<figure>" + picture + "</figure>", "", "", markdown.CoverNowhere},
	} {
		t.Run(what, func(t *testing.T) {
			r := markdown.New().Post(c.source)
			without, caption, place := r.WithoutCover(name)
			if place != c.place || caption != c.caption {
				t.Errorf("place %d with the caption %q, want %d and %q", place, caption, c.place, c.caption)
			}
			if c.want != "" && without.HTML != c.want {
				t.Errorf("the rest is %q, want %q", without.HTML, c.want)
			}
			moved := place == markdown.CoverFirst || place == markdown.CoverAlone
			if !moved && without.HTML != r.HTML {
				t.Errorf("the text became %q", without.HTML)
			}
			before, after := strings.Count(r.HTML, `src="`+picture), strings.Count(without.HTML, `src="`+picture)
			if moved && before != after+1 {
				t.Errorf("the text showed the picture %d times, and now %d times", before, after)
			}
		})
	}
}
