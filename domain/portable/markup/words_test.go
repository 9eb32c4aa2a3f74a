package markup_test

import (
	"fmt"
	"html"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode"

	"inkfeed/domain/markdown"
	"inkfeed/domain/plaintext"
	"inkfeed/domain/portable/markup"
)

// pieces are parts of words that Markdown, or another dialect of it, reads as marks.
var pieces = strings.Fields("" +
	"word Žluť 重要。 です * ** *** _ __ _x_ snake_case *x* **x** ~ ~~ ~~x~~ ~sub~ ^sup^ ==marked== ^ = == " +
	"=== - -- --- + +++ *** ___ 1. 2) 1234567890. # ## ####### #tag `` ` ``` ~~~ `code` \\ \\\\ \\* " +
	"C:\\dir\\ \\_ [ ] [x] [x](y) ![x](y) [^1] [^1]: [x]: [[link]] ! ![ ( ) { } {#id} {: {.class} " +
	"{{x}} < > <b> </b> <!-- --> <? <br> <http://a.example> <details> -> <- <3 & &amp; &nbsp; &copy; " +
	"&#38; &#x26; &amp;copy; &lt &notaname; ; $ $$ $5 $5, 5$ US$6 $x$ $\\alpha_{i}$ $a|b$ $HOME $a_b " +
	"\\$ \\(x\\) \\[x\\] : :smile: :: %% %%x%% @name a@b.example a_b@c.example www.a.example/b_c*d " +
	"https://a.example/b_c*d_(e) https://a.example/_x_/~y~?a=1&copy;b http://a.example/*. " +
	"https://a.example/[x] http:// (https://a.example/~x) x:https://a.example/_b_ \"x\" 'x' it's ... … " +
	"– &ndash; / ? . , 😀 #️⃣ ٣. a\\|b ^id x::y ---x =x +x -x *x _x 1.x 1) http: mailto:a@b.example " +
	"ftp://a.example/_x_ | |---| |x|y|")

func init() {
	pieces = append(pieces, "a^b^c", "x~i~", "[x]^2^")
	pieces = append(pieces, "- - -", "* * *", "# x", "- [ ]", "[ ]", "[x]: http://a.example", "{: #id}", "{% x %}",
		`<a id="x"></a>`, `$$\sum_{i}^n x_i$$`, ": x", "> [!note]", "> x", "key: value", "\u00a0", "\u200b")
}

// words returns some pieces, with or without spaces between them, and at least one letter.
func words(r *rand.Rand) string {
	var b strings.Builder
	for n := 1 + r.IntN(6); n > 0; n-- {
		b.WriteString(pieces[r.IntN(len(pieces))])
		b.WriteString([]string{" ", " ", "", "\n"}[r.IntN(4)])
	}
	return b.String()
}

// block returns a block of HTML and the lines of its text.
func block(r *rand.Rand, depth int) (source string, lines []string) {
	text := words(r)
	escaped := html.EscapeString(text)
	between := func(before, after string) (string, []string) { return before + escaped + after, []string{text} }
	switch n := r.IntN(20); {
	case n == 0:
		level := fmt.Sprint(1 + r.IntN(6))
		return between("<h"+level+">", "</h"+level+">")
	case n == 1:
		return between("<p><a href='https://b.example/x_y'>", "</a></p>")
	case n == 2 || n == 3:
		element := []string{"em", "strong", "del", "b", "i"}[r.IntN(5)]
		before, after := words(r), words(r)
		if r.IntN(2) == 0 {
			before, after = before+" ", " "+after
		}
		return "<p>" + html.EscapeString(before) + "<" + element + ">" + escaped + "</" + element + ">" +
			html.EscapeString(after) + "</p>", []string{before + text + after}
	case n == 4:
		more := words(r)
		return "<p>" + escaped + "<br>" + html.EscapeString(more) + "</p>", []string{text, more}
	case n == 5 || n == 6:
		more := words(r)
		return "<table><tr><td>" + escaped + "</td><th>x</th></tr><tr><td>y</td><td>" + html.EscapeString(more) +
			"</td></tr></table>", []string{text, "x", "y", more}
	case n > 6 && n < 10 && depth < 3:
		inside, lines := blocks(r, depth+1)
		return []string{"<blockquote>", "<ul><li>", "<ol><li>"}[n-7] + inside +
			[]string{"</blockquote>", "</li></ul>", "</li></ol>"}[n-7], lines
	case n == 10:
		return between("<ul><li>", "</li></ul>")
	case n == 11:
		more := words(r)
		return "<p>" + escaped + "<a href=/x>" + html.EscapeString(more) + "</a></p>", []string{text + more}
	case n > 11 && n < 15:
		more := words(r)
		if n == 14 { // an address alone does not describe a picture
			text, escaped = "x "+text, "x "+escaped
		}
		form := []string{"<details><summary>%s x</summary><p>%s</p></details>", "<dl><dt>%s x</dt><dd>%s</dd></dl>",
			"<figure><img src=/a.png alt='%s x'><figcaption>%s</figcaption></figure>"}[n-12]
		return fmt.Sprintf(form, escaped, html.EscapeString(more)), []string{text + " x", more}
	case n == 15:
		return "<p>x <code>" + escaped + "</code> y</p>", []string{"x " + text + " y"}
	case n == 16:
		return between("<div><span>", "</span><u></u></div>")
	}
	return between("<p>", "</p>")
}

func blocks(r *rand.Rand, depth int) (source string, lines []string) {
	for n := 1 + r.IntN(3); n > 0; n-- {
		more, further := block(r, depth)
		source, lines = source+more, append(lines, further...)
	}
	return source, lines
}

// typewriter replaces what the renderer sets as in all posts: apostrophes, dashes and ellipses.
var typewriter = strings.NewReplacer("’", "'", "‘", "'", "“", `"`, "”", `"`, "…", "...", "–", "--", "—", "---")

// asShown returns lines of text as a page shows them, with one space for each run of spaces.
func asShown(lines []string) []string {
	var shown []string
	for _, line := range lines {
		line = strings.Join(strings.Fields(typewriter.Replace(plaintext.WithoutDirections(line))), " ")
		if line != "" {
			shown = append(shown, line)
		}
	}
	return shown
}

// sameWords checks that the words of HTML are the words of the page after its translation.
func sameWords(t *testing.T, source string, lines []string) bool {
	t.Helper()
	text, err := (&markup.Translator{}).HTML(source)
	if err != nil {
		t.Fatal(err)
	}
	page := markdown.New().In("und").PlainText(text)
	want, got := asShown(lines), asShown(strings.Split(page, "\n"))
	if strings.Contains(source, "$$") { // lines of a formula are joined
		want, got = []string{strings.Join(want, " ")}, []string{strings.Join(got, " ")}
	}
	if slices.Equal(want, got) {
		return true
	}
	t.Errorf("the HTML\n%s\nis the Markdown\n%s\nthat shows\n%q\nwant\n%q", source, text, got, want)
	return false
}

func TestWordsOfHTMLStayTheSameWords(t *testing.T) {
	seed := uint64(time.Now().UnixNano())
	t.Logf("seed %d", seed)
	r := rand.New(rand.NewPCG(seed, 0))
	for range 2000 {
		if source, lines := blocks(r, 0); !sameWords(t, source, lines) {
			return
		}
	}
}

func FuzzWords(f *testing.F) {
	for _, piece := range pieces {
		f.Add(piece, " a "+piece)
	}
	f.Fuzz(func(t *testing.T, text, more string) {
		clean := func(s string) string {
			return strings.Map(func(r rune) rune {
				if unicode.IsControl(r) && r != '\n' || r == unicode.ReplacementChar || unicode.Is(unicode.Cf, r) ||
					r == '\uf002' {
					return -1
				}
				return r
			}, strings.ToValidUTF8(s, ""))
		}
		text, more = clean(text), clean(more)
		if len(text)+len(more) > 2000 {
			return
		}
		e, m := html.EscapeString(text), html.EscapeString(more)
		sameWords(t, "<h2>"+e+"</h2><p>"+e+"<br>"+m+"</p><ul><li>"+m+"</li></ul><blockquote>"+e+
			"</blockquote><p><a href=/x>"+m+"</a></p><p>"+e+"<em>"+m+"</em>"+e+
			"</p><table><tr><td>"+e+"</td><td>x"+m+"</td></tr></table>",
			[]string{text, text, more, more, text, more, text + more + text, text, "x" + more})
	})
}

func TestHTMLBecomesMarkdownOfThisSite(t *testing.T) {
	for outcome, c := range map[string]struct{ source, want string }{
		"keeps a formula": {
			`<p>So $\alpha_{i}$ and $x$, $$\sum_i *x*$$</p>`,
			`So $\alpha_{i}$ and $x$, $$\sum_i *x*$$`},
		"keeps a comparison in a formula": {
			`<p>$a_1 &lt; b &gt; c$</p>`,
			`$a_1 < b > c$`},
		"keeps sums of money": {
			`<p>$5 and $6</p>`,
			`$5 and $6`},
		"shows names of variables as words": {
			`<p>$PATH:$HOME: and $some_*name* $x</p>`,
			`\$PATH:$HOME: and $some\_\*name\* $x`},
		"joins the lines of a formula": {
			`<p>$$<br />a_1 \\<br />b_1<br />$$</p>`,
			`$$ a_1 \\ b_1 $$`},
		"translates the formulas of Jetpack": {
			`<p>(see $latex \pi_{2}$) $latex x&amp;s=2&amp;bg=ffffff$.</p>`,
			`(see $\pi_{2}$) $x$.`},
		"reads a comparison within Jetpack's": {
			`<p>$latex a<b$ and <b>c</b></p>`,
			`$a<b$ and **c**`},
		"keeps a bare address whole": {
			`<p>https://a.example/b_c/~d_(e). x</p>`,
			`<https://a.example/b_c/~d_(e)>. x`},
		"leaves other addresses as they are": {
			`<p>https://a.example/b_c?d=1&amp;e=2. x</p>`,
			`https://a.example/b_c?d=1&e=2. x`},
		"ends an address before marks": {
			`<p>https://a.example/b<del>c</del></p>`,
			`<https://a.example/b>~~c~~`},
		"keeps character references as words": {
			`<p>&amp;nbsp; &amp;copy; &amp;amp; a &amp; b &amp;#38;</p>`,
			`&amp;nbsp; &amp;copy; &amp;amp; a & b &amp;#38;`},
		"keeps a colon at the start of a line": {
			`<p>Ink</p><p>: a fluid</p>`,
			"Ink\n\n\\: a fluid"},
		"keeps an id at the end of a heading": {
			`<h2>Use {#id}</h2>`,
			`## Use {\#id}`},
		"keeps what looks like a footnote": {
			`<p>a[^1]</p><p>[^1]: b</p>`,
			"a\\[^1]\n\n\\[^1]: b"},
		"keeps what looks like a task": {
			`<ul><li>[ ] a</li></ul>`,
			`- \[ ] a`},
		"keeps what looks like a table": {
			`<p>a|b<br>-|-<br>c|d</p>`,
			"a|b  \n\\-|-  \nc|d"},
		"keeps what looks like a heading": {
			`<p>a<br>===<br>b<br>---</p>`,
			"a  \n\\===  \nb  \n\\---"},
		"emphasises before a letter": {
			`<p><b>Note:</b>that a<i>(b)</i></p>`,
			`**Note:**&#116;hat &#97;*(b)*`},
		"keeps a bar in code in a table": {
			`<table><tr><td><code>a|b</code></td></tr></table>`,
			"| `a\\|b` |\n|--------|"},
		"keeps the description of a picture": {
			`<p><img src=/a.png alt="*a* [b] &amp;copy; \" title='\ &amp;copy;'></p>`,
			`![\*a\* \[b\] &amp;copy; \\](/a.png "\\ &amp;copy;")`},
		"keeps an address with a reference": {
			`<p><a href="/a&amp;copy;b">c</a></p>`,
			`[c](/a&amp;copy;b)`},
	} {
		t.Run(outcome, func(t *testing.T) {
			got, err := (&markup.Translator{}).HTML(c.source)
			if err != nil || got != c.want {
				t.Errorf("got\n%s\nwant\n%s", got, c.want)
			}
		})
	}
}

func TestSubscriptAndSuperscript(t *testing.T) {
	for source, want := range map[string]string{
		"<p>x<sub>i</sub> and 2<sup>nd</sup></p>":        "x~i~ and 2^nd^",
		"<p>H<sub>2</sub>O</p>":                          "H₂O",
		"<p>x<sup>th</sup>y a<sub>i</sub>b</p>":          "xthy a~i~b",
		"<p>a^2+b^2=c^2</p>":                             `a\^2+b\^2=c^2`,
		"<p>x<sub>i j</sub> <sup>a</sup> y<sup>(m</sup>": "xi j a y(m",
		"<p>x^2^ and x~2~ and a^b</p>":                   `x\^2^ and x\~2~ and a^b`,
	} {
		if got, err := (&markup.Translator{}).HTML(source); err != nil || got != want {
			t.Errorf("%s is %q, %v, want %q", source, got, err, want)
		}
	}
	const raw = "x<sub>i</sub>, 2<sup>nd</sup>, 2<sup>nd</sup>a and x<sub>*i*</sub> `x<sub>i</sub>`"
	if got, want := (&markup.Translator{}).Markdown(raw), "x~i~, 2^nd^, 2nda and x*i* `x<sub>i</sub>`"; got != want {
		t.Errorf("%s is %q, want %q", raw, got, want)
	}
}
