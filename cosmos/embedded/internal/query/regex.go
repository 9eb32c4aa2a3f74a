package query

import (
	"io"
	"regexp"
	"regexp/syntax"
	"strings"
	"unicode/utf8"

	"inkfeed/cosmos/embedded/internal/value"
)

// regexMatch supports the modifiers m, s, i and x. Back references and lookaround of .NET's syntax
// are missing in RE2: such patterns are undefined.
func regexMatch(e *Env, args []value.Value) value.Value {
	s, ok := strs(args)
	if !ok || len(s[1]) > maxRegex {
		return value.Value{}
	}
	pattern, flags := s[1], ""
	if len(s) == 3 {
		for _, m := range s[2] {
			switch m {
			case 'm', 's', 'i':
				if !strings.ContainsRune(flags, m) {
					flags += string(m)
				}
			case 'x':
				pattern = removeSpace(pattern)
			default:
				return value.Value{}
			}
		}
	}
	if flags != "" {
		pattern = "(?" + flags + ")" + pattern
	}
	re := e.compile(pattern)
	if re == nil || re.program == nil {
		return value.Value{}
	}
	return value.OfBool(re.match(e, s[0]))
}

const maxRegex = 4096

// regex is a compiled regular expression; program is nil if the pattern is invalid.
type regex struct {
	text    string
	program *regexp.Regexp
	size    int // instructions in the program
}

// compile compiles a pattern, or returns the last one if it is the same. It returns nil if that
// takes too many steps: a short pattern with repetitions can have a long program.
func (e *Env) compile(pattern string) *regex {
	if re := e.regex; re != nil && re.text == pattern {
		return re
	}
	if !e.spend(25 + 3*len(pattern)) {
		return nil
	}
	re := &regex{text: pattern}
	if tree, err := syntax.Parse(pattern, syntax.Perl); err == nil {
		if prog, err := syntax.Compile(tree.Simplify()); err == nil {
			if re.size = len(prog.Inst); !e.spend(4 * re.size) {
				return nil
			}
			re.program, _ = regexp.Compile(pattern)
		}
	}
	e.regex = re
	return re
}

// match searches a text. The cost of a character is up to the size of the program, so it is counted
// while reading the text.
func (re *regex) match(e *Env, text string) bool {
	if work := len(text) * re.size; work < 1<<16 {
		return e.spend(1+work/charSteps) && re.program.MatchString(text)
	}
	found := re.program.MatchReader(&regexText{env: e, text: text, work: re.size})
	return found && e.err == nil
}

// regexText is a text that ends early when evaluation fails.
type regexText struct {
	env  *Env
	text string
	work int // cost of each character
	done int // cost not yet taken from the environment's steps
}

func (t *regexText) ReadRune() (rune, int, error) {
	if t.done += t.work; t.done >= checkSteps {
		if !t.env.spend(t.done / charSteps) {
			return 0, 0, io.EOF
		}
		t.done %= charSteps
	}
	if t.text == "" {
		return 0, 0, io.EOF
	}
	r, size := utf8.DecodeRuneInString(t.text)
	t.text = t.text[size:]
	return r, size, nil
}

// removeSpace removes white space and comments from a pattern, except in sets and after escapes.
func removeSpace(pattern string) string {
	var b strings.Builder
	inSet := false
	for i := 0; i < len(pattern); i++ {
		c := pattern[i]
		switch {
		case c == '\\' && i+1 < len(pattern):
			b.WriteByte(c)
			i++
			b.WriteByte(pattern[i])
			continue
		case c == '[':
			inSet = true
		case c == ']':
			inSet = false
		case !inSet && strings.IndexByte(" \t\n\v\f\r", c) >= 0:
			continue
		case !inSet && c == '#':
			for i < len(pattern) && pattern[i] != '\n' {
				i++
			}
			continue
		}
		b.WriteByte(c)
	}
	return b.String()
}
