package search

import (
	"strings"
	"unicode/utf8"

	"inkfeed/domain"
	"inkfeed/domain/plaintext"
)

// Sizes of an extract, in characters of Unicode.
const (
	extractLength = 260
	extractLead   = 50   // of what stands before the first match
	maxMatches    = 2000 // that are looked at
)

// match is where a term stands in a text.
type match struct {
	first, last int // tokens
	term        int
}

// matches finds the terms in a text, as the index does.
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

// at reports whether a term stands at the token i, and which token it ends with. One of an
// author stands in no text.
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

// headline is a title with its matches marked.
func (q query) headline(title string) []domain.Fragment {
	list := tokens(title)
	return fragments(title, 0, len(title), spans(list, q.matches(list)))
}

// extract is the part of a text, in one line, that shows most of what was looked for.
func (q query) extract(text string) []domain.Fragment {
	text = strings.Join(strings.Fields(text), " ")
	list := tokens(text)
	found := q.matches(list)
	if len(found) == 0 {
		if text = plaintext.Truncate(text, extractLength); text == "" {
			return nil
		}
		return []domain.Fragment{{Text: text}}
	}
	start, end := window(text, list, found)
	parts := fragments(text, start, end, spans(list, found))
	if start > 0 {
		parts = append([]domain.Fragment{{Text: "… "}}, parts...)
	}
	if end < len(text) {
		parts = append(parts, domain.Fragment{Text: " …"})
	}
	return parts
}

// window is the stretch of the text, from token to token, in which the most different
// terms stand, and of such ones the first.
func window(text string, list []token, found []match) (start, end int) {
	best, bestScore := 0, -1
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
		if score > bestScore {
			best, bestScore = i, score
		}
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
		start = 0 // with what is no word
	}
	if until == len(list)-1 {
		end = len(text)
	}
	// What is no word may be long, and is not counted in words.
	if over := start + 8*extractLength; end > over {
		end = over
		for !utf8.RuneStart(text[end]) {
			end--
		}
	}
	return start, end
}

// span is a marked part of a text, in bytes.
type span struct{ start, end int }

// spans are where the matches stand; those that touch are one.
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

// fragments cuts a part of a text at the spans.
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
