package value

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"sync"
)

// MaxDepth is the maximum nesting of arrays and objects.
const MaxDepth = 128

var errSyntax = errors.New("invalid JSON")

// Parse reads one JSON text. Strings without escapes share the memory of text.
func Parse(text string) (Value, error) { return ParseWithin(text, MaxDepth) }

// ParseWithin is Parse with another maximum nesting.
func ParseWithin(text string, depth int) (Value, error) {
	p := parsers.Get().(*parser)
	p.text, p.pos, p.limit = text, 0, depth
	defer p.release()
	p.space()
	v, err := p.value(0)
	if err != nil {
		return Value{}, fmt.Errorf("%w at offset %d", err, p.pos)
	}
	p.space()
	if p.pos != len(p.text) {
		return Value{}, fmt.Errorf("%w at offset %d: text after the value", errSyntax, p.pos)
	}
	return v, nil
}

type parser struct {
	text  string
	pos   int
	limit int // maximum nesting

	members []Member // members read so far of all unfinished objects, those of the outermost one first
}

// maxRetained is the maximum number of members for which a parser retains memory.
const maxRetained = 128

var parsers = sync.Pool{New: func() any { return new(parser) }}

// release makes the parser available again without references to the value that it has read.
func (p *parser) release() {
	if cap(p.members) > maxRetained {
		p.members = nil
	}
	clear(p.members[:cap(p.members)])
	p.text, p.members = "", p.members[:0]
	parsers.Put(p)
}

func (p *parser) space() {
	for p.pos < len(p.text) {
		switch p.text[p.pos] {
		case ' ', '\t', '\n', '\r':
			p.pos++
		default:
			return
		}
	}
}

func (p *parser) peek() byte {
	if p.pos < len(p.text) {
		return p.text[p.pos]
	}
	return 0
}

func (p *parser) value(depth int) (Value, error) {
	switch c := p.peek(); {
	case c == '{':
		return p.object(depth + 1)
	case c == '[':
		return p.array(depth + 1)
	case c == '"':
		s, err := p.string()
		return OfString(s), err
	case c == '-' || c >= '0' && c <= '9':
		return p.number()
	}
	for _, word := range literals {
		if strings.HasPrefix(p.text[p.pos:], word.text) {
			p.pos += len(word.text)
			return word.value, nil
		}
	}
	return Value{}, errSyntax
}

var literals = [...]struct {
	text  string
	value Value
}{
	{"true", OfBool(true)},
	{"false", OfBool(false)},
	{"null", NullValue()},
}

func (p *parser) object(depth int) (Value, error) {
	if depth > p.limit {
		return Value{}, errors.New("JSON is nested too deeply")
	}
	p.pos++
	p.space()
	if p.peek() == '}' {
		p.pos++
		return OfObject(nil), nil
	}
	first := len(p.members)
	for {
		if p.peek() != '"' {
			return Value{}, errSyntax
		}
		name, err := p.string()
		if err != nil {
			return Value{}, err
		}
		p.space()
		if p.peek() != ':' {
			return Value{}, errSyntax
		}
		p.pos++
		p.space()
		v, err := p.value(depth)
		if err != nil {
			return Value{}, err
		}
		p.members = append(p.members, Member{name, v})
		p.space()
		switch p.peek() {
		case ',':
			p.pos++
			p.space()
		case '}':
			p.pos++
			members := slices.Clone(unique(p.members[first:]))
			p.members = p.members[:first]
			return OfObject(members), nil
		default:
			return Value{}, errSyntax
		}
	}
}

// unique removes duplicate names, keeping the last value of each.
func unique(members []Member) []Member {
	if len(members) > 32 {
		return uniqueMany(members)
	}
	for i := 1; i < len(members); i++ {
		for j := range i {
			if members[j].Name == members[i].Name {
				members[j].Value = members[i].Value
				members = append(members[:i], members[i+1:]...)
				i--
				break
			}
		}
	}
	return members
}

func uniqueMany(members []Member) []Member {
	at := make(map[string]int, len(members))
	kept := members[:0]
	for _, m := range members {
		if i, ok := at[m.Name]; ok {
			kept[i].Value = m.Value
			continue
		}
		at[m.Name] = len(kept)
		kept = append(kept, m)
	}
	return kept
}

func (p *parser) array(depth int) (Value, error) {
	if depth > p.limit {
		return Value{}, errors.New("JSON is nested too deeply")
	}
	p.pos++
	p.space()
	var elems []Value
	if p.peek() == ']' {
		p.pos++
		return OfArray(elems), nil
	}
	for {
		v, err := p.value(depth)
		if err != nil {
			return Value{}, err
		}
		elems = append(elems, v)
		p.space()
		switch p.peek() {
		case ',':
			p.pos++
			p.space()
		case ']':
			p.pos++
			return OfArray(elems), nil
		default:
			return Value{}, errSyntax
		}
	}
}

func (p *parser) number() (Value, error) {
	start, isInt := p.pos, true
	if p.peek() == '-' {
		p.pos++
	}
	if !p.digits(true) {
		return Value{}, errSyntax
	}
	if p.peek() == '.' {
		p.pos++
		isInt = false
		if !p.digits(false) {
			return Value{}, errSyntax
		}
	}
	if c := p.peek(); c == 'e' || c == 'E' {
		p.pos++
		isInt = false
		if c := p.peek(); c == '+' || c == '-' {
			p.pos++
		}
		if !p.digits(false) {
			return Value{}, errSyntax
		}
	}
	text := p.text[start:p.pos]
	if isInt {
		if i, err := strconv.ParseInt(text, 10, 64); err == nil {
			return OfInt(i), nil
		}
	}
	f, err := strconv.ParseFloat(text, 64)
	if err != nil && math.IsInf(f, 0) {
		return Value{}, errors.New("number out of range")
	}
	return OfFloat(f), nil
}

// digits skips one or more digits. whole forbids unnecessary leading zeros.
func (p *parser) digits(whole bool) bool {
	start := p.pos
	for p.pos < len(p.text) && p.text[p.pos] >= '0' && p.text[p.pos] <= '9' {
		p.pos++
	}
	n := p.pos - start
	return n == 1 || n > 1 && (!whole || p.text[start] != '0')
}
