package query

import (
	"strings"

	"inkfeed/cosmos/embedded/internal/value"
)

// like matches % (any text), _ (any character) and [abc], [^a-z] (a set).
func like(text, pattern, escape value.Value) value.Value {
	if text.Kind() != value.String || pattern.Kind() != value.String || escape.Kind() != value.String {
		return value.Value{}
	}
	return value.OfBool(likeMatch([]rune(text.Str()), likePattern(pattern.Str(), escape.Str())))
}

type likeAtom struct {
	any    bool // any text, of any length
	negate bool
	ranges [][2]rune // of one character; nil: every character
}

func likePattern(pattern, escape string) []likeAtom {
	var atoms []likeAtom
	runes := []rune(pattern)
	for i := 0; i < len(runes); i++ {
		switch r := runes[i]; {
		case escape != "" && strings.HasPrefix(escape, string(r)) && i+1 < len(runes):
			i++
			atoms = append(atoms, likeAtom{ranges: [][2]rune{{runes[i], runes[i]}}})
		case r == '%':
			if len(atoms) == 0 || !atoms[len(atoms)-1].any {
				atoms = append(atoms, likeAtom{any: true})
			}
		case r == '_':
			atoms = append(atoms, likeAtom{})
		case r == '[':
			atom, end := likeSet(runes, i)
			if end < 0 {
				atom, end = likeAtom{ranges: [][2]rune{{r, r}}}, i
			}
			atoms = append(atoms, atom)
			i = end
		default:
			atoms = append(atoms, likeAtom{ranges: [][2]rune{{r, r}}})
		}
	}
	return atoms
}

// likeSet reads the set that begins at i and returns where it ends, -1 if nowhere.
func likeSet(runes []rune, i int) (likeAtom, int) {
	atom := likeAtom{ranges: [][2]rune{}}
	i++
	if i < len(runes) && runes[i] == '^' {
		atom.negate = true
		i++
	}
	for ; i < len(runes); i++ {
		switch {
		case runes[i] == ']':
			return atom, i
		case i+2 < len(runes) && runes[i+1] == '-' && runes[i+2] != ']':
			atom.ranges = append(atom.ranges, [2]rune{runes[i], runes[i+2]})
			i += 2
		default:
			atom.ranges = append(atom.ranges, [2]rune{runes[i], runes[i]})
		}
	}
	return atom, -1
}

func (a likeAtom) matches(r rune) bool {
	if a.ranges == nil {
		return true
	}
	for _, bounds := range a.ranges {
		if r >= bounds[0] && r <= bounds[1] {
			return !a.negate
		}
	}
	return a.negate
}

// likeMatch backtracks only to the last %, so its time is the product of the lengths
// at worst.
func likeMatch(text []rune, atoms []likeAtom) bool {
	t, a := 0, 0
	star, mark := -1, 0
	for t < len(text) {
		switch {
		case a < len(atoms) && atoms[a].any:
			star, mark = a, t
			a++
		case a < len(atoms) && atoms[a].matches(text[t]):
			t++
			a++
		case star >= 0:
			mark++
			t, a = mark, star+1
		default:
			return false
		}
	}
	for a < len(atoms) && atoms[a].any {
		a++
	}
	return a == len(atoms)
}
