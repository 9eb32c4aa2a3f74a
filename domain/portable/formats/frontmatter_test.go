package formats_test

import (
	"archive/zip"
	"bytes"
	"fmt"
	"strings"
	"testing"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/unicode"
	"golang.org/x/text/encoding/unicode/utf32"

	"inkfeed/domain/portable"
	"inkfeed/domain/portable/formats"
)

// Each text is a draft, also in other encodings and with other line ends.
func TestDraftsAreRecognisedInEveryEncoding(t *testing.T) {
	texts := map[string]map[string]string{
		"YAML":    {"a.md": "---\ntitle: Šedá\ndraft: true\n---\ntext ä\n"},
		"TOML":    {"hugo.toml": "", "content/posts/a.md": "+++\ntitle = 'Šedá'\ndraft = true\n+++\ntext ä\n"},
		"JSON":    {"hugo.toml": "", "content/posts/a.md": "{\n\"title\": \"Šedá\", \"draft\": true\n}\ntext ä\n"},
		"Jekyll":  {"_config.yml": "", "_posts/2020-01-02-a.md": "---\ntitle: Šedá\npublished: false\n---\ntext ä\n"},
		"Pelican": {"content/a.md": "Title: Šedá\nStatus: draft\n\ntext ä\n"},
		"Inkfeed": {"inkfeed.json": `{"format":"inkfeed","version":1,"posts":[]}`,
			"posts/a.md": "---\ntitle: Šedá\nid: abcdefghijkmnpqrstuvwxyz23\ndraft: true\n---\ntext ä\n"},
		"WordPress": {"a.xml": `<?xml version="1.0" encoding="ENCODING"?>` + wxr(`<item><title>Šedá</title>`+
			`<content:encoded>text ä</content:encoded><wp:post_id>1</wp:post_id><wp:post_type>post</wp:post_type>`+
			`<wp:status>draft</wp:status></item>`)},
		"Ghost": {"a.json": `{"db":[{"data":{"posts":[{"id":"1","title":"Šedá","html":"<p>text ä</p>",` +
			`"status":"draft"}]}}]}`},
		"Substack": {"posts.csv": "post_id,is_published,title,audience\n1.a,false,Šedá,everyone\n",
			"posts/1.a.html": "<p>text ä</p>"},
		"Medium": {"posts/draft_A-0123456789ab.html": `<article class="h-entry"><h1 class="p-name">Šedá</h1>` +
			`<section class="e-content"><p>text ä</p></section></article>`},
	}
	encodings := []struct {
		name string
		encoding.Encoding
	}{
		{"UTF-8", encoding.Nop}, {"UTF-8", unicode.UTF8BOM},
		{"UTF-16", unicode.UTF16(unicode.LittleEndian, unicode.UseBOM)},
		{"UTF-16", unicode.UTF16(unicode.BigEndian, unicode.UseBOM)},
		{"UTF-16LE", unicode.UTF16(unicode.LittleEndian, unicode.IgnoreBOM)},
		{"UTF-16BE", unicode.UTF16(unicode.BigEndian, unicode.IgnoreBOM)},
		{"UTF-32", utf32.UTF32(utf32.LittleEndian, utf32.UseBOM)},
		{"windows-1250", charmap.Windows1250},
	}
	for format, source := range texts {
		for i, in := range encodings {
			for _, end := range []string{"\n", "\r\n", "\r", "mixed"} {
				name := fmt.Sprint(format, "/", i, in.name, "/", strings.Trim(fmt.Sprintf("%q", end), `"`))
				t.Run(name, func(t *testing.T) {
					files := make(map[string]string)
					for name, text := range source {
						text = strings.ReplaceAll(text, "ENCODING", in.name)
						if lines := strings.SplitAfter(text, "\n"); end == "mixed" {
							for i, line := range lines {
								lines[i] = strings.Replace(line, "\n", []string{"\r\n", "\r", "\n"}[i%3], 1)
							}
							text = strings.Join(lines, "")
						} else {
							text = strings.ReplaceAll(text, "\n", end)
						}
						var err error
						if files[name], err = in.NewEncoder().String(text); err != nil {
							t.Fatal(err)
						}
					}
					b := readIn(t, files, "cs")
					if len(b.Posts) != 1 || b.Posts[0].Status != portable.Draft || b.Posts[0].Title != "Šedá" ||
						b.Posts[0].Content != "text ä" {
						t.Fatalf("posts %+v, problems %v", b.Posts, b.Problems)
					}
				})
			}
		}
	}
}

// readIn reads an uploaded zip of files by a user who writes in a language.
func readIn(t *testing.T, files map[string]string, language string) *portable.Blog {
	t.Helper()
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	for name, text := range files {
		w, err := z.Create(name)
		if err == nil {
			_, err = w.Write([]byte(text))
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	blog, err := formats.ReadUpload("a.zip", bytes.NewReader(b.Bytes()), int64(b.Len()),
		portable.Options{Language: language}, now)
	if err != nil {
		t.Fatal(err)
	}
	return blog
}

func TestFrontMatterThatCannotBeReadMakesADraft(t *testing.T) {
	for _, text := range []string{
		"---\ntitle: A\ndraft: true\n\ntext\n",                                 // never closed
		"---\n\n\"draft\": true\n\ntext\n",                                     // never closed
		"---\n\tdraft: true\n---\ntext\n",                                      // a tab
		"---\njust words\n---\ntext\n",                                         // not a table
		" ---\ndraft: true\n---\ntext\n",                                       // indented
		"----\ndraft: true\n----\ntext\n",                                      // four dashes
		"—\ndraft: true\n—\ntext\n",                                            // a dash of a word processor
		"---toml\ndraft = \n---\ntext\n",                                       // another format
		"+++\ndraft = true\ntext\n",                                            // never closed
		"+++\ndraft = ture\n+++\ntext\n",                                       // not TOML
		"++++\ndraft = true\n++++\ntext\n",                                     // four
		"{\n  draft: true\n}\ntext\n",                                          // not JSON
		"{\"draft\": true,}\ntext\n",                                           // not JSON
		";;;\n\"draft\": true\n;;;\ntext\n",                                    // of Hexo
		"<!--\n.. status: draft\n-->\n\ntext\n",                                // of Nikola
		"---\n" + strings.Repeat("a: b\n", 1<<14) + "draft: true\n---\ntext\n", // too long, with a key twice
	} {
		t.Run(text[:min(len(text), 40)], func(t *testing.T) {
			for _, name := range []string{"a.md", "content/posts/a.md", "_posts/2020-01-02-a.md"} {
				files := map[string]string{name: text}
				if strings.HasPrefix(name, "content") {
					files["hugo.toml"] = ""
				}
				b := read(t, files)
				if len(b.Posts) != 1 || b.Posts[0].Status != portable.Draft || b.Posts[0].Content == "" ||
					len(problems(b, "imported as a draft: its front matter")) != 1 {
					t.Errorf("%s: posts %+v, problems %v", name, b.Posts, b.Problems)
				}
			}
		})
	}
}

func TestFrontMatterIsReadBehindBlankLinesAndComments(t *testing.T) {
	for _, text := range []string{
		"\n\n---\ntitle: A\ndraft: true\n---\ntext\n",
		"<!-- written by hand -->\n---\ntitle: A\ndraft: true\n---\ntext\n",
		"--- \ntitle: A\ndraft: true\n---\t\ntext\n",
		"--- # settings\ntitle: A\ndraft: true\n...\ntext\n",
		"--- !post\ntitle: A\ndraft: true\n---\ntext\n",
		"\n{\"title\": \"A\",\n\"draft\": true}\ntext\n",
		"<!-- a\nb -->\n\n<!-- c -->\n+++\ntitle = 'A'\ndraft = true\n+++ \ntext\n",
		"Title: A\nStatus: draft\n---\ntext\n", "\nTitle: A\nStatus: draft\n\ntext\n",
		"Status: draft\nTitle: A\n\ntext\n", "Summary: in short\nStatus: draft\nTitle: A\n\ntext\n",
	} {
		t.Run(text, func(t *testing.T) {
			b := read(t, map[string]string{"a.md": text})
			if p := b.Posts[0]; p.Status != portable.Draft || p.Title != "A" || p.Content != "text" ||
				len(b.Problems) != 0 {
				t.Errorf("post %+v, problems %v", p, b.Problems)
			}
		})
	}
}

func TestTextsWithoutFrontMatterStayPublic(t *testing.T) {
	for _, text := range []string{
		"---\n\nA rule above.\n", "---\n\nOne.\n\nTwo: three.\n", "# A\n\n---\n\nkey: value\n", "Note: this is text.\n",
		"Ingredients: flour\nTime: one hour\n\nMix.\n", "```yaml\ndraft: true\n```\n", "{% raw %}x{% endraw %}\n",
		"{: .lead}\nx\n",
		"<!-- more -->\n\nText\n", "key:: value\n\nText\n", "https://example.org\nis: down\n",
	} {
		t.Run(text, func(t *testing.T) {
			if b := read(t, map[string]string{"a.md": text}); b.Posts[0].Status != portable.Published {
				t.Errorf("post %+v, problems %v", b.Posts[0], b.Problems)
			}
		})
	}
}

func TestLinesThatOnlyLookLikeHeadersStayInTheText(t *testing.T) {
	for text, status := range map[string]portable.Status{
		"Public: notes on parks\n\nBody.":                 portable.Draft,
		"Status: an update on my garden\n\nBody.":         portable.Draft,
		"Place: home\nStatus: draft\nTime: noon\n\nBody.": portable.Draft,
		"Public: yes\nPlace: home\n\nBody.":               portable.Published,
		"Date: Friday\nPlace: the park\n\nBody.":          portable.Published,
		"Summary: a walk\nPlace: the park\n\nBody.":       portable.Published,
	} {
		for _, folder := range []string{"b.md", ".obsidian/app.json"} {
			t.Run(text+folder, func(t *testing.T) {
				b := read(t, map[string]string{"a.md": text, folder: ""})
				if p := find(t, b, "a.md"); p.Content != text || p.Status != status {
					t.Errorf("post %+v, problems %v", p, b.Problems)
				}
			})
		}
	}
	two := "Author: Ann\nTags: sea, stones\n\nBody."
	if p := read(t, map[string]string{"a.md": two}).Posts[0]; p.Content != "Body." || len(p.Tags) != 2 {
		t.Errorf("post %+v", p)
	}
}

func TestPelicanPostIsRead(t *testing.T) {
	b := read(t, map[string]string{"pelicanconf.py": "SITENAME = 'Harbour'\n", "content/quay.md": "Title: The quay\n" +
		"Date: 2010-12-03 10:20\nModified: 2010-12-05 19:30\nCategory: Walks\nTags: sea, old stones\nSlug: my-quay\n" +
		"Lang: nl\nAuthors: Ann Hill, Bob Dale\nSummary: Short\n    and sweet\n\nText.\n\nStatus: not a header\n"})
	p := b.Posts[0]
	got := fmt.Sprintln(p.Title, p.Created.Format("2006-01-02T15:04"), p.Edited.Format("2006-01-02T15:04"), p.Tags,
		p.Slug, p.Language, p.Author, p.Status, p.Content)
	if want := "The quay 2010-12-03T10:20 2010-12-05T19:30 [sea old stones Walks] my-quay nl Ann Hill published " +
		"Text.\n\nStatus: not a header\n"; got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

func TestUndatedHugoPagesOfALanguageAreUnlisted(t *testing.T) {
	about := "---\ntitle: About\n---\ntext\n"
	for name, config := range map[string]map[string]string{
		"by folders of the configuration": {
			"hugo.yaml": "languages: {en: {contentDir: content/en}, de: {contentDir: content/de}}"},
		"by files for each language": {"hugo.yaml": "", "config/_default/languages.en.yaml": "contentDir: content/en\n",
			"config/_default/languages.de.yaml": "contentDir: content/de\n"},
		"by folders named like languages": {"hugo.yaml": "languages: {en: {}, de: {}}"},
	} {
		t.Run(name, func(t *testing.T) {
			config["content/de/about.md"], config["content/en/posts/a.md"] = about, front("")
			if p := find(t, read(t, config), "About"); p.Status != portable.Unlisted {
				t.Errorf("%+v", p)
			}
		})
	}
}

func TestTextsThatAreNotInUTF8AreReported(t *testing.T) {
	for _, c := range []struct{ body, language, title, problem string }{
		{"title: \x8aed\xe1", "cs", "Šedá", "a.md: its encoding is not UTF-8: it was read as Windows 1250"},
		{"title: Ya\xfe\xdd", "tr-TR", "Yaşİ", "a.md: its encoding is not UTF-8: it was read as Windows 1254"},
		{"title: caf\xe9", "fr", "café", "a.md: its encoding is not UTF-8: it was read as Windows 1252"},
		{"title: caf\xe9", "", "café", "a.md: its encoding is not UTF-8: it was read as Windows 1252"},
		{"title: šedá \xe9", "cs", "šedá \uFFFD", "a.md: characters that are not valid UTF-8 were replaced"},
		{"title: šedá", "cs", "šedá", ""},
	} {
		t.Run(c.title, func(t *testing.T) {
			b := readIn(t, map[string]string{"a.md": "---\ndate: 2020-01-02\n" + c.body + "\n---\ntext\n"}, c.language)
			if b.Posts[0].Title != c.title || strings.TrimSpace(fmt.Sprintln(b.Problems)) != "["+c.problem+"]" {
				t.Errorf("title %q, problems %v", b.Posts[0].Title, b.Problems)
			}
		})
	}
	t.Run("in the language of the site", func(t *testing.T) {
		b := readIn(t, map[string]string{"hugo.toml": "defaultContentLanguage = 'cs'",
			"content/posts/a.md": "---\ntitle: \x8aed\xe1\n---\ntext\n"}, "fr")
		if b.Posts[0].Title != "Šedá" {
			t.Errorf("%+v", b.Posts[0])
		}
	})
}
