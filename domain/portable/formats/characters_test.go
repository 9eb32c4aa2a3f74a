package formats_test

import (
	"fmt"
	"io/fs"
	"strings"
	"testing"
	"testing/fstest"

	"inkfeed/domain/portable/formats"
)

func TestInvalidCharacterInXMLIsReplacedAndItsPostNamed(t *testing.T) {
	const replaced = "invalid characters were replaced by \uFFFD"
	for name, c := range map[string]struct{ typed, want string }{
		"a byte that is not UTF-8":   {"a\xe9b", "a\uFFFDb"},
		"half of a character":        {"a\xe2\x82", "a\uFFFD\uFFFD"},
		"a vertical tab":             {"a\x0bb", "a\uFFFDb"},
		"a NUL":                      {"a\x00b", "a\uFFFDb"},
		"U+FFFF":                     {"a\uFFFFb", "a\uFFFDb"},
		"half of a surrogate pair":   {"a\xed\xa0\xbdb", "a\uFFFD\uFFFD\uFFFDb"},
		"a reference to a control":   {"a&#11;b", "a\uFFFDb"},
		"a hexadecimal one":          {"a&#x0;b&#XB;", "a\uFFFDb\uFFFD"},
		"a reference to U+FFFE":      {"a&#xFFFE;b", "a\uFFFDb"},
		"a reference to a surrogate": {"a&#xD83D;b", "a\uFFFDb"},
	} {
		t.Run(name, func(t *testing.T) {
			export := func(text string) string {
				return wxr(wxrPost(1, "Clean", "x", `<wp:comment><wp:comment_content>y`+
					`</wp:comment_content></wp:comment>`),
					strings.Replace(wxrPost(2, "T "+text, "x"), "<![CDATA[x]]>", text, 1),
					wxrPost(3, "Comment", "x", `<wp:comment><wp:comment_content>`+text+
						`</wp:comment_content></wp:comment>`),
					`<item title="`+text+`"><wp:post_type>attachment</wp:post_type></item>`)
			}
			b := single(t, "a.xml", export(c.typed))
			equal(t, "the title", b.Posts[1].Title, "T "+c.want)
			equal(t, "the text", b.Posts[1].Content, c.want)
			reports(t, b, "post 2, T "+c.want+": "+replaced, "post 3, Comment: "+replaced)
			if n := len(problems(b, "post 1, Clean")); n > 0 {
				t.Errorf("problems %v", b.Problems)
			}
		})
	}
	t.Run("in CDATA too", func(t *testing.T) {
		b := single(t, "a.xml", wxr(wxrPost(1, "A", "a\xffb")))
		equal(t, "the text", b.Posts[0].Content, "a\uFFFDb")
		reports(t, b, "post 1, A: "+replaced)
	})
	t.Run("and a section within another is kept", func(t *testing.T) {
		b := single(t, "a.xml", wxr(wxrPost(1, "A ]]> b]]]>", "a <![CDATA[ b ]]> c]]"), wxrPost(2, "C", "d")))
		equal(t, "the posts", titles(b), "A ]]> b]]]>, C")
		equal(t, "the text", b.Posts[0].Content, "a b c]]")
		if len(b.Problems) > 0 {
			t.Errorf("problems %v", b.Problems)
		}
	})
	t.Run("but not valid ones", func(t *testing.T) {
		b := single(t, "a.xml", wxr(wxrPost(1, "&#233; &#x1F642; &#10; &nbsp; &unknown; &#", "é🙂\uFFFD")))
		equal(t, "the title", b.Posts[0].Title, "é 🙂 &unknown; &#")
		equal(t, "the text", b.Posts[0].Content, "é🙂\uFFFD")
		if len(b.Problems) > 0 {
			t.Errorf("problems %v", b.Problems)
		}
	})
	t.Run("nor those of another encoding", func(t *testing.T) {
		text := strings.Replace(wxr(wxrPost(1, "caf\xe9", "\x93x\x94")), "UTF-8", "windows-1252", 1)
		b := single(t, "a.xml", text)
		equal(t, "the post", b.Posts[0].Title+b.Posts[0].Content, "café“x”")
		if len(b.Problems) > 0 {
			t.Errorf("problems %v", b.Problems)
		}
	})
	t.Run("and in the head of the document without a post", func(t *testing.T) {
		b := single(t, "a.xml", strings.Replace(wxr(wxrPost(1, "A", "x")), "Harbour", "H\xff", 1))
		reports(t, b, replaced)
		equal(t, "its place", b.Problems[0].Where, "")
	})
	t.Run("in Blogger and Tumblr", func(t *testing.T) {
		b := read(t, map[string]string{"feed.atom": takeout(takeoutEntry("1", "POST", "LIVE", "2020-01-01",
			"<title>A\x0b</title><content>x&#x1;</content>"))})
		reports(t, b, "A\uFFFD: "+replaced)
		b = read(t, map[string]string{"posts.xml": `<tumblr><posts><post id="1"><regular-title>A</regular-title>` +
			"<regular-body>\xff</regular-body></post></posts></tumblr>"})
		reports(t, b, "A: "+replaced)
	})
	t.Run("in linear time", func(t *testing.T) {
		for _, part := range []string{"\xff", "&#11;", "&#1", "&", "&#x", "\uFFFF", "é"} {
			checkCost(t, part, map[string]string{"a.xml": wxr(wxrPost(1, "A", ""), strings.Replace(wxrPost(2, "B", ""),
				"<![CDATA[]]>", strings.Repeat(part, 100_000), 1))})
		}
	})
}

func TestInvalidCharacterInJSONIsReplacedAndItsPostNamed(t *testing.T) {
	const replaced = "invalid characters were replaced by \uFFFD"
	for name, c := range map[string]struct {
		typed, want string
		silent      bool
	}{
		"a line break":                      {"a\nb", "a b", true},
		"a tab":                             {"a\tb", "a b", true},
		"an escape that does not exist":     {`C:\port\x`, `C:\port\x`, true},
		"a broken escape of a character":    {`a\u00zzb`, `a\u00zzb`, true},
		"a backslash":                       {`a\\b`, `a\b`, true},
		"an emoji":                          {`a\ud83d\ude42`, "a🙂", true},
		"a control character":               {"a\x0bb", "a\uFFFDb", false},
		"half of a surrogate pair":          {`a\ud83db`, "a\uFFFDb", false},
		"two first halves":                  {`a\ud83d\ud83d\ude42`, "a\uFFFD🙂", false},
		"an escaped control character":      {`a\u0000b`, "a\uFFFDb", false},
		"a byte that is not UTF-8 (mostly)": {"éé a\xe9b", "éé a\uFFFDb", false},
	} {
		for form, export := range map[string]string{
			"Ghost": `{"db":[{"data":{"posts":[` +
				`{"uuid":"1","slug":"clean","title":"C","html":"x","status":"published"},` +
				`{"uuid":"2","slug":"s","title":"%s","html":"x","status":"published"}]}}]}`,
			"WriteFreely": `{"posts":[{"id":"c","title":"C","body":"x"},{"id":"s","title":"%s","body":"x"}]}`,
			"Ghost with a mark": "\ufeff" + `{"db":[{"data":{"posts":[` +
				`{"uuid":"1","slug":"c","html":"x","status":"published"},` +
				`{"uuid":"2","slug":"s","title":"%s","html":"x","status":"published"}]}}]}`,
		} {
			t.Run(name+" of "+form, func(t *testing.T) {
				b := single(t, "a.json", fmt.Sprintf(export, c.typed))
				equal(t, "the title", strings.Join(strings.Fields(b.Posts[1].Title), " "), c.want)
				if c.silent && len(b.Problems) > 0 {
					t.Errorf("problems %v", b.Problems)
				}
				if !c.silent {
					if len(b.Problems) != 1 || b.Problems[0].Where != "s" ||
						!strings.Contains(b.Problems[0].Text, "replaced") {
						t.Errorf("problems %v", b.Problems)
					}
				}
			})
		}
	}
	t.Run("and its file is named if no post has it", func(t *testing.T) {
		b := single(t, "a.json", `{"posts":[{"id":"c","title":"C","body":"x","views":"\u0001"}]}`)
		reports(t, b, "a.json: "+replaced)
	})
	t.Run("in an export of Inkfeed", func(t *testing.T) {
		b := read(t, map[string]string{"inkfeed.json": "{\"format\":\"inkfeed\",\"version\":1,\"profile\":" +
			"{\"bio\":\"a\x01b\"},\"posts\":[]}"})
		equal(t, "the bio", b.Rest.Profile.Bio, "a\uFFFDb")
		reports(t, b, "inkfeed.json: "+replaced)
	})
	t.Run("in the document of an editor of Ghost", func(t *testing.T) {
		b := ghost(t, map[string]any{"lexical": "{\"root\":{\"children\":[{\"type\":\"paragraph\",\"children\":[{" +
			"\"type\":\"text\",\"text\":\"a\x0b\\x\"}]}]}}"})
		equal(t, "the text", b.Posts[0].Content, "a\uFFFD\\\\x")
		reports(t, b, "quay: "+replaced)
	})
}

func TestInvalidCharacterInATableIsReplacedAndItsPostNamed(t *testing.T) {
	b := read(t, map[string]string{"posts.csv": "\ufeffpost_id,is_published,title\n1.a,true,A\x00B\n" +
		"2.b,true,the \"old\" quay\n3.c,true,\"Half\" quoted\n",
		"posts/1.a.html": "x", "posts/2.b.html": "y", "posts/3.c.html": "z"})
	equal(t, "the posts", titles(b), "A\uFFFDB, the \"old\" quay, Half\" quoted")
	reports(t, b, "A\uFFFDB: invalid characters were replaced")
}

func TestFileNameThatIsNotUTF8IsReadOrNamed(t *testing.T) {
	b, err := formats.Read([]fs.FS{fstest.MapFS{"a.md": {Data: []byte("# A\n\nx")},
		"b\xff.md": {Data: []byte("y")}}}, now)
	if err != nil || len(b.Posts)+len(problems(b, "not imported")) != 2 {
		t.Errorf("blog %+v, error %v", b, err)
	}
}
