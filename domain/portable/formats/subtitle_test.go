package formats_test

import (
	"strings"
	"testing"

	"inkfeed/domain"
)

func TestSubtitleOfAPostIsRead(t *testing.T) {
	hugo := func(lines, text string) map[string]string {
		return map[string]string{"hugo.toml": "",
			"content/a.md": "---\ntitle: A walk\ndate: 2020-01-02\n" + lines + "\n---\n" + text + "\n"}
	}
	ghost := func(excerpt string) map[string]string {
		return map[string]string{"g.json": `{"data": {"posts": [{"title": "A walk", "custom_excerpt": "` + excerpt + `",
			"html": "<p>It began with rain.</p>"}]}}`}
	}
	wordpress := func(excerpt string) map[string]string {
		return map[string]string{"a.xml": wxr(strings.Replace(article("A walk", "It began with rain."), "<wp:post_id>",
			"<excerpt:encoded><![CDATA["+excerpt+"]]></excerpt:encoded><wp:post_id>", 1))}
	}
	medium := func(subtitle string) map[string]string {
		return map[string]string{"posts/2019-01-02_A-abcdef123456.html": `<article class="h-entry">` +
			`<h1 class="p-name">A walk</h1><section class="e-content"><h3 class="graf graf--title">A walk</h3>` +
			`<h4 class="graf graf--subtitle">` + subtitle + `</h4><p class="graf">It began with rain.</p></section>` +
			`<footer><time class="dt-published" datetime="2019-01-02T03:04:05Z"></time></footer></article>`}
	}
	substack := func(subtitle string) map[string]string {
		return map[string]string{"posts/1.a-walk.html": "<p>It began with rain.</p>",
			"posts.csv": "post_id,post_date,is_published,type,audience,title,subtitle\n" +
				`1.a-walk,2023-05-06T07:08:09.000Z,true,newsletter,everyone,A walk,` + subtitle + "\n"}
	}
	const rain = "It began with rain."
	long := strings.TrimSpace(strings.Repeat("word ", 80))
	for name, c := range map[string]struct {
		files map[string]string
		want  string
	}{
		"from subtitle in Hugo":     {hugo("description: No\nsubtitle: By the sea", rain), "By the sea"},
		"from description in Hugo":  {hugo("description: By the sea", rain), "By the sea"},
		"from summary in Hugo":      {hugo("summary: By the sea", rain), "By the sea"},
		"from a theme's parameters": {hugo("params:\n  subtitle: By the sea", rain), "By the sea"},
		"without markup": {hugo("description: By <em>the</em> sea &amp; back", rain),
			"By the sea & back"},
		"not from template code":             {hugo("description: 'By {{ .Params.sea }}'", rain), ""},
		"not from the beginning of the text": {hugo("description: It began…", "*It began* with rain."), ""},
		"not from the text below a picture": {hugo("description: It began",
			"![A](https://a.example/b.png)\n\nIt began."), ""},
		"not from the title":              {hugo("description: A walk!", rain), ""},
		"from Ghost":                      {ghost("By the sea"), "By the sea"},
		"not from Ghost's own excerpt":    {ghost(rain), ""},
		"from WordPress":                  {wordpress("By the <b>sea</b>"), "By the sea"},
		"from Medium":                     {medium("By the sea"), "By the sea"},
		"from Substack":                   {substack("By the sea"), "By the sea"},
		"not from a long one on Medium":   {medium(long), ""},
		"not from a long one on Substack": {substack(long), ""},
	} {
		t.Run(name, func(t *testing.T) {
			b := read(t, c.files)
			if len(b.Posts) != 1 || b.Posts[0].Subtitle != c.want {
				t.Fatalf("the posts are %+v, the problems %v; want the subtitle %q", b.Posts, b.Problems, c.want)
			}
			if in := strings.Contains(b.Posts[0].Content, c.want); c.want != "" && in {
				t.Errorf("the text repeats it: %s", b.Posts[0].Content)
			}
			if strings.Contains(name, "long one") {
				contains(t, b.Posts[0].Content, "*"+long+"*")
			}
		})
	}
	t.Run("cut if a description is too long, which is reported", func(t *testing.T) {
		b := read(t, ghost(long))
		if got := b.Posts[0].Subtitle; !strings.HasSuffix(got, "…") || len([]rune(got)) > domain.MaxSubtitle {
			t.Errorf("the subtitle is %q", got)
		}
		if len(problems(b, "its description was cut")) != 1 {
			t.Errorf("the problems are %v", b.Problems)
		}
	})
}
