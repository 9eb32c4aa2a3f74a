// Package projection keeps the copies of a store current: its change feed processors, made,
// run, and waited for.
package projection

import (
	"context"
	"log/slog"
	"sync"

	"inkfeed/cosmos"
	"inkfeed/domain"
	"inkfeed/domain/markdown"
	"inkfeed/workers/changefeed"
)

// Processor is what commands need of a change feed processor, whatever it reads.
type Processor interface {
	Run(ctx context.Context)
	Wake()
	CaughtUp(ctx context.Context) (bool, error)
	Lag(ctx context.Context) ([]changefeed.RangeLag, error)
	RecentLag(ctx context.Context) ([]changefeed.RangeLag, error)
	Retry(ctx context.Context, l domain.DeadLetter) error
}

// Names returns what the processors are called, which is after the containers that they
// read, in the order in which it is best to ask them: users change posts.
func Names() []string { return []string{"users", "posts"} }

// Processors are change feed processors by their names.
type Processors map[string]Processor

// NewProcessors makes the processors that keep the views current.
func NewProcessors(store *cosmos.Store, markdown *markdown.Renderer, options changefeed.Options) Processors {
	return processors(store, Posts(store, markdown), options)
}

// NewRetriers makes the processors that project dead letters' items again.
func NewRetriers(store *cosmos.Store, options changefeed.Options) Processors {
	return processors(store, RewritingPosts(store, markdown.New()), options)
}

func processors(store *cosmos.Store, posts *PostsProjector, options changefeed.Options) Processors {
	return Processors{
		"users": changefeed.NewProcessor("users", store.Users.Changes(), store.Leases, store.DeadLetters,
			Users(store, options.Logger), options),
		"posts": changefeed.NewProcessor("posts", store.Posts.Changes(), store.Leases, store.DeadLetters, posts, options),
	}
}

// Start runs the processors until the context ends. The function that it returns waits
// for that.
func (p Processors) Start(ctx context.Context) (wait func()) {
	var running sync.WaitGroup
	for _, processor := range p {
		running.Go(func() { processor.Run(ctx) })
	}
	return running.Wait
}

// Users makes the projector of what users change.
func Users(store *cosmos.Store, logger *slog.Logger) *UsersProjector {
	return &UsersProjector{Users: store.Users, Posts: store.Posts, Drafts: store.Drafts, Images: store.Images,
		ScheduledPosts: store.ScheduledPosts, ScheduledDeletions: store.ScheduledDeletions, Logger: logger}
}

// Posts makes the projector of what posts change.
func Posts(store *cosmos.Store, markdown *markdown.Renderer) *PostsProjector {
	return &PostsProjector{Users: store.Users, Feed: store.Feed, Tags: store.Tags, Posts: store.Posts,
		Drafts: store.Drafts, Reviews: store.Reviews, Markdown: markdown,
		Authorship: Authorship{Authors: store.Users, Written: store.Posts}}
}

// RewritingPosts is the posts' projector that looks at what a copy says, too,
// not only at its version.
func RewritingPosts(store *cosmos.Store, markdown *markdown.Renderer) *PostsProjector {
	p := Posts(store, markdown)
	p.Rewrite = true
	return p
}
