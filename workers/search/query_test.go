package search

import (
	"context"
	"log/slog"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"inkfeed/cosmos/feeds"
	"inkfeed/domain"
	"inkfeed/domain/markdown"
	"inkfeed/workers/tailer"
)

func terms(text string) string {
	var list []string
	for _, t := range tokens(text) {
		list = append(list, t.term)
	}
	return strings.Join(list, " ")
}

func TestTokens(t *testing.T) {
	for text, want := range map[string]string{
		"":                          "",
		"Hello, World!":             "hello world",
		"it's well-known":           "it s well known",
		"C++, C#; a+b #tag":         "c++ c# a b tag",
		"snake_case 3.14":           "snake case 3 14",
		"e\u0301te\u0301 ÉTÉ":       "ete ete",
		"ſtraße":                    "strasse",
		"हिन्दी भाषा":               "हिन्दी भाषा",
		"北京abc大学":                   "北 京 abc 大 学",
		"น้ำ":                       "น\u0e49\u0e4d า",
		"soft\u00adhyphen":          "softhyphen",
		"👍🏽👩‍👧":                     "👍 👩 👧",
		"\x00a\x00b\ufffd":          "a b",
		"①½":                        "11 2",
		strings.Repeat("x", 10_000): strings.Repeat("x", maxTerm),
	} {
		if got := terms(text); got != want {
			t.Errorf("%.30q is %q, want %q", text, got, want)
		}
	}
	if got := indexed("我在北京 abc 大"); got != "我在 在北 北京 京 abc 大" {
		t.Errorf("indexed %q", got)
	}
}

// FuzzQuery checks that every text is a valid query, and that a query of words finds a post whose title is that text.
func FuzzQuery(f *testing.F) {
	for _, seed := range []string{"", "a b", `"a b" -c`, "tag:x @ada -@bob", `" " "`, "AND OR NOT NEAR(a b) ^a* {x}:y",
		"北京 大", "-", "--a", "-\"", "tag:\"", "#", "@",
		"ภาษาไทย", "e\u0301", "a\"b\"c", "'; DROP TABLE words; --", "\xff\xfe", "日本 hello 本日", "👩‍👩‍👧",
		"C++ c#+", "a*", "«a b»", "\u200f\u0645"} {
		f.Add(seed)
	}
	x, err := Open(f.TempDir(), markdown.New(), slog.New(slog.DiscardHandler))
	if err != nil {
		f.Fatal(err)
	}
	f.Cleanup(func() { x.Close() })
	ctx, whole := context.Background(), feeds.Range{MaxExclusive: "FF"}
	if err := x.Begin(ctx, "rid"); err != nil {
		f.Fatal(err)
	}
	if err := x.Replace(ctx, nil, []tailer.Mark{{Range: whole}}); err != nil {
		f.Fatal(err)
	}
	version := 0
	id := domain.NewID()
	f.Fuzz(func(t *testing.T, text string) {
		version++
		title := strings.ToValidUTF8(limited(text), "")
		p := domain.Post{ID: id, AuthorName: "ada", Title: title, Content: "x", Created: time.Unix(1, 0),
			Version: version}
		change := feeds.Change[feeds.PostChange]{Value: feeds.PostChange{Post: &p}}
		if err := x.Follow(ctx, []feeds.Change[feeds.PostChange]{change},
			tailer.Mark{Range: whole, Read: time.Now(), Complete: true}); err != nil {
			t.Fatal(err)
		}
		found, err := x.Search(ctx, text, 1)
		if err != nil {
			t.Fatalf("%q: %v", text, err)
		}
		q := parse(text)
		words := len(q.none) == 0 && len(q.all) > 0 && len(q.all)+len(q.none) < maxTerms
		for _, term := range q.all {
			words = words && term.exact == ""
		}
		if words && found.Total != 1 {
			t.Errorf("%q (%s) does not find itself: %s", text, q.expression(), indexed(title))
		}
		for _, hit := range found.Posts.Items {
			var whole strings.Builder
			for _, part := range hit.Headline {
				whole.WriteString(part.Text)
				if !utf8.ValidString(part.Text) {
					t.Errorf("%q is cut within a character: %q", text, part.Text)
				}
			}
			if whole.String() != title {
				t.Errorf("the headline of %q is %q", title, whole.String())
			}
		}
	})
}

func TestExtractsOfLongTexts(t *testing.T) {
	q := parse("needle")
	for name, text := range map[string]string{
		"one very long word":      strings.Repeat("x", 100_000) + " needle",
		"no words in between":     "needle" + strings.Repeat(" …!?", 50_000) + " needle",
		"nothing but needles":     strings.Repeat("needle ", 20_000),
		"characters in a row":     strings.Repeat("漢字", 20_000) + "needle" + strings.Repeat("漢字", 20_000),
		"one character and marks": "needle e" + strings.Repeat("\u0301", 50_000),
	} {
		var length int
		for _, part := range q.extract(text) {
			length += len(part.Text)
			if !utf8.ValidString(part.Text) {
				t.Errorf("%s: cut within a character", name)
			}
		}
		if length == 0 || length > 9*extractLength {
			t.Errorf("%s: %d bytes", name, length)
		}
	}
}
