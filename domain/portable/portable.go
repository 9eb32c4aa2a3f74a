// Package portable describes a blog in a neutral form: what readers of exports return and what importing takes. It also
// holds what all readers share: the files of an export, problems, authors and former addresses.
//
// Package formats reads exports of any format. Each other package below this one reads one format, or holds what
// several of them need.
package portable

import "time"

// Blog is what a reader understood of an export.
type Blog struct {
	Format string // as people name it, such as "Hugo"
	Title  string
	Posts  []Post // in the order of the export
	// Files are the images and whatever else came along.
	Files *Files
	// Problems are what a reader could not keep, in the order in which it met them.
	Problems []Problem
	// Notes are facts about the import that are not problems, such as the sources of dates.
	Notes []string
	// Rest is what only an export of Inkfeed's own has.
	Rest Rest

	Sites addresses
	names map[string][]string // of authors, see Author
	// What a reader knows of addresses of lists: see Listings.
	Languages  []string           // those that have a home page of their own
	Taxonomies []string           // such as "/tags/", if not those of the format
	terms      map[term]bool      // of tags and categories
	lists      map[string]Listing // others, by their addresses below the home page
}

// Status says what a post is to become.
type Status string

const (
	Published   Status = "published"
	Unlisted    Status = "unlisted"
	Unpublished Status = "unpublished" // taken back by its author
	Draft       Status = "draft"
	Scheduled   Status = "scheduled" // a draft that publishes itself
)

// Post is a post as it was elsewhere. Its text is Markdown as Inkfeed takes it: HTML and
// the source's own inventions have been translated. Addresses in it are the source's: see
// Blog.Resolve.
type Post struct {
	// Key names the post within its source: the same in each export of it.
	Key string
	// ID is the post's id, of an export of Inkfeed's own only.
	ID      string
	Where   string // how a person finds it in the source
	Author  string // as the source names who wrote it, empty: it does not; see Author
	Title   string
	Content string
	Tags    []string
	Slug    string // empty: it had none
	Status  Status
	Created time.Time // zero: not known
	// DateOnly reports that Created has no time of day, because the source has only a date.
	DateOnly bool
	Edited   time.Time // zero: never
	// Hidden says of a draft that it becomes an unlisted post.
	Hidden bool
	// Held reports that the post was public and is a draft only because of template code in its text. Its
	// former addresses lead to it once it is published.
	Held bool
	// Publish is when a scheduled post is to be published.
	Publish time.Time
	// Paths are addresses that it had, see domain.OldPath; the first is the one that
	// relative addresses in its text are relative to.
	Paths []string
	// Edition is what an unpublished draft changes of a published post, of an export of Inkfeed's own.
	Edition *Edition
	// Versions are earlier states, oldest first, of an export of Inkfeed's own.
	Versions []Version

	File       string // its name among Files, if it is one
	DateSource DateSource
	// next are the addresses that a draft would have had: links lead there already.
	next []string
}
