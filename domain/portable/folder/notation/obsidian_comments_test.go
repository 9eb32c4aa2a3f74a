package notation

import (
	"strings"
	"testing"
)

func TestObsidianCommentsAreRemoved(t *testing.T) {
	for name, c := range map[string]struct{ text, want string }{
		"within a line":         {"Sow %%not yet%% beans.", "Sow  beans."},
		"two on a line":         {"a%%1%%b%%2%%c", "abc"},
		"on lines of their own": {"Before.\n\n%%\nto do:\n\nask Bob\n%%\nAfter.", "Before.\n\nAfter."},
		"across a line break":   {"a %%one\ntwo%% b", "a  b"},
		"except in a code span": {"Write `%%x%%` so.", "Write `%%x%%` so."},
		"except in a fence": {"```mermaid\n%% a remark %%\n```\n\n%%gone%%",
			"```mermaid\n%% a remark %%\n```\n\n"},
		"unclosed at the beginning of a line": {"Public.\n\n%%\nprivate\n\nmore", "Public.\n\n"},
		"except if unclosed within a line":    {"It is 100%% sure.", "It is 100%% sure."},
		"with code inside":                    {"a\n\n%%\n```\nsecret\n```\n%%\nb", "a\n\nb"},
		"empty":                               {"a %%%% b", "a  b"},
	} {
		t.Run(name, func(t *testing.T) {
			if got := WithoutComments(c.text); got != c.want {
				t.Errorf("%q, want %q", got, c.want)
			}
		})
	}
}

// Searching the beginning of the line for each mark would exceed the time limit of the test.
func TestObsidianCommentsAreRemovedInLinearTime(t *testing.T) {
	if got := WithoutComments(strings.Repeat("a%%", 1<<20) + "end"); !strings.HasPrefix(got, "aaa") {
		t.Errorf("got %.60q", got)
	}
}

func FuzzObsidianComments(f *testing.F) {
	f.Add("a %%b%% `%%` c\n\n%%\nd")
	f.Add("%%%%%")
	f.Fuzz(func(t *testing.T, text string) {
		if got := WithoutComments(text); len(got) > len(text) || !strings.Contains(text, "%%") && got != text {
			t.Errorf("%q becomes %q", text, got)
		}
	})
}
