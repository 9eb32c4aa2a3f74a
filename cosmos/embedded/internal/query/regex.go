package query

import (
	"io"
	"regexp"
	"regexp/syntax"
	"strings"
	"unicode/utf8"

	"inkfeed/cosmos/embedded/internal/value"
)

// regexMatch knows the modifiers m, s, i and x. What of .NET's syntax RE2 does not have,
// back references and look around, matches nothing: the result is undefined.
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
				pattern = unspaced(pattern)
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

// regex is a regular expression as it was compiled; program is nil if it has a fault.
type regex struct {
	text    string
	program *regexp.Regexp
	size    int // of the program, in instructions
}

// compile compiles a pattern, unless it is the one that was compiled last; nil if that is
// too much work. A short pattern may repeat so often that its program is a long one.
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

// match looks for the expression in a text. Each character may take as much work as the
// program is long, so where both are, it is counted as the text is read.
func (re *regex) match(e *Env, text string) bool {
	if work := len(text) * re.size; work < 1<<16 {
		return e.spend(1+work/charSteps) && re.program.MatchString(text)
	}
	found := re.program.MatchReader(&regexText{env: e, text: text, work: re.size})
	return found && e.err == nil
}

// regexText is a text that ends when evaluation fails.
type regexText struct {
	env  *Env
	text string
	work int // of each character
	done int // that has not been taken from the environment's
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

// unspaced takes white space and comments out of a pattern, but for what is escaped or
// in a set.
func unspaced(pattern string) string {
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
