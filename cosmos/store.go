// Package cosmos keeps Inkfeed's data in Azure Cosmos DB for NoSQL, through the
// azcosmos SDK only, so that the same code runs on Azure, on an emulator and on
// the embedded engine.
//
// There is one file a container (users.go, posts.go, feed.go, leases.go). Each
// exported method is one of the model's requests, C1–C4 and Q1–Q6, or one of
// the few that workers and commands add, and says what it costs in
// docs/data-model.md. What every method shares is in container.go: errors are
// translated to domain kinds there, once, and a policy in the SDK's pipeline
// records each call under its operation's name (telemetry.go) and carries the
// session tokens (session.go).
package cosmos

import (
	"context"

	"github.com/Azure/azure-sdk-for-go/sdk/azcore/policy"

	"inkfeed/cosmos/changefeed"
	"inkfeed/cosmos/client"
	"inkfeed/cosmos/copies"
	"inkfeed/cosmos/imports"
	"inkfeed/cosmos/moderation"
	"inkfeed/cosmos/posts"
	"inkfeed/cosmos/schema"
	"inkfeed/domain"
	"inkfeed/domain/dependency"
)

// Options says where the data is.
type Options struct {
	Endpoint string
	Key      string // account key, base64
	Database string
	// Existing says that the database must be there already. Otherwise it is
	// created when missing, with its containers.
	Existing bool
	// Transport sends the requests: the embedded engine, or nil for the network.
	Transport policy.Transporter
	// Metrics receives every call; nil records nothing.
	Metrics *client.Metrics
	// OnWrite is told the logical partition, and what of it may have changed, after each
	// write by this process that succeeded or may have, before the write returns: so that a
	// change-feed worker need not wait for its next poll, and nobody who wrote something is
	// shown what was before. It is called from the request's goroutine and must not block.
	OnWrite func(part dependency.PartitionRef, aspects dependency.Facets)
	// Review says how the post of a draft that publishes itself at its time is to be held, if
	// at all; of others whoever publishes them says so. Nil holds none.
	Review Review
	// Files are those of the pictures that the users have uploaded. Without them there
	// are records of pictures, and none can be deleted.
	Files FileDeleter
}

// Review tells how the post that author makes of a draft is to be held, if at all. Before is
// the post that it changes, zero: there is none yet.
type Review func(ctx context.Context, author domain.User, before domain.Post, d domain.Draft) (domain.Hold, error)

// Store is the open database. It is safe for concurrent use.
type Store struct {
	*client.Database

	Users              *Users
	Posts              *posts.Posts
	Drafts             *Drafts
	ScheduledPosts     *Schedule
	ScheduledDeletions *Schedule
	Feed               *copies.Feed
	Tags               *copies.Tags
	Redirects          *imports.Redirects
	Imports            *imports.Imports
	ImportJobs         *imports.ImportJobs
	Export             *Export
	Copies             *copies.Copies
	Leases             *changefeed.Leases
	DeadLetters        *changefeed.DeadLetters
	Images             *Images
	Sessions           *Sessions
	Secrets            *Secrets
	Reports            *moderation.Reports
	Reviews            *moderation.Reviews
	Counters           *Counters
	Settings           *moderation.Settings
	Invitations        *Invitations
	Audit              *moderation.Audit
}

// Open connects and, unless told otherwise, creates what is missing of the
// database and its containers, their indexes included. It fails with an
// [UnsuitableAccountError] on an account that Inkfeed cannot work with.
func Open(ctx context.Context, o Options) (*Store, error) {
	database, err := client.Connect(ctx, client.Options{
		Endpoint: o.Endpoint, Key: o.Key, Database: o.Database, Existing: o.Existing,
		Transport: o.Transport, Metrics: o.Metrics, OnWrite: o.OnWrite,
		Containers:     schema.ContainerDefinitions(),
		BeforeIndexing: map[string]func(context.Context, *client.Container) error{schema.PostsContainer: posts.PlaceComments},
	})
	if err != nil {
		return nil, err
	}
	s := &Store{Database: database}
	s.Posts = posts.NewPosts(database)
	s.Feed = copies.NewFeed(database, s.Posts)
	s.Tags = copies.NewTags(database)
	personal := copies.NewPersonal(database)
	s.Copies = copies.NewCopies(database, personal, s.Feed, s.Tags)
	s.Redirects = imports.NewRedirects(database)
	s.Imports = imports.NewImports(database, s.Redirects)
	s.ImportJobs = imports.NewImportJobs(database, o.Files)
	s.Leases = changefeed.NewLeases(database)
	s.DeadLetters = changefeed.NewDeadLetters(database)
	s.Reports = moderation.NewReports(database)
	s.Reviews = moderation.NewReviews(database)
	s.Settings = moderation.NewSettings(database)
	s.Audit = moderation.NewAudit(database)

	users, schedule := database.Container(schema.UsersContainer), database.Container(schema.ScheduleContainer)
	s.Sessions = &Sessions{c: database.Container(schema.SessionsContainer)}
	s.Secrets = &Secrets{c: database.Container(schema.SessionsContainer)}
	s.Counters = &Counters{c: database.Container(schema.LimitsContainer)}
	s.ScheduledPosts = &Schedule{schedule, scheduledPosts}
	s.ScheduledDeletions = &Schedule{schedule, scheduledDeletions}
	s.Users = &Users{Personal: personal, c: users, imports: s.Imports, importJobs: s.ImportJobs, reports: s.Reports,
		reviews: s.Reviews, sessions: s.Sessions, deletions: s.ScheduledDeletions}
	s.Invitations = &Invitations{c: database.Container(schema.ModerationContainer), users: s.Users}
	s.Users.invitations = s.Invitations
	s.Drafts = &Drafts{c: users, users: s.Users, posts: s.Posts, schedule: s.ScheduledPosts, review: o.Review}
	s.Export = &Export{PostsExport: posts.NewPostsExport(database), users: users, imports: s.Imports}
	s.Images = &Images{c: users, users: s.Users, files: o.Files}
	return s, nil
}
