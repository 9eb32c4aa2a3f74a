package plaintext

import (
	"strings"
	"time"

	"github.com/rivo/uniseg"
	"github.com/sergi/go-diff/diffmatchpatch"
)

// Presence is the membership of a piece of text in two versions.
type Presence int8

const (
	Removed Presence = iota - 1 // only in the version before
	Kept                        // in both versions
	Added                       // only in the version after
)

// Difference is a piece of one or both versions of a text. Pieces are in the order of the text.
type Difference struct {
	In   Presence
	Text string
}

// Limits of comparing two texts. Parts that could not be compared within these limits are shown as removed and added
// as a whole.
const (
	differenceTime = 300 * time.Millisecond
	// maxCompared is how many pieces of both texts are compared at a time. Texts that repeat themselves
	// take a time that grows with its square, and differenceTime is not looked at meanwhile.
	maxCompared = 20_000
	// comparedContext is how many pieces before and after a change decide where the change begins best.
	comparedContext = 100
)

// Differences compares two versions of a text word by word, for any script (Unicode Annex 29). If a long text has
// changed in several places, it compares the lines first. The Removed and Kept pieces make up before; the Kept and
// Added pieces make up after.
func Differences(before, after string) []Difference {
	if before == after {
		if before == "" {
			return nil
		}
		return []Difference{{Kept, before}}
	}
	c := comparison{deadline: time.Now().Add(differenceTime)}
	if !c.compare(before, after, nextWord) && !c.compareLines(before, after) {
		c.add(Removed, before)
		c.add(Added, after)
	}
	return c.found
}

// comparison is the state of comparing two texts.
type comparison struct {
	deadline time.Time
	found    []Difference
}

func (c *comparison) add(in Presence, text string) {
	switch last := len(c.found) - 1; {
	case text == "":
	case last >= 0 && c.found[last].In == in:
		c.found[last].Text += text
	default:
		c.found = append(c.found, Difference{in, text})
	}
}

// compareLines compares the lines of two texts, and the words of the lines that have changed. It returns false if there
// are too many lines.
func (c *comparison) compareLines(before, after string) bool {
	lines := comparison{deadline: c.deadline}
	if !lines.compare(before, after, nextLine) {
		return false
	}
	for i := 0; i < len(lines.found); i++ {
		d := lines.found[i]
		if d.In == Removed && i+1 < len(lines.found) && lines.found[i+1].In == Added {
			i++
			if added := lines.found[i].Text; !c.compare(d.Text, added, nextWord) {
				c.add(Removed, d.Text)
				c.add(Added, added)
			}
			continue
		}
		c.add(d.In, d.Text)
	}
	return true
}

// compare compares two texts piece by piece. It returns false if there are too many pieces or no time is left.
func (c *comparison) compare(before, after string, next func(text string, state int) (string, string, int)) bool {
	left := time.Until(c.deadline)
	if left <= 0 {
		return false
	}
	v := &vocabulary{known: map[string]rune{}}
	a, b := v.spell(before, next), v.spell(after, next)
	same := 0
	for same < min(len(a), len(b)) && a[same] == b[same] {
		same++
	}
	begin := max(0, same-comparedContext)
	for same = 0; same < min(len(a), len(b))-begin && a[len(a)-1-same] == b[len(b)-1-same]; {
		same++
	}
	end := max(0, same-comparedContext)
	if len(a)+len(b)-2*begin-2*end > maxCompared {
		return false
	}
	compare := diffmatchpatch.New()
	compare.DiffTimeout = left
	c.add(Kept, v.read(a[:begin]))
	differences := compare.DiffMainRunes(a[begin:len(a)-end], b[begin:len(b)-end], false)
	for _, d := range compare.DiffCleanupSemantic(differences) {
		c.add(changes[d.Type], v.read([]rune(d.Text)))
	}
	c.add(Kept, v.read(a[len(a)-end:]))
	return true
}

var changes = map[diffmatchpatch.Operation]Presence{
	diffmatchpatch.DiffDelete: Removed, diffmatchpatch.DiffEqual: Kept, diffmatchpatch.DiffInsert: Added}

func nextWord(text string, state int) (word, rest string, _ int) {
	return uniseg.FirstWordInString(text, state)
}

func nextLine(text string, state int) (line, rest string, _ int) {
	end := strings.IndexByte(text, '\n') + 1
	if end == 0 {
		end = len(text)
	}
	return text[:end], text[end:], state
}

// vocabulary maps each distinct piece to a rune, because texts are compared rune by rune.
type vocabulary struct {
	known map[string]rune
	words []string
}

// Runes that are halves of others in UTF-16 are none in UTF-8, and left out.
const (
	firstSurrogate = 0xD800
	surrogates     = 0x800
)

func (v *vocabulary) spell(text string, next func(text string, state int) (string, string, int)) []rune {
	var spelt []rune
	for state := -1; text != ""; {
		var word string
		word, text, state = next(text, state)
		r, ok := v.known[word]
		if !ok {
			r = rune(len(v.words))
			if r >= firstSurrogate {
				r += surrogates
			}
			v.known[word], v.words = r, append(v.words, word)
		}
		spelt = append(spelt, r)
	}
	return spelt
}

func (v *vocabulary) read(spelt []rune) string {
	var b strings.Builder
	for _, r := range spelt {
		if r >= firstSurrogate {
			r -= surrogates
		}
		b.WriteString(v.words[r])
	}
	return b.String()
}
