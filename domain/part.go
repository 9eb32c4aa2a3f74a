package domain

import (
	"context"
	"maps"
	"sync"
)

// Part is a logical partition, of which pages are made: the containers are those of the data
// model, the key is the partition key's value. An empty key stands for all of the container.
type Part struct{ Container, Key string }

// Aspects are what a page shows of a part, or what a change of the part changes.
type Aspects uint8

const (
	// AspectAccount is who a user is.
	AspectAccount Aspects = 1 << iota
	// AspectTexts is what a post says and which posts a list has, with their titles, authors
	// and tags: all that people write but comments.
	AspectTexts
	// AspectCounts is how many comments and likes a post has.
	AspectCounts
	// AspectComments is which comments a post has, and what they say.
	AspectComments
	// AspectMarks is who likes a post, or has bookmarked it.
	AspectMarks

	AllAspects = AspectAccount | AspectTexts | AspectCounts | AspectComments | AspectMarks
	// NumAspects is how many there are; aspect i is 1<<i.
	NumAspects = 5
)

// Parts collects what is read. It is safe for concurrent use.
type Parts struct {
	mu   sync.Mutex
	read map[Part]Aspects
}

// Note adds aspects of a part to what was read.
func (p *Parts) Note(part Part, aspects Aspects) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.read == nil {
		p.read = make(map[Part]Aspects)
	}
	p.read[part] |= aspects
}

// All is what was read so far. The map is the caller's.
func (p *Parts) All() map[Part]Aspects {
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
func NotingParts(ctx context.Context, parts *Parts) context.Context {
	return context.WithValue(context.WithValue(ctx, partsKey{}, parts), aspectsKey{}, AllAspects)
}

// ReadingAspects says that what is read under the context is read for those aspects only;
// others of the same partitions may change without changing what becomes of it.
func ReadingAspects(ctx context.Context, aspects Aspects) context.Context {
	return context.WithValue(ctx, aspectsKey{}, aspects&readAspects(ctx))
}

func readAspects(ctx context.Context) Aspects {
	if aspects, ok := ctx.Value(aspectsKey{}).(Aspects); ok {
		return aspects
	}
	return AllAspects
}

// NoteRead notes that aspects of a part were read, as far as the context reads them.
func NoteRead(ctx context.Context, part Part, aspects Aspects) {
	if parts, ok := ctx.Value(partsKey{}).(*Parts); ok {
		parts.Note(part, aspects&readAspects(ctx))
	}
}

// PartChange is a change of an item, as far as those need to know who have pages of its
// partition.
type PartChange struct {
	// Aspects are those that may have changed, none: no page shows the item.
	Aspects Aspects
	// Counted is what a post or a copy of one counts; nil: the item counts nothing.
	Counted *Counted
}

// Counted is a post or a copy of one, as far as it takes to tell a like from an edit.
type Counted struct {
	Rest                     uint64 // a digest of all but the fields that follow
	Version, Comments, Likes int
}

// OnlyCounts tells whether nothing but the counts has changed since an earlier state. Each
// change raises the version by one, so nothing else can have come and gone in between. It
// says no when as many likes were given as taken back: that looks like something else.
func (c Counted) OnlyCounts(since Counted) bool {
	return c.Rest == since.Rest && c.Version-since.Version <= abs(c.Comments-since.Comments)+abs(c.Likes-since.Likes)
}

// OnlyLikes tells whether nothing but likes has come since an earlier state: one for each
// change. It says no when any was taken back, for what takes away likes may take comments with
// them.
func (c Counted) OnlyLikes(since Counted) bool {
	come := c.Likes - since.Likes
	return c.Rest == since.Rest && c.Comments == since.Comments && come > 0 && c.Version-since.Version == come
}

func abs(n int) int { return max(n, -n) }
