package markdown

import (
	"strings"

	"github.com/alecthomas/chroma/v2"
	"github.com/yuin/goldmark/util"
)

// maxHighlighted is how much of a text's programs is coloured, in bytes, whole blocks
// from the first one on. The rest is shown as it is: reading a program costs some
// microseconds for each of its tokens, and a text is rendered for every reader.
const maxHighlighted = 32_000

// maxCodeLine is the longest line that is coloured: what a machine has made is not read.
const maxCodeLine = 1000

// highlightable tells whether code of a language is worth to be coloured at all.
func highlightable(code, language string) bool {
	for line := range strings.Lines(code) {
		if len(line) > maxCodeLine {
			return false
		}
	}
	return len(code) <= maxHighlighted && lexerOf(language) != nil
}

// writeTokens writes code as HTML whose tokens have classes, see tokenClass.
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
			class = open // space has no colour
		}
		if class != open {
			flush()
			open = class
		}
		value := token.Value
		written += len(value)
		if excess := written - len(code); excess > 0 { // a lexer may end the last line
			value = value[:max(0, len(value)-excess)]
		}
		text.WriteString(value)
	}
	flush()
}

// tokenClass is what a token looks like: c a comment, k a keyword, s a string, n a number
// or constant, f the name of a function or tag, t of a type or attribute, i what a
// difference inserts, d what it deletes, g its heading; the rest is plain.
func tokenClass(t chroma.TokenType) string {
	switch t {
	case chroma.GenericInserted:
		return "i"
	case chroma.GenericDeleted:
		return "d"
	case chroma.GenericHeading, chroma.GenericSubheading:
		return "g"
	case chroma.KeywordType, chroma.NameClass, chroma.NameBuiltin, chroma.NameAttribute, chroma.NameDecorator, chroma.NameNamespace, chroma.NameException:
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
