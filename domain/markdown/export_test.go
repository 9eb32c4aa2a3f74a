package markdown

import "time"

// NewMarkdownAt is NewMarkdown by another clock.
var NewMarkdownAt = newRenderer

// MaxHighlightTime is how long the programs of a text may take.
const MaxHighlightTime = maxHighlightTime

// SlowFor is how long a program that took too long stays plain.
const SlowFor = slowFor

// TooComplex reports whether a source is shown as it was typed, because reading it as Markdown takes
// too long or makes too much of it.
func TooComplex(source string) bool {
	_, ok := ParseWithin(newRenderer(stoppedClock).converter.Parser(), []byte(source))
	return !ok
}

func stoppedClock() time.Time { return time.Time{} }
