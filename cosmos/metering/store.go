package metering

import (
	"context"

	"inkfeed/cosmos/client"
	"inkfeed/cosmos/costs"
	"inkfeed/cosmos/schema"
)

// Store stores what the instances measured, in one logical partition for each span.
type Store struct {
	db *client.Database
	c  *client.Container
}

// NewStore returns the stored measurements of a database.
func NewStore(db *client.Database) *Store { return &Store{db, db.Container(schema.CostsContainer)} }

// measuring is the operation of all requests of this package, so that the measurement itself is among its figures.
var measuring = client.Writes("costs")

// Put stores an interval. It replaces an earlier state of the interval that the same instance began at the same time.
func (s *Store) Put(ctx context.Context, i costs.Interval) error {
	return client.Translate(s.c.Upsert(measuring.In(ctx), string(i.Span), itemOf(i)))
}

// Intervals returns all stored intervals of a span, with one query in one logical partition. A database whose
// container costs was not created yet has none.
func (s *Store) Intervals(ctx context.Context, span costs.Span) ([]costs.Interval, error) {
	items, err := client.Query[intervalItem](measuring.In(ctx), s.c, string(span), "SELECT * FROM c", nil)
	if client.NoContainer(err) {
		return nil, nil
	}
	intervals := make([]costs.Interval, len(items))
	for i, item := range items {
		intervals[i] = item.domain()
	}
	return intervals, client.Translate(err)
}

// Sizes returns the sizes of all containers by their names, as the service reports them: they can be some minutes old.
func (s *Store) Sizes(ctx context.Context) (map[string]costs.Size, error) {
	sizes, err := s.db.Sizes(measuring.In(ctx))
	return sizes, client.Translate(err)
}
