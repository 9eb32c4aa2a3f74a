package markdown_test

import (
	"strings"
	"testing"
	"time"

	"inkfeed/domain/markdown"
)

// The clock of this test advances by a step at each reading. So it counts its readings, and simulates lexers that need
// that long for a token.
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
		t.Fatalf("%d words are highlighted", n)
	}
	long := "```go\n" + strings.Repeat("return nil\n", 1000) + "```\n"
	if n := coloured(long); n != 1000 {
		t.Fatalf("%d words are highlighted", n)
	}

	step = markdown.MaxHighlightTime / 50
	if n := coloured(long + ordinary); n != 0 || !strings.Contains(m.HTML(long),
		"<code class=\"language-go\">return nil\nreturn nil\n") {
		t.Errorf("%d words are highlighted", n)
	}
	t.Run("is one for all programs of a text", func(t *testing.T) {
		if n := coloured(strings.Replace(long, "nil", "true", 1) + ordinary); n != 0 || asked > 60 {
			t.Errorf("%d words are highlighted, and the clock was read %d times", n, asked)
		}
		if n := coloured(strings.Repeat(ordinary, 20)); n == 0 || n >= 40 || asked > 60 {
			t.Errorf("%d words are highlighted, and the clock was read %d times", n, asked)
		}
	})
	t.Run("is not spent again soon on a slow program", func(t *testing.T) {
		step = 0
		if n := coloured(long); n != 0 || asked != 1 { // to find out how long ago the program was slow
			t.Errorf("%d words are highlighted, and the clock was read %d times", n, asked)
		}
		if n := coloured(long + "```go\nreturn 1\n```\n"); n != 1 {
			t.Errorf("%d words are highlighted", n)
		}
	})
}

func TestTimeBudgetOfFormulas(t *testing.T) {
	asked, step := 0, time.Duration(0)
	now := time.Now()
	m := markdown.NewMarkdownAt(func() time.Time {
		asked++
		now = now.Add(step)
		return now
	})
	set := func(source string) int { return strings.Count(m.HTML(source), "<math>") }
	if n := set(strings.Repeat("$x$ ", 50)); n != 50 {
		t.Fatalf("%d formulas are set", n)
	}
	t.Run("is one for all formulas of a text", func(t *testing.T) {
		asked, step = 0, markdown.MaxFormulaTime/10
		if n := set(strings.Repeat("$x$ ", 50)); n != 10 {
			t.Errorf("%d formulas are set, and the clock was read %d times", n, asked)
		}
	})
	t.Run("is not spent again soon on a slow formula", func(t *testing.T) {
		step = markdown.MaxFormulaTime
		if n := set("$y$"); n != 0 {
			t.Error("a slow formula is set")
		}
		step = 0
		if n := set("$y$ and $x$"); n != 1 {
			t.Errorf("%d formulas are set", n)
		}
		now = now.Add(markdown.SlowFor)
		if n := set("$y$"); n != 1 {
			t.Error("a formula that was slow once is never set again")
		}
	})
}
