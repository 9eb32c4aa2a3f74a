// Package customcss checks the CSS that administrators write for the pages of their site.
package customcss

import (
	"regexp"
	"slices"
	"strings"

	"github.com/tdewolff/parse/v2"
	"github.com/tdewolff/parse/v2/css"

	"inkfeed/domain/locale"
	"inkfeed/domain/plaintext"
)

// Limits of a sheet.
const (
	MaxKB    = 20 // its size, in units of 1,024 bytes
	maxDepth = 16 // how deep brackets nest
)

// atRules are the allowed at-rules. They load nothing, except for addresses in them, which are checked.
var atRules = strings.Fields(`@container @counter-style @font-face @keyframes @layer @media @page @property @scope
	@starting-style @supports`)

// addressFunctions are the functions that take strings as addresses.
var addressFunctions = []string{"image(", "image-set(", "-webkit-image-set(", "src("}

// path matches a path of the site. A browser would remove white space from it, and read a backslash as a slash.
const path = `/(?:[^/\\"'\s][^\\"'\s]*)?`

var (
	local = regexp.MustCompile(`^(?:(?i:url)\(\s*["']?` + path + `["']?\s*\)|["']` + path + `["'])$`)
	// plain matches words without escapes and letters beyond ASCII, about which browsers differ.
	plain = regexp.MustCompile(`^[\x00-\x5b\x5d-\x7f]*$`)
	// harmless matches the functions that may be in those of addressFunctions. The value of others, such as var(), is
	// written elsewhere.
	harmless = regexp.MustCompile(`(?i)^(?:type|[a-z-]*gradient)\($`)
)

// Clean returns a sheet as the site stores and serves it, or the problem why the sheet is refused. A sheet is accepted
// only if all its addresses are paths of the site, and if browsers divide it into the same tokens as this package.
func Clean(source string) (sheet string, problem locale.Message) {
	sheet = strings.TrimRight(strings.TrimLeft(plaintext.Clean(source), "\ufeff"), " \t\n")
	if len(sheet) > MaxKB<<10 {
		return "", locale.M("Use at most {size} KB.", "size", MaxKB)
	}
	// The newlines at the end make a string that is not closed a bad one, even after a backslash.
	lexer := css.NewLexer(parse.NewInputString(sheet + "\n\n"))
	c := checker{line: 1, open: make([]bracket, 1)}
	for {
		token, text := lexer.Next()
		if problem := c.check(token, string(text)); !problem.IsZero() {
			return "", locale.M("Line {line}: {problem}", "line", c.line, "problem", problem)
		}
		if token == css.ErrorToken {
			return sheet, locale.Message{}
		}
		c.last, c.line = string(text), c.line+strings.Count(string(text), "\n")
	}
}

// checker is what is known before a token.
type checker struct {
	line int
	last string    // the token before
	open []bracket // the first stands for the sheet
}

// bracket is a bracket that is not closed yet.
type bracket struct {
	text      string // with the name of its function
	line      int
	addresses bool // strings in it are addresses
}

// check returns the problem of a token, if it has one.
func (c *checker) check(token css.TokenType, text string) locale.Message {
	within := c.open[len(c.open)-1]
	switch token {
	case css.ErrorToken: // the end
		if len(c.open) > 1 {
			return c.neverClosed(within)
		}
	case css.CommentToken:
		if len(text) < len("/**/") || !strings.HasSuffix(text, "*/") {
			return c.neverClosed(bracket{text: "/*", line: c.line})
		}
	case css.BadStringToken:
		return c.neverClosed(bracket{text: text[:1], line: c.line})
	case css.StringToken, css.URLToken, css.BadURLToken:
		if token == css.BadURLToken || (token == css.URLToken || within.addresses) && !local.MatchString(text) {
			return locale.M("Addresses must be paths of this site, such as /media/….")
		}
	case css.FunctionToken, css.LeftParenthesisToken, css.LeftBracketToken, css.LeftBraceToken:
		return c.opens(token, text, within)
	case css.RightParenthesisToken, css.RightBracketToken, css.RightBraceToken:
		if len(c.open) == 1 {
			return locale.M("“{text}” closes nothing.", "text", text)
		}
		if !strings.Contains("()[]{}", within.text[len(within.text)-1:]+text) {
			return c.neverClosed(within)
		}
		c.open = c.open[:len(c.open)-1]
	case css.IdentToken, css.HashToken, css.CustomPropertyNameToken: // may have escapes
	default:
		if token == css.CDOToken || token == css.CDCToken || c.last+text == "</" ||
			strings.ContainsAny(text, `\@`) && !slices.Contains(atRules, strings.ToLower(text)) {
			return refuse(text)
		}
	}
	return locale.Message{}
}

// opens notes a bracket, unless it is not allowed.
func (c *checker) opens(token css.TokenType, text string, within bracket) locale.Message {
	word, addresses := text, slices.Contains(addressFunctions, strings.ToLower(text))
	if token == css.LeftParenthesisToken {
		word = c.last + text
	}
	switch {
	case !plain.MatchString(word), within.addresses && !addresses && !harmless.MatchString(text):
		return refuse(word)
	case len(c.open) > maxDepth:
		return locale.M("The brackets are nested too deeply.")
	}
	c.open = append(c.open, bracket{text, c.line, addresses})
	return locale.Message{}
}

func refuse(text string) locale.Message {
	return locale.M("“{text}” isn't allowed here.", "text", plaintext.Truncate(text, 40))
}

// neverClosed returns the problem of a bracket, and moves to its line.
func (c *checker) neverClosed(b bracket) locale.Message {
	c.line = b.line
	return locale.M("“{text}” is never closed.", "text", plaintext.Truncate(b.text, 40))
}
