// Package portable describes a blog in a neutral form: what readers of exports return and what importing takes. It also
// holds what all readers share: the files of an export, problems, authors and former addresses.
//
// Package formats reads exports of any format. Each other package below this one reads one format, or holds what
// several of them need.
package portable

import (
	"time"

	"inkfeed/domain"
)

// Blog is the content of an export as a reader understood it.
type Blog struct {
	Format string // as people name it, such as "Hugo"
	Title  string
	Posts  []Post // in the order of the export
	// Files are the images and all other files of the export.
	Files *Files
	// Problems report everything that a reader could not keep, in the order in which it found them.
	Problems []Problem
	// Notes are facts about the import that are not problems, such as the sources of dates.
	Notes []string
	// Pictures are the uploaded pictures of the user or the site. Only Inkfeed's own export lists them.
	Pictures []Picture
	// Rest is the data that only Inkfeed's own export has.
	Rest Rest
	// Site is what only the export of a site has. The posts are the texts of its pages then. Nil: a person's blog.
	Site *Site

	Sites addresses
	Names map[string][]string // further names of authors: see AddPerson
	// LinksByFile reports that links without a host lead to the post whose file they name, if there is one in their
	// language, and otherwise to an address.
	LinksByFile bool
	// Languages, Taxonomies, Terms and Lists are what the reader knows about the addresses of lists: see Listings.
	Languages  []string           // the languages that have a home page of their own
	Taxonomies []string           // such as "/tags/", if not those of the format
	Terms      map[Term]bool      // of tags and categories
	Lists      map[string]Listing // other lists, by their addresses below the home page
	// Removed says when posts were removed, by their keys: see Remove.
	Removed map[string]time.Time
}

// Status is the status that a post gets when it is imported.
type Status string

const (
	Published   Status = "published"   // listed
	Unlisted    Status = "unlisted"    // visible to anyone with the address
	Unpublished Status = "unpublished" // withdrawn by its author; others cannot see it
	Draft       Status = "draft"       // not published yet
	Scheduled   Status = "scheduled"   // a draft that is published automatically
)

// Post is a post in the neutral form. Its text is Inkfeed's Markdown: the reader has translated HTML and the source's
// own syntax. Addresses in the text are those of the source: see Directory.
type Post struct {
	// Key identifies the post within its source. It is the same in each export of the source.
	Key string
	// ID is the post's id. Only Inkfeed's own export has it.
	ID      string
	Where   string // how the report names the post: a file, slug or title
	Author  string // as the source names the author, or empty: see Author
	Title   string
	Content string
	Tags    []string
	Slug    string // empty if it had none
	// Details are as the source states them. Importing leaves invalid ones out.
	domain.Details
	Status  Status
	Created time.Time // zero if it is not known
	// DateOnly reports that Created has no time of day, because the source has only a date.
	DateOnly bool
	Edited   time.Time // zero: never
	// Hidden reports that a draft becomes an unlisted post when it is published.
	Hidden bool
	// Lead is the Markdown of the cover that the source showed above the text. The text begins with it.
	Lead string
	// Held reports that the post was public and is a draft only because of something in its text: template code,
	// missing pictures, or a part that some readers may not have seen. Its former addresses lead to it once it is
	// published.
	Held bool
	// Publish is when a scheduled post is to be published.
	Publish time.Time
	// Paths are the post's former addresses: see domain.OldPath. Relative addresses in its text are relative to the
	// first.
	Paths []string
	// CommentsClosed reports that the author has closed the comments. Only Inkfeed's own export has it.
	CommentsClosed bool
	// PendingEdit is an unpublished change of a published post. Only Inkfeed's own export has it.
	PendingEdit *PendingEdit
	// Versions are past versions, the oldest first. Only Inkfeed's own export has them.
	Versions []Version

	// Blog identifies the post's blog if an export has several blogs: see addresses.Blogs. Otherwise it is empty.
	Blog       string
	File       string // its name in Files if the post is a file
	DateSource DateSource
	// MorePaths reports that the source has more addresses than Paths can have.
	MorePaths bool
	// Next are the addresses that a draft would have had. Links to them lead to the draft.
	Next []string
}
