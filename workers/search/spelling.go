package search

import (
	"context"
	"database/sql"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Limits of the search for misspelt words.
const (
	fewMatches   = 3      // a query with more matches is spelt well enough
	maxCorrected = 3      // words of a query
	maxCompared  = 50_000 // terms of the index that are compared with a word
	moreFrequent = 10     // how many times more posts have the right word than a wrong one that posts have, too
)

// suggestion returns a query with the words of the index that were probably meant instead of misspelt ones. Words are
// corrected in phrases, tags and names, too.
func suggestion(ctx context.Context, tx *sql.Tx, text string) (string, error) {
	text = limited(text)
	var b strings.Builder
	rest, looked := 0, 0
	for _, tok := range tokens(text) {
		most := min(utf8.RuneCountInString(tok.term)/4, 2) // a short word is like too many others
		isWord := !tok.unit && !strings.ContainsFunc(tok.term, func(r rune) bool { return !unicode.IsLetter(r) })
		if !isWord || most == 0 || looked == maxCorrected || strings.HasPrefix(text[tok.end:], ":") { // author:ada
			continue
		}
		looked++
		word, err := nearest(ctx, tx, tok.term, most)
		if err != nil {
			return "", err
		}
		if word != "" {
			b.WriteString(text[rest:tok.start] + word)
			rest = tok.end
		}
	}
	return b.String() + text[rest:], nil
}

// nearest returns the word of the index with the fewest typing errors, of those with as many the one in the most posts.
// It looks at words of about the same length with the same first letter.
func nearest(ctx context.Context, tx *sql.Tx, word string, most int) (string, error) {
	letters := []rune(word)
	first := string(letters[:1])
	rows, err := tx.QueryContext(ctx, `SELECT term, doc FROM vocabulary WHERE term >= ? AND term < ?
		AND length(term) BETWEEN ? AND ? LIMIT ?`, first, first+"\U0010ffff", len(letters)-most, len(letters)+most,
		maxCompared)
	if err != nil {
		return "", err
	}
	defer rows.Close()
	term, posts, own := "", 0, 0
	for rows.Next() {
		var other string
		var doc int
		if err := rows.Scan(&other, &doc); err != nil {
			return "", err
		}
		if d := distance(letters, []rune(other)); d == 0 {
			own = doc
		} else if d < most || d == most && doc > posts {
			term, posts, most = other, doc, d
		}
	}
	otherForm := own > 0 && term != "" && term[len(term)-1] != word[len(word)-1] // such as a plural
	if term == "" || posts < moreFrequent*own || otherForm {
		return "", rows.Err()
	}
	return spelt(ctx, tx, term)
}

// distance returns the number of typing errors between two words: letters that are missing, added, wrong, or swapped
// with the next one.
func distance(a, b []rune) int {
	var before, last []int
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range a {
		before, last, row = last, row, make([]int, len(b)+1)
		row[0] = i + 1
		for j := range b {
			row[j+1] = min(last[j]+1, last[j+1]+1, row[j]+1)
			if a[i] == b[j] {
				row[j+1] = last[j]
			} else if i > 0 && j > 0 && a[i] == b[j-1] && a[i-1] == b[j] {
				row[j+1] = min(row[j+1], before[j-1]+1)
			}
		}
	}
	return row[len(b)]
}

// spelt returns a term with the accents and the case that the newest post with it gives it.
func spelt(ctx context.Context, tx *sql.Tx, term string) (text string, err error) {
	err = tx.QueryRowContext(ctx, `SELECT concat_ws(char(10), title, text, tags, author, called)
		FROM posts JOIN texts USING (doc) WHERE doc =
			(SELECT rowid FROM words WHERE words MATCH ? ORDER BY rowid DESC LIMIT 1)`, `"`+term+`"`).Scan(&text)
	for _, tok := range tokens(text) {
		if tok.term == term {
			return text[tok.start:tok.end], err
		}
	}
	return term, err
}
