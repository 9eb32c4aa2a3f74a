package cosmos

import (
	"context"

	"github.com/Azure/azure-sdk-for-go/sdk/azcore/policy"

	"inkfeed/domain"
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
	Metrics *Metrics
	// OnWrite is told the logical partition, and what of it may have changed, after each
	// write by this process that succeeded or may have, before the write returns: so that a
	// change-feed worker need not wait for its next poll, and nobody who wrote something is
	// shown what was before. It is called from the request's goroutine and must not block.
	OnWrite func(part domain.Part, aspects domain.Aspects)
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
	*Database

	Users       *Users
	Posts       *Posts
	Drafts      *Drafts
	Schedule    *Schedule
	Departures  *Departures
	Feed        *Feed
	Tags        *Tags
	Redirects   *Redirects
	Imports     *Imports
	ImportJobs  *ImportJobs
	Export      *Export
	Copies      *Copies
	Leases      *Leases
	DeadLetters *DeadLetters
	Images      *Images
	Sessions    *Sessions
	Secrets     *Secrets
	Reports     *Reports
	Reviews     *Reviews
	Counters    *Counters
	Settings    *Settings
	Invitations *Invitations
	Audit       *Audit
}

// Open connects and, unless told otherwise, creates what is missing of the
// database and its containers, their indexes included. It fails with an
// [UnsuitableAccountError] on an account that Inkfeed cannot work with.
func Open(ctx context.Context, o Options) (*Store, error) {
	database, err := connect(ctx, clientOptions{
		Endpoint: o.Endpoint, Key: o.Key, Database: o.Database, Existing: o.Existing,
		Transport: o.Transport, Metrics: o.Metrics, OnWrite: o.OnWrite,
		Containers:     containerDefinitions(),
		BeforeIndexing: map[string]func(context.Context, *container) error{postsContainer: placeComments},
	})
	if err != nil {
		return nil, err
	}
	s := &Store{Database: database}
	s.Users = &Users{Personal: &Personal{c: database.Container(usersContainer)}, c: database.Container(usersContainer)}
	s.Posts = &Posts{c: database.Container(postsContainer)}
	s.Feed = &Feed{c: database.Container(feedContainer), posts: s.Posts, sources: database.Container(postsContainer)}
	s.Schedule = &Schedule{c: database.Container(scheduleContainer)}
	s.Departures = &Departures{c: database.Container(scheduleContainer)}
	s.Users.departures = s.Departures
	s.Drafts = &Drafts{c: database.Container(usersContainer), users: s.Users, posts: s.Posts, schedule: s.Schedule, review: o.Review}
	s.Tags = &Tags{c: database.Container(tagsContainer)}
	s.Copies = &Copies{Personal: s.Users.Personal, Feed: s.Feed, Tags: s.Tags, sources: database.Container(postsContainer)}
	s.Redirects = &Redirects{c: database.Container(redirectsContainer)}
	s.Imports = &Imports{c: database.Container(usersContainer), redirects: s.Redirects}
	s.ImportJobs = &ImportJobs{users: database.Container(usersContainer), schedule: database.Container(scheduleContainer), files: o.Files}
	s.Users.imports, s.Users.importJobs = s.Imports, s.ImportJobs
	s.Export = &Export{users: database.Container(usersContainer), PostsExport: &PostsExport{c: database.Container(postsContainer)}, imports: s.Imports}
	s.Leases = &Leases{c: database.Container(leasesContainer)}
	s.DeadLetters = &DeadLetters{c: database.Container(lettersContainer)}
	s.Sessions = &Sessions{c: database.Container(sessionsContainer)}
	s.Users.sessions = s.Sessions
	s.Secrets = &Secrets{c: database.Container(sessionsContainer)}
	s.Reports = &Reports{c: database.Container(moderationContainer)}
	s.Reviews = &Reviews{c: database.Container(moderationContainer)}
	s.Users.reports, s.Users.reviews = s.Reports, s.Reviews
	s.Counters = &Counters{c: database.Container(limitsContainer)}
	s.Settings = &Settings{c: database.Container(moderationContainer)}
	s.Invitations = &Invitations{c: database.Container(moderationContainer), users: s.Users}
	s.Users.invitations = s.Invitations
	s.Audit = &Audit{c: database.Container(moderationContainer)}
	s.Images = &Images{c: database.Container(usersContainer), users: s.Users, files: o.Files}
	return s, nil
}
