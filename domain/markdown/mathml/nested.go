package mathml

import "github.com/wyatt915/treeblood"

// Kinds of tokens of treeblood.
const (
	isComment = 1 << 1 // treeblood loses its place there
	isCurly   = 1 << 10
)

// switches are the commands that treeblood applies up to the end of the cell or braces.
var switches = map[string]bool{"color": true, "bf": true, "em": true, "rm": true, "displaystyle": true,
	"textstyle": true, "scriptstyle": true, "scriptscriptstyle": true, "tiny": true, "scriptsize": true,
	"footnotesize": true, "small": true, "normalsize": true, "large": true, "Large": true, "LARGE": true, "huge": true,
	"Huge": true}

// part is what is between two brackets, or between the beginning and end of an environment.
type part struct {
	end      int // index of the token that ends it
	braces   bool
	switched bool // a switch applies
}

// nested reports whether the parts of a formula are properly within each other. Where one ends beyond the one around
// it, treeblood reads the text between them again: twice as often with each level.
func nested(tokens []treeblood.Token) bool {
	parts := []part{{end: len(tokens)}}
	for i, t := range tokens {
		for parts[len(parts)-1].end <= i {
			parts = parts[:len(parts)-1]
		}
		last := &parts[len(parts)-1]
		switch {
		case t.Kind&isComment != 0:
			return false
		case t.MatchOffset > 0:
			if i+t.MatchOffset > last.end {
				return false
			}
			parts = append(parts, part{end: i + t.MatchOffset, braces: t.Kind&isCurly != 0})
		case switches[t.Value]:
			last.switched = true
		case t.Value == "&" || t.Value == `\` || t.Value == "cr":
			if cutsPart(parts) {
				return false
			}
			last.switched = false
		}
	}
	return true
}

// cutsPart reports whether the end of a cell ends a switch too that applies around the innermost part. Treeblood looks
// for the end of the cell in all parts but braces.
func cutsPart(parts []part) bool {
	for i := len(parts) - 1; i > 0 && !parts[i].braces; i-- {
		if parts[i-1].switched {
			return true
		}
	}
	return false
}
