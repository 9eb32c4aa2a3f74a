package markdown_test

import (
	"strings"
	"testing"
	"time"

	"inkfeed/domain/markdown"
)

// A clock that goes on by a step whenever it is asked counts how often it is: it
// stands for lexers that need so long for a token.
func TestTimeBudgetOfHighlighting(t *testing.T) {
	const ordinary = "```go\nfunc main() { return nil }\n```\n"
	asked, step := 0, time.Duration(0)
	now := time.Now()
	m := markdown.NewMarkdownAt(func() time.Time {
		asked++
		now = now.Add(step)
		return now
	})
	coloured := func(source string) int {
		asked = 0
		return strings.Count(m.HTML(source), `<span class="k">`)
	}
	if n := coloured(ordinary); n != 2 {
		t.Fatalf("%d words are coloured", n)
	}
	long := "```go\n" + strings.Repeat("return nil\n", 1000) + "```\n"
	if n := coloured(long); n != 1000 {
		t.Fatalf("%d words are coloured", n)
	}

	step = markdown.MaxHighlightTime / 50
	if n := coloured(long + ordinary); n != 0 || !strings.Contains(m.HTML(long),
		"<code class=\"language-go\">return nil\nreturn nil\n") {
		t.Errorf("%d words are coloured", n)
	}
	t.Run("ends for a text as a whole", func(t *testing.T) {
		if n := coloured(strings.Replace(long, "nil", "true", 1) + ordinary); n != 0 || asked > 60 {
			t.Errorf("%d words are coloured, and the clock is asked %d times", n, asked)
		}
		if n := coloured(strings.Repeat(ordinary, 20)); n == 0 || n >= 40 || asked > 60 {
			t.Errorf("%d words are coloured, and the clock is asked %d times", n, asked)
		}
	})
	t.Run("is not asked for again soon", func(t *testing.T) {
		step = 0
		if n := coloured(long); n != 0 || asked != 1 { // how long ago it was
			t.Errorf("%d words are coloured, and the clock is asked %d times", n, asked)
		}
		if n := coloured(long + "```go\nreturn 1\n```\n"); n != 1 {
			t.Errorf("%d words are coloured", n)
		}
	})
}
