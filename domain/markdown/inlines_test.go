package markdown_test

import (
	"net/url"
	"strings"
	"testing"

	"golang.org/x/text/unicode/norm"

	"inkfeed/domain/markdown"
)

func TestBareAddressesEndWhereTheyEnd(t *testing.T) {
	m := markdown.New()
	for text, address := range map[string]string{
		"see https://cs.wikipedia.org/wiki/Kočka":              "https://cs.wikipedia.org/wiki/Kočka",
		"https://www.háčky.example/":                           "https://www.háčky.example/",
		"https://пример.рф/страница":                           "https://пример.рф/страница",
		"https://例え.テスト/":                                      "https://例え.テスト/",
		"https://xn--e1afmkfd.xn--p1ai/a":                      "https://xn--e1afmkfd.xn--p1ai/a",
		"HTTPS://EXAMPLE.ORG/A":                                "HTTPS://EXAMPLE.ORG/A",
		"Https://example.org/a":                                "Https://example.org/a",
		"www.háčky.example/ž?š=č#ř":                            "www.háčky.example/ž?š=č#ř",
		"www.example.org:8080/a":                               "www.example.org:8080/a",
		"詳細はhttps://example.org/a。次":                           "https://example.org/a",
		"詳細はHTTPS://example.org/a、次":                           "HTTPS://example.org/a",
		"詳細（https://example.org/a）です":                          "https://example.org/a",
		"「https://example.org」":                                "https://example.org",
		"https://example.orgを見る":                               "https://example.org",
		"https://example.org에서":                                "https://example.org",
		"https://ja.wikipedia.org/wiki/ジョン・レノン！":               "https://ja.wikipedia.org/wiki/ジョン・レノン",
		"อ่านhttps://example.org/ก ครับ":                       "https://example.org/ก",
		"„https://example.org/č“":                              "https://example.org/č",
		"«\u00a0https://example.org/é\u00a0»":                  "https://example.org/é",
		"https://en.wikipedia.org/wiki/Gauss–Newton":           "https://en.wikipedia.org/wiki/Gauss–Newton",
		"https://fa.wikipedia.org/wiki/نیم\u200cفاصله":         "https://fa.wikipedia.org/wiki/نیم\u200cفاصله",
		"https://example.org/🐈‍⬛":                              "https://example.org/🐈‍⬛",
		"(https://cs.wikipedia.org/wiki/Kočka_(zvíře))":        "https://cs.wikipedia.org/wiki/Kočka_(zvíře)",
		"see https://cs.wikipedia.org/wiki/Kočka_(zvíře).":     "https://cs.wikipedia.org/wiki/Kočka_(zvíře)",
		"https://example.org/čaj, and":                         "https://example.org/čaj",
		"https://example.org/čaj?!":                            "https://example.org/čaj",
		"https://example.org/čaj…":                             "https://example.org/čaj",
		"*https://example.org/čaj*":                            "https://example.org/čaj",
		`say https://example.org/čaj"`:                         "https://example.org/čaj",
		"https://example.org/?a=b&amp;":                        "https://example.org/?a=b",
		"https://example.org/" + norm.NFD.String("kočka"):      "https://example.org/" + norm.NFD.String("kočka"),
		"https://" + norm.NFD.String("háčky") + ".example":     "https://" + norm.NFD.String("háčky") + ".example",
		"https://example.org/\u202egpj.exe":                    "https://example.org/",
		"https://example.com:8080/a":                           "https://example.com:8080/a",
		"https://example.org/a→https://example.com":            "https://example.org/a",
		"see https://example.org/a?b=[c]{d}^e;f=(h)~i,j'k-l_m": "https://example.org/a?b=[c]{d}^e;f=(h)~i,j'k-l_m",
	} {
		html := m.CommentHTML(text)
		_, rest, _ := strings.Cut(html, `<a href="`)
		href, rest, found := strings.Cut(rest, `"`)
		_, label, _ := strings.Cut(rest, ">")
		label, _, _ = strings.Cut(label, "</a>")
		if label = strings.NewReplacer("&amp;", "&", "&#39;", "'").Replace(label); !found || label != address {
			t.Errorf("%q links %q, want %q: %s", text, label, address, html)
			continue
		}
		if strings.HasPrefix(address, "www.") {
			address = "http://" + address
		}
		want, err := url.Parse(address)
		if err != nil {
			t.Fatal(err)
		}
		got, err := url.Parse(strings.ReplaceAll(href, "&amp;", "&"))
		if err != nil || got.Hostname() != want.Hostname() || got.Path != want.Path {
			t.Errorf("%q leads to %q, error %v", text, href, err)
		}
	}
}

func TestOtherTextDoesNotBecomeALink(t *testing.T) {
	m := markdown.New()
	for _, text := range []string{"xhttps://example.org", "čhttps://example.org", "はhttps://", "は://example.org",
		"はhttps\\://example.org", "ada@mail.háčky.example", "`はhttps://example.org`", "https://", "čwww.example.org",
		"はftp://example.org"} {
		if html := m.CommentHTML(text); strings.Contains(html, "<a ") {
			t.Errorf("%q is %s", text, html)
		}
	}
	const linked = `<a href="https://example.org/">は <em>https://example.org/a</em></a>`
	if html := m.CommentHTML("[は *https://example.org/a*](https://example.org/)"); strings.Count(html, "<a ") != 1 {
		t.Errorf("a link in a link: %s, want %s", html, linked)
	}
}

func TestEmphasisWorksWithoutSpaces(t *testing.T) {
	m := markdown.New()
	for in, want := range map[string]string{
		"これは**重要。**です":       "これは<strong>重要。</strong>です",
		"これは**「重要」**です":      "これは<strong>「重要」</strong>です",
		"これは*重要（注）*です":       "これは<em>重要（注）</em>です",
		"これは~~古い。~~新しい":      "これは<del>古い。</del>新しい",
		"これは**“重点”**内容":      "これは<strong>“重点”</strong>内容",
		"**Go（言語）**は":        "<strong>Go（言語）</strong>は",
		"**`code`**を使う":      "<strong><code dir=\"ltr\">code</code></strong>を使う",
		"**(注)**文":           "<strong>(注)</strong>文",
		"문장은 **\"강조.\"**입니다": "문장은 <strong>&#34;강조.&#34;</strong>입니다",
		"คำ**(สำคัญ)**นี้":   "คำ<strong>(สำคัญ)</strong>นี้",
		"** 空白 **":           "** 空白 **",
		"日本_語_です":            "日本_語_です",
		// As CommonMark has it:
		"a**(b)**c":       "a**(b)**c",
		"x**y.**z":        "x**y.**z",
		"**bold**, *it*.": "<strong>bold</strong>, <em>it</em>.",
		"2 * 3 * 4":       "2 * 3 * 4",
		"🐈**(a)**🐈":       "🐈<strong>(a)</strong>🐈",
	} {
		if got := m.CommentHTML(in); got != "<p>"+want+"</p>\n" {
			t.Errorf("%q is\n%s, want\n%s", in, got, want)
		}
	}
}

func TestOnlyTwoTildesStrikeOut(t *testing.T) {
	m := markdown.New()
	for in, want := range map[string]string{
		"H~2~O and ~user~":     "H<sub>2</sub>O and ~user~",
		"~~old~~ and ~new~":    "<del>old</del> and ~new~",
		"~~a ~b~ c~~":          "<del>a ~b~ c</del>",
		"~~~a~~~ b":            "~~~a~~~ b",
		"~a ~~b~~ c~":          "~a <del>b</del> c~",
		"~~a~":                 "~~a~",
		"~https://a.example/~": `~<a href="https://a.example/" rel="nofollow ugc noopener">https://a.example/</a>~`,
	} {
		if got := m.CommentHTML("x " + in); got != "<p>x "+want+"</p>\n" {
			t.Errorf("%q is %s, want %s", in, got, want)
		}
	}
}

func TestLinesOfEastAsianTextAreJoinedWithoutASpace(t *testing.T) {
	m := markdown.New()
	for in, want := range map[string]string{
		"日本\n語":               "日本語",
		"日本語。\n次の文":           "日本語。次の文",
		"**日本**\n語":           "<strong>日本</strong>語",
		"日本\n**語**":           "日本<strong>語</strong>",
		"*日本\n語*":             "<em>日本語</em>",
		"日本\n[語](/a)":         "日本<a href=\"/a\">語</a>",
		"日本\nGo":              "日本\nGo",
		"Go\n日本":              "Go\n日本",
		"日本\n`語`":             "日本\n<code dir=\"ltr\">語</code>",
		"`日本`\n語":             "<code dir=\"ltr\">日本</code>\n語",
		"日本  \n語":             "日本<br>\n語",
		"한국어\n문장":             "한국어\n문장",
		"one\n*two*\n(three)": "one\n<em>two</em>\n(three)",
		"ไทย\nไทย":            "ไทย\nไทย",
	} {
		if got := m.CommentHTML(in); got != "<p>"+want+"</p>\n" {
			t.Errorf("%q is %q, want %q", in, got, want)
		}
	}
	const source = "吾輩は\n猫である。\n名前は\nまだ無い。\n\n- 一\n  二\n"
	if got := m.Text(source, 200); got != "吾輩は猫である。名前はまだ無い。 一二" {
		t.Errorf("the summary is %q", got)
	}
	if got := m.Post(source).Excerpt(200); got != "吾輩は猫である。名前はまだ無い。 一二" {
		t.Errorf("the excerpt is %q", got)
	}
}
