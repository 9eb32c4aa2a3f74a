// Package portable reads what other blogs export, and reads and writes Inkfeed's own
// export. It knows formats and nothing of storage: a reader gives a Blog, in which all
// formats are the same.
package portable

import (
	"strings"
	"time"

	"inkfeed/domain"
)

// Blog is what a reader understood of an export.
type Blog struct {
	Format string // as people name it, such as "Hugo"
	Title  string
	Posts  []Post // in the order of the export
	// Files are the images and whatever else came along.
	Files *Files
	// Problems are what a reader could not keep, in the order in which it met them.
	Problems []Problem
	// Rest is what only an export of Inkfeed's own has.
	Rest Rest

	sites addresses
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
	Title   string
	Content string
	Tags    []string
	Slug    string // empty: it had none
	Status  Status
	Created time.Time // zero: not known
	Edited  time.Time // zero: never
	// Hidden says of a draft that it becomes an unlisted post.
	Hidden bool
	// Publish is when a scheduled post is to be published.
	Publish time.Time
	// Paths are addresses that it had, see domain.OldPath; the first is the one that
	// relative addresses in its text are relative to.
	Paths []string
	// Edition is what an unpublished draft changes of a published post, of an export of Inkfeed's own.
	Edition *Edition
	// Versions are earlier states, oldest first, of an export of Inkfeed's own.
	Versions []Version

	file string // its name among Files, if it is one
	// next are the addresses that a draft would have had: links lead there already.
	next []string
}

// authors are the names of those whose posts a blog had.
type authors struct {
	all   map[string]bool
	first []string // those that are told
}

const authorsTold = 10

func (a *authors) add(name string) {
	if name = strings.TrimSpace(name); name == "" || a.all[name] {
		return
	}
	if a.all == nil {
		a.all = make(map[string]bool)
	}
	if a.all[name] = true; len(a.first) < authorsTold {
		a.first = append(a.first, domain.Truncate(name, 60))
	}
}

// tell says that posts of several become one's.
func (a *authors) tell(b *Blog) {
	switch n, told := len(a.all), len(a.first); {
	case n < 2:
	case n > told:
		b.problem("", "its posts are by %d authors, %s and others: all become one user's", n, strings.Join(a.first, ", "))
	default:
		b.problem("", "its posts are by %d authors, %s and %s: all become one user's", n, strings.Join(a.first[:told-1], ", "), a.first[told-1])
	}
}
