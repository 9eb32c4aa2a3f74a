package portable

import (
	"net/url"
	"strings"
	"unicode"
)

// Term is a tag or category of the export.
type Term struct {
	Path string // below the home page
	Name string
}

// NoteTerm records the address of the list of a tag or category. The slug may be escaped.
func (b *Blog) NoteTerm(taxonomy, slug, name string) {
	if slug == "" || name == "" {
		return
	}
	if b.Terms == nil {
		b.Terms = make(map[Term]bool)
	}
	b.Terms[Term{taxonomy + UnescapedSlug(slug), name}] = true
}

// NoteAuthor records the address of the posts of an author. The importing user takes the author's place.
func (b *Blog) NoteAuthor(slug string) {
	if slug == "" {
		return
	}
	b.NoteList("/author/"+UnescapedSlug(slug), Listing{})
}

// NoteList records the listing at an address below the home page.
func (b *Blog) NoteList(address string, list Listing) {
	if b.Lists == nil {
		b.Lists = make(map[string]Listing)
	}
	b.Lists[address] = list
}

// UnescapedSlug returns a slug without escapes, or unchanged if it is not validly escaped.
func UnescapedSlug(name string) string {
	if s, err := url.PathUnescape(name); err == nil {
		return s
	}
	return name
}

// slugWithout keeps letters and digits, and replaces everything between them by a hyphen.
func slugWithout(name string) string {
	return strings.Join(strings.FieldsFunc(name, func(r rune) bool {
		return !unicode.In(r, unicode.L, unicode.N, unicode.M) && r != '_'
	}), "-")
}
