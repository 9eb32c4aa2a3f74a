// Package projection keeps derived data current. It has the projectors of users and posts, and makes, runs and awaits
// the change feed processors that call them.
package projection

import (
	"context"
	"log/slog"
	"sync"

	"inkfeed/cosmos"
	"inkfeed/cosmos/feeds"
	"inkfeed/domain/markdown"
	"inkfeed/domain/throttle"
	"inkfeed/workers/changefeed"
)

// Processor is a change feed processor of any container.
type Processor interface {
	Run(ctx context.Context)
	Wake()
	CaughtUp(ctx context.Context) (bool, error)
	Lag(ctx context.Context) ([]changefeed.RangeLag, error)
	RecentLag(ctx context.Context) ([]changefeed.RangeLag, error)
	Retry(ctx context.Context, l feeds.DeadLetter) error
}

// Names returns the names of the processors, which are those of the containers that they read. Users come first,
// because the projection of users changes posts.
func Names() []string { return []string{"users", "posts"} }

// RebuildPrefix begins the names of the processors of a rebuild, before the name of the container.
const RebuildPrefix = "rebuild."

// NewRebuildEstimators returns estimators of the lag of running rebuilds, whichever process runs them, by the names of
// the rebuilds' processors.
func NewRebuildEstimators(store *cosmos.Store, options changefeed.Options) map[string]changefeed.Estimator {
	return map[string]changefeed.Estimator{
		RebuildPrefix + "users": changefeed.NewProcessor(RebuildPrefix+"users", store.Users.Changes(), store.Leases,
			store.DeadLetters, Users(store, options.Logger), options),
		RebuildPrefix + "posts": changefeed.NewProcessor(RebuildPrefix+"posts", store.Posts.Changes(), store.Leases,
			store.DeadLetters, RewritingPosts(store, nil), options),
	}
}

// Processors are change feed processors by name.
type Processors map[string]Processor

// Estimators returns the processors as estimators of their lag, in a map of its own.
func (p Processors) Estimators() map[string]changefeed.Estimator {
	estimators := make(map[string]changefeed.Estimator, len(p))
	for name, processor := range p {
		estimators[name] = processor
	}
	return estimators
}

// NewProcessors returns the processors that keep the copies of a store current. Pace bounds what new names and
// deletions of accounts cost; a nil Pace does not. Mails is nil on a site that sends no mails to subscribers.
func NewProcessors(store *cosmos.Store, markdown *markdown.Renderer, pace *throttle.Pace, mails *Mails,
	options changefeed.Options) Processors {
	users, posts := Users(store, options.Logger), Posts(store, markdown)
	users.Pace = pace
	users.Notifications.Mails, posts.Notifications.Mails, posts.Mails = mails, mails, mails
	return processors(store, users, posts, options)
}

// NewRetriers returns processors that project the items of dead letters again.
func NewRetriers(store *cosmos.Store, options changefeed.Options) Processors {
	users, posts := Users(store, options.Logger), Posts(store, markdown.New())
	users.Rewrite, posts.Rewrite = true, true
	posts.Mails = NewMails(store)
	return processors(store, users, posts, options)
}

func processors(store *cosmos.Store, users *UsersProjector, posts *PostsProjector,
	options changefeed.Options) Processors {
	return Processors{
		"users": changefeed.NewProcessor("users", store.Users.Changes(), store.Leases, store.DeadLetters, users,
			options),
		"posts": changefeed.NewProcessor("posts", store.Posts.Changes(), store.Leases, store.DeadLetters, posts,
			options),
	}
}

// Start runs the processors until the context ends. The returned function waits for their end.
func (p Processors) Start(ctx context.Context) (wait func()) {
	var running sync.WaitGroup
	for _, processor := range p {
		running.Go(func() { processor.Run(ctx) })
	}
	return running.Wait
}

// Users returns the projector of users.
func Users(store *cosmos.Store, logger *slog.Logger) *UsersProjector {
	return &UsersProjector{Users: store.Users, Usernames: store.Usernames, Administrators: store.Administrators,
		AccountRows: store.AccountRows, AccountDeletions: store.AccountDeletions, Posts: store.Posts,
		Drafts: store.Drafts, Images: store.Images, ScheduledPosts: store.ScheduledPosts,
		ScheduledDeletions: store.ScheduledDeletions, Continuations: store.Continuations,
		Deliveries: store.Deliveries, Follows: store.Follows, Blocks: store.Blocks,
		Subscriptions: store.Subscriptions, Notifications: NewNotifier(store), Logger: logger}
}

// Posts returns the projector of posts.
func Posts(store *cosmos.Store, markdown *markdown.Renderer) *PostsProjector {
	return &PostsProjector{UserCopies: store.UserCopies, Feed: store.Feed, Tags: store.Tags, Posts: store.Posts,
		Drafts: store.Drafts, Pages: store.Pages, Reviews: store.Reviews,
		Notifications: NewNotifier(store), Markdown: markdown, Embeds: store.Embeds, Purges: store.Purges,
		Thumbnails: store.Images, News: store.Deliveries, FollowerCounts: store.Follows, CommentRows: store.CommentRows,
		AuthorCorrector: AuthorCorrector{Authors: store.Users, Items: store.Posts}}
}

// NewNotifier returns a notifier of the users of a store.
func NewNotifier(store *cosmos.Store) *Notifier {
	return &Notifier{Accounts: store.Users, Blocks: store.Blocks, Mutes: store.Mutes, List: store.Notifications}
}

// RewritingPosts returns a projector of posts for a rebuild. It compares the contents of copies with their sources, not
// only their versions, and notifies and tells none.
func RewritingPosts(store *cosmos.Store, markdown *markdown.Renderer) *PostsProjector {
	p := Posts(store, markdown)
	p.Rewrite, p.Notifications, p.Embeds, p.News = true, nil, nil, nil
	return p
}
