package query

import (
	"strings"
	"unicode/utf8"

	"inkfeed/cosmos/embedded/internal/value"
)

// charSteps is the approximate number of characters read in one step.
const charSteps = 32

// like evaluates LIKE with % (any text), _ (any character), [abc] and [^a-z] (sets).
func (e *Env) like(x *Like) value.Value {
	escape := value.OfString("")
	if x.Escape != nil {
		escape = e.eval(x.Escape)
	}
	text, pattern := e.eval(x.X), e.eval(x.Pattern)
	if text.Kind() != value.String || pattern.Kind() != value.String || escape.Kind() != value.String {
		return value.Value{}
	}
	p := e.likePattern(pattern.Str(), escape.Str())
	if p == nil {
		return value.Value{}
	}
	return value.OfBool(e.likeMatch(text.Str(), p.atoms))
}

// likePattern is a parsed pattern.
type likePattern struct {
	text, escape string
	atoms        []likeAtom
}

// likePattern parses a pattern, or returns the last one if it is the same. It returns nil if that
// takes too many steps.
func (e *Env) likePattern(pattern, escape string) *likePattern {
	if p := e.pattern; p != nil && p.text == pattern && p.escape == escape {
		return p
	}
	if n := len(pattern) / charSteps; n > 0 && !e.spend(4*n) {
		return nil
	}
	e.pattern = &likePattern{pattern, escape, likeAtoms(pattern, escape)}
	return e.pattern
}

type likeAtom struct {
	kind   likeKind
	char   rune
	ranges [][2]rune // of a set
}

type likeKind uint8

const (
	likeChar likeKind = iota // one character
	likeAny                  // any character
	likeText                 // any text, of any length
	likeIn                   // a character in one of the ranges
	likeOut                  // a character in none
)

func likeAtoms(pattern, escape string) []likeAtom {
	var atoms []likeAtom
	runes := []rune(pattern)
	end := len(runes) - 1 // where the last set can end
	for end >= 0 && runes[end] != ']' {
		end--
	}
	for i := 0; i < len(runes); i++ {
		switch r := runes[i]; {
		case escape != "" && strings.HasPrefix(escape, string(r)) && i+1 < len(runes):
			i++
			atoms = append(atoms, likeAtom{char: runes[i]})
		case r == '%':
			if len(atoms) == 0 || atoms[len(atoms)-1].kind != likeText {
				atoms = append(atoms, likeAtom{kind: likeText})
			}
		case r == '_':
			atoms = append(atoms, likeAtom{kind: likeAny})
		case r == '[' && i < end:
			var atom likeAtom
			atom, i = likeSet(runes, i)
			atoms = append(atoms, atom)
		default:
			atoms = append(atoms, likeAtom{char: r})
		}
	}
	return atoms
}

// likeSet parses the set that begins at i and returns its end. The caller has checked that it ends.
func likeSet(runes []rune, i int) (likeAtom, int) {
	atom := likeAtom{kind: likeIn}
	i++
	if runes[i] == '^' {
		atom.kind = likeOut
		i++
	}
	for runes[i] != ']' {
		if runes[i+1] == '-' && runes[i+2] != ']' {
			atom.ranges = append(atom.ranges, [2]rune{runes[i], runes[i+2]})
			i += 3
		} else {
			atom.ranges = append(atom.ranges, [2]rune{runes[i], runes[i]})
			i++
		}
	}
	return atom, i
}

func (a *likeAtom) matches(r rune) bool {
	switch a.kind {
	case likeChar:
		return a.char == r
	case likeAny:
		return true
	}
	for _, bounds := range a.ranges {
		if r >= bounds[0] && r <= bounds[1] {
			return a.kind == likeIn
		}
	}
	return a.kind == likeOut
}

// likeMatch backtracks only to the last %, so its time is at worst the product of the lengths. It
// counts steps and stops when evaluation fails.
func (e *Env) likeMatch(text string, atoms []likeAtom) bool {
	t, a := 0, 0
	star, mark := -1, 0
	work := 0
	for t < len(text) {
		if work++; a < len(atoms) {
			work += len(atoms[a].ranges)
		}
		if work >= checkSteps {
			if !e.spend(work / charSteps) {
				return false
			}
			work %= charSteps
		}
		r, size := utf8.DecodeRuneInString(text[t:])
		switch {
		case a < len(atoms) && atoms[a].kind == likeText:
			star, mark = a, t
			a++
		case a < len(atoms) && atoms[a].matches(r):
			t += size
			a++
		case star >= 0:
			_, size = utf8.DecodeRuneInString(text[mark:])
			mark += size
			t, a = mark, star+1
		default:
			return false
		}
	}
	for a < len(atoms) && atoms[a].kind == likeText {
		a++
	}
	e.spend(work / charSteps)
	return a == len(atoms)
}
