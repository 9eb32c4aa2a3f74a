package copies

import (
	"context"
	"errors"
	"net/http"
	"slices"
	"time"

	"github.com/Azure/azure-sdk-for-go/sdk/data/azcosmos"

	"inkfeed/cosmos/client"
	"inkfeed/cosmos/schema"
	"inkfeed/domain"
)

// refill makes room again for posts that were displaced from the feed, after others
// were deleted. The next in line are not copied here, for their copies might be old
// by then: their sources are nudged, and they come by the change feed like any change.
//
// A deletion that finds the feed not full waits with its tombstone for this, so
// whoever plans next completes it first; nobody is refused a place meanwhile.
func (f *Feed) refill(ctx context.Context, rows FeedRows, waiting []FeedRow) error {
	odd := make(map[string]bool) // not of their shape: dead letters, which are no reason to fail here
	for attempt := 1; ; attempt++ {
		need := domain.FeedLimit - len(rows.Live())
		if need <= 0 {
			break
		}
		next, err := f.nextInLine(ctx, rows, need+len(odd))
		if err != nil {
			return err
		}
		all := true
		for _, p := range next {
			if odd[p.ID] {
				continue
			}
			listed, err := f.posts.Touch(ctx, p.ID)
			if client.StatusOf(err) == http.StatusBadRequest {
				odd[p.ID] = true
			} else if err != nil {
				return err
			}
			all = all && listed
		}
		if all {
			break
		}
		// One was deleted or withdrawn just now, or is odd: look for another.
		if attempt == applyAttempts {
			return errFeedBusy()
		}
		if err := client.PauseAfter(ctx, attempt); err != nil {
			return err
		}
	}
	for _, row := range waiting {
		var ops azcosmos.PatchOperations
		ops.AppendSet("/refill", false)
		ops.AppendSet("/ttl", schema.TombstoneTTL)
		err := f.c.PatchVersion(ctx, schema.TypePost, row.ID, row.ETag, ops)
		// Changed since: somebody else has refilled, or another post is to be replaced.
		if status := client.StatusOf(err); err != nil && status != http.StatusNotFound &&
			status != http.StatusPreconditionFailed {
			return err
		}
	}
	return nil
}

// place is where a post stands among the newest.
type place struct {
	ID           string         `json:"id"`
	CreationDate schema.Instant `json:"creationDate"`
}

func (p place) order() domain.Summary {
	return domain.Summary{PostID: p.ID, Created: time.Time(p.CreationDate)}
}

// placeRow is a place as it is stored, perhaps in no shape.
type placeRow struct {
	ID           string        `json:"id"`
	CreationDate string        `json:"creationDate"`
	Status       domain.Status `json:"status"`
	Held         domain.Hold   `json:"held"`
	Suspended    bool          `json:"authorSuspended"`
}

func (r placeRow) place() (p place, ok bool) {
	p.ID = r.ID
	return p, p.CreationDate.UnmarshalText([]byte(r.CreationDate)) == nil
}

// nextInLine finds the newest n posts that are older than all in the feed.
func (f *Feed) nextInLine(ctx context.Context, rows FeedRows, n int) ([]place, error) {
	end := time.Now().Add(24 * time.Hour) // clocks differ
	var oldest *domain.Summary
	if live := rows.Live(); len(live) > 0 {
		last := slices.MaxFunc(live, byPlace).place()
		oldest, end = &last, last.Created
	}
	return newestBefore(n, end, func(from, to time.Time, limit int) ([]place, bool, error) {
		var found []place
		err := client.Scan(ctx, f.sources,
			`SELECT c.id, c.creationDate, c.status, c.held, c.authorSuspended FROM c
			 WHERE c.type = 'post' AND c.creationDate >= @from AND c.creationDate <= @to
			 AND NOT IS_DEFINED(c.deletionDate)`,
			client.Parameters{"from": schema.Instant(from), "to": schema.Instant(to)},
			func(row placeRow) error {
				p, ok := row.place()
				if !ok { // a post that nobody can read: it is a dead letter, and no reason to make another
					return nil
				}
				post := domain.Post{Status: row.Status, Held: row.Held, AuthorSuspended: row.Suspended}
				if !post.Listed() { // too few to be worth an index
					return nil
				}
				if oldest != nil && domain.NewestFirst(p.order(), *oldest) <= 0 {
					return nil
				}
				if len(found) == limit {
					return client.ErrEnough
				}
				found = append(found, p)
				return nil
			})
		if errors.Is(err, client.ErrEnough) {
			return nil, true, nil
		}
		return found, false, err
	})
}

// Windows of time in which newestBefore looks.
const (
	firstWindow  = 24 * time.Hour
	windowGrowth = 32
	windowRows   = 1000                       // more than this in a window is too many to read
	wholeTime    = 250 * 365 * 24 * time.Hour // no post is older
)

// newestBefore finds the newest n posts up to end. No query over all partitions can
// order, so it asks for windows of time, from a day to all of it, until one holds
// enough and not too many. read gives what is in a window, and reports, instead, that
// it is more than limit.
func newestBefore(n int, end time.Time,
	read func(from, to time.Time, limit int) ([]place, bool, error)) ([]place, error) {
	few, many := time.Duration(0), time.Duration(0) // widths that hold too few, too many
	for width := firstWindow; ; {
		limit := max(windowRows, 2*n)
		if many != 0 && many-few <= time.Millisecond {
			width, limit = many, int(^uint(0)>>1) // as many as that in one moment: all of them
		}
		found, more, err := read(end.Add(-width), end, limit)
		switch {
		case err != nil:
			return nil, err
		case more:
			many = width
		case len(found) >= n || width == wholeTime:
			slices.SortFunc(found, func(a, b place) int { return domain.NewestFirst(a.order(), b.order()) })
			return found[:min(n, len(found))], nil
		default:
			few = width
		}
		switch {
		case many != 0:
			width = few + (many-few)/2
		case width > wholeTime/windowGrowth:
			width = wholeTime
		default:
			width *= windowGrowth
		}
	}
}
