package markdown_test

import (
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"inkfeed/domain"
	"inkfeed/domain/markdown"
	"inkfeed/domain/plaintext"
)

// picture is the address of an uploaded picture.
const picture = "/media/abcdefghijkmnpqrstuvwxyz23-1200x800.jpg"

// stoppedClock never lets the time limit of rendering expire, so that a busy machine highlights the
// same code.
func stoppedClock() time.Time { return time.Time{} }

func TestExtensionIsRendered(t *testing.T) {
	m := markdown.NewMarkdownAt(stoppedClock)
	for name, c := range map[string]struct{ in, want string }{
		"a task names its state for screen readers": {"- [x] one\n- [ ] two",
			"<ul dir=\"auto\">\n<li><span class=\"task\" role=\"img\" aria-label=\"Done:\">☑</span> " +
				"one</li>\n<li><span class=\"task\" role=\"img\" aria-label=\"To do:\">☐</span> two</li>\n</ul>\n"},
		"a link with the text X is no task": {"- [X](https://x.example)",
			"<ul dir=\"auto\">\n<li><a href=\"https://x.example\" rel=\"nofollow ugc noopener\">X</a></li>\n</ul>\n"},
		"formulas at both ends of a line leave words between them": {"$$a$$ *b* $$c$$",
			"<p><span class=\"math\" dir=\"ltr\">$$a$$</span> <em>b</em> " +
				"<span class=\"math\" dir=\"ltr\">$$c$$</span></p>\n"},
		"a bar in a formula of a table needs a backslash": {"|a|\n|-|\n|$b\\|c$|", "<table dir=\"auto\">\n<thead>\n" +
			"<tr>\n<th>a</th>\n</tr>\n</thead>\n<tbody>\n<tr>\n" +
			"<td><span class=\"math\" dir=\"ltr\">$b|c$</span></td>\n" +
			"</tr>\n</tbody>\n</table>\n"},
		"an id after a backslash is text": {"Use \\{#id}\n===", "<div class=\"section\" id=\"use-id\"><h2 " +
			"id=\"h-use-id\">Use {#id}</h2><a class=\"anchor\" href=\"#use-id\" aria-label=\"Link to this section: " +
			"Use {#id}\">#</a></div>\n"},
		"a definition list": {"Ink\n: a fluid", "<dl dir=\"auto\">\n<dt>Ink</dt>\n<dd>a fluid</dd>\n</dl>\n"},
		"a footnote and its reference link to each other": {"One.[^n] Two.[^n]\n\n[^n]: A *note*.",
			`<p>One.<sup><a id="fnref-1" href="#fn-1" aria-label="Footnote 1">1</a></sup> Two.<sup><a ` +
				`id="fnref-1-2" href="#fn-1" aria-label="Footnote 1">1</a></sup></p>` + "\n" +
				`<section class="footnotes" aria-label="Footnotes">` + "\n<ol>\n" + `<li id="fn-1">` +
				"\n<p>A <em>note</em>. " +
				`<a class="backlink" href="#fnref-1" aria-label="Back to the text">↩︎</a> <a class="backlink" ` +
				`href="#fnref-1-2" aria-label="Back to the text">↩︎</a></p>` + "\n</li>\n</ol>\n</section>\n"},
		"strikethrough": {"~~old~~", "<p><del>old</del></p>\n"},
		"nothing in a formula is Markdown": {"$a_1 * b_1 < c_2 *$ and *this*",
			"<p><span class=\"math\" dir=\"ltr\">$a_1 * b_1 &lt; c_2 *$</span> and <em>this</em></p>\n"},
		"a formula on its own lines": {"$$\na_1\n- b_1\n= [c](d)\n$$\n\nend",
			"<div class=\"math\" role=\"group\" aria-label=\"Formula\" " +
				"tabindex=\"0\">$$\na_1\n- b_1\n= [c](d)\n$$</div>\n<p>end</p>\n"},
		"a formula on one line": {"$$a_1 * b_1$$", "<div class=\"math\" role=\"group\" aria-label=\"Formula\" " +
			"tabindex=\"0\">$$a_1 * b_1$$</div>\n"},
		"a displayed formula in a sentence": {"see $$a_1 *$$ *here*",
			"<p>see <span class=\"math\" dir=\"ltr\">$$a_1 *$$</span> <em>here</em></p>\n"},
		"sums of money are text": {"from $5 to *$6* or 7$ and US$8 or 9$",
			"<p>from $5 to <em>$6</em> or 7$ and US$8 or 9$</p>\n"},
		"an unclosed formula is text": {"$$\n*a*\n\n$b *c*", "<p>$$\n<em>a</em></p>\n<p>$b <em>c</em></p>\n"},
		"dollars in code are code":    {"`$a_1$`", "<p><code dir=\"ltr\">$a_1$</code></p>\n"},
		"an escaped dollar is text":   {`\$a *b* \$`, "<p>$a <em>b</em> $</p>\n"},
		"a single picture of this site is a figure": {"![a \"cat\"](" + picture + " \"At *home*\")",
			`<figure class="wide-picture"><img src="` + picture + `" srcset="` +
				`/media/abcdefghijkmnpqrstuvwxyz23-1200x800.240.jpg 240w, ` +
				`/media/abcdefghijkmnpqrstuvwxyz23-1200x800.480.jpg 480w, ` +
				`/media/abcdefghijkmnpqrstuvwxyz23-1200x800.960.jpg 960w, ` + picture + ` 1200w" sizes="(min-width: ` +
				`66rem) 60rem, (min-width: 42rem) 38rem, 90vw" width="1200" height="800" alt="a &#34;cat&#34;" ` +
				`decoding="async"><figcaption>At *home*</figcaption></figure>` + "\n"},
		"later pictures are loaded lazily": {"![a](" + picture +
			") b ![](/media/abcdefghijkmnpqrstuvwxyz23-20x10.gif)", `<p><img src="` + picture +
			`" srcset="/media/abcdefghijkmnpqrstuvwxyz23-1200x800.240.jpg 240w, ` +
			`/media/abcdefghijkmnpqrstuvwxyz23-1200x800.480.jpg 480w, ` +
			`/media/abcdefghijkmnpqrstuvwxyz23-1200x800.960.jpg 960w, ` + picture + ` 1200w" sizes="(min-width: ` +
			`42rem) 38rem, 90vw" width="1200" height="800" alt="a" decoding="async"> b <img ` +
			`src="/media/abcdefghijkmnpqrstuvwxyz23-20x10.gif" width="20" height="10" alt="" loading="lazy" ` +
			`decoding="async"></p>` + "\n"},
		"an address without a picture becomes a placeholder": {"![a](/media/x.png)",
			`<figure><span class="missing-picture"><span class="picture-note">Missing picture:</span> a</span>` +
				"</figure>\n"},
		"links within the site have no rel attribute": {"[a](/b?c=d&e) [f](#g) [h](i)",
			"<p><a href=\"/b?c=d&amp;e\">a</a> <a href=\"#g\">f</a> <a href=\"i\">h</a></p>\n"},
		"links to other hosts have one": {"[a](//b.c/d)",
			"<p><a href=\"//b.c/d\" rel=\"nofollow ugc noopener\">a</a></p>\n"},
		"a scheme that is not allowed leaves the text": {"[a *b*](ftp://c) <ftp://e>", "<p>a <em>b</em> ftp://e</p>\n"},
		"mail addresses are linked": {"<a@b.org>",
			"<p><a href=\"mailto:a@b.org\">a@b.org</a></p>\n"},
		"a program is highlighted by classes": {"```go\nfunc f() { return \"<\" } // c\n```",
			`<pre tabindex="0" data-language="go"><code class="language-go">` +
				`<span class="k">func </span><span class="f">f</span>() { ` +
				`<span class="k">return </span><span class="s">&#34;&lt;&#34; </span>} <span class="c">// c` +
				"\n</span></code></pre>\n"},
		"a program in an unknown language is plain": {"```nolanguage\na < b\n```",
			"<pre tabindex=\"0\" data-language=\"nolanguage\"><code class=\"language-nolanguage\">" +
				"a &lt; b\n</code></pre>\n"},
		"a diff is highlighted": {"```diff\n-a\n+b\n```",
			"<pre tabindex=\"0\" data-language=\"diff\"><code class=\"language-diff\"><span class=\"d\">-a\n" +
				"</span><span class=\"i\">+b\n</span></code></pre>\n"},
	} {
		t.Run(name, func(t *testing.T) {
			if got := withTeX(m.HTML(c.in)); got != c.want {
				t.Errorf("got  %q\nwant %q", got, c.want)
			}
		})
	}
}

func TestHeadingHasAnID(t *testing.T) {
	m := markdown.New()
	for source, want := range map[string]string{
		"# Über *uns* & `you`": "h-über-uns-you", "# 吾輩は猫である": "h-吾輩は猫である", "# !": "h-section",
		"# comments": "h-comments", "# [a](b)[^1]\n\n[^1]: c": "h-a",
	} {
		t.Run(source, func(t *testing.T) {
			if got := m.HTML(source); !strings.Contains(got, `<h2 id="`+want+`">`) {
				t.Errorf("got %q", got)
			}
		})
	}
	t.Run("that is unique", func(t *testing.T) {
		html := m.HTML("# a\n\n# a 2\n\n# a\n\n# a\n\n# a 2\n")
		for _, id := range []string{"h-a", "h-a-2", "h-a-3", "h-a-4", "h-a-2-2"} {
			if strings.Count(html, `id="`+id+`"`) != 1 {
				t.Errorf("%s in %q", id, html)
			}
		}
	})
	t.Run("except in a comment", func(t *testing.T) {
		want := "<h3>a</h3>\n<p>b<sup>1</sup></p>\n<section class=\"footnotes\" " +
			"aria-label=\"Footnotes\">\n<ol>\n<li>\n<p>c</p>\n</li>\n</ol>\n</section>\n"
		if got := m.CommentHTML("# a\n\nb[^1]\n\n[^1]: c\n"); got != want {
			t.Errorf("got  %q\nwant %q", got, want)
		}
	})
}

func TestTableOfContents(t *testing.T) {
	m := markdown.New()
	long := strings.Repeat("word ", 1000)
	t.Run("of a long text nests its headings by level", func(t *testing.T) {
		r := m.Post("# One\n\n" + long + "\n\n### Two\n\n#### Three\n\n### Four\n\n# Five *and* six\n")
		want := "[{one One [{two Two [{three Three []}]} {four Four []}]} {five-and-six Five and six []}]"
		if got := fmt.Sprint(r.Sections); got != want {
			t.Errorf("got %s", got)
		}
	})
	t.Run("begins with the first heading of any level", func(t *testing.T) {
		if got := fmt.Sprint(m.Post("## One\n\n" + long +
			"\n\n# Two\n\n# Three\n").Sections); got != "[{one One []} {two Two []} {three Three []}]" {
			t.Errorf("got %s", got)
		}
	})
	for name, source := range map[string]string{"a short text": "# a\n\n# b\n\n# c\n",
		"a text with two headings": "# a\n\n# b\n\n" + long} {
		t.Run("is missing for "+name, func(t *testing.T) {
			if s := m.Post(source).Sections; s != nil {
				t.Errorf("%v", s)
			}
		})
	}
	t.Run("of very many headings has the first level only", func(t *testing.T) {
		if n := len(m.Post(strings.Repeat("# a\n\n## b\n\n"+strings.Repeat("word ", 20)+"\n\n",
			500)).Sections); n != 60 {
			t.Errorf("%d entries", n)
		}
	})
}

func TestProseHasTypographicMarks(t *testing.T) {
	m := markdown.New()
	for in, want := range map[string]string{
		`He said "yes" and 'no' to the "rock 'n' roll" of it.`: `He said “yes” and ‘no’ to the “rock ‘n’ roll” of it.`,
		`It's the dogs' home, and "*she* said 'go'".`:          `It’s the dogs’ home, and “<em>she</em> said ‘go’”.`,
		`Er sagte "ja" und sie "nein", als es 'so' war.`:       `Er sagte „ja“ und sie „nein“, als es ‚so‘ war.`,
		`Elle est "belle" et l'ami de la maison.`:              "Elle est «\u00a0belle\u00a0» et l’ami de la maison.",
		`Он сказал "да" и ушёл на работу с ней.`:               `Он сказал «да» и ушёл на работу с ней.`,
		`Jag sade "nej" och gick till ett hus i skogen.`:       `Jag sade ”nej” och gick till ett hus i skogen.`,
		`Qapla' "batlh" Daqawlu'taH.`:                          `Qapla’ &#34;batlh&#34; Daqawlu’taH.`,
		`The board is 5'10" by 6" and not --force.`:            `The board is 5&#39;10&#34; by 6&#34; and not --force.`,
		`Wait... the end -- or not---is it? 1914--1918`:        `Wait… the end – or not—is it? 1914–1918`,
		"The code is `\"a\" -- b...` and $\"c\"$ it's": "The code is <code dir=\"ltr\">&#34;a&#34; -- " +
			"b...</code> and " +
			"<span class=\"math\" dir=\"ltr\">$&#34;c&#34;$</span> it’s",
		`This is \"straight\" and the "unclosed one of it`: `This is &#34;straight&#34; and the &#34;unclosed ` +
			`one of it`,
		`a.... b ---- c`: `a.... b ---- c`,
	} {
		t.Run(in, func(t *testing.T) {
			got := strings.TrimSuffix(strings.TrimPrefix(withTeX(m.HTML(in)), "<p>"), "</p>\n")
			if strings.ReplaceAll(strings.ReplaceAll(got, "&quot;", "&#34;"), "&#x27;", "&#39;") != want {
				t.Errorf("got  %q\nwant %q", got, want)
			}
		})
	}
}

func TestLanguageIsDetected(t *testing.T) {
	for text, want := range map[string]string{
		"The quick brown fox jumps over the lazy dog and runs to the woods.":                 "en",
		"Der schnelle braune Fuchs springt über den faulen Hund und läuft in den Wald.":      "de",
		"Le renard brun saute par-dessus le chien paresseux et court dans la forêt.":         "fr",
		"El zorro marrón salta sobre el perro perezoso y corre por el bosque.":               "es",
		"La volpe marrone salta sopra il cane pigro e corre nel bosco con gli amici.":        "it",
		"A raposa marrom pula sobre o cão preguiçoso e corre para o bosque com os amigos.":   "pt",
		"De snelle bruine vos springt over de luie hond en rent het bos in met zijn vriend.": "nl",
		"Szybki brązowy lis przeskakuje nad leniwym psem i biegnie do lasu, bo się boi.":     "pl",
		"Быстрая лиса прыгает через ленивую собаку и бежит в лес, а он не спит на траве.":    "ru",
		"Швидка лисиця стрибає через собаку та біжить до лісу, але він не спить, як і ми.":   "uk",
		"吾輩は猫である。名前はまだ無い。":                                                                   "ja", "我是猫，还没有名字。": "zh",
		"나는 고양이로소이다. 이름은 아직 없다.":                     "ko",
		"Η γρήγορη αλεπού πηδάει πάνω από το σκυλί.": "el", "مرحبا بالعالم": "ar", "سلام دنیا، این یک گربه است": "",
		"": "", "Lorem ipsum dolor sit amet, consectetur adipiscing elit.": "", "12 + 34 = 46": "",
	} {
		t.Run(text, func(t *testing.T) {
			if got := plaintext.LanguageOf(text, ""); got != want {
				t.Errorf("got %q, want %q", got, want)
			}
		})
	}
}

func TestTextOmitsEverythingButSentences(t *testing.T) {
	m := markdown.New()
	for source, want := range map[string]string{
		"One[^1] two.\n\n[^1]: note":             "One two.",
		"Sum $a_1 * b_1$.":                       "Sum a₁ * b₁.",
		"One.\n\n![a](" + picture + " \"cap\")":  "One.",
		"![a](" + picture + " \"cap\")":          "cap",
		"Ink\n: a fluid\n\nEnd.":                 "Ink a fluid End.",
		"- [x] milk\n- [ ] tea":                  "☑ milk · ☐ tea",
		"# Long\n\nShe said \"yes\" to the man.": `She said "yes" to the man.`,
	} {
		if got := m.Text(source, 200); got != want {
			t.Errorf("the text of %q is %q, want %q", source, got, want)
		}
	}
}

// For every text, rendering takes about linear time and memory in its length. Time is not measured, since machines
// differ: rendering a text of the maximum length in quadratic time exceeds the timeout of go test. Shorter texts, which
// go test renders without INKFEED_EXHAUSTIVE, only show that the output is bounded.
func TestRenderingTakesLinearTime(t *testing.T) {
	m := markdown.New()
	length := domain.MaxContent / 16
	if os.Getenv("INKFEED_EXHAUSTIVE") != "" {
		length = domain.MaxContent
	}
	for _, unit := range []string{"$a ", "$$a ", "$$\n", "$a\n", "[^1]", "[^1] ", "[^1]: a\n\n",
		"a[^%d]\n\n[^%[1]d]: b\n\n", "# a\n\n", "# a 2\n\n# a\n\n", "a\n: b\n\n", ": a\n",
		"- [ ] a\n", "\"a ", "'a ", "\"'", "a--b ", "...", "![a](" + picture +
			")\n\n", "![", "|a", "|a|\n|-|\n", "a@b.c ", "www.a.b ", "http://a ", "```go\na\n```\n",
		"```go\nfunc f() { \"", "```bash\n$((\n```\n", "<a", "<!--", "&amp;", "\\", "`", "~", "*a", "_a_ ", "[a]",
		"[a][", "[a]: b\n", "é\u0301\u0301", "吾", "吾\n", "*吾。",
		"吾https://", "吾https://a", "吾https://吾.", "吾https://a.b ", "*www.吾", "a@b.é ", "\"م", "«م", "م\n\n",
		"> ", "1. ", "1) ", "[^1]: [^2]: ", ": ", "a\n: ", "* ", "    ",
		"\t- "} {
		t.Run(unit, func(t *testing.T) {
			var b strings.Builder
			for i := 0; b.Len() < length; i++ {
				if strings.Contains(unit, "%") {
					fmt.Fprintf(&b, unit, i)
				} else {
					b.WriteString(unit)
				}
			}
			if html := m.HTML(b.String()); len(html) > 60*length {
				t.Errorf("%d bytes", len(html))
			}
		})
	}
}

func BenchmarkPost(b *testing.B) {
	m := markdown.New()
	paragraph := "A paragraph of *ordinary* prose, with a [link](https://example.org) and `code`, as long as those " +
		"that \"people\" write -- more or less.\n\n"
	for name, source := range map[string]string{
		"prose": strings.Repeat(strings.Repeat(paragraph, 8)+"## A heading\n\n", 100_000/(8*len(paragraph)+15)),
		"programs": strings.Repeat(paragraph+"```go\n"+strings.Repeat("func f(a int) (string, error) { return "+
			"\"x\", nil } // why\n", 20)+"```\n\n", 75),
		"ten words": "Just ten words of prose that are enough for this.",
	} {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(source)))
			for b.Loop() {
				m.Post(source)
			}
		})
	}
}

func TestNeighbouringPicturesAreAGallery(t *testing.T) {
	m := markdown.New()
	const image = "![a](" + picture + ")"
	for name, c := range map[string]struct {
		in   string
		want bool
	}{
		"pictures in neighbouring lines": {image + "\n" + image + "\n" + image, true},
		"pictures in one line":           {image + " " + image, true},
		"pictures in a text":             {image + " and " + image, false},
		"a text and pictures":            {"x " + image + " " + image, false},
		"a picture alone":                {image, false},
		"a picture of another site":      {image + " ![a](https://example.org/a.png)", false},
	} {
		t.Run(name, func(t *testing.T) {
			if got := m.HTML(c.in); strings.HasPrefix(got, `<p class="gallery"><img `) != c.want {
				t.Errorf("got %q", got)
			}
		})
	}
}
