package formats_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"inkfeed/domain/portable"
	"inkfeed/domain/portable/formats"
)

// openWith reads a folder of files under a policy for template code.
func openWith(t *testing.T, policy portable.TemplatePolicy, files map[string]string) *portable.Blog {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		file := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	b, closeBlog, err := formats.Open(dir, portable.Options{Templates: policy}, now)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(closeBlog)
	return b
}

func TestUnknownTemplateCodeFollowsThePolicy(t *testing.T) {
	hugo := func(text string) map[string]string {
		return map[string]string{"hugo.toml": "", "content/a.md": "---\ntitle: A\ndate: 2020-01-02\n---\n" + text +
			"\n"}
	}
	jekyll := func(text string) map[string]string {
		return map[string]string{"_config.yml": "", "_posts/2020-01-02-a.md": "---\ntitle: A\n---\n" + text + "\n"}
	}
	wordpress := func(text string) map[string]string { return map[string]string{"a.xml": wxr(article("A", text))} }
	for name, c := range map[string]struct {
		files         map[string]string
		kept, removed string
		about         string
	}{
		"a shortcode": {hugo(`One {{< tide port="n" >}} two.`), `One {{< tide port="n" >}} two.`,
			"One  two.", "tide"},
		"a shortcode with a text": {hugo("{{% tide %}}\nThe **sea**\n{{% /tide %}}"),
			"{{% tide %}}\nThe **sea**\n{{% /tide %}}", "The **sea**", "tide"},
		"a shortcode in a fence": {hugo("```\n{{< tide >}}\n```"), "```\n{{< tide >}}\n```", "```\n\n```", "tide"},
		"a tag":                  {jekyll("One {% tide n %} two."), "One {% tide n %} two.", "One  two.", "tide"},
		"a condition": {jekyll("{% if page.x %}One{% else %}two{% endif %}"),
			"{% if page.x %}One{% else %}two{% endif %}", "Onetwo", "if"},
		"a value": {jekyll(`One {{ site.data.x | date: "%Y" }}.`),
			`One {{ site.data.x | date: "%Y" }}.`, "One .", "site.data.x"},
		"an include that is missing": {jekyll(`One {% include x.html a="b" %}.`), `One {% include x.html a="b" %}.`,
			"One .", "x.html"},
		"a shortcode of WordPress": {wordpress(`One [tide port="n"]two[/tide].`), `One \[tide port="n"]two\[/tide].`,
			"One two.", "[tide]"},
	} {
		t.Run(name, func(t *testing.T) {
			for policy, want := range map[portable.TemplatePolicy]struct {
				content string
				status  portable.Status
			}{
				"":                       {c.kept, portable.Draft},
				portable.DraftTemplates:  {c.kept, portable.Draft},
				portable.KeepTemplates:   {c.kept, portable.Published},
				portable.RemoveTemplates: {c.removed, portable.Published},
			} {
				b := openWith(t, policy, c.files)
				p := find(t, b, "A")
				if strings.TrimSpace(p.Content) != want.content || p.Status != want.status ||
					p.Held != (want.status == portable.Draft) {
					t.Errorf("%q: %s, held %v, content %q, want %s and %q", policy, p.Status, p.Held, p.Content,
						want.status, want.content)
				}
				if got := problems(b, c.about); len(got) != 1 || len(b.Problems) != 1 {
					t.Errorf("%q: problems %v", policy, b.Problems)
				}
				if len(p.Paths) == 0 {
					t.Errorf("policy %q: the addresses are lost", policy)
				}
			}
		})
	}
	t.Run("makes a draft of an unlisted or scheduled post", func(t *testing.T) {
		b := openWith(t, "", map[string]string{"hugo.toml": "",
			"content/a.md": "---\ntitle: A\nhidden: true\n---\n{{< x >}}\n",
			"content/b.md": "---\ntitle: B\npublishDate: 2030-01-01\n---\n{{< x >}}\n",
			"content/c.md": "---\ntitle: C\ndraft: true\n---\n{{< x >}}\n"})
		statuses(t, b, map[string]portable.Status{"A": portable.Draft, "B": portable.Draft, "C": portable.Draft})
		if a, c := find(t, b, "A"), find(t, b, "C"); !a.Hidden || !a.Held || c.Held ||
			!find(t, b, "B").Publish.IsZero() {
			t.Errorf("%+v and %+v", a, c)
		}
	})
}

func TestTextThatLooksLikeTemplateCodeStays(t *testing.T) {
	const mustache, shortcode, tag = "Write {{ name }} and {{#if x}}", "Write {{< youtube x >}}", "Write {% if x %}"
	all := mustache + " " + shortcode + " " + tag
	for name, c := range map[string]struct{ file, text, want string }{
		"a folder of Markdown": {"a.md", "---\ntitle: A\n---\n" + all + "\n", all},
		"mustaches of Hugo": {"content/a.md", "---\ntitle: A\n---\n" + mustache +
			"\n\n```\n{{ .Title }} {% if %}\n```\n", mustache + "\n\n```\n{{ .Title }} {% if %}\n```"},
		"a shortcode in inline code": {"content/a.md", "---\ntitle: A\n---\nWrite `{{< tide >}}`.\n",
			"Write `{{< tide >}}`."},
		"an escaped shortcode": {"content/a.md", "---\ntitle: A\n---\nWrite {{</* tide a=\"b\" */>}}.\n",
			"Write `{{< tide a=\"b\" >}}`."},
		"an escaped closing tag": {"content/a.md", "---\ntitle: A\n---\nWrite {{%/* /tide */%}}.\n",
			"Write `{{% /tide %}}`."},
		"an incomplete shortcode": {"content/a.md", "---\ntitle: A\n---\nWrite {{< and {{< \"x\n",
			"Write {{< and {{< \"x"},
		"raw Liquid": {"_posts/2020-01-02-a.md",
			"---\ntitle: A\n---\n{% raw %}{{ x }} {% if y %}{% endraw %}\n", "{{ x }} {% if y %}"},
		"raw Liquid in a fence": {"_posts/2020-01-02-a.md",
			"---\ntitle: A\n---\n```\n{% raw %}\n{{ x }}{% endraw %}\n```\n", "```\n\n{{ x }}\n```"},
		"a value in code": {"_posts/2020-01-02-a.md",
			"---\ntitle: A\n---\n```yaml\nkey: ${{ secrets.KEY }}\n```\n", "```yaml\nkey: ${{ secrets.KEY }}\n```"},
		"words in brackets of WordPress": {"a.xml", wxr(article("A", "One [sic] two [update] three [1].")),
			"One \\[sic] two \\[update] three \\[1]."},
		"code in brackets of WordPress": {"a.xml", wxr(article("A", `Write <code>[tide port="n"]</code>.`)),
			"Write `[tide port=\"n\"]`."},
		"an escaped shortcode, WordPress": {"a.xml", wxr(article("A", `Write [[tide port="n"]].`)),
			`Write \[\[tide port="n"]].`},
		"mustaches of WordPress": {"a.xml", wxr(article("A", all)),
			"Write {{ name }} and {{#if x}} Write {{< youtube x &gt;}} Write {% if x %}"},
	} {
		t.Run(name, func(t *testing.T) {
			files := map[string]string{c.file: c.text}
			if strings.HasPrefix(c.file, "content/") {
				files["hugo.toml"] = ""
			} else if strings.HasPrefix(c.file, "_posts/") {
				files["_config.yml"] = ""
			}
			p := find(t, read(t, files), "A")
			if p.Status != portable.Published || strings.TrimSpace(p.Content) != c.want {
				t.Errorf("%s, content %q, want %q", p.Status, p.Content, c.want)
			}
		})
	}
}

func TestHugoShortcodesAreTranslated(t *testing.T) {
	site := map[string]string{
		"hugo.toml": "[params]\nversion = '1.2'\n[params.author]\nname = 'Ada'\n",
		"layouts/shortcodes/box.html": "<div class=\"box {{ .Get \"class\" }}\">\n    {{ .Inner | markdownify " +
			"}}\n</div>\n",
		"layouts/shortcodes/wide.html": "{{/* a picture */}}\n{{ $src := .Get 0 }}\n<figure>\n  <img src=\"{{ $src " +
			"}}\" alt=\"{{ .Get 1 | default \"none\" }}\">\n  {{ with .Get 2 }}\n  <figcaption>{{ . " +
			"}}</figcaption>\n  {{ end }}\n</figure>",
		"layouts/_shortcodes/key.html":   "{{- if .IsNamedParams -}}x{{- else -}}<b>{{ .Get 0 }}</b>{{- end -}}",
		"layouts/shortcodes/posts.html":  "{{ range .Site.RegularPages }}<p>{{ .Title }}</p>{{ end }}",
		"layouts/shortcodes/broken.html": "{{ if",
	}
	for name, c := range map[string]struct{ text, want string }{
		"a video": {"{{< youtube w7Ft2ymGmfc >}}",
			"<https://www.youtube.com/watch?v=w7Ft2ymGmfc>"},
		"a video by its id": {`{{< youtube id="w7Ft2ymGmfc" autoplay="true" >}}`,
			"<https://www.youtube.com/watch?v=w7Ft2ymGmfc>"},
		"another video": {"{{< vimeo 146022717 />}}", "<https://vimeo.com/146022717>"},
		"a gist":        {"{{< gist ada 12ab >}}", "<https://gist.github.com/ada/12ab>"},
		"a tweet": {`{{< x user="ada" id="145" >}}`,
			"<https://twitter.com/i/status/145>"},
		"a photo": {"{{< instagram BWNjjyYFxVx >}}",
			"<https://www.instagram.com/p/BWNjjyYFxVx/>"},
		"a link to a page": {`[b]({{< ref "b" >}}) [c]({{% relref "c.md#x" %}}) [d]({{< ref "#y" >}})`,
			"[b](b.md) [c](c.md#x) [d](#y)"},
		"code": {"{{< highlight go \"linenos=table\" >}}\nif a < b { `x` } // " +
			"{{</* y */>}}\n\n  z\n{{< /highlight >}}", "```go\nif a < b { `x` } // {{< y >}}\n\n  z\n```"},
		"code with an unclosed fence": {"{{< highlight md >}}\n```\n{{< /highlight >}}\n\n{{< youtube abc " +
			">}}", "````md\n```\n````\n\n<https://www.youtube.com/watch?v=abc>"},
		"code in a line": {"Say {{< highlight go \"hl_inline=true\" >}}x := 1{{< /highlight " +
			">}} now", "Say `x := 1` now"},
		"code in a list": {"1. One\n   {{< highlight sh >}}\n   ls\n     -a\n   {{< " +
			"/highlight >}}\n2. Two", "1. One\n\n   ```sh\n   ls\n     -a\n   ```\n2. Two"},
		"parameters":             {`{{< param version >}} {{% param "author.name" %}}`, "1.2 Ada"},
		"a parameter in a fence": {"```\nv{{< param version >}}\n```", "```\nv1.2\n```"},
		"a diagram": {"{{< mermaid >}}\ngraph TD;\nA-->B;\n{{< /mermaid >}}",
			"```mermaid\ngraph TD;\nA-->B;\n```"},
		"a shortcode without a meaning here": {"One {{< qr text=\"https://x.example\" />}}two", "One two"},
		"a notice": {"{{< notice tip >}}\nMind *this*.\n\n- one\n{{< /notice >}}\nNext",
			"> **Tip**\n>\n> Mind *this*.\n>\n> - one\n\nNext"},
		"a notice named after its kind": {"Before\n{{% warning %}}Hot{{% /warning %}}",
			"Before\n\n> **Warning**\n>\n> Hot"},
		"a notice with a title": {
			`{{< admonition type=note title="By the way" open=true >}}x{{< /admonition >}}`,
			"> **By the way**\n>\n> x"},
		"a notice without a closing tag": {`{{< callout text="Mind this" >}}`, "> **Note**\n>\n> Mind this"},
		"notices below each other": {"{{< tip >}}a{{< /tip >}}\n{{< tip >}}b{{< /tip >}}",
			"> **Tip**\n>\n> a\n\n> **Tip**\n>\n> b"},
		"a notice with an empty title": {`{{< admonition type=info title=" " >}}x{{< /admonition >}}`,
			"> **Info**\n>\n> x"},
		"a figure with a title and its author": {
			`{{< figure src="/p.png" title="Sea" caption="At **night**" attr="Ada" attrlink="https://ada.example" >}}`,
			"![At night](/p.png)\n\n*Sea: At **night** [Ada](https://ada.example)*"},
		"a foldable section": {"{{< details \"More of it\" open >}}\nx\n{{< /details >}}",
			"<details>\n<summary>More of it</summary>\n\nx\n\n</details>"},
		"a notice in a list": {"- One\n  {{< tip >}}\n  a\n\n  b\n  {{< /tip >}}\n- Two",
			"- One\n\n  > **Tip**\n  >\n  > a\n  >\n  > b\n- Two"},
		"shortcodes within each other": {"{{< tabs >}}{{< tab \"A\" >}}{{< tip >}}a{{< /tip >}}{{< /tab " +
			">}}{{< /tabs >}}", "**A**\n\n> **Tip**\n>\n> a"},
		"a figure in a notice": {"{{< tip >}}\nSee {{< figure src=\"/p.png\" alt=\"p\" >}}\n{{< " +
			"/tip >}}", "> **Tip**\n>\n> See\n>\n> ![p](/p.png)"},
		"the site's own, with content": {"{{< box class=\"a\" >}}\nThe **sea**\n\nis here\n{{< /box >}}",
			"The **sea**\n\nis here"},
		"the site's own, with a picture": {`{{< wide "/p.png" "a \"b\"" "Seen & said" >}}`,
			"![a \"b\"](/p.png)\n\n*Seen & said*"},
		"the site's own, without a caption": {`{{< wide "/p.png" >}}`, "![none](/p.png)"},
		"the site's own, within a line":     {"Press {{< key `<Esc>` >}} now", "Press **&lt;Esc&gt;** now"},
	} {
		t.Run(name, func(t *testing.T) {
			files := map[string]string{"content/a.md": "---\ntitle: A\n---\n" + c.text + "\n"}
			for name, text := range site {
				files[name] = text
			}
			b := read(t, files)
			p := find(t, b, "A")
			if strings.TrimSpace(p.Content) != c.want || p.Status != portable.Published {
				t.Errorf("%s, content\n%s\nwant\n%s\nproblems %v", p.Status, p.Content, c.want, b.Problems)
			}
		})
	}
	t.Run("except by a template that does more", func(t *testing.T) {
		for _, name := range []string{"posts", "broken", "../../x"} {
			files := map[string]string{"content/a.md": "---\ntitle: A\n---\n{{< " + name + " >}}\n"}
			for name, text := range site {
				files[name] = text
			}
			if p := find(t, read(t, files), "A"); p.Status != portable.Draft ||
				!strings.Contains(p.Content, "{{< "+name+" >}}") {
				t.Errorf("%s: %s, content %q", name, p.Status, p.Content)
			}
		}
	})
}

func TestGalleryShowsItsPictures(t *testing.T) {
	t.Run("of the page's folder in Hugo", func(t *testing.T) {
		for code, want := range map[string]string{
			`{{< carousel images="trip/*" interval="2500" >}}`: "![](trip/1.png)\n![](trip/2.png)",
			`{{< carousel images="a.png,trip/2.png" >}}`:       "![](a.png)\n![](trip/2.png)",
			`{{< gallery match="{a,b}.png" caption="All" />}}`: "![](a.png)\n\n*All*",
			`{{< gallery dir="trip/" />}}`:                     "![](trip/1.png)\n![](trip/2.png)",
		} {
			b := read(t, map[string]string{"hugo.toml": "", "content/a/index.md": "---\ntitle: A\n---\nOne\n" + code +
				"\ntwo\n",
				"content/a/a.png": "x", "content/a/trip/2.png": "x", "content/a/trip/1.png": "x",
				"content/a/trip/notes.txt": "x",
				"content/ab/trip/3.png":    "x"})
			if p := find(t, b, "A"); strings.TrimSpace(p.Content) != "One\n\n"+want+"\n\ntwo" ||
				p.Status != portable.Published {
				t.Errorf("%s: %s, content\n%s", code, p.Status, p.Content)
			}
		}
	})
	t.Run("except files outside of the folder", func(t *testing.T) {
		b := read(t, map[string]string{"hugo.toml": "",
			"content/a/index.md": "---\ntitle: A\n---\n{{< carousel images=\"../*\" >}}\n",
			"content/b.png":      "x"})
		if p := find(t, b, "A"); p.Status != portable.Draft {
			t.Errorf("%s, content %q", p.Status, p.Content)
		}
	})
	t.Run("of the front matter in Jekyll", func(t *testing.T) {
		const list = "gallery:\n  - url: /1.png\n    image_path: /1-th.png\n    alt: One\n  - image_path: " +
			"/2.png\nothers:\n  - url: https://x.example/p\n    image_path: /3.png\n"
		for code, want := range map[string]string{
			`{% include gallery caption="By **me**" %}`: "![One](/1.png)\n" +
				"![](/2.png)\n\n*By **me***",
			`{% include gallery id="others" layout="half" %}`:                         "![](/3.png)",
			"<div>\n    {% include gallery id=\"others\" %}\n</div>":                  "![](/3.png)",
			`{% include toc icon="cog" %}{% include video id="a" provider="vimeo" %}`: "<https://vimeo.com/a>",
		} {
			b := read(t, map[string]string{"_config.yml": "", "_posts/2020-01-02-a.md": "---\ntitle: A\n" + list +
				"---\n" + code + "\n"})
			if p := find(t, b, "A"); strings.TrimSpace(p.Content) != want || p.Status != portable.Published {
				t.Errorf("%s: %s, content\n%s", code, p.Status, p.Content)
			}
		}
	})
}

func TestLiquidIsTranslated(t *testing.T) {
	site := map[string]string{
		"_config.yml":         "title: Bob\nurl: https://bob.example\nbaseurl: /b\nauthor:\n  name: Robert\n",
		"_includes/note.html": "<div class=\"note\">\n    {{ include.content | markdownify }}\n</div>",
		"_includes/pic.html": "<figure>\n  <img src=\"{{ include.src | relative_url }}\" alt=\"{{ include.alt " +
			"}}\">\n\n  {% if include.caption %}<figcaption>{{ include.caption }}</figcaption>{% elsif include.alt " +
			"== 'x' %}none{% else %}{% endif %}\n</figure>\n",
		"_includes/tag.html": "{% assign at = include.src %}\n\n<figure>\n  <picture>\n\n    <img src=\"{{ at | " +
			"relative_url }}\">\n  </picture>\n</figure>\n",
		"_includes/twice.md":      "{% include deep/word.txt %} and {% include deep/word.txt %}",
		"_includes/deep/word.txt": "again",
		"_includes/loop.html":     "{% include loop.html %}",
		"_includes/list.html":     "{% for p in site.posts %}{{ p.title }}{% endfor %}",
		"_posts/part.md":          "A part.",
	}
	for name, c := range map[string]struct{ text, want string }{
		"links to posts": {"[a]({% post_url 2019-01-02-b %}) [b]({{ site.baseurl }}{% link " +
			"_posts/2019-01-02-b.md %})", "[a](/_posts/2019-01-02-b.md) [b](/_posts/2019-01-02-b.md)"},
		"addresses": {`![p]({{ "/p.png" | relative_url }}) ![q]({{ 'q.png' | prepend: "/img/" | prepend: ` +
			`site.baseurl }}) {{ site.url }}/x`, "![p](/p.png) ![q](/img/q.png) /x"},
		"values": {"{{ page.title }} {{page.mood}} {{ site.title }} {{ site.author.name }}",
			"A good Bob Robert"},
		"assigned values": {"{% assign x = \"sea\" | upcase %}{% capture y %}the {{ x }}{% " +
			"endcapture %}{{ y }}", "the SEA"},
		"code": {"{% highlight ruby linenos %}\nputs '{% raw %}{{ x }}{% endraw %}'\n{% " +
			"endhighlight %}", "```ruby\nputs '{{ x }}'\n```"},
		"code in a list": {"* One\n  {% highlight sh %}\n  ls\n  {% endhighlight %}",
			"* One\n\n  ```sh\n  ls\n  ```"},
		"a foldable section": {"{% details Click here, please %}\nx\n{% enddetails %}",
			"<details>\n<summary>Click here, please</summary>\n\nx\n\n</details>"},
		"code of Octopress": {"{% codeblock A title lang:go %}\nx\n{% endcodeblock %}",
			"```go\nx\n```"},
		"values in a fence": {"```\n{{ site.title }}\n```", "```\nBob\n```"},
		"comments":          {"One{% comment %} {{ two }} {% endcomment %}.", "One."},
		"a gist":            {"{% gist ada/12ab file.rb %}", "<https://gist.github.com/ada/12ab>"},
		"a video": {"{% youtube w7Ft2ymGmfc %} {% vimeo 12 %}",
			"<https://www.youtube.com/watch?v=w7Ft2ymGmfc> <https://vimeo.com/12>"},
		"a part of a video, and a list of videos": {"{% youtube a-1?start=30 %} {% youtube videoseries?list=b&amp; %}",
			"<https://www.youtube.com/watch?v=a-1&start=30> <https://www.youtube.com/playlist?list=b>"},
		"a video by its address": {`{% youtube "https://www.youtube.com/watch?v=w7Ft2ymGmfc" %}`,
			"<https://www.youtube.com/watch?v=w7Ft2ymGmfc>"},
		"a picture of Octopress": {`{% img left /p.png 100 200 "Title" "Alt" %}`, "![Alt](/p.png)"},
		"an asset":               {"![p]({% asset_path p.png %})", "![p](/assets/p.png)"},
		"an include by its parameters": {"{% include theme/figure\n  image_path=\"/p.png\" alt=\"100%\"\n  " +
			"caption='Cap' %}", "![100%](/p.png)\n\n*Cap*"},
		"an include for a video": {`{% include youtubePlayer.html id="abc" %} {% include youtube.html video="abc" %}`,
			"<https://www.youtube.com/watch?v=abc> <https://www.youtube.com/watch?v=abc>"},
		"an include of HTML": {`{% include note.html content="The **sea**" %}`, "The **sea**"},
		"an include with conditions": {"Text\n{% include pic.html src=\"p.png\" alt=\"P\" caption=\"Cap\" " +
			"%}\nmore\n\n{% include pic.html src=\"q.png\" %}", "Text\n\n![P](/p.png)\n\n*Cap*\n\nmore\n\n![](/q.png)"},
		"an include in HTML": {"<div class=\"row\">\n    <div class=\"col\">\n        {% include " +
			"pic.html src=\"p.png\" alt=\"P\" %}\n    </div>\n    <div>\n        {% include pic.html src=\"q.png\" " +
			"alt=\"Q\" %}\n    </div>\n</div>\n<div>Both</div>", "![P](/p.png)\n\n![Q](/q.png)\n\nBoth"},
		"an unknown include in HTML": {"<div>\n    {% include figure.liquid path=\"/p.png\" alt=\"P\" %}\n    " +
			"{% include youtube.html id=\"abc\" %}\n</div>",
			"![P](/p.png) [https://www.youtube.com/watch?v=abc](https://www.youtube.com/watch?v=abc)"},
		"an include that begins with tags": {"<div>\n    {% include tag.html src=\"p.png\" %}\n</div>", "![](/p.png)"},
		"an include of includes":           {"{% include twice.md %}", "again and again"},
		"an include beside the post":       {"{% include_relative part.md %}", "A part."},
		"white space":                      {"One {%- comment -%} x {%- endcomment -%} two", "Onetwo"},
		"attributes of kramdown": {"# H\n{: .big #x}\n\n* TOC\n{:toc}\n\n[a](/a){:target=\"_blank\"} `{: " +
			".x}`{::comment}no{:/comment}", "# H {#x}\n\n\n\n[a](/a)`{: .x}`"},
		"Markdown in an element": {"<div class=\"notice\" markdown=\"1\">\n**Hot:** see " +
			"[b](/b).\n\n```html\n<div markdown=\"1\">\n**x**\n```\n</div>\nNext *one*",
			"**Hot:** see [b](/b).\n\n```html\n<div markdown=\"1\">\n**x**\n```\n\n\n\n\nNext *one*"},
		"Markdown in all elements": {"{::options parse_block_html=\"true\" /}\n<div>\n**Hot**\n</div>",
			"**Hot**"},
		"Markdown in a foldable section": {"<details markdown=\"1\">\n<summary>More</summary>\n**Hot**\n</details>",
			"<details>\n<summary>More</summary>\n\n**Hot**\n\n</details>"},
		"Markdown below a line break": {"One\n\n<br>\n![p](/p.png) **two**\n\n<br/>\n<br/>\n# Three",
			"One\n\n\n\n![p](/p.png) **two**\n\n\n\n# Three"},
		"captured Markdown in an element": {"{% capture x %}\n#### New\n\n* one\n{% endcapture %}\n<div " +
			"class=\"notice\">\n  {{ x | markdownify }}\n</div>", "#### New\n\n* one"},
		"a line break above a heading": {"One <br>\n# Two<br>\n\nThree<br>  \n\nfour<br>\nfive",
			"One \n# Two \n\nThree  \n\nfour\\\nfive"},
		"raw text that holds a placeholder": {"{% raw %}\x000\x00{% endraw %}", "\x000\x00"},
	} {
		t.Run(name, func(t *testing.T) {
			files := map[string]string{"_posts/2020-01-02-a.md": "---\ntitle: A\nmood: good\n---\n" + c.text + "\n"}
			for name, text := range site {
				files[name] = text
			}
			b := read(t, files)
			p := find(t, b, "A")
			if strings.TrimSpace(p.Content) != c.want || p.Status != portable.Published {
				t.Errorf("%s, content\n%s\nwant\n%s\nproblems %v", p.Status, p.Content, c.want, b.Problems)
			}
		})
	}
	t.Run("except by an include that does more", func(t *testing.T) {
		for _, name := range []string{"loop.html", "list.html", "../_config.yml"} {
			files := map[string]string{"_posts/2020-01-02-a.md": "---\ntitle: A\n---\n{% include " + name + " %}\n"}
			for name, text := range site {
				files[name] = text
			}
			if p := find(t, read(t, files), "A"); p.Status != portable.Draft ||
				!strings.Contains(p.Content, "{% include "+name+" %}") {
				t.Errorf("%s: %s, content %q", name, p.Status, p.Content)
			}
		}
	})
}
