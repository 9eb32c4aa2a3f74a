package markdown

import (
	"crypto/sha256"
	"time"

	"github.com/alecthomas/chroma/v2"
	lru "github.com/hashicorp/golang-lru/v2"
	"github.com/hashicorp/golang-lru/v2/simplelru"

	"inkfeed/domain/markdown/mathml"
)

// maxHighlightTime limits the time for tokenising all programs of a text. It is five times what the largest
// highlighted programs take on a busy machine. Lexers consist of regular expressions that backtrack, so a program of
// a few kilobytes can be written to take minutes. The time is checked between tokens only, and chroma stops an
// expression after a quarter of a second. In the worst case a token takes that time for each expression of its
// lexer's current state.
const maxHighlightTime = 500 * time.Millisecond

// maxFormulaTime limits the time for setting all formulas of a text.
const maxFormulaTime = 500 * time.Millisecond

// A program or formula that took too long is shown as it was typed for slowFor. After that it is tried again, because
// the machine may have been slow. At most maxSlow programs are remembered.
const (
	slowFor = 10 * time.Minute
	maxSlow = 4096
)

// programs tokenises programs for highlighting. It remembers the programs that exceeded the time limit, so that they
// cost that time only once in a while and not in every view.
type programs struct {
	now  func() time.Time
	slow simplelru.LRUCache[[sha256.Size]byte, time.Time] // when they were read
}

func newPrograms(now func() time.Time) *programs {
	slow, err := lru.New[[sha256.Size]byte, time.Time](maxSlow)
	if err != nil {
		panic(err) // impossible: the size is positive
	}
	return &programs{now, slow}
}

// timeBudget is the time that is left for a text. It must be used by one goroutine only.
type timeBudget struct {
	*programs
	left        time.Duration
	forFormulas time.Duration // what is left for formulas
}

func (p *programs) timeBudget() *timeBudget { return &timeBudget{p, maxHighlightTime, maxFormulaTime} }

// set sets a formula. It returns false if the formula is to be shown as it was typed.
func (p *timeBudget) set(tex string, display bool) (element string, ok bool) {
	key := sha256.Sum256([]byte("\x00" + tex)) // no program has this key: its language would have to be empty
	if p.forFormulas <= 0 || p.isSlow(key) {
		return "", false
	}
	began := p.now()
	element, ok = mathml.Set(tex, display, p.forFormulas)
	took := p.now().Sub(began)
	if p.forFormulas -= took; took > maxFormulaTime/2 || !ok && p.forFormulas <= 0 { // it may never end
		p.slow.Add(key, p.now())
		return "", false
	}
	return element, ok
}

// tokens returns the tokens of a program. It returns false if the program is to be shown without colours.
func (p *timeBudget) tokens(code, language string) ([]chroma.Token, bool) {
	key := sha256.Sum256([]byte(language + "\x00" + code))
	if p.left <= 0 || p.isSlow(key) {
		return nil, false
	}
	lexer := lexerOf(language)
	never := func() bool { return false }
	if _, ok := read(lexer, "", never); !ok { // the lexer is built now, which all its users wait for
		return nil, false
	}
	began := p.now()
	tokens, ok := read(lexer, code, func() bool { return p.now().Sub(began) > p.left })
	took := p.now().Sub(began)
	if p.left -= took; p.left >= 0 {
		return tokens, ok
	}
	// A program that met the end of a budget that others have used is not at fault. Nor need it have used the whole
	// budget itself; otherwise a short program before it would keep it from being remembered.
	if took > maxHighlightTime/2 {
		p.slow.Add(key, p.now())
	}
	return nil, false
}

func (p *programs) isSlow(key [sha256.Size]byte) bool {
	at, ok := p.slow.Get(key)
	return ok && p.now().Sub(at) < slowFor
}

// read returns false if there are no tokens, or if ended returned true before the last one.
func read(lexer chroma.Lexer, code string, ended func() bool) (tokens []chroma.Token, ok bool) {
	defer func() {
		if recover() != nil { // a lexer panics on input that its rules did not foresee
			tokens, ok = nil, false
		}
	}()
	next, err := lexer.Tokenise(nil, code)
	if err != nil {
		return nil, false
	}
	for token := next(); token != chroma.EOF; token = next() {
		if ended() {
			return nil, false
		}
		if token.Value != "" {
			tokens = append(tokens, token)
		}
	}
	return tokens, true
}
