package markdown

import (
	"github.com/alecthomas/chroma/v2"
	"github.com/alecthomas/chroma/v2/lexers"
)

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
