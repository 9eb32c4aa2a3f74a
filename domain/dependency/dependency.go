// Package dependency records the logical partitions that a response was made from. The cache of responses and the
// storage layer use it: a change of a partition drops the responses that depend on it.
package dependency

import (
	"context"
	"maps"
	"sync"
)

// Part is a logical partition, of which pages are made: the containers are those of the data
// model, the key is the partition key's value. An empty key stands for all of the container.
type PartitionRef struct{ Container, Key string }

// Aspects are what a page shows of a part, or what a change of the part changes.
type Facets uint8

const (
	// AspectAccount is who a user is.
	FacetAccount Facets = 1 << iota
	// AspectTexts is what a post says and which posts a list has, with their titles, authors
	// and tags: all that people write but comments.
	FacetTexts
	// AspectCounts is how many comments and likes a post has.
	FacetCounts
	// AspectComments is which comments a post has, and what they say.
	FacetComments
	// AspectMarks is who likes a post, or has bookmarked it.
	FacetReactions

	AllFacets = FacetAccount | FacetTexts | FacetCounts | FacetComments | FacetReactions
	// NumAspects is how many there are; aspect i is 1<<i.
	NumFacets = 5
)

// Parts collects what is read. It is safe for concurrent use.
type Recorder struct {
	mu   sync.Mutex
	read map[PartitionRef]Facets
}

// Note adds aspects of a part to what was read.
func (p *Recorder) Record(part PartitionRef, aspects Facets) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.read == nil {
		p.read = make(map[PartitionRef]Facets)
	}
	p.read[part] |= aspects
}

// All is what was read so far. The map is the caller's.
func (p *Recorder) Recorded() map[PartitionRef]Facets {
	p.mu.Lock()
	defer p.mu.Unlock()
	return maps.Clone(p.read)
}

type (
	partsKey   struct{}
	aspectsKey struct{}
)

// NotingParts has all that is read under the context noted in parts, with all aspects,
// whatever others who note it read it for.
func WithRecorder(ctx context.Context, parts *Recorder) context.Context {
	return context.WithValue(context.WithValue(ctx, partsKey{}, parts), aspectsKey{}, AllFacets)
}

// ReadingAspects says that what is read under the context is read for those aspects only;
// others of the same partitions may change without changing what becomes of it.
func WithFacets(ctx context.Context, aspects Facets) context.Context {
	return context.WithValue(ctx, aspectsKey{}, aspects&readAspects(ctx))
}

func readAspects(ctx context.Context) Facets {
	if aspects, ok := ctx.Value(aspectsKey{}).(Facets); ok {
		return aspects
	}
	return AllFacets
}

// NoteRead notes that aspects of a part were read, as far as the context reads them.
func Record(ctx context.Context, part PartitionRef, aspects Facets) {
	if parts, ok := ctx.Value(partsKey{}).(*Recorder); ok {
		parts.Record(part, aspects&readAspects(ctx))
	}
}

// PartChange is a change of an item, as far as those need to know who have pages of its
// partition.
type Change struct {
	// Aspects are those that may have changed, none: no page shows the item.
	Facets Facets
	// Counted is what a post or a copy of one counts; nil: the item counts nothing.
	Counts *Counts
}

// Counted is a post or a copy of one, as far as it takes to tell a like from an edit.
type Counts struct {
	Rest                     uint64 // a digest of all but the fields that follow
	Version, Comments, Likes int
}

// OnlyCounts tells whether nothing but the counts has changed since an earlier state. Each
// change raises the version by one, so nothing else can have come and gone in between. It
// says no when as many likes were given as taken back: that looks like something else.
func (c Counts) OnlyCounts(since Counts) bool {
	return c.Rest == since.Rest && c.Version-since.Version <= abs(c.Comments-since.Comments)+abs(c.Likes-since.Likes)
}

// OnlyLikes tells whether nothing but likes has come since an earlier state: one for each
// change. It says no when any was taken back, for what takes away likes may take comments with
// them.
func (c Counts) OnlyLikes(since Counts) bool {
	come := c.Likes - since.Likes
	return c.Rest == since.Rest && c.Comments == since.Comments && come > 0 && c.Version-since.Version == come
}

func abs(n int) int { return max(n, -n) }
