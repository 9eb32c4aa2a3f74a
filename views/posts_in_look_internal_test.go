package views

import (
	"strings"
	"testing"

	"inkfeed/domain"
)

func TestRunsOfPostsByOneAuthorAreOneEntry(t *testing.T) {
	for sequence, want := range map[string]string{
		"":         "",
		"a":        "a",
		"aaaa":     "a+3",
		"ab":       "a b",
		"aab":      "a a b",
		"aaab":     "a+2 b",
		"baaa":     "b a+2",
		"abbbbba":  "a b+4 a",
		"aabbaab":  "a a b b a a b",
		"aaabbb":   "a+2 b+2",
		"abababab": "a b a b a b a b",
	} {
		var posts []domain.Summary
		for i, author := range sequence {
			posts = append(posts, domain.Summary{PostID: string(rune('0' + i)), AuthorID: string(author)})
		}
		var got, order []string
		for _, e := range (PostsInLook{Posts: posts, Fold: true}).entries() {
			text := e.AuthorID
			if n := len(e.folded); n > 0 {
				text += "+" + string(rune('0'+n))
			}
			got, order = append(got, text), append(order, e.PostID)
			for _, s := range e.folded {
				order = append(order, s.PostID)
			}
		}
		if text := strings.Join(got, " "); text != want {
			t.Errorf("%q folds to %q, want %q", sequence, text, want)
		}
		if text := strings.Join(order, ""); text != "01234567"[:len(sequence)] {
			t.Errorf("%q is reordered: %s", sequence, text)
		}
	}
}
