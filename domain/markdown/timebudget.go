package markdown

import (
	"crypto/sha256"
	"time"

	"github.com/alecthomas/chroma/v2"
	lru "github.com/hashicorp/golang-lru/v2"
)

// maxHighlightTime is how long reading all programs of a text may take: five times what the
// most that is coloured does on a busy machine. The expressions that lexers are made of
// backtrack, so a program of a few kilobytes can be written to take them minutes. It is
// looked at between tokens only, and chroma gives up on an expression after a quarter of a
// second: a token takes at worst as many of them as its lexer has expressions at that place.
const maxHighlightTime = 500 * time.Millisecond

// A program that took too long stays plain for slowFor: not for ever, since it may have
// been the machine that was slow. No more than maxSlow are remembered.
const (
	slowFor = 10 * time.Minute
	maxSlow = 4096
)

// programs reads programs to be coloured. Those on which it lost patience it does not read
// again soon: they cost that time once in a while, and not with every view.
type programs struct {
	now  func() time.Time
	slow *lru.Cache[[sha256.Size]byte, time.Time] // when they were read
}

func newPrograms(now func() time.Time) *programs {
	slow, err := lru.New[[sha256.Size]byte, time.Time](maxSlow)
	if err != nil {
		panic(err) // only of a size below one
	}
	return &programs{now, slow}
}

// patience is what is left of it for a text. It is of one goroutine.
type timeBudget struct {
	*programs
	left time.Duration
}

func (p *programs) timeBudget() *timeBudget { return &timeBudget{p, maxHighlightTime} }

// tokens are those of a program. It is false for one that is to stay plain.
func (p *timeBudget) tokens(code, language string) ([]chroma.Token, bool) {
	key := sha256.Sum256([]byte(language + "\x00" + code))
	if p.left <= 0 || p.isSlow(key) {
		return nil, false
	}
	lexer := lexerOf(language)
	never := func() bool { return false }
	if _, ok := read(lexer, "", never); !ok { // it is made now, which all its readers wait for
		return nil, false
	}
	began := p.now()
	tokens, ok := read(lexer, code, func() bool { return p.now().Sub(began) > p.left })
	took := p.now().Sub(began)
	if p.left -= took; p.left >= 0 {
		return tokens, ok
	}
	// What has met the end of a patience that others wore out is not at fault; and were only
	// what had all of it, a short program before it would be enough to be forgotten.
	if took > maxHighlightTime/2 {
		p.slow.Add(key, p.now())
	}
	return nil, false
}

func (p *programs) isSlow(key [sha256.Size]byte) bool {
	at, ok := p.slow.Get(key)
	return ok && p.now().Sub(at) < slowFor
}

// read is false for what has no tokens, or not before it is to end.
func read(lexer chroma.Lexer, code string, ended func() bool) (tokens []chroma.Token, ok bool) {
	defer func() {
		if recover() != nil { // which a lexer does that meets what its rules did not foresee
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
