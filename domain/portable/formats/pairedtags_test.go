package formats_test

import (
	"strings"
	"testing"
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
