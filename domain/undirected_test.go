package domain_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"inkfeed/domain"
	"inkfeed/domain/markdown"
)

// directions are the characters that change the direction of writing, by which a text can show something else than it
// says.
const directions = "\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069"

func wantNoDirections(t *testing.T, what, s string) {
	t.Helper()
	if strings.ContainsAny(s, directions) {
		t.Errorf("%s: %q", what, s)
	}
}

func TestDirectionOverridesAreRemovedFromTexts(t *testing.T) {
	author, err := domain.NewUser("ada", time.Now())
	if err != nil {
		t.Fatal(err)
	}
	p, err := domain.NewPost(author, "A "+directions+"title\x1b[31m", "text", time.Now())
	if err != nil || p.Title != "A title[31m" {
		t.Errorf("the title is %q, %v", p.Title, err)
	}
	tags, err := domain.CleanTags("go\u202eog, \u2066ink")
	if err != nil || tags != domain.TagsOf([]string{"goog", "ink"}) {
		t.Errorf("the tags are %q, %v", tags, err)
	}
	m := markdown.New()
	for _, source := range []string{
		"a" + directions + "b",
		"&#8238;x &#x202D; &#x2066;",
		"[a\u202emoc.knab](https://example.org \"\u202etitle\")",
		"`code \u2067`\n\n```go\n// \u202e\nx := 1 // &#x202e;\n```\n",
		"# A \u202eheading\n\n## And &#x202e;another\n\n## Third\n\n## Fourth",
		"| \u202ea |\n| --- |\n| \u2069b |",
		"<b>\u202e</b>",
		strings.Repeat("> ", 500) + "\u202ecomplex",
	} {
		rendered := m.Post(source)
		wantNoDirections(t, source, rendered.HTML)
		wantNoDirections(t, source, fmt.Sprint(rendered.Sections))
		wantNoDirections(t, source, m.CommentHTML(source))
		wantNoDirections(t, source, m.BioHTML(source))
		wantNoDirections(t, source, m.PlainText(source))
		wantNoDirections(t, source, m.Text(source, 100))
	}
	// Right-to-left texts stay as they are.
	kept := "שלום\u200f! “word” \u200d👩\u200d🔬 ‘x’ … – עברית"
	if got := m.PlainText(kept); got != kept {
		t.Errorf("%q becomes %q", kept, got)
	}
}
