package formats_test

import (
	"fmt"
	"strings"
	"testing"

	"inkfeed/domain/portable"
)

func TestTemplateCodeAddsABoundedSize(t *testing.T) {
	jekyll := func(text string) map[string]string {
		return map[string]string{"_config.yml": "title: x", "_posts/2020-01-02-a.md": "---\ntitle: A\n---\n" + text}
	}
	hugo := func(text string) map[string]string {
		return map[string]string{"hugo.toml": "[params]\nlong = '" + strings.Repeat("x", 60_000) + "'",
			"content/a.md": "---\ntitle: A\ndate: 2020-01-02\n---\n" + text}
	}
	tenBytes := `{% assign a = "xxxxxxxxxx" %}`
	gallery := jekyll(strings.Repeat("{% include gallery %}\n", 2000))
	gallery["_posts/2020-01-02-a.md"] = strings.Replace(gallery["_posts/2020-01-02-a.md"], "title: A\n",
		"title: A\ngallery:\n"+strings.Repeat("  - image_path: a.png\n", 1000), 1)
	wordy := hugo(strings.Repeat(`{{< own "x" >}}`+"\n", 20_000))
	wordy["layouts/shortcodes/own.html"] = strings.Repeat("x", 50_000) + "{{ .Get 0 }}"
	for name, files := range map[string]map[string]string{
		"a captured value that doubles": jekyll(tenBytes +
			strings.Repeat("{% capture a %}{{ a }}{{ a }}{% endcapture %}", 24) + "{{ a }}"),
		"an assigned value that doubles": jekyll(tenBytes +
			strings.Repeat("{% assign a = a | append: a %}", 24) + "{{ a }}"),
		"a long value that is repeated": jekyll(tenBytes +
			strings.Repeat("{% assign a = a | append: a %}", 12) + strings.Repeat("{{ a }}", 4000)),
		"a gallery that is repeated":      gallery,
		"a parameter that is repeated":    hugo(strings.Repeat("{{< param long >}}", 2000)),
		"a site's shortcode that is long": wordy,
	} {
		t.Run(name, func(t *testing.T) {
			b := read(t, files)
			p := b.Posts[0]
			most := portable.MaxText * 3 / 2 // with the marks around what was added
			if len(p.Content) > most || p.Status != portable.Draft {
				t.Errorf("a %s has a text of %d bytes, want a draft of at most %d", p.Status, len(p.Content), most)
			}
		})
	}
}

func TestTemplateCodeAddsABoundedSizeToAllTextsTogether(t *testing.T) {
	doubled := `{% assign a = "xxxxxxxxxx" %}` + strings.Repeat("{% assign a = a | append: a %}", 12)
	jekyll, hugo := map[string]string{"_config.yml": ""}, map[string]string{
		"hugo.toml": "[params]\nlong = '" + strings.Repeat("x", 60_000) + "'"}
	for i := range 60 {
		jekyll[fmt.Sprintf("_posts/2020-01-02-%d.md", i)] = "---\ntitle: A\n---\n" + doubled +
			strings.Repeat("{{ a }}", 60)
		hugo[fmt.Sprintf("content/%d.md", i)] = "---\ntitle: A\ndate: 2020-01-02\n---\n" +
			strings.Repeat("{{< param long >}}", 40)
	}
	for name, files := range map[string]map[string]string{"of Jekyll": jekyll, "of Hugo": hugo} {
		t.Run(name, func(t *testing.T) {
			total := 0
			for _, p := range read(t, files).Posts {
				total += len(p.Content)
			}
			if total > 65<<20 || total < 30<<20 {
				t.Errorf("all texts have %d MB", total>>20)
			}
		})
	}
}
