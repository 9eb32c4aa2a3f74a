package search

import (
	"strings"
	"unicode/utf8"

	"inkfeed/domain"
	"inkfeed/domain/plaintext"
)

const (
	extractLength = 260  // the maximum length of an extract, in characters
	extractLead   = 50   // the maximum length of its part before the first match, in characters
	maxMatches    = 2000 // the number of matches in a text that are considered
)

// match is the place of a term in a text.
type match struct {
	first, last int // indexes of tokens
	term        int // an index into query.all
}

// matches finds the terms of the query in a text, by the same rules as the index.
func (q query) matches(list []token) []match {
	var found []match
	for i := range list {
		for n, t := range q.all {
			if last, ok := t.at(list, i); ok {
				found = append(found, match{i, last, n})
			}
		}
		if len(found) >= maxMatches {
			break
		}
	}
	return found
}

// at reports whether a term matches at token i, and returns the last token of the match. The term of an author matches
// no text.
func (t term) at(list []token, i int) (last int, ok bool) {
	if t.column != "" || len(t.phrase) == 0 || i+len(t.phrase) > len(list) {
		return 0, false
	}
	for k, want := range t.phrase {
		got := list[i+k]
		ending := k == len(t.phrase)-1 && t.prefix
		switch {
		case got.term != want.term && !(ending && strings.HasPrefix(got.term, want.term)),
			got.unit != want.unit, want.joined && !got.joined:
			return 0, false
		}
	}
	return i + len(t.phrase) - 1, true
}

// headline returns a title with its matches marked.
func (q query) headline(title string) []domain.Fragment {
	list := tokens(title)
	return fragments(title, 0, len(title), spans(list, q.matches(list)))
}

// extract returns the part of a text that shows the most terms of the query, with its matches marked. It is one line.
func (q query) extract(text string) []domain.Fragment {
	text = strings.TrimSpace(text)
	for length := 2 * extractLength; ; length *= 4 { // most texts have all terms near their beginning
		head := beginning(text, length)
		if parts, final := q.extractOf(head, len(head) < len(text)); final {
			return parts
		}
	}
}

// beginning returns the first words of a text: as many as have a length in bytes, and the next one.
func beginning(text string, length int) string {
	if length < len(text) {
		if end := strings.IndexByte(text[length:], ' '); end >= 0 {
			return text[:length+end]
		}
	}
	return text
}

// extractOf returns the extract of a text of which only the beginning is given, if more is set. It is final if the rest
// does not matter.
func (q query) extractOf(text string, more bool) (parts []domain.Fragment, final bool) {
	text = strings.Join(strings.Fields(text), " ")
	list := tokens(text)
	found := q.matches(list)
	start, end, terms := window(text, list, found)
	if more && (terms == 0 || terms < q.inText() || end == len(text)) {
		return nil, false
	}
	if terms == 0 {
		if text = plaintext.Truncate(text, extractLength); text != "" {
			parts = []domain.Fragment{{Text: text}}
		}
		return parts, true
	}
	parts = fragments(text, start, end, spans(list, found))
	if start > 0 {
		parts = append([]domain.Fragment{{Text: "… "}}, parts...)
	}
	if end < len(text) {
		parts = append(parts, domain.Fragment{Text: " …"})
	}
	return parts, true
}

// inText returns the number of terms that a text may have.
func (q query) inText() (n int) {
	for _, t := range q.all {
		if t.column == "" {
			n++
		}
	}
	return n
}

// window returns the part of the text, from token to token, that contains the most different terms, and their number.
// Of several such parts it returns the first.
func window(text string, list []token, found []match) (start, end, terms int) {
	best := 0
	for i := range found {
		seen, score := uint64(0), 0
		for _, m := range found[i:] {
			if list[m.last].end-list[found[i].first].start > extractLength-extractLead {
				break
			}
			if bit := uint64(1) << (m.term % 64); seen&bit == 0 {
				seen |= bit
				score++
			}
		}
		if score > terms {
			best, terms = i, score
		}
	}
	if terms == 0 {
		return 0, 0, 0
	}
	from, until := found[best].first, found[best].last
	for room := extractLead; from > 0; from-- {
		room -= utf8.RuneCountInString(text[list[from-1].start:list[from].start])
		if room < 0 {
			break
		}
	}
	room := extractLength - utf8.RuneCountInString(text[list[from].start:list[until].end])
	for ; until+1 < len(list); until++ {
		room -= utf8.RuneCountInString(text[list[until].end:list[until+1].end])
		if room < 0 {
			break
		}
	}
	if start, end = list[from].start, list[until].end; from == 0 {
		start = 0 // include characters before the first word
	}
	if until == len(list)-1 {
		end = len(text)
	}
	// Characters between words are not counted above, and there may be many.
	if over := start + 8*extractLength; end > over {
		end = over
		for !utf8.RuneStart(text[end]) {
			end--
		}
	}
	return start, end, terms
}

// span is a marked part of a text, in bytes.
type span struct{ start, end int }

// spans returns the places of the matches. Matches that overlap or touch become one span.
func spans(list []token, found []match) []span {
	var all []span
	for _, m := range found {
		s := span{list[m.first].start, list[m.last].end}
		if n := len(all); n > 0 && s.start <= all[n-1].end {
			all[n-1].end = max(all[n-1].end, s.end)
			continue
		}
		all = append(all, s)
	}
	return all
}

// fragments divides a part of a text at the spans.
func fragments(text string, start, end int, marked []span) []domain.Fragment {
	var parts []domain.Fragment
	add := func(until int, mark bool) {
		if until > start {
			parts = append(parts, domain.Fragment{Text: text[start:until], Marked: mark})
			start = until
		}
	}
	for _, s := range marked {
		if s.end <= start || s.start >= end {
			continue
		}
		add(min(s.start, end), false)
		add(min(s.end, end), true)
	}
	add(end, false)
	return parts
}
