package markdown_test

import (
	"strings"
	"testing"

	"inkfeed/domain/markdown"
)

func TestQuotations(t *testing.T) {
	m := markdown.New()
	for name, c := range map[string]struct{ in, want string }{
		"a callout has a label": {"> [!WARNING]\n> Mind the *gap*.\n>\n> - a",
			`<div class="callout callout-warning" dir="auto">` + "\n" +
				`<p><strong class="callout-label">Warning</strong></p>` + "\n<p>Mind the <em>gap</em>.</p>\n" +
				"<ul dir=\"auto\">\n<li>a</li>\n</ul>\n</div>\n"},
		"the label has the language of the text": {"> [!caution]\n> Tohle je věta, která se vám bude hodit.",
			`<div class="callout callout-caution" dir="auto">` + "\n" +
				`<p><strong class="callout-label">Pozor</strong></p>` + "\n" +
				"<p>Tohle je věta, která se vám bude hodit.</p>\n</div>\n"},
		"the name of a callout decides no direction": {"> [!NOTE]\n> שלום",
			`<div class="callout callout-note" dir="rtl">` + "\n" +
				`<p><strong class="callout-label">Note</strong></p>` + "\n<p dir=\"rtl\">שלום</p>\n</div>\n"},
		"an unknown callout is a quotation": {"> [!FOO]\n> a",
			"<blockquote dir=\"auto\"><p>[!FOO]\na</p>\n</blockquote>\n"},
		"a mark with words after it is a quotation": {"> [!NOTE] a\n> b",
			"<blockquote dir=\"auto\"><p>[!NOTE] a\nb</p>\n</blockquote>\n"},
		"the last line names the source": {"> It is *so*.\n> — Ada, *Notes*",
			"<blockquote dir=\"auto\"><p>It is <em>so</em>.</p>\n" +
				`<p class="attribution">— Ada, <em>Notes</em></p>` + "\n</blockquote>\n"},
		"hyphens name the source in a paragraph of its own": {"> It is so.\n>\n> -- Ada",
			"<blockquote dir=\"auto\"><p>It is so.</p>\n" + `<p class="attribution">– Ada</p>` + "\n</blockquote>\n"},
		"a dialogue has no source": {"> — Yes.", "<blockquote dir=\"auto\"><p>— Yes.</p>\n</blockquote>\n"},
		"lines of a dialogue are no source": {"> — Oui.\n> — Non.",
			"<blockquote dir=\"auto\"><p>— Oui.\n— Non.</p>\n</blockquote>\n"},
		"paragraphs of a dialogue are no source": {"> — Oui.\n>\n> Il part.\n>\n> — Non.",
			"<blockquote dir=\"auto\"><p>— Oui.</p>\n<p>Il part.</p>\n<p>— Non.</p>\n</blockquote>\n"},
		"subscript and superscript": {"H~2~O, x^2^ and 10^-3^, (a)~i~",
			"<p>H<sub>2</sub>O, x<sup>2</sup> and 10<sup>-3</sup>, (a)<sub>i</sub></p>\n"},
		"strikethrough beside subscript": {"~~a~~ H~2~ a~~b~~c",
			"<p><del>a</del> H<sub>2</sub> a<del>b</del>c</p>\n"},
		"tildes and carets of words are text": {"~/a:~/b 10~20~30 ~x~ ^y^ a ^ b ^c f^a b^ a^b c~1 d~ C:\\X~1\\Y~1",
			"<p>~/a:~/b 10~20~30 ~x~ ^y^ a ^ b ^c f^a b^ a^b c~1 d~ C:\\X~1\\Y~1</p>\n"},
		"carets of formulas in prose are text": {"a^2+b^2=c^2, f(x)=e^(-x^2), 2^2^n, (a|b)^c^d",
			"<p>a^2+b^2=c^2, f(x)=e^(-x^2), 2^2^n, (a|b)^c^d</p>\n"},
		"tildes that lengthen a word are text": {"안녕~반가워~ 하하, 好~久~不见, ok~안녕~ ",
			"<p>안녕~반가워~ 하하, 好~久~不见, ok~안녕~</p>\n"},
		"charges of ions":         {"Ca^2+^Cl^-^", "<p>Ca<sup>2+</sup>Cl<sup>-</sup></p>\n"},
		"an escaped mark is text": {`H\~2~O and x\^2^`, "<p>H~2~O and x^2^</p>\n"},
	} {
		t.Run(name, func(t *testing.T) {
			if got := m.HTML(c.in); got != c.want {
				t.Errorf("got  %s\nwant %s", got, c.want)
			}
		})
	}
}

func TestCalloutsOutsideOfPages(t *testing.T) {
	m := markdown.New()
	const source = "First x^2^ and H~2~O.\n\n> [!NOTE]\n> Mind it.\n\n> So.\n> — Ada"
	feed, _ := m.FeedHTML(source, "https://example.org/")
	const callout = "<blockquote dir=\"auto\">\n<p><strong>Note</strong></p>\n<p>Mind it.</p>\n</blockquote>\n"
	if !strings.Contains(feed, callout) {
		t.Errorf("a feed has %s", feed)
	}
	const want = "First x2 and H2O. Mind it. So. — Ada"
	if got := m.Text(source, 200); got != want {
		t.Errorf("the summary is %q, want %q", got, want)
	}
	if got := m.Post(source).Excerpt(200); got != want {
		t.Errorf("the excerpt is %q, want %q", got, want)
	}
	if got := strings.ReplaceAll(m.PlainText(source), "\n", " "); got != want {
		t.Errorf("the plain text is %q, want %q", got, want)
	}
}
