package portable

import "net/url"

// term is a tag or category of the export: its path below the home page and its name.
type term struct{ path, name string }

// NoteTerm records the address of the list of a tag or category. The slug may be escaped.
func (b *Blog) NoteTerm(taxonomy, slug, name string) {
	if slug == "" || name == "" {
		return
	}
	if b.terms == nil {
		b.terms = make(map[term]bool)
	}
	b.terms[term{taxonomy + UnescapedSlug(slug), name}] = true
}

// NoteAuthor records the address of the posts of an author. The importing user takes the author's place.
func (b *Blog) NoteAuthor(slug string) {
	if slug == "" {
		return
	}
	address := "/author/" + UnescapedSlug(slug)
	b.NoteList(address, Listing{})
	b.NoteList(address+"/feed", Listing{Feed: ".rss"})
	b.NoteList(address+"/rss", Listing{Feed: ".rss"})
}

// NoteList records the listing at an address below the home page.
func (b *Blog) NoteList(address string, list Listing) {
	if b.lists == nil {
		b.lists = make(map[string]Listing)
	}
	b.lists[address] = list
}

// UnescapedSlug returns a slug without escapes, or unchanged if it is not validly escaped.
func UnescapedSlug(name string) string {
	if s, err := url.PathUnescape(name); err == nil {
		return s
	}
	return name
}
