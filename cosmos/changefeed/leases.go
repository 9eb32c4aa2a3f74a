package changefeed

import (
	"context"
	"net/http"
	"time"

	"github.com/Azure/azure-sdk-for-go/sdk/azcore"
	"github.com/Azure/azure-sdk-for-go/sdk/data/azcosmos"

	"inkfeed/cosmos/client"
	"inkfeed/cosmos/feeds"
	"inkfeed/cosmos/schema"
)

var leasing = client.Writes("leases")

// Leases stores the leases of change feed processors: which instance reads which feed range, and
// its checkpoint. Every change of a lease is conditional on its etag.
type Leases struct{ c *client.Container }

// NewLeases returns the leases of a database.
func NewLeases(db *client.Database) *Leases {
	return &Leases{c: db.Container(schema.LeasesContainer)}
}

type leaseItem struct {
	ID           string         `json:"id"`
	Type         string         `json:"type"`
	Processor    string         `json:"processor"`
	MinInclusive string         `json:"minInclusive"`
	MaxExclusive string         `json:"maxExclusive"`
	Container    string         `json:"container"`
	Owner        string         `json:"owner"`
	Epoch        int            `json:"epoch"`
	Continuation string         `json:"continuation"`
	Renewed      schema.Instant `json:"renewed"`
	ETag         string         `json:"_etag,omitempty"`
}

func leaseItemOf(l feeds.Lease) leaseItem {
	return leaseItem{ID: schema.LeaseID(l.Processor, l.Range), Type: schema.TypeLease, Processor: l.Processor,
		MinInclusive: l.Range.MinInclusive, MaxExclusive: l.Range.MaxExclusive,
		Container: l.Container, Owner: l.Owner, Epoch: l.Epoch,
		Continuation: l.Continuation, Renewed: schema.Instant(l.Renewed)}
}

func (i leaseItem) domain() feeds.Lease {
	return feeds.Lease{Processor: i.Processor,
		Range:     feeds.Range{MinInclusive: i.MinInclusive, MaxExclusive: i.MaxExclusive},
		Container: i.Container, Owner: i.Owner, Epoch: i.Epoch,
		Continuation: i.Continuation, Renewed: time.Time(i.Renewed), ETag: i.ETag}
}

// Create adds a lease. It returns nil if its processor and range have one already.
func (s *Leases) Create(ctx context.Context, l feeds.Lease) error {
	item := leaseItemOf(l)
	err := s.c.Create(leasing.In(ctx), item.ID, item)
	if client.StatusOf(err) == http.StatusConflict {
		return nil
	}
	return client.Translate(err)
}

// List reads all leases of a processor.
func (s *Leases) List(ctx context.Context, processor string) ([]feeds.Lease, error) {
	var leases []feeds.Lease
	err := client.Scan(leasing.In(ctx), s.c, `SELECT * FROM c WHERE c.type = 'lease' AND c.processor = @processor`,
		client.Parameters{"processor": processor},
		func(item leaseItem) error {
			leases = append(leases, item.domain())
			return nil
		})
	return leases, client.Translate(err)
}

// Read reads one lease of a processor.
func (s *Leases) Read(ctx context.Context, processor string, r feeds.Range) (feeds.Lease, error) {
	id := schema.LeaseID(processor, r)
	item, err := client.Read[leaseItem](leasing.In(ctx), s.c, id, id)
	return item.domain(), client.Translate(err)
}

// Replace replaces the version of a lease that has l.ETag, and returns the lease with its new etag.
// It returns Conflict if another instance has changed the lease first. The caller then no longer
// owns it.
func (s *Leases) Replace(ctx context.Context, l feeds.Lease) (feeds.Lease, error) {
	item := leaseItemOf(l)
	etag := azcore.ETag(l.ETag)
	ctx = leasing.In(ctx)
	resp, err := client.Returning(ctx, func() (azcosmos.ItemResponse, error) {
		return s.c.Client.ReplaceItem(ctx, client.Key(item.ID), item.ID, client.Encode(item),
			&azcosmos.ItemOptions{IfMatchEtag: &etag})
	})
	if err != nil {
		return feeds.Lease{}, client.Translate(err)
	}
	l.ETag = string(resp.ETag)
	return l, nil
}

// Delete deletes the version of a lease that has l.ETag. It returns nil if the lease is gone, and
// Conflict if it has changed.
func (s *Leases) Delete(ctx context.Context, l feeds.Lease) error {
	id := schema.LeaseID(l.Processor, l.Range)
	err := s.c.DeleteVersion(leasing.In(ctx), id, id, l.ETag)
	if client.StatusOf(err) == http.StatusNotFound {
		return nil
	}
	return client.Translate(err)
}
