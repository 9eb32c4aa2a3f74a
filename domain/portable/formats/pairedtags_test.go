package formats_test

import (
	"strings"
	"testing"

	"inkfeed/domain/portable"
)

func TestContentOfAPairedTagIsKept(t *testing.T) {
	for tag, want := range map[string]string{
		"{% figure caption:\"A ruler: \\\"straight\\\"\" class:\"x\" %}\n![one](/a.jpg)\n![two](/b.jpg)\n" +
			"{% endfigure %}": "![one](/a.jpg)\n![two](/b.jpg)\n\n*A ruler: \"straight\"*",
		"{% figure caption:'x' %}\n![one](/a.jpg)\n{% endfigure %}":   "![one](/a.jpg)\n\n*x*",
		"{% figure %}\n![one](/a.jpg)\n{% endfigure %}":               "![one](/a.jpg)",
		"{% figure src=\"/c.jpg\" %}\nThe text\n{% endfigure %}":      "![](/c.jpg)\n\nThe text",
		"{% figure src:\"/c.jpg\" caption:\"y\" %}":                   "![y](/c.jpg)\n\n*y*",
		"{% gist 1 %}\nThe text\n{% endgist %}":                       "<https://gist.github.com/1>\n\nThe text",
		"{% youtube dQw4w9WgXcQ %}\n![one](/a.jpg)\n{% endyoutube %}": "=dQw4w9WgXcQ>\n\n![one](/a.jpg)",
		"{% img http://a.example/c.jpg %}":                            "![](http://a.example/c.jpg)",
	} {
		t.Run(tag, func(t *testing.T) {
			b := read(t, map[string]string{"_config.yml": "",
				"_posts/2020-01-02-a.md": "---\ntitle: A\n---\nBefore.\n\n" + tag + "\n\nAfter.\n"})
			if got := find(t, b, "A").Content; !strings.Contains(got, want) {
				t.Errorf("the text is\n%s\nwant\n%s", got, want)
			}
		})
	}
}

func TestParametersThatReadersSeeAreKeptOrNamed(t *testing.T) {
	for name, c := range map[string]struct{ file, text, want, named string }{
		"the link of a picture": {"content/a.md", `{{< figure src="/a.gif" link="https://a.example/x" caption="y" >}}`,
			"[![y](/a.gif)](https://a.example/x)\n\n*y*", ""},
		"the link of a figure with content": {"content/a.md",
			`{{< figure link="https://a.example/x" >}}![x](/a.gif){{< /figure >}}`, "![x](/a.gif)", "link of figure"},
		"the source of a quote": {"content/a.md", `{{< quote link="https://a.example/x" >}}Words{{< /quote >}}`,
			"> Words", "link of quote"},
		"an address that is code": {"a.mdx", "Words <a href={url}>a</a>", "Words", "href of a"},
		"a description that is code": {"a.mdx", `Words <img src="/a.gif" alt={foo("x")} />`, "![](/a.gif)",
			"alt of img"},
	} {
		t.Run(name, func(t *testing.T) {
			files := map[string]string{c.file: "---\ntitle: A\ndate: 2020-01-02\n---\n" + c.text + "\n"}
			if !strings.HasSuffix(c.file, ".mdx") {
				files["hugo.toml"] = ""
			}
			b := read(t, files)
			if got := find(t, b, "A").Content; !strings.Contains(got, c.want) {
				t.Errorf("the text is %s, want %s", got, c.want)
			}
			if c.named != "" {
				reports(t, b, "the parameter "+c.named+" was left out")
			} else if len(b.Problems) > 0 {
				t.Errorf("problems %v", b.Problems)
			}
		})
	}
}

func TestPictureThatIsCodeMakesADraft(t *testing.T) {
	b := read(t, map[string]string{"a.mdx": "---\ntitle: A\ndate: 2020-01-02\n---\nWords <img src={x} alt=\"A\" />\n"})
	statuses(t, b, map[string]portable.Status{"A": portable.Draft})
	reports(t, b, "the parameter src of img was left out")
}
