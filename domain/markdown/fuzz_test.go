package markdown_test

import (
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/PuerkitoBio/goquery"
	"golang.org/x/net/html"

	"inkfeed/domain"
	"inkfeed/domain/markdown"
	"inkfeed/domain/markdown/mathml"
	"inkfeed/domain/names"
	"inkfeed/domain/plaintext"
)

// The elements that rendered texts may contain, and their attributes.
var (
	elements = " a h2 h3 h4 h5 h6 p br hr blockquote pre code strong em del ul ol li table thead tbody tr th td " +
		"dl dt dd div span sub sup section figure figcaption img details summary "
	attributes = map[string]string{"a": "href rel id class aria-label dir", "ul": "dir", "ol": "dir start", "dl": "dir",
		"blockquote": "class dir",
		"strong":     "class", "table": "dir", "th": "align", "td": "align", "code": "class dir",
		"pre":     "tabindex data-language",
		"details": "open", "p": "class dir", "figure": "class", "span": "class role aria-label id dir",
		"div":     "class id role aria-label tabindex dir",
		"section": "class aria-label", "li": "id dir",
		"h2": "id dir", "h3": "id dir", "h4": "id dir", "h5": "id dir", "h6": "id dir",
		"img": "src srcset sizes width height alt loading decoding"}
)

var footnoteID = regexp.MustCompile(`^fn(ref)?(-[0-9]+)+$`)

func FuzzHTML(f *testing.F) {
	for _, s := range []string{"# x", "[a](javascript:b)", "<img src=x onerror=alert(1)>", "![[x](y)](z)",
		"\"it's\" <b> & *c* &amp; &quot; &#8238; &nbsp;\n- d\n- `'`",
		"[![a](b)](c)", "|a|\n|-|\n|<script>|", "<a href='data:text/html,x'>", "# a\n\n# a\n\n# a-2\n\n[b](#h-a)",
		"# a {#b}\n\n# fn 1 {#fn-1}\n\n<a id=\"b\"></a><span name=c></span>\n\n[c](#A)", "a {#b}\n\\_c {: #d}\n=",
		"# {#a} {#a}\n<a id=a><b></a>",
		"> [!NOTE]\n> a~1~\n\n> [!tip]\n\n> a b^2^\n> — *c*", "> [!note]\n> > [!NOTE]\n> > a\\\n> > -- b ~~c~~ ~d~e",
		"a[^1] b[^1]\n\n[^1]: c[^2]\n\n[^2]: d\n", "# a[^1]\n\n[^1]: # b", "$a_b$ and $$c\n\nd$$",
		"$$\na\n- b\n$$\n\n$", "a\n: b\n\n  > c",
		"<details open>\n<summary>*a*</summary>\n\n- b\n\n<details><summary>c</summary>\n</details>\n</details>\n\n> " +
			"<details>\n> d",
		"- [ ] a\n- [x] b", "```go\nfunc main() { \"<script>\" }\n```", "```diff\n+a\n-b\n```",
		"```html\n<b onclick=\"x\">\n```",
		"![a \"cat\" <b>](" + picture + " \"title <i>\")", "[![a](" + picture + ")](x) ![b](" + picture + "#x)",
		"\"a 'b' c\" -- d... the and of", "[a](<b\tc>) [d](\\\\evil) [e](//evil) [f](x:y) <g:h> <mailto:a@b.c> a@b.c " +
			"www.x.y", "@Ada @a@ada [@ada](b) ![@ada](c) **@ada**さん @בן_ # @ada", "# @ada\n\n> @ada\n> — @ada"} {
		f.Add(s)
	}
	m := mentioning()
	f.Fuzz(func(t *testing.T, source string) {
		feed, _ := m.FeedHTML(source, "https://example.org/posts/a/b")
		for name, rendered := range map[string]string{"post": m.HTML(source), "preview": m.Preview(source).HTML,
			"comment": m.CommentHTML(source), "feed": feed} {
			wellFormed(t, source, rendered)
			withinPolicy(t, name, source, rendered)
			if again := markdown.Sanitise(rendered); again != rendered && name != "feed" {
				t.Errorf("%s: %q has %q, which the policy changes to %q", name, source, rendered, again)
			}
		}
		for _, name := range m.Mentioned(source) {
			if !strings.Contains(source, "@"+name) || domain.CheckUsername(names.NormalUsername(name)) != nil {
				t.Errorf("%q mentions %q", source, name)
			}
		}
		if text := m.Text(source, domain.SummaryLimit); plaintext.Characters(text) > domain.SummaryLimit {
			t.Errorf("%q has the text %q", source, text)
		}
	})
}

func withinPolicy(t *testing.T, name, source, rendered string) {
	t.Helper()
	doc, err := goquery.NewDocumentFromReader(strings.NewReader(rendered))
	if err != nil {
		t.Fatal(err)
	}
	ids := map[string]bool{}
	doc.Find("body *").Each(func(_ int, s *goquery.Selection) {
		element := goquery.NodeName(s)
		ofFormula, formula := mathml.Elements[element]
		if !formula && !strings.Contains(elements, " "+element+" ") {
			t.Errorf("%s: element <%s> from %q", name, element, source)
		}
		for _, a := range s.Nodes[0].Attr {
			if !strings.Contains(" "+attributes[element]+" ", " "+a.Key+" ") && !slices.Contains(ofFormula, a.Key) {
				t.Errorf("%s: %s has %s=%q from %q", name, element, a.Key, a.Val, source)
			}
		}
		id, hasID := s.Attr("id")
		if hasID && (ids[id] || name != "post" && name != "preview" || !markdown.IsAnchor(id) &&
			!footnoteID.MatchString(id) ||
			name == "preview" && !strings.HasPrefix(id, "h-") && !strings.HasPrefix(id, "fn")) {
			t.Errorf("%s: id %q from %q", name, id, source)
		}
		ids[id] = true
		switch element {
		case "a":
			href, linked := s.Attr("href")
			href = strings.ToLower(strings.TrimSpace(href))
			scheme, _, absolute := strings.Cut(href, ":")
			if !linked && !hasID || absolute && !strings.ContainsAny(scheme, "/?#") && scheme != "http" &&
				scheme != "https" && scheme != "mailto" {
				t.Errorf("%s: link %q from %q", name, href, source)
			}
			if away := absolute && scheme != "mailto" && !strings.ContainsAny(scheme, "/?#") ||
				strings.HasPrefix(href, "//"); away &&
				!strings.Contains(s.AttrOr("rel", ""), "nofollow") && !strings.HasPrefix(href, "https://example.org/") {
				t.Errorf("%s: link %q is followed from %q", name, href, source)
			}
		case "img":
			src := strings.TrimPrefix(s.AttrOr("src", ""), "https://example.org")
			if _, ours := domain.ParseImagePath(src); !ours || name == "comment" {
				t.Errorf("%s: picture %q from %q", name, src, source)
			}
			if _, ok := s.Attr("alt"); !ok {
				t.Errorf("%s: a picture without alt from %q", name, source)
			}
		}
	})
}

// wellFormed checks that all elements are closed, in order.
func wellFormed(t *testing.T, source, rendered string) {
	t.Helper()
	var open []string
	z := html.NewTokenizer(strings.NewReader(rendered))
	for {
		switch z.Next() {
		case html.ErrorToken:
			if len(open) != 0 {
				t.Errorf("%v stay open from %q: %q", open, source, rendered)
			}
			return
		case html.StartTagToken:
			if name, _ := z.TagName(); string(name) != "br" && string(name) != "hr" && string(name) != "img" {
				open = append(open, string(name))
			}
		case html.EndTagToken:
			name, _ := z.TagName()
			if len(open) == 0 || open[len(open)-1] != string(name) {
				t.Fatalf("</%s> within %v from %q: %q", name, open, source, rendered)
			}
			open = open[:len(open)-1]
		}
	}
}
