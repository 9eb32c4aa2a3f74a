package markdown

import (
	"strings"

	"github.com/alecthomas/chroma/v2"
	"github.com/alecthomas/chroma/v2/lexers"
	"github.com/yuin/goldmark/util"
)

// maxHighlighted is the number of bytes of a text's programs that are highlighted, in whole blocks from the first one
// on. Tokenising takes some microseconds per token, and a text is rendered for every reader.
const maxHighlighted = 32_000

// maxCodeLine is the maximum length of a line in highlighted code. Longer lines are usually generated.
const maxCodeLine = 1000

// highlightable reports whether code in a language should be highlighted.
func highlightable(code, language string) bool {
	for line := range strings.Lines(code) {
		if len(line) > maxCodeLine {
			return false
		}
	}
	return len(code) <= maxHighlighted && lexerOf(language) != nil
}

// writeTokens writes code as HTML, with a class for each token: see tokenClass.
func writeTokens(w util.BufWriter, code string, tokens []chroma.Token) {
	class, open := "", ""
	var text strings.Builder
	flush := func() {
		if text.Len() == 0 {
			return
		}
		if open != "" {
			_, _ = w.WriteString(`<span class="` + open + `">`)
		}
		_, _ = w.Write(util.EscapeHTML([]byte(text.String())))
		if open != "" {
			_, _ = w.WriteString("</span>")
		}
		text.Reset()
	}
	written := 0
	for _, token := range tokens {
		if class = tokenClass(token.Type); strings.TrimSpace(token.Value) == "" {
			class = open // white space has no colour
		}
		if class != open {
			flush()
			open = class
		}
		value := token.Value
		written += len(value)
		if excess := written - len(code); excess > 0 { // a lexer may add a line end
			value = value[:max(0, len(value)-excess)]
		}
		text.WriteString(value)
	}
	flush()
}

// tokenClass returns the class of a token: c for comments, k for keywords, s for strings, n for numbers and
// constants, f for names of functions and tags, t for types and attributes, i for insertions of a diff, d for its
// deletions, g for its headings, and "" for the rest.
func tokenClass(t chroma.TokenType) string {
	switch t {
	case chroma.GenericInserted:
		return "i"
	case chroma.GenericDeleted:
		return "d"
	case chroma.GenericHeading, chroma.GenericSubheading:
		return "g"
	case chroma.KeywordType, chroma.NameClass, chroma.NameBuiltin, chroma.NameAttribute, chroma.NameDecorator,
		chroma.NameNamespace, chroma.NameException:
		return "t"
	case chroma.KeywordConstant, chroma.NameConstant:
		return "n"
	case chroma.NameFunction, chroma.NameFunctionMagic, chroma.NameTag:
		return "f"
	}
	switch {
	case t.InCategory(chroma.Comment):
		return "c"
	case t.InCategory(chroma.Keyword), t == chroma.OperatorWord:
		return "k"
	case t.InSubCategory(chroma.LiteralString):
		return "s"
	case t.InSubCategory(chroma.LiteralNumber), t.InCategory(chroma.Literal):
		return "n"
	}
	return ""
}

// surroundings maps template languages to the languages around them. Lexers of template languages read a program
// twice from end to end before their first token, so they could not be stopped. The lexer of the surrounding language
// is used instead. It emits token by token, and highlights less between the template's tags.
var surroundings = map[string]string{
	"ERB":              "HTML",
	"Go HTML Template": "HTML",
	"PHTML":            "HTML",
	"Svelte":           "HTML",
	"YAML+Jinja":       "YAML",
}

// registry holds lexers that read only as far as requested. It is chroma's own registry, because lexers look up the
// lexers of embedded languages there.
var registry = func() *chroma.LexerRegistry {
	for name, around := range surroundings {
		replaced := lexers.Get(name)
		lexers.Register(surrounding{lexers.Get(around), replaced.Config()})
	}
	return lexers.GlobalLexerRegistry
}()

// surrounding is a lexer under the names of a language that is embedded in its own.
type surrounding struct {
	chroma.Lexer
	config *chroma.Config
}

func (s surrounding) Config() *chroma.Config { return s.config }

// lexerOf returns the lexer for a language, or nil if there is none.
func lexerOf(language string) chroma.Lexer {
	if language == "" || len(language) > 30 {
		return nil
	}
	return registry.Get(language)
}
