package markdown_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/alecthomas/chroma/v2"
	"github.com/alecthomas/chroma/v2/lexers"

	"inkfeed/domain/markdown"
)

// eager is a lexer that has read a program before it gives the first token, in a time that
// goes by on the clock of a test.
type eager struct {
	chroma.Lexer
	clock    time.Time
	takes    time.Duration // for a program
	slow     time.Duration // beyond that for "return"
	toBeMade time.Duration // at the first use
	programs int           // that were read
	breaks   bool
}

const eagerly = "```eager\nreturn\n```\n"

func newEager(t *testing.T) (*eager, *markdown.Renderer) {
	t.Helper()
	e := &eager{Lexer: lexers.Get("go"), clock: time.Now()}
	lexers.Register(e)
	return e, markdown.NewMarkdownAt(func() time.Time { return e.clock })
}

func (*eager) SetRegistry(*chroma.LexerRegistry) chroma.Lexer { return nil }

func (*eager) Config() *chroma.Config {
	return &chroma.Config{Name: "Eager", Aliases: []string{"eager"}, MimeTypes: []string{"text/x-eager"}}
}

func (e *eager) Tokenise(_ *chroma.TokeniseOptions, text string) (chroma.Iterator, error) {
	e.clock = e.clock.Add(e.toBeMade)
	e.toBeMade = 0
	if text == "" {
		return chroma.Literator(), nil
	}
	e.programs++
	if e.clock = e.clock.Add(e.takes); text == "return\n" {
		e.clock = e.clock.Add(e.slow)
	}
	if e.breaks {
		panic("a rule did not foresee this")
	}
	return chroma.Literator(chroma.Token{Type: chroma.Keyword, Value: text}), nil
}

func TestTimeLimitBeforeTheFirstToken(t *testing.T) {
	const other = "```go\nreturn\n```\n"
	words := func(m *markdown.Renderer, source string) int {
		return strings.Count(m.HTML(source), `<span class="k">`)
	}
	t.Run("ends", func(t *testing.T) {
		e, m := newEager(t)
		e.takes = markdown.MaxHighlightTime + 1
		if n := words(m, eagerly+other); n != 0 {
			t.Errorf("%d words are coloured after it", n)
		}
		if n := words(m, eagerly+other); n != 1 || e.programs != 1 {
			t.Errorf("then %d words are coloured, and it was read %d times", n, e.programs)
		}
	})
	t.Run("ends in the midst of another language, too", func(t *testing.T) {
		const message = "```http\nHTTP/1.1 200 OK\nContent-Type: text/x-eager\n\nreturn\n```\n"
		e, m := newEager(t)
		if n := words(m, message); n == 0 || e.programs != 1 {
			t.Fatalf("%d words are coloured, and it was read %d times", n, e.programs)
		}
		e.takes = markdown.MaxHighlightTime + 1
		for range 2 {
			if n := words(m, message); n != 0 || e.programs != 2 {
				t.Errorf("%d words are coloured, and it was read %d times", n, e.programs)
			}
		}
	})
	t.Run("ends where the lexer breaks, too", func(t *testing.T) {
		e, m := newEager(t)
		e.takes, e.breaks = markdown.MaxHighlightTime+1, true
		for range 2 {
			words(m, eagerly)
		}
		if e.programs != 1 {
			t.Errorf("it was read %d times", e.programs)
		}
	})
	t.Run("waits for the lexer to be made", func(t *testing.T) {
		e, m := newEager(t)
		e.toBeMade = time.Hour
		if n := words(m, eagerly); n != 1 {
			t.Errorf("%d words are coloured", n)
		}
	})
}

func TestSlowProgramIsNotHighlightedAgain(t *testing.T) {
	coloured := func(m *markdown.Renderer, source string) bool {
		return strings.Contains(m.HTML(source), `<span class="k">`)
	}
	t.Run("not on what came last", func(t *testing.T) {
		last := strings.Replace(eagerly, "return", "continue", 1)
		e, m := newEager(t)
		e.takes = markdown.MaxHighlightTime * 2 / 5
		if m.HTML(eagerly + strings.Replace(eagerly, "return", "break", 1) + last); e.programs != 3 {
			t.Fatalf("%d programs are read", e.programs)
		}
		if !coloured(m, last) {
			t.Error("the last one stays plain")
		}
	})
	t.Run("nor only on what came first", func(t *testing.T) {
		e, m := newEager(t)
		e.takes, e.slow = 1, markdown.MaxHighlightTime
		for range 2 {
			m.HTML(strings.Replace(eagerly, "return", "break", 1) + eagerly)
		}
		if e.programs != 3 {
			t.Errorf("%d programs are read", e.programs)
		}
	})
	t.Run("for some minutes", func(t *testing.T) {
		e, m := newEager(t)
		e.takes = markdown.MaxHighlightTime + 1
		m.HTML(eagerly)
		e.takes = 0
		e.clock = e.clock.Add(markdown.SlowFor - 1)
		if coloured(m, eagerly) {
			t.Error("it is read again at once")
		}
		e.clock = e.clock.Add(1)
		if !coloured(m, eagerly) {
			t.Error("it stays plain")
		}
	})
}

// A lexer that has read all before it gives a token cannot be stopped. So there is none,
// under whatever name: a kind of lexer that is not in this list is to be looked at first.
func TestLexersAreReadStepByStep(t *testing.T) {
	newEager(t)
	stepwise := map[string]bool{
		"*chroma.RegexLexer":           true,
		"*chroma.remappingLexer":       true, // its two are of the kind above
		"*lexers.httpBodyContentTyper": true, // the body's is of these
		"*lexers.markdownLexer":        true,
		"markdown.surrounding":         true,
		"*markdown_test.eager":         true,
	}
	for _, name := range lexers.Names(true) {
		if kind := fmt.Sprintf("%T", lexers.Get(name)); !stepwise[kind] {
			t.Errorf("%s is read by a %s", name, kind)
		}
	}
	for _, l := range lexers.GlobalLexerRegistry.Lexers { // where media types are looked up
		if kind := fmt.Sprintf("%T", l); !stepwise[kind] {
			t.Errorf("%s is read by a %s", l.Config().Name, kind)
		}
	}
}

func TestLanguagesWithinOthers(t *testing.T) {
	m := markdown.New()
	for language, tt := range map[string]struct{ code, want string }{
		"svelte":           {"<p>{count}</p>", `<span class="f">p</span>`},
		"erb":              {"<p><%= 1 < 2 %></p>", `<span class="f">p</span>`},
		"rhtml":            {"<p><%= 1 < 2 %></p>", `<span class="f">p</span>`},
		"phtml":            {"<p><?php echo 1 ?></p>", `<span class="f">p</span>`},
		"go-html-template": {"<p>{{if .X}}1{{end}}</p>", `<span class="f">p</span>`},
		"yaml+jinja":       {"a: \"{{ b }}\"", `<span class="s">`},
		"ansible":          {"a: \"{{ b }}\"", `<span class="s">`},
	} {
		if got := m.HTML("```" + language + "\n" + tt.code + "\n```\n"); !strings.Contains(got, tt.want) {
			t.Errorf("%s: %s", language, got)
		}
	}
}
