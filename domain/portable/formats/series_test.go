package formats_test

import "testing"

func TestSeriesOfAPostIsRead(t *testing.T) {
	hugo := func(matter string) map[string]string {
		return map[string]string{"hugo.toml": "", "content/post/a.md": matter + "text\n"}
	}
	page := func(matter string) string { return "---\ntitle: A\ndate: 2020-01-02\n" + matter + "---\n" }
	jekyll := func(matter string) map[string]string {
		return map[string]string{"_config.yml": "", "_posts/2020-01-02-a.md": page(matter) + "text\n"}
	}
	for name, c := range map[string]struct {
		files       map[string]string
		title, part string
	}{
		"from a list in Hugo": {hugo(page("series: [Learning Go]\nseries_order: 2\n")), "Learning Go", "2"},
		"from a text in Hugo": {hugo(page("series: Go, in parts\nweight: 30\n")), "Go, in parts", "30"},
		"from TOML":           {hugo("+++\ntitle = 'A'\nseries = ['Go']\nseries_weight = 4\n+++\n"), "Go", "4"},
		"with its specific number": {hugo(page("series: [Go]\nweight: 7\nseriesOrder: 1\n")), "Go",
			"1"},
		"from a theme's parameters": {hugo(page("params:\n  series: Go\n  series_order: 3\n")), "Go", "3"},
		"from a text in Jekyll":     {jekyll("series: Go basics\npart: 2\n"), "Go basics", "2"},
		"from a table in Jekyll":    {jekyll("series:\n  title: Go basics\n  index: 2\n  part: 5\n"), "Go basics", "5"},
		"from Hashnode's slug": {map[string]string{"a.md": page("seriesSlug: go-basics\n") + "text\n"},
			"Go basics", ""},
		"from Forem's title": {map[string]string{"a.md": page("series: Go basics\n") + "text\n"},
			"Go basics", ""},
		"from Zola's taxonomies": {map[string]string{"config.toml": "base_url = 'https://example.org'\n",
			"content/a.md": "+++\ntitle = 'A'\ndate = 2020-01-02\n[taxonomies]\nseries = ['Go']\n[extra]\n" +
				"series_order = 6\n+++\ntext\n"}, "Go", "6"},
		"without a number that is none":       {hugo(page("series: Go\npart: last\n")), "Go", ""},
		"unless it only says that it has one": {jekyll("series: true\npart: 2\n"), "", ""},
		"not from a weight alone":             {hugo(page("weight: 3\n")), "", ""},
	} {
		t.Run(name, func(t *testing.T) {
			b := read(t, c.files)
			if len(b.Posts) != 1 {
				t.Fatalf("the blog has %d posts, want 1: %v", len(b.Posts), b.Problems)
			}
			if p := b.Posts[0]; p.Series != c.title || p.SeriesPart != c.part {
				t.Errorf("the series is %q and the part %q, want %q and %q", p.Series, p.SeriesPart, c.title, c.part)
			}
		})
	}
	t.Run("reports further ones", func(t *testing.T) {
		b := read(t, hugo(page("series: [One, Two]\n")))
		if len(b.Posts) != 1 || b.Posts[0].Series != "One" || len(b.Problems) != 1 {
			t.Errorf("the posts are %+v, the problems %v", b.Posts, b.Problems)
		}
	})
}
