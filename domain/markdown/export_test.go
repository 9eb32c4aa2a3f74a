package markdown

import (
	"time"

	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"
)

// NewMarkdownAt is New with another clock.
var NewMarkdownAt = newRenderer

// MaxHighlightTime is the time limit for highlighting all programs of a text.
const MaxHighlightTime = maxHighlightTime

// MaxFormulaTime is the time limit for setting all formulas of a text.
const MaxFormulaTime = maxFormulaTime

// SlowFor is the period in which a program that took too long is not highlighted.
const SlowFor = slowFor

// TooComplex reports whether a source is shown as it was typed because parsing it takes too long or produces too much.
func TooComplex(source string) bool {
	_, ok := ParseWithin(newRenderer(stoppedClock).converter.Parser(), []byte(source))
	return !ok
}

// Steps returns the number of steps in which a renderer parses a text. It collects the mentions if it links none.
func Steps(m *Renderer, source string) int {
	context := parser.NewContext()
	context.Set(findingsKey, &findings{usernames: m.usernames, collecting: m.usernames == nil})
	m.converter.Parser().Parse(text.NewReader([]byte(source)), parser.WithContext(context))
	return maxSteps + stepsPerByte*len(source) - budgetOf(context).left
}

// Sanitise applies the sanitising policy to HTML.
var Sanitise = newPolicy().Sanitize

func stoppedClock() time.Time { return time.Time{} }
