package portable

import (
	"slices"
	"strings"

	"inkfeed/domain/locale"
	"inkfeed/domain/plaintext"
)

// Author is an author of a blog's posts under the names in the source.
type Author struct {
	ID string // the value of Post.Author; empty if the source does not name the author
	// Names are further names of the author: a display name, a slug, an e-mail address.
	Names []string
	Posts int
}

// Called returns the most readable name of the author.
func (a Author) Called() string {
	for _, name := range a.Names {
		if !strings.Contains(name, "@") {
			return name
		}
	}
	return a.ID
}

// Authors returns the authors of the blog's posts, those with the most posts first.
func (b *Blog) Authors() []Author {
	var all []Author
	index := make(map[string]int)
	for _, p := range b.Posts {
		i, known := index[p.Author]
		if !known {
			i = len(all)
			index[p.Author] = i
			all = append(all, Author{ID: p.Author, Names: b.Names[p.Author]})
		}
		all[i].Posts++
	}
	slices.SortStableFunc(all, func(a, b Author) int { return b.Posts - a.Posts })
	return all
}

// maxNames is the maximum number of further names of an author.
const maxNames = 100

// AddPerson records further names of an author, at most maxNames.
func (b *Blog) AddPerson(id string, names ...string) {
	if b.Names == nil {
		b.Names = make(map[string][]string)
	}
	for _, name := range names {
		known := b.Names[id]
		if name = AuthorName(name); name != "" && name != id && len(known) < maxNames && !slices.Contains(known, name) {
			b.Names[id] = append(b.Names[id], name)
		}
	}
}

// SetAuthor sets the author of a post to the first of several, and reports the others.
func (p *Post) SetAuthor(b *Blog, names ...string) {
	var all []string
	known := make(map[string]bool)
	for _, name := range names {
		if name = AuthorName(name); name != "" && !known[name] {
			known[name] = true
			all = append(all, name)
		}
	}
	if len(all) == 0 {
		return
	}
	if p.Author = all[0]; len(all) > 1 {
		b.AddProblem(p.Where, "only the first of its %d authors, %s, is kept", len(all), p.Author)
	}
}

// AuthorName returns a name if it is a single line, or "" otherwise.
func AuthorName(name string) string {
	return plaintext.Truncate(strings.Join(strings.Fields(name), " "), 100)
}

const authorsTold = 10

// ReportAuthors reports that the posts of several authors go to one user.
func (b *Blog) ReportAuthors() {
	var first []string
	n := 0
	for _, p := range b.Authors() {
		if p.ID == "" {
			continue
		}
		if n++; len(first) < authorsTold {
			first = append(first, plaintext.Truncate(p.ID, 60))
		}
	}
	slices.Sort(first)
	if n < 2 {
		return
	}
	last := len(first) - 1
	listed := locale.M("{list} and {text}", "list", strings.Join(first[:last], ", "), "text", first[last])
	if n > len(first) {
		listed = locale.M("{names} and others", "names", strings.Join(first, ", "))
	}
	b.AddProblem("", "the posts of %d authors, %s, all go to one user: "+
		"an administrator can import them for several users with inkfeed import --authors", n, listed)
}
