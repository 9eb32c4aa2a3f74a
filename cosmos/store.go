// Package cosmos stores Inkfeed's data in Azure Cosmos DB for NoSQL. It uses only the azcosmos SDK, so that the same
// code runs on Azure, on an emulator and on the embedded engine.
//
// [Open] connects and returns the stores of all containers. This package has the stores of the container users
// ([Users], [Accounts], [AccountDeletions], [Administrators], [Usernames], [Profiles], [Credentials], [EmailAddresses],
// [Blocks], [Drafts], [Images]), and those of sessions and invitations. Package posts has posts, comments and likes,
// package copies the copies that projectors maintain, package notifications what users are notified of and have muted,
// package moderation the moderators' queues, package imports imported posts, package deliveries what is sent in the
// background, package following the follows and timelines, package subscriptions the subscriptions by mail, and package
// overviews the lists of all accounts and comments. Package client is the access to the service that all stores share.
//
// Each exported method of a store is one of the model's requests, C1–C4 and Q1–Q6, or another request of a page, worker
// or command. docs/data-model.md lists their costs.
package cosmos

import (
	"context"

	"github.com/Azure/azure-sdk-for-go/sdk/azcore"
	"github.com/Azure/azure-sdk-for-go/sdk/azcore/policy"

	"inkfeed/cosmos/changefeed"
	"inkfeed/cosmos/client"
	"inkfeed/cosmos/copies"
	"inkfeed/cosmos/deliveries"
	"inkfeed/cosmos/dependency"
	"inkfeed/cosmos/following"
	"inkfeed/cosmos/imports"
	"inkfeed/cosmos/metering"
	"inkfeed/cosmos/moderation"
	"inkfeed/cosmos/notifications"
	"inkfeed/cosmos/overviews"
	"inkfeed/cosmos/posts"
	"inkfeed/cosmos/schema"
	"inkfeed/cosmos/subscriptions"
	"inkfeed/domain"
)

// Operations that several methods carry out.
var (
	writingUser         = client.Writes("C1")
	readingUser         = client.Reads("Q1")
	readingAccount      = client.Reads("account")
	administrating      = client.Writes("administrators") // may find out that the site has had users before
	checkingInvitation  = client.Writes("invitation")     // gives back the uses of sign-ups that failed
	deletingLeaving     = client.Writes("delete-leaving")
	savingDraft         = client.WritesOnly("save-draft", 0)
	countingDraft       = client.Writes("count-draft")
	sharingDraft        = client.WritesOnly("share-draft", 0)
	schedulingDraft     = client.WritesOnly("schedule-draft", 0)
	publishingScheduled = client.Writes("publish-scheduled")
	listingImages       = client.Reads("images")
	blocking            = client.WritesOnly("block", dependency.FacetBlocks)
	recordingActivity   = client.WritesOnly("record-activity", 0)
)

// Options describes the account, the database, and the dependencies of the stores on other packages. The fields of the
// same names in [client.Options] are documented there.
type Options struct {
	Endpoint   string
	Key        string
	Credential azcore.TokenCredential // with it, Open creates and changes no container
	Database   string
	Regions    []string
	Existing   bool
	Transport  policy.Transporter
	Observers  []client.Observer
	Tracing    *client.Tracing

	// Review decides how the post of a scheduled draft is held. Nil holds none. Callers that publish
	// other drafts decide themselves.
	Review Review
	// Mentioned returns the names that a text may mention. If it is nil, published posts have no mentions.
	Mentioned func(content string) []string
	// Files deletes the files of pictures. If it is nil, no picture can be deleted.
	Files FileDeleter
}

// Review decides how the post of a draft is to be held for review, if at all. Before is the post that
// the draft edits, and zero for a new post.
type Review func(ctx context.Context, author domain.User, before domain.Post, d domain.Draft) (domain.Hold, error)

// Store is the open database. It is safe for concurrent use.
type Store struct {
	*client.Database

	Users              *Users
	Usernames          *Usernames
	Accounts           *Accounts
	AccountDeletions   *AccountDeletions
	Administrators     *Administrators
	Profiles           *Profiles
	Credentials        *Credentials
	EmailAddresses     *EmailAddresses
	Blocks             *Blocks
	Follows            *following.Follows
	Subscriptions      *subscriptions.Subscriptions
	UserCopies         *copies.UserCopies
	Notifications      *notifications.Notifications
	Mutes              *notifications.Mutes
	Posts              *posts.Posts
	Drafts             *Drafts
	ScheduledPosts     *Schedule
	ScheduledDeletions *Schedule
	Continuations      *Schedule
	Embeds             *Schedule
	Purges             *Schedule // of posts in the trash
	Deliveries         *deliveries.Deliveries
	CommentRows        *overviews.Comments
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
	Pages              *moderation.Pages
	Invitations        *Invitations
	AccountRows        *overviews.Accounts
	Audit              *moderation.Audit
	Costs              *metering.Store
	Recorder           *metering.Recorder // measures the requests of the process; may be nil
}

// Open connects to a database. With a key and unless o.Existing is set, it creates the database, its
// containers and their indexes if they are missing. It returns a [client.UnsuitableAccountError] for an
// account, and a [client.DefinitionError] for containers, that Inkfeed cannot work with. With a
// credential and unless o.Existing is set, it fails if the role of the identity does not allow writing.
func Open(ctx context.Context, o Options) (*Store, error) {
	database, err := client.Connect(ctx, client.Options{
		Endpoint: o.Endpoint, Key: o.Key, Credential: o.Credential, Database: o.Database, Regions: o.Regions,
		Existing: o.Existing, Transport: o.Transport, Observers: o.Observers, Tracing: o.Tracing,
		Containers: schema.ContainerDefinitions(),
		Sorted:     schema.SortedPaths(),
		BeforeIndexing: map[string]func(context.Context, *client.Container) error{
			schema.PostsContainer: posts.PlaceComments,
		},
	})
	if err != nil {
		return nil, err
	}
	if o.Credential != nil && !o.Existing { // a role may allow reading only
		if err := database.CheckWriting(ctx, schema.LeasesContainer); err != nil {
			database.Close()
			return nil, err
		}
	}
	s := &Store{Database: database, Costs: metering.NewStore(database)}
	s.Posts = posts.NewPosts(database)
	s.Feed = copies.NewFeed(database, s.Posts)
	s.Tags = copies.NewTags(database)
	s.UserCopies = copies.NewUserCopies(database)
	s.Notifications, s.Mutes = notifications.New(database), notifications.NewMutes(database)
	s.Copies = copies.NewCopies(database, s.UserCopies, s.Feed, s.Tags)
	s.Redirects = imports.NewRedirects(database)
	s.Imports = imports.NewImports(database, s.Redirects)
	s.ImportJobs = imports.NewImportJobs(database, o.Files)
	s.Leases = changefeed.NewLeases(database)
	s.DeadLetters = changefeed.NewDeadLetters(database)
	s.Reports = moderation.NewReports(database)
	s.Reviews = moderation.NewReviews(database)
	s.Settings = moderation.NewSettings(database)
	s.Pages = moderation.NewPages(database)
	s.Audit = moderation.NewAudit(database)
	s.Deliveries = deliveries.New(database)
	s.AccountRows = overviews.NewAccounts(database)
	s.CommentRows = overviews.NewComments(database)

	users, schedule := database.Container(schema.UsersContainer), database.Container(schema.ScheduleContainer)
	s.Sessions = &Sessions{c: database.Container(schema.SessionsContainer), users: users}
	s.Secrets = &Secrets{c: database.Container(schema.SessionsContainer)}
	s.Counters = &Counters{c: database.Container(schema.LimitsContainer)}
	s.ScheduledPosts = &Schedule{schedule, scheduledPosts}
	s.ScheduledDeletions = &Schedule{schedule, scheduledDeletions}
	s.Continuations = &Schedule{schedule, continuations}
	s.Embeds = &Schedule{schedule, embeds}
	s.Purges = &Schedule{schedule, purges}
	s.Users = &Users{users}
	s.Usernames = &Usernames{users, s.Users}
	s.Administrators = &Administrators{users, s.Users}
	s.Accounts = &Accounts{users, s.Users, s.Usernames, s.Administrators}
	s.Profiles = &Profiles{users, s.Users}
	s.Credentials = &Credentials{users, s.Users}
	s.EmailAddresses = &EmailAddresses{users, s.Users, s.Credentials}
	s.Subscriptions = subscriptions.New(database, s.Users, s.Credentials)
	s.Blocks = &Blocks{users, s.Users}
	s.Follows = following.New(database, s.Users, s.UserCopies, s.Tags)
	s.Invitations = &Invitations{c: database.Container(schema.ModerationContainer), users: s.Users}
	s.Drafts = &Drafts{c: users, users: s.Users, posts: s.Posts, schedule: s.ScheduledPosts, review: o.Review,
		mentioned: o.Mentioned, notifications: s.Notifications}
	s.AccountDeletions = &AccountDeletions{c: users, users: s.Users, administrators: s.Administrators,
		deletions: s.ScheduledDeletions, drafts: s.Drafts, imports: s.Imports, importJobs: s.ImportJobs,
		reports: s.Reports, reviews: s.Reviews, invitations: s.Invitations, sessions: s.Sessions,
		deliveries: s.Deliveries, subscriptions: s.Subscriptions}
	s.Export = &Export{PostsExport: posts.NewPostsExport(database), users: users, imports: s.Imports,
		mutes: s.Mutes, subscriptions: s.Subscriptions}
	s.Images = &Images{c: users, users: s.Users, files: o.Files}
	return s, nil
}

// BeginIfNew gives a new site its first settings. A site is new if it has neither settings nor accounts besides those
// of the sample data: an existing one, whose settings may never have been changed, keeps its look.
func (s *Store) BeginIfNew(ctx context.Context) error {
	if settings, err := s.Settings.Get(ctx); err != nil || settings != (domain.Settings{}) {
		return err
	}
	if name, err := s.Users.RealUser(ctx); err != nil || name != "" {
		return err
	}
	return s.Settings.Begin(ctx)
}
