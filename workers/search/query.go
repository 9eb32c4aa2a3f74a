package search

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"inkfeed/domain"
	"inkfeed/domain/names"
)

// Limits of a query. The rest of a longer query is ignored.
const (
	maxQuery = 300 // in characters
	maxTerms = 16
)

// minPrefix is the minimum length, in characters, of a word that may be the beginning of a longer one. Shorter ones
// match too many words.
const minPrefix = 3

// query finds the posts with all terms of one list and none of another.
type query struct{ all, none []term }

// term is a word or phrase, a tag, a username, or an author. An author is given by username or display name.
type term struct {
	exact  string  // the token of a tag or a username
	column string  // the column of exact or, without exact, of phrase; empty: any
	phrase []token // adjacent tokens; beside exact, those of a display name
	prefix bool    // whether the last token may be the beginning of a word
}

// parse reads a query. It consists of words, "phrases", tag:name, #name, author:name and @name. A - before any of them
// excludes posts. Every text is a valid query, because everything else counts as words. The last word may be the
// beginning of a longer one, because the person may still be typing.
func parse(text string) query {
	var q query
	seen := map[string]bool{}
	for rest := limited(text); len(q.all)+len(q.none) < maxTerms; {
		var p piece
		if p, rest = nextPiece(rest); p.text == "" && rest == "" {
			break
		}
		t, ok := p.term(rest == "")
		key := t.expression()
		if p.not {
			key = "-" + key
		}
		switch {
		case !ok || seen[key]:
		case p.not:
			q.none = append(q.none, t)
		default:
			q.all = append(q.all, t)
		}
		seen[key] = true
	}
	return q
}

// limited returns the first maxQuery characters of a query.
func limited(text string) string {
	text = strings.TrimSpace(strings.ToValidUTF8(text, " "))
	for i := range text {
		if utf8.RuneCountInString(text[:i]) == maxQuery {
			return text[:i]
		}
	}
	return text
}

// piece is a part of a query as the person typed it.
type piece struct {
	not    bool   // excludes posts
	field  string // one of the fields below, or empty
	text   string
	quoted bool
}

// fields are the prefixes of pieces with their fields.
var fields = []struct{ prefix, field string }{{"tag:", fieldTag}, {"#", fieldTag}, {"author:", fieldAuthor},
	{"by:", fieldAuthor}, {"@", fieldUser}, {"＠", fieldUser}}

const (
	fieldTag    = "tag"
	fieldAuthor = "author" // a username, or words of a display name
	fieldUser   = "user"   // a username
)

// quotes maps each opening quotation mark to the marks that may close it.
var quotes = map[rune]string{'"': "\"", '“': "”“\"", '”': "”", '„': "“”", '«': "»", '»': "«", '「': "」", '『': "』",
	'＂': "＂"}

// nextPiece returns the first piece of a text, and the rest.
func nextPiece(text string) (p piece, rest string) {
	text = strings.TrimLeftFunc(text, unicode.IsSpace)
	if after, ok := strings.CutPrefix(text, "-"); ok {
		p.not, text = true, after
	}
	for _, f := range fields {
		if len(text) > len(f.prefix) && strings.EqualFold(text[:len(f.prefix)], f.prefix) {
			p.field, text = f.field, text[len(f.prefix):]
			break
		}
	}
	first, n := utf8.DecodeRuneInString(text)
	if ends := quotes[first]; ends != "" {
		p.quoted = true
		text = text[n:]
		end := strings.IndexAny(text, ends)
		if end < 0 {
			return p.with(text), ""
		}
		_, n := utf8.DecodeRuneInString(text[end:])
		return p.with(text[:end]), text[end+n:]
	}
	end := strings.IndexFunc(text, func(r rune) bool { return unicode.IsSpace(r) || r == '"' })
	if end < 0 {
		end = len(text)
	}
	return p.with(text[:end]), text[end:]
}

func (p piece) with(text string) piece { p.text = text; return p }

// term returns the term to search for, and false if the piece contains none. The argument last says whether the piece
// is the last one of its query, whose final word may be incomplete.
func (p piece) term(last bool) (term, bool) {
	phrase := tokens(p.text)
	unit := len(phrase) > 0 && phrase[len(phrase)-1].unit
	switch p.field {
	case fieldTag:
		if key := domain.TagKey(p.text); key != "" {
			return term{column: columnTags, exact: tagTerm(key)}, true
		}
	case fieldUser, fieldAuthor:
		name, err := domain.CleanUsername(strings.TrimLeft(p.text, "@＠"))
		switch {
		case p.field == fieldAuthor && err == nil:
			return term{column: columnAuthor, exact: authorTerm(name), phrase: phrase, prefix: unit}, true
		case p.field == fieldAuthor:
			return term{column: columnNames, phrase: phrase, prefix: unit}, len(phrase) > 0
		case err == nil:
			return term{column: columnAuthor, exact: authorTerm(name)}, true
		}
	}
	if len(phrase) == 0 {
		return term{}, false
	}
	prefix := unit || last && !p.quoted && !p.not && p.field == "" &&
		utf8.RuneCountInString(phrase[len(phrase)-1].term) >= minPrefix
	return term{phrase: phrase, prefix: prefix}, true
}

// Columns of the table words in the syntax of FTS5.
const (
	columnTitle  = "title"
	columnTags   = "tags"
	columnAuthor = "author"
	columnCalled = "called"
	columnNames  = "{author called}"
)

// tagTerm returns the token of a whole tag.
func tagTerm(key string) string { return "#" + key }

// authorTerm returns the token of an author's username.
func authorTerm(name string) string { return "@" + names.NameKey(name) }

// expression returns the query in the language of FTS5. Every term is a quoted string there; no term contains a
// quotation mark.
func (q query) expression() string {
	all := joined(q.all, " AND ")
	if len(q.none) == 0 {
		return all
	}
	return all + " NOT " + joined(q.none, " OR ")
}

// whole returns the query without the longer words that its last word may begin.
func (q query) whole() query {
	q.all = slices.Clone(q.all)
	for i, t := range q.all {
		q.all[i].prefix = t.prefix && t.phrase[len(t.phrase)-1].unit
	}
	return q
}

// inTitles returns the expression for posts that have every word in their titles.
func (q query) inTitles() string {
	titled := query{none: q.none}
	for _, t := range q.all {
		if t.column == "" {
			t.column = columnTitle
		}
		titled.all = append(titled.all, t)
	}
	return titled.expression()
}

// joined connects the expressions of terms by an operator.
func joined(terms []term, operator string) string {
	list := make([]string, len(terms))
	for i, t := range terms {
		list[i] = t.expression()
	}
	return "(" + strings.Join(list, operator) + ")"
}

// expression returns the term in the language of FTS5.
func (t term) expression() string {
	if t.exact != "" {
		exact := t.column + ` : "` + t.exact + `"`
		if len(t.phrase) == 0 {
			return exact
		}
		return "(" + exact + " OR " + term{column: columnCalled, phrase: t.phrase, prefix: t.prefix}.expression() + ")"
	}
	var b strings.Builder
	alone := false // whether the last token is not part of a pair of units
	for i, tok := range t.phrase {
		last := i == len(t.phrase)-1
		if last && tok.joined {
			break // the pair before contains it
		}
		if b.Len() > 0 {
			b.WriteByte(' ')
		}
		b.WriteString(tok.term)
		if !last && t.phrase[i+1].joined {
			b.WriteString(t.phrase[i+1].term)
		}
		alone = last
	}
	expression := `"` + b.String() + `"`
	if t.column != "" {
		expression = t.column + " : " + expression
	}
	if t.prefix && alone {
		expression += " *"
	}
	return expression
}
