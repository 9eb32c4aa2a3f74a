package cosmos

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"time"

	"github.com/Azure/azure-sdk-for-go/sdk/azcore"
	"github.com/Azure/azure-sdk-for-go/sdk/azcore/policy"
	"github.com/Azure/azure-sdk-for-go/sdk/data/azcosmos"

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
	Metrics *Metrics
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
	Users              *Users
	Posts              *Posts
	Drafts             *Drafts
	ScheduledPosts     *Schedule
	ScheduledDeletions *Schedule
	Feed               *Feed
	Tags               *Tags
	Redirects          *Redirects
	Imports            *Imports
	ImportJobs         *ImportJobs
	Export             *Export
	Leases             *Leases
	DeadLetters        *DeadLetters
	Images             *Images
	Sessions           *Sessions
	Secrets            *Secrets
	Reports            *Reports
	Reviews            *Reviews
	Counters           *Counters
	Settings           *Settings
	Invitations        *Invitations
	Audit              *Audit

	client   *azcosmos.Client
	database *azcosmos.DatabaseClient
}

// How a throttled or failed call is tried again. The caller's deadline ends the
// attempts earlier.
const (
	maxRetries    = 9
	retryDelay    = 50 * time.Millisecond
	maxRetryDelay = 5 * time.Second
)

// Open connects and, unless told otherwise, creates what is missing of the
// database and its containers, their indexes included. It fails with an
// [UnsuitableAccountError] on an account that Inkfeed cannot work with.
func Open(ctx context.Context, o Options) (*Store, error) {
	cred, err := azcosmos.NewKeyCredential(o.Key)
	if err != nil {
		return nil, fmt.Errorf("cosmos: the account key is not base64: %w", err)
	}
	client, err := azcosmos.NewClientWithKey(o.Endpoint, cred, &azcosmos.ClientOptions{
		ClientOptions: azcore.ClientOptions{
			Transport: o.Transport,
			Retry: policy.RetryOptions{
				MaxRetries:    maxRetries,
				RetryDelay:    retryDelay,
				MaxRetryDelay: maxRetryDelay,
			},
			PerCallPolicies: []policy.Policy{wireForm{}, accountCheck{}},
			PerRetryPolicies: []policy.Policy{
				&recorder{metrics: o.Metrics, onWrite: o.OnWrite},
				newSessions(),
				delivery{}, // next to the transport: it marks what the connection did
			},
		},
	})
	if err != nil {
		return nil, fmt.Errorf("cosmos: endpoint %q: %w", o.Endpoint, err)
	}
	s := &Store{client: client}
	if err := s.connect(ctx, o); err != nil {
		client.Close()
		return nil, err
	}
	return s, nil
}

func (s *Store) connect(ctx context.Context, o Options) error {
	name, existing := o.Database, o.Existing
	ctx = operation(ctx, "bootstrap")
	database, err := s.client.NewDatabase(name)
	if err != nil {
		return fmt.Errorf("cosmos: database %q: %w", name, err)
	}
	s.database = database
	if existing {
		_, err = database.Read(ctx, nil)
	} else {
		_, err = s.client.CreateDatabase(ctx, azcosmos.DatabaseProperties{ID: name}, nil)
	}
	if unsuitable, ok := errors.AsType[*UnsuitableAccountError](err); ok {
		return fmt.Errorf("cosmos: %w", unsuitable)
	}
	switch {
	case statusOf(err) == http.StatusConflict: // it exists
	case noContainer(err):
		return fmt.Errorf("cosmos: there is no database %q", name)
	default:
		if err != nil {
			return fmt.Errorf("cosmos: database %q: %w", name, &callError{err})
		}
	}
	open := make(map[string]*container)
	for _, properties := range containerDefinitions() {
		if !existing {
			if err := s.ensure(ctx, properties); err != nil {
				return fmt.Errorf("cosmos: container %q: %w", properties.ID, &callError{err})
			}
		}
		client, err := database.NewContainer(properties.ID)
		if err != nil {
			return fmt.Errorf("cosmos: container %q: %w", properties.ID, err)
		}
		open[properties.ID] = &container{client: client}
	}
	s.Users = &Users{c: open[usersContainer]}
	s.Posts = &Posts{c: open[postsContainer]}
	s.Feed = &Feed{c: open[feedContainer], posts: s.Posts}
	s.ScheduledPosts = &Schedule{open[scheduleContainer], scheduledPosts}
	s.ScheduledDeletions = &Schedule{open[scheduleContainer], scheduledDeletions}
	s.Users.deletions = s.ScheduledDeletions
	s.Drafts = &Drafts{c: open[usersContainer], users: s.Users, posts: s.Posts, schedule: s.ScheduledPosts, review: o.Review}
	s.Tags = &Tags{c: open[tagsContainer]}
	s.Redirects = &Redirects{c: open[redirectsContainer]}
	s.Imports = &Imports{c: open[usersContainer], redirects: s.Redirects}
	s.ImportJobs = &ImportJobs{users: open[usersContainer], schedule: open[scheduleContainer], files: o.Files}
	s.Users.imports, s.Users.importJobs = s.Imports, s.ImportJobs
	s.Export = &Export{users: open[usersContainer], posts: open[postsContainer], imports: s.Imports}
	s.Leases = &Leases{c: open[leasesContainer]}
	s.DeadLetters = &DeadLetters{c: open[lettersContainer]}
	s.Sessions = &Sessions{c: open[sessionsContainer]}
	s.Users.sessions = s.Sessions
	s.Secrets = &Secrets{c: open[sessionsContainer]}
	s.Reports = &Reports{c: open[moderationContainer]}
	s.Reviews = &Reviews{c: open[moderationContainer]}
	s.Users.reports, s.Users.reviews = s.Reports, s.Reviews
	s.Counters = &Counters{c: open[limitsContainer]}
	s.Settings = &Settings{c: open[moderationContainer]}
	s.Invitations = &Invitations{c: open[moderationContainer], users: s.Users}
	s.Users.invitations = s.Invitations
	s.Audit = &Audit{c: open[moderationContainer]}
	s.Images = &Images{c: open[usersContainer], users: s.Users, files: o.Files}
	return nil
}

// Ping reports whether the database answers: one cheap read.
func (s *Store) Ping(ctx context.Context) error {
	_, err := s.database.Read(operation(ctx, "ping"), nil)
	return translate(err)
}

// Close releases the client's caches. The store must not be used after it.
func (s *Store) Close() { s.client.Close() }
