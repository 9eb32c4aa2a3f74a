package portable

import (
	"cmp"
	"maps"
	"time"

	"inkfeed/domain/locale"
)

// Part is what a file of an export contains. An export may have several files.
type Part interface {
	// Join adds another file, before Finish. It returns false if that file is not an export of the same blog.
	Join(other Part) bool
	// Finish returns the blog with the posts of all files.
	Finish() *Blog
}

// Finish returns the blog itself, which is a Part whose posts have been read.
func (b *Blog) Finish() *Blog { return b }

// Join adds the content of another file of the same format. Blogs with different titles are different blogs, except
// in formats whose exports hold several.
func (b *Blog) Join(other Part) bool {
	o, ok := other.(*Blog)
	if !ok || o.Format != b.Format || o.Format == "Ghost" && o.Title != b.Title {
		return false
	}
	b.Title = cmp.Or(b.Title, o.Title)
	b.Posts, b.Problems = append(b.Posts, o.Posts...), append(b.Problems, o.Problems...)
	for id, names := range o.Names {
		b.AddPerson(id, names...)
	}
	copyTo(&b.Terms, o.Terms)
	copyTo(&b.Lists, o.Lists)
	copyTo(&b.Sites.Hosts, o.Sites.Hosts)
	copyTo(&b.Sites.FileHosts, o.Sites.FileHosts)
	b.Sites.Prefix = cmp.Or(b.Sites.Prefix, o.Sites.Prefix)
	return true
}

// copyTo adds the entries of a map to another, which may be nil.
func copyTo[K comparable, V any](to *map[K]V, from map[K]V) {
	if *to == nil {
		*to = from
		return
	}
	maps.Copy(*to, from)
}

// KeepLatest leaves only one of the posts that several files of an export contain: the latest or, of equally late ones,
// the one that fewer people can see.
func (b *Blog) KeepLatest() {
	last := func(p Post) time.Time {
		if p.Edited.After(p.Created) {
			return p.Edited
		}
		return p.Created
	}
	audience := map[Status]int{Scheduled: 1, Unlisted: 2, Published: 3}
	index := make(map[string]int)
	kept, repeated := b.Posts[:0], 0
	for _, p := range b.Posts {
		i, twice := index[p.Key]
		if !twice {
			index[p.Key] = len(kept)
			kept = append(kept, p)
			continue
		}
		repeated++
		if n := last(p).Compare(last(kept[i])); n > 0 || n == 0 && audience[p.Status] < audience[kept[i].Status] {
			kept[i] = p
		}
	}
	if b.Posts = kept; repeated > 0 {
		b.AddMessage(locale.M("{n} posts are in several files of the export: the latest version of each is imported",
			"n", repeated))
	}
}
