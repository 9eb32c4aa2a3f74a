package markdown

import (
	"github.com/alecthomas/chroma/v2"
	"github.com/alecthomas/chroma/v2/lexers"
)

// surroundings are the languages in which others are written down. The lexers of those
// read a program twice from end to end before they give the first token, so that nothing
// could stop them. In their place the lexer of the language around them reads it, which
// goes on token by token: what is between its tags is coloured less.
var surroundings = map[string]string{
	"ERB":              "HTML",
	"Go HTML Template": "HTML",
	"PHTML":            "HTML",
	"Svelte":           "HTML",
	"YAML+Jinja":       "YAML",
}

// registry has lexers that read no more of a program than they are asked for. It is chroma's
// own: lexers look up there which ones read the parts that are in other languages.
var registry = func() *chroma.LexerRegistry {
	for name, around := range surroundings {
		replaced := lexers.Get(name)
		lexers.Register(surrounding{lexers.Get(around), replaced.Config()})
	}
	return lexers.GlobalLexerRegistry
}()

// surrounding is a language's lexer under the names of one that is written within it.
type surrounding struct {
	chroma.Lexer
	config *chroma.Config
}

func (s surrounding) Config() *chroma.Config { return s.config }

// lexerOf is the one that reads programs of that language, nil: none does.
func lexerOf(language string) chroma.Lexer {
	if language == "" || len(language) > 30 {
		return nil
	}
	return registry.Get(language)
}
