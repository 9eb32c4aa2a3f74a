package domain

import "time"

// SearchPerPage is the number of posts on a page of search results.
const SearchPerPage = 10

// Found is a page of search results, best first.
type Found struct {
	Posts Page[Hit]
	// Total is the number of matching posts. If More is true, there are more.
	Total int
	More  bool
	// Empty reports that the query has no word, tag or author to search for.
	Empty bool
	// Building reports that the index is incomplete, so that posts may be missing.
	Building bool
}

// Hit is a post that matches a search. Its Summary has no Text; Extract replaces it.
type Hit struct {
	Summary
	Headline []Fragment // the title
	Extract  []Fragment // the text around the matches; nil if the post has no text
}

// Fragment is a piece of a text that either matches the search or does not.
type Fragment struct {
	Text   string
	Marked bool
}

// TagUse is the most common spelling of a tag and the number of posts that have it.
type TagUse struct {
	Name  string
	Posts int
}

// Listing is a listed post in a list of all posts, such as a sitemap.
type Listing struct {
	Post    Summary   // only the fields that its address needs
	Changed time.Time // the time of its creation or last edit
}
