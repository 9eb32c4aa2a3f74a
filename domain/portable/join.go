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
	for key, at := range o.Removed {
		b.remove(key, at)
	}
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

// Remove records that a file of the export has the post among the removed ones. A version of it that another file has
// is imported only if it is later.
func (b *Blog) Remove(p Post) { b.remove(p.Key, p.last()) }

func (b *Blog) remove(key string, at time.Time) {
	if b.Removed == nil {
		b.Removed = make(map[string]time.Time)
	}
	if at.After(b.Removed[key]) || b.Removed[key].IsZero() {
		b.Removed[key] = at
	}
}

// last returns when the post was last changed.
func (p Post) last() time.Time {
	if p.Edited.After(p.Created) {
		return p.Edited
	}
	return p.Created
}

// KeepLatest leaves only one of the posts that several files of an export contain: the latest or, of equally late ones,
// the one that fewer people can see. The date of a scheduled post is not that of its last change, so the smaller
// audience decides there, too. A post that was removed later is left out.
func (b *Blog) KeepLatest() {
	audience := map[Status]int{Scheduled: 1, Unlisted: 2, Published: 3}
	index := make(map[string]int)
	kept, repeated := b.Posts[:0], 0
	for _, p := range b.Posts {
		if at, removed := b.Removed[p.Key]; removed && (p.Status == Scheduled || !p.last().After(at)) {
			continue
		}
		i, twice := index[p.Key]
		if !twice {
			index[p.Key] = len(kept)
			kept = append(kept, p)
			continue
		}
		repeated++
		n := p.last().Compare(kept[i].last())
		if p.Status == Scheduled || kept[i].Status == Scheduled {
			n = 0
		}
		if n > 0 || n == 0 && audience[p.Status] < audience[kept[i].Status] {
			kept[i] = p
		}
	}
	if b.Posts = kept; repeated > 0 {
		b.AddMessage(locale.M("{n} posts are in several files of the export: the latest version of each is imported",
			"n", repeated))
	}
}
