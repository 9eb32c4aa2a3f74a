package markdown_test

import (
	"strings"
	"testing"

	"inkfeed/domain"
	"inkfeed/domain/markdown"
	"inkfeed/domain/plaintext"
)

func TestSummaryHasCoverAndLength(t *testing.T) {
	a := domain.ImageName{Hash: strings.Repeat("a", 26), Width: 640, Height: 480, Ext: domain.ExtPNG}
	b := domain.ImageName{Hash: strings.Repeat("b", 26), Width: 2000, Height: 1000, Ext: domain.ExtJPEG}
	p := domain.Post{Content: "Five words before the pictures.\n\n![x](https://example.org/x.png) ![A *grey* cat](" +
		a.Path() + ")\n\n![\"Dog\" & co](" + b.Path() + ")\n\n```\n![code](" + b.Path() + ")\n```\n日本語"}
	renderer := markdown.New()
	for name, c := range map[string]struct {
		details domain.Details
		want    domain.Cover
	}{
		"the first picture of this site": {domain.Details{}, domain.Cover{Image: a, Alt: "A grey cat"}},
		"the chosen one with its text": {domain.Details{Cover: b.String()},
			domain.Cover{Image: b, Alt: `"Dog" & co`}},
		"none":                               {domain.Details{Cover: domain.NoCover}, domain.Cover{}},
		"the author's description of either": {domain.Details{CoverAlt: "Mine"}, domain.Cover{Image: a, Alt: "Mine"}},
	} {
		t.Run(name, func(t *testing.T) {
			p.Details = c.details
			p.Details.Language = "en"
			s := renderer.Summarize(p)
			if s.Cover != c.want {
				t.Errorf("the cover is %+v, want %+v", s.Cover, c.want)
			}
			if short, whole := renderer.SummarizeWhole(p); short.Cover != s.Cover || short.Length != s.Length ||
				short.Text != s.Text || whole != renderer.PlainText(p.Content) {
				t.Errorf("for the search it is %+v, %q", short, whole)
			}
			if s.Length != renderer.Post(p.Content).Length || s.Length.Words < 5 || s.Length.Ideographs != 3 {
				t.Errorf("the length is %+v", s.Length)
			}
			if got := markdown.Cover(p); got.Image != c.want.Image {
				t.Errorf("without rendering, the cover is %+v", got)
			}
		})
	}
	t.Run("a hidden post shows its reader neither", func(t *testing.T) {
		p.Details, p.Held = domain.Details{}, domain.HeldByModerator
		if s := renderer.BookmarkedPost(domain.Bookmark{},
			p).Post; s.Cover.Exists() || s.Length != (plaintext.Length{}) {
			t.Errorf("the bookmark shows %+v", s)
		}
	})
}
