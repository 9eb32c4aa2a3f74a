package formats_test

import (
	"testing"

	"inkfeed/domain/portable"
)

// language returns the language of the only post of a blog.
func language(t *testing.T, b *portable.Blog) string {
	t.Helper()
	if len(b.Posts) != 1 {
		t.Fatalf("the blog has %d posts, want 1: %v", len(b.Posts), b.Problems)
	}
	return b.Posts[0].Language
}

func TestLanguageOfAPostIsRead(t *testing.T) {
	page := func(matter string) string { return "---\ntitle: A\ndate: 2020-01-02\n" + matter + "---\ntext\n" }
	const twoLanguages = "defaultContentLanguage = 'en'\n[languages.en]\n[languages.de]\n"
	for name, c := range map[string]struct {
		files map[string]string
		want  string
	}{
		"from language in Hugo": {map[string]string{"hugo.toml": "", "content/a.md": page("language: de\n")}, "de"},
		"from lang in Jekyll": {map[string]string{"_config.yml": "",
			"_posts/2020-01-02-a.md": page("lang: pt-BR\n")}, "pt-BR"},
		"from locale in Markdown": {map[string]string{"a.md": page("locale: en_GB\n")}, "en_GB"},
		"from a Hugo file's name": {map[string]string{"hugo.toml": twoLanguages, "content/a.de.md": page("")}, "de"},
		"from a Hugo site":        {map[string]string{"hugo.toml": twoLanguages, "content/a.md": page("")}, "en"},
		"first from front matter": {map[string]string{"hugo.toml": twoLanguages, "content/a.md": page("lang: nl\n")},
			"nl"},
		"not from one language": {map[string]string{"hugo.toml": "", "content/a.md": page("")}, ""},
		"from a post of Ghost": {map[string]string{"g.json": `{"data": {"posts": [{"title": "A", "locale": "de"}]}}`},
			"de"},
		"not from null in Ghost": {map[string]string{"g.json": `{"data": {"posts": [{"title": "A", "locale": null}]}}`},
			""},
		"from a WriteFreely post": {map[string]string{"w.json": `{"posts": [{"body": "x", "language": "fr"}]}`},
			"fr"},
		"not from empty text there": {map[string]string{"w.json": `{"posts": [{"body": "x", "language": ""}]}`}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			if got := language(t, read(t, c.files)); got != c.want {
				t.Errorf("language %q, want %q", got, c.want)
			}
		})
	}
}
