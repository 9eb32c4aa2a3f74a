package writing

import (
	"strings"
	"unicode/utf8"

	"github.com/a-h/templ"

	"inkfeed/domain/locale"
	"inkfeed/domain/plaintext"
	"inkfeed/views"
)

// comparedRow is a part of a comparison: either a difference, which is shown in both versions side by side, or text
// that both versions have, which is shown once.
type comparedRow struct {
	class  string         // of the element with the text
	label  locale.Message // before the text; may be empty
	number int            // of the difference, from 1; 0 for text that both versions have
	pieces []plaintext.Difference
}

// Lengths of unchanged text, in bytes.
const (
	// maxUnchanged is the length of unchanged text that is shown at once. Longer text is folded, so that the next
	// difference is in view.
	maxUnchanged = 600
	// unchangedContext is the length of the text before and after a difference in a very long line.
	unchangedContext = 200
)

// folded reports whether the row is unchanged text that a reader opens.
func (r comparedRow) folded() bool { return r.number == 0 && len(r.pieces[0].Text) > maxUnchanged }

// direction is the dir attribute of the row's text.
func (r comparedRow) direction() templ.Attributes {
	var text strings.Builder
	for _, piece := range r.pieces {
		text.WriteString(piece.Text)
	}
	return views.Direction(plaintext.RightToLeft(text.String()))
}

// rows returns the rows of the comparison in the order of the post, and the number of differences.
func (c Comparison) rows() (rows []comparedRow, differences int) {
	rows = append(rows, comparedRow{class: "version-title", pieces: c.title})
	for _, line := range c.lines {
		rows = append(rows, comparedRow{class: "version-line", label: line.label, pieces: line.differences})
	}
	for _, pieces := range splitDifferences(c.content) {
		rows = append(rows, comparedRow{class: "source", pieces: pieces})
	}
	shown := rows[:0]
	for _, row := range rows {
		switch {
		case len(row.pieces) == 0:
			continue
		case changed(row.pieces):
			differences++
			row.number = differences
		}
		shown = append(shown, row)
	}
	return shown, differences
}

func changed(pieces []plaintext.Difference) bool {
	return len(pieces) > 1 || len(pieces) == 1 && pieces[0].In != plaintext.Kept
}

// splitDifferences splits differences of a text into groups. A group is either unchanged text, or a change with the
// rest of its line. Blank unchanged lines between two groups are left out.
func splitDifferences(differences []plaintext.Difference) (groups [][]plaintext.Difference) {
	var change []plaintext.Difference
	flush := func() {
		if len(change) > 0 {
			groups = append(groups, change)
		}
		change = nil
	}
	for i, d := range differences {
		if d.In != plaintext.Kept {
			change = append(change, d)
			continue
		}
		head, rest := "", d.Text
		if i > 0 {
			head, rest = lineHead(d.Text)
		}
		middle, tail := rest, ""
		if i < len(differences)-1 {
			middle, tail = lineTail(rest)
		}
		if head != "" {
			change = append(change, plaintext.Difference{In: plaintext.Kept, Text: head})
		}
		if middle == "" && !strings.HasSuffix(head, "\n") { // one line
			if tail != "" {
				change = append(change, plaintext.Difference{In: plaintext.Kept, Text: tail})
			}
			continue
		}
		flush()
		if middle = strings.Trim(middle, "\n"); strings.TrimSpace(middle) != "" {
			groups = append(groups, []plaintext.Difference{{In: plaintext.Kept, Text: middle}})
		}
		if tail != "" {
			change = []plaintext.Difference{{In: plaintext.Kept, Text: tail}}
		}
	}
	flush()
	return groups
}

// lineHead splits unchanged text after the end of its first line, or within a very long line.
func lineHead(text string) (head, rest string) {
	end := strings.IndexByte(text, '\n') + 1
	switch {
	case end > 0 && end <= maxUnchanged, len(text) <= maxUnchanged && end == 0:
		if end == 0 {
			end = len(text)
		}
		return text[:end], text[end:]
	}
	end = unchangedContext + max(0, strings.IndexByte(text[unchangedContext:maxUnchanged], ' '))
	for !utf8.RuneStart(text[end]) {
		end--
	}
	return text[:end], text[end:]
}

// lineTail splits unchanged text before the beginning of its last line, or within a very long line.
func lineTail(text string) (rest, tail string) {
	begin := strings.LastIndexByte(text, '\n') + 1
	if len(text)-begin > maxUnchanged {
		late := len(text) - unchangedContext
		if space := strings.LastIndexByte(text[begin:late], ' '); space >= 0 && late-begin-space < unchangedContext {
			late = begin + space + 1
		}
		for begin = late; !utf8.RuneStart(text[begin]); {
			begin++
		}
	}
	return text[:begin], text[begin:]
}
