package portable

import "net/url"

// term is the address of a tag or category, below the home page, as an export tells it.
type term struct{ path, name string }

// NoteTerm notes where the list of a tag or category was. The slug may be escaped.
func (b *Blog) NoteTerm(taxonomy, slug, name string) {
	if slug == "" || name == "" {
		return
	}
	if b.terms == nil {
		b.terms = make(map[term]bool)
	}
	b.terms[term{taxonomy + UnescapedSlug(slug), name}] = true
}

// NoteAuthor notes where the posts of an author were, who becomes the user that imports.
func (b *Blog) NoteAuthor(slug string) {
	if slug == "" {
		return
	}
	address := "/author/" + UnescapedSlug(slug)
	b.NoteList(address, Listing{})
	b.NoteList(address+"/feed", Listing{Feed: ".rss"})
	b.NoteList(address+"/rss", Listing{Feed: ".rss"})
}

// NoteList notes what was at an address below the home page.
func (b *Blog) NoteList(address string, list Listing) {
	if b.lists == nil {
		b.lists = make(map[string]Listing)
	}
	b.lists[address] = list
}

func UnescapedSlug(name string) string {
	if s, err := url.PathUnescape(name); err == nil {
		return s
	}
	return name
}
