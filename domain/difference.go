package domain

import (
	"strings"
	"time"

	"github.com/rivo/uniseg"
	"github.com/sergi/go-diff/diffmatchpatch"
)

// Presence says of a piece of text which of two versions has it.
type Presence int8

const (
	Removed Presence = iota - 1 // only the one before
	Kept                        // both
	Added                       // only the one after
)

// Difference is a piece of two versions of a text, in the order of the text.
type Difference struct {
	In   Presence
	Text string
}

// differenceTime bounds what it costs to compare two texts that have little in
// common; what is not found in time is shown as removed and added as a whole.
const differenceTime = 300 * time.Millisecond

// Differences compares two versions of a text word by word (Unicode Annex 29, so it
// works for any script). What is Removed or Kept makes up before, what is Kept or
// Added makes up after.
func Differences(before, after string) []Difference {
	if before == after {
		if before == "" {
			return nil
		}
		return []Difference{{Kept, before}}
	}
	words := &vocabulary{known: map[string]rune{}}
	compare := diffmatchpatch.New()
	compare.DiffTimeout = differenceTime
	found := compare.DiffCleanupSemantic(compare.DiffMainRunes(words.spell(before), words.spell(after), false))
	differences := make([]Difference, 0, len(found))
	for _, d := range found {
		if text := words.read(d.Text); text != "" {
			differences = append(differences, Difference{changes[d.Type], text})
		}
	}
	return differences
}

var changes = map[diffmatchpatch.Operation]Presence{
	diffmatchpatch.DiffDelete: Removed, diffmatchpatch.DiffEqual: Kept, diffmatchpatch.DiffInsert: Added}

// vocabulary writes each word as one rune: texts are compared rune by rune.
type vocabulary struct {
	known map[string]rune
	words []string
}

// Runes that are halves of others in UTF-16 are none in UTF-8, and left out.
const (
	firstSurrogate = 0xD800
	surrogates     = 0x800
)

func (v *vocabulary) spell(text string) []rune {
	var spelt []rune
	for state := -1; text != ""; {
		var word string
		word, text, state = uniseg.FirstWordInString(text, state)
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

func (v *vocabulary) read(spelt string) string {
	var b strings.Builder
	for _, r := range spelt {
		if r >= firstSurrogate {
			r -= surrogates
		}
		b.WriteString(v.words[r])
	}
	return b.String()
}
