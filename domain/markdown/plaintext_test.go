package markdown_test

import (
	"testing"

	"inkfeed/domain/markdown"
)

func TestPlainTextHasEverythingThatTheAuthorWrote(t *testing.T) {
	m := markdown.New()
	for source, want := range map[string]string{
		"": "",
		"# Head *one*\n\ntext[^1] and `code`.\n\n[^1]: a note": "Head one\ntext and code.\na note",
		"one\ntwo  \nthree":                     "one\ntwo\nthree",
		"- a\n- b\n  - c":                       "a\nb\nc",
		"| a | b |\n|---|---|\n| c | d |":       "a\nb\nc\nd",
		"```go\nfunc main() {}\n\nx\n```":       "func main() {}\nx",
		"a <b>&amp; &lt;c":                      "a <b>& <c",
		"[a *link*](http://example.org)bed":     "a linkbed",
		"![a cat](/media/" + plainPicture + ")": "a cat",
	} {
		if got := m.PlainText(source); got != want {
			t.Errorf("the text of %q is %q, want %q", source, got, want)
		}
	}
}

const plainPicture = "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef-640x480.jpg"
