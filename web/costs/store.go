package costs

import (
	"context"
	"iter"
	"time"

	"inkfeed/cosmos/costs"
	"inkfeed/domain"
)

// Store is the storage that the page reads. Errors are of the kinds of package domain.
type Store struct {
	Costs       Measurements
	Lags        Lags
	Tailers     Tailers
	DeadLetters DeadLetters
	Imports     Imports
	Deletions   Deletions
	Deliveries  Deliveries
	Users       Users
}

// Measurements are the figures that all instances have stored.
type Measurements interface {
	// Intervals returns the stored intervals of a span.
	Intervals(ctx context.Context, span costs.Span) ([]costs.Interval, error)
	// Sizes returns the sizes of the containers by their names.
	Sizes(ctx context.Context) (map[string]costs.Size, error)
}

// Lags returns how far the projections of all feed ranges are behind, those of running rebuilds included. Beside an
// error it returns the lags that it could read, or that were known last.
type Lags func(ctx context.Context) ([]costs.RangeLag, error)

// Tailers returns the state of the tailers of this instance.
type Tailers func() []costs.Tailer

// DeadLetters counts the changes that could not be projected.
type DeadLetters interface {
	// Count counts them up to atMost.
	Count(ctx context.Context, atMost int) (int, error)
}

// Imports are the imports in the browser.
type Imports interface {
	// Entries lists the users with an import that an instance has to look at.
	Entries(ctx context.Context) ([]domain.ImportEntry, error)
	// Get returns the import of a user.
	Get(ctx context.Context, userID string) (domain.ImportJob, error)
}

// Deletions are the scheduled deletions of accounts.
type Deletions interface {
	// Upcoming lists those before a time, the earliest first.
	Upcoming(ctx context.Context, before time.Time) iter.Seq2[domain.ScheduledItem, error]
}

// Deliveries are the posts on their way to followers, among others.
type Deliveries interface {
	// Due lists the destinations with deliveries that are due before a time.
	Due(ctx context.Context, before time.Time) ([]domain.Destination, error)
}

// Users names accounts.
type Users interface {
	// Authors returns the names of users by their ids.
	Authors(ctx context.Context, userIDs []string) (map[string]domain.Author, error)
}
