package domain

import "time"

// SearchPerPage is how many posts a page of search results shows.
const SearchPerPage = 10

// Found is a page of what a search found, best first.
type Found struct {
	Posts Page[Hit]
	// Total is how many posts match; there are more when More says so.
	Total int
	More  bool
	// Empty says that the query has nothing to look for: no word, tag or author.
	Empty bool
	// Building says that the index is being built, so that posts may be missing.
	Building bool
}

// Hit is a post that was found. Its Summary has no Text: Extract is in its place.
type Hit struct {
	Summary
	Headline []Fragment // the title
	Extract  []Fragment // of the text, around what was looked for; none: the post has no text
}

// Fragment is a part of a text that either is what was looked for or is not.
type Fragment struct {
	Text   string
	Marked bool
}

// TagUse is a tag as it is written most, and how many posts have it.
type TagUse struct {
	Name  string
	Posts int
}

// Listing is a listed post as a list of all of them shows it, such as a sitemap.
type Listing struct {
	Post    Summary   // no more than what its address is made of
	Changed time.Time // when it was created or edited last
}
