// Package dependency records the logical partitions that a response was made from. The cache of responses and the
// storage layer use it: a change of a partition drops the responses that depend on it.
package dependency

import (
	"context"
	"maps"
	"sync"
)

// PartitionRef identifies a logical partition that a response was made from: the container and the value of the
// partition key. An empty key means the whole container.
type PartitionRef struct{ Container, Key string }

// Facets are the facets of a partition that a response shows, or that a change affects.
type Facets uint8

const (
	// FacetAccount is a user's account.
	FacetAccount Facets = 1 << iota
	// FacetTexts is the content of posts and the members of lists, with their titles, authors and tags: everything
	// that users write except comments.
	FacetTexts
	// FacetCounts is the numbers of comments and likes of a post.
	FacetCounts
	// FacetComments is the comments on a post and their texts.
	FacetComments
	// FacetReactions is the users who like or have bookmarked a post.
	FacetReactions
	// FacetBlocks is the users whom a user has blocked.
	FacetBlocks
	// FacetFollows is what a user follows, and who follows a user or tag.
	FacetFollows
	// FacetMutes is what a user has muted.
	FacetMutes

	// AllFacets is the set of all facets.
	AllFacets = FacetAccount | FacetTexts | FacetCounts | FacetComments | FacetReactions | FacetBlocks |
		FacetFollows | FacetMutes
	// NumFacets is the number of facets; facet i is 1<<i.
	NumFacets = 8
)

// Recorder collects the partitions that are read. It is safe for concurrent use.
type Recorder struct {
	mu   sync.Mutex
	read map[PartitionRef]Facets
}

// Record adds facets of a partition.
func (r *Recorder) Record(ref PartitionRef, facets Facets) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.read == nil {
		r.read = make(map[PartitionRef]Facets)
	}
	r.read[ref] |= facets
}

// Recorded returns all that was recorded so far. The caller owns the map.
func (r *Recorder) Recorded() map[PartitionRef]Facets {
	r.mu.Lock()
	defer r.mu.Unlock()
	return maps.Clone(r.read)
}

type (
	recorderKey struct{}
	facetsKey   struct{}
)

// WithRecorder returns a context whose reads are recorded in r with all facets, even if an outer context limits the
// facets.
func WithRecorder(ctx context.Context, r *Recorder) context.Context {
	return context.WithValue(context.WithValue(ctx, recorderKey{}, r), facetsKey{}, AllFacets)
}

// WithFacets returns a context whose reads are recorded with these facets only. Changes of other facets of the same
// partitions do not affect the response.
func WithFacets(ctx context.Context, facets Facets) context.Context {
	return context.WithValue(ctx, facetsKey{}, facets&facetsOf(ctx))
}

func facetsOf(ctx context.Context) Facets {
	if facets, ok := ctx.Value(facetsKey{}).(Facets); ok {
		return facets
	}
	return AllFacets
}

// Record records that facets of a partition were read, as far as the context is limited to them.
func Record(ctx context.Context, ref PartitionRef, facets Facets) {
	if r, ok := ctx.Value(recorderKey{}).(*Recorder); ok {
		r.Record(ref, facets&facetsOf(ctx))
	}
}

// Change describes a change of an item to caches of responses made from its partition.
type Change struct {
	// Facets are the facets that may have changed; none if no page shows the item.
	Facets Facets
	// Counts holds the counts of a post or of a copy of one; nil for other items.
	Counts *Counts
}

// Counts is the part of a post, or of a copy of one, that distinguishes a like from an edit.
type Counts struct {
	Rest                     uint64 // a digest of all other fields
	Version, Comments, Likes int
}

// OnlyCounts reports whether only the counts have changed since an earlier state. Each change raises the version by
// one, so no other change can have been made and reverted in between. It returns false if as many likes were added as
// removed, which looks like another change.
func (c Counts) OnlyCounts(since Counts) bool {
	return c.Rest == since.Rest && c.Version-since.Version <= abs(c.Comments-since.Comments)+abs(c.Likes-since.Likes)
}

// OnlyLikes reports whether only likes were added since an earlier state, one per change. It returns false if any
// like was removed, because what removes likes may remove comments too.
func (c Counts) OnlyLikes(since Counts) bool {
	come := c.Likes - since.Likes
	return c.Rest == since.Rest && c.Comments == since.Comments && come > 0 && c.Version-since.Version == come
}

func abs(n int) int { return max(n, -n) }
