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

// eager is a lexer that reads a whole program before it returns the first token. Reading advances the clock of the
// test.
type eager struct {
	chroma.Lexer
	clock    time.Time
	takes    time.Duration // the time for a program
	slow     time.Duration // the additional time for "return"
	toBeMade time.Duration // the time to build the lexer, at the first use
	programs int           // the number of programs read
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
	t.Run("stops highlighting", func(t *testing.T) {
		e, m := newEager(t)
		e.takes = markdown.MaxHighlightTime + 1
		if n := words(m, eagerly+other); n != 0 {
			t.Errorf("%d words are highlighted after it", n)
		}
		if n := words(m, eagerly+other); n != 1 || e.programs != 1 {
			t.Errorf("later %d words are highlighted, and the program was read %d times", n, e.programs)
		}
	})
	t.Run("applies to embedded languages", func(t *testing.T) {
		const message = "```http\nHTTP/1.1 200 OK\nContent-Type: text/x-eager\n\nreturn\n```\n"
		e, m := newEager(t)
		if n := words(m, message); n == 0 || e.programs != 1 {
			t.Fatalf("%d words are highlighted, and the program was read %d times", n, e.programs)
		}
		e.takes = markdown.MaxHighlightTime + 1
		for range 2 {
			if n := words(m, message); n != 0 || e.programs != 2 {
				t.Errorf("%d words are highlighted, and the program was read %d times", n, e.programs)
			}
		}
	})
	t.Run("applies if the lexer panics", func(t *testing.T) {
		e, m := newEager(t)
		e.takes, e.breaks = markdown.MaxHighlightTime+1, true
		for range 2 {
			words(m, eagerly)
		}
		if e.programs != 1 {
			t.Errorf("the program was read %d times", e.programs)
		}
	})
	t.Run("does not include building the lexer", func(t *testing.T) {
		e, m := newEager(t)
		e.toBeMade = time.Hour
		if n := words(m, eagerly); n != 1 {
			t.Errorf("%d words are highlighted", n)
		}
	})
}

func TestSlowProgramIsNotHighlightedAgainSoon(t *testing.T) {
	coloured := func(m *markdown.Renderer, source string) bool {
		return strings.Contains(m.HTML(source), `<span class="k">`)
	}
	t.Run("but the last program of a text is not blamed for those before it", func(t *testing.T) {
		last := strings.Replace(eagerly, "return", "continue", 1)
		e, m := newEager(t)
		e.takes = markdown.MaxHighlightTime * 2 / 5
		if m.HTML(eagerly + strings.Replace(eagerly, "return", "break", 1) + last); e.programs != 3 {
			t.Fatalf("%d programs were read", e.programs)
		}
		if !coloured(m, last) {
			t.Error("the last program is not highlighted")
		}
	})
	t.Run("even if a short program before it used some of the time", func(t *testing.T) {
		e, m := newEager(t)
		e.takes, e.slow = 1, markdown.MaxHighlightTime
		for range 2 {
			m.HTML(strings.Replace(eagerly, "return", "break", 1) + eagerly)
		}
		if e.programs != 3 {
			t.Errorf("%d programs were read", e.programs)
		}
	})
	t.Run("but after some minutes", func(t *testing.T) {
		e, m := newEager(t)
		e.takes = markdown.MaxHighlightTime + 1
		m.HTML(eagerly)
		e.takes = 0
		e.clock = e.clock.Add(markdown.SlowFor - 1)
		if coloured(m, eagerly) {
			t.Error("the program is read again at once")
		}
		e.clock = e.clock.Add(1)
		if !coloured(m, eagerly) {
			t.Error("the program is not highlighted")
		}
	})
}

// A lexer that reads everything before its first token cannot be stopped. No such lexer may be registered. Examine a
// kind of lexer before adding it to this list.
func TestLexersAreReadStepByStep(t *testing.T) {
	newEager(t)
	stepwise := map[string]bool{
		"*chroma.RegexLexer":           true,
		"*chroma.remappingLexer":       true, // wraps lexers of the kind above
		"*lexers.httpBodyContentTyper": true, // the lexer of the body is one of these
		"*lexers.markdownLexer":        true,
		"markdown.surrounding":         true,
		"*markdown_test.eager":         true,
	}
	for _, name := range lexers.Names(true) {
		if kind := fmt.Sprintf("%T", lexers.Get(name)); !stepwise[kind] {
			t.Errorf("%s has the lexer %s", name, kind)
		}
	}
	for _, l := range lexers.GlobalLexerRegistry.Lexers { // lexers by media type are looked up there
		if kind := fmt.Sprintf("%T", l); !stepwise[kind] {
			t.Errorf("%s has the lexer %s", l.Config().Name, kind)
		}
	}
}

func TestEmbeddedLanguagesAreHighlighted(t *testing.T) {
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
