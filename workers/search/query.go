package search

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"inkfeed/domain"
	"inkfeed/domain/names"
)

// Limits of a query. What is beyond them is left out.
const (
	maxQuery = 300 // characters
	maxTerms = 16
)

// minPrefix is how many characters make the beginning of a word. Fewer are of too many.
const minPrefix = 3

// query is what somebody looks for: all of some terms, and none of others.
type query struct{ all, none []term }

// term is a word or a phrase, the exact name of a tag or a user, or either of an author.
type term struct {
	exact  string  // the one token of a tag or a username, in their column
	column string  // of exact, and otherwise of phrase; empty: any
	phrase []token // adjacent tokens; beside exact, of a display name
	prefix bool    // the last of them may be the beginning of a word
}

// parse reads a query: words; "phrases"; tag:name, #name; author:name, @name; each with
// a - before it to leave posts out. Anything is a query: what cannot be understood is
// words. The last word may be unfinished, since it may be being typed.
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

func limited(text string) string {
	text = strings.TrimSpace(strings.ToValidUTF8(text, " "))
	for i := range text {
		if utf8.RuneCountInString(text[:i]) == maxQuery {
			return text[:i]
		}
	}
	return text
}

// piece is a part of a query as it was typed.
type piece struct {
	not    bool
	field  string // one of fields, or none
	text   string
	quoted bool
}

// fields are what a piece may begin with, and what they name.
var fields = []struct{ prefix, field string }{{"tag:", fieldTag}, {"#", fieldTag}, {"author:", fieldAuthor},
	{"by:", fieldAuthor}, {"@", fieldUser}, {"＠", fieldUser}}

const (
	fieldTag    = "tag"
	fieldAuthor = "author" // a username, or words of a display name
	fieldUser   = "user"   // a username
)

// quotes are what a phrase may begin with, and what it then ends with.
var quotes = map[rune]string{'"': "\"", '“': "”“\"", '”': "”", '„': "“”", '«': "»", '»': "«", '「': "」", '『': "』",
	'＂': "＂"}

// nextPiece takes a piece off the text.
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

// term makes what is looked for of a piece, and reports false when that is nothing.
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

// Columns of words, as FTS5 names one or several.
const (
	columnTitle  = "title"
	columnTags   = "tags"
	columnAuthor = "author"
	columnCalled = "called"
	columnNames  = "{author called}"
)

// tagTerm is the token of a tag as a whole.
func tagTerm(key string) string { return "#" + key }

// authorTerm is the token of an author.
func authorTerm(name string) string { return "@" + names.NameKey(name) }

// expression is the query in the language of FTS5. Every term is a string in it, and
// none holds a quotation mark.
func (q query) expression() string {
	all := joined(q.all, " AND ")
	if len(q.none) == 0 {
		return all
	}
	return all + " NOT " + joined(q.none, " OR ")
}

// inTitles is the expression for posts that have every word in their titles.
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

func joined(terms []term, operator string) string {
	list := make([]string, len(terms))
	for i, t := range terms {
		list[i] = t.expression()
	}
	return "(" + strings.Join(list, operator) + ")"
}

func (t term) expression() string {
	if t.exact != "" {
		exact := t.column + ` : "` + t.exact + `"`
		if len(t.phrase) == 0 {
			return exact
		}
		return "(" + exact + " OR " + term{column: columnCalled, phrase: t.phrase, prefix: t.prefix}.expression() + ")"
	}
	var b strings.Builder
	alone := false // the last is a single unit
	for i, tok := range t.phrase {
		last := i == len(t.phrase)-1
		if last && tok.joined {
			break // in the pair before it
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
