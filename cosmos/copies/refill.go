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

// refill adds displaced posts to the feed again after deletions. It does not copy the posts that are next in line,
// since their states may be old by then. It touches them, and the change feed brings them as any change.
//
// A deletion that finds the feed not full records in its tombstone that a refill is pending. The next worker that
// plans completes the refill first, so meanwhile no post is refused a place.
func (f *Feed) refill(ctx context.Context, rows FeedRows, waiting []FeedRow) error {
	malformed := make(map[string]bool) // these posts become dead letters, and are no reason to fail here
	for attempt := 1; ; attempt++ {
		need := domain.FeedLimit - len(rows.Live())
		if need <= 0 {
			break
		}
		next, err := f.nextInLine(ctx, rows, need+len(malformed))
		if err != nil {
			return err
		}
		all := true
		for _, p := range next {
			if malformed[p.ID] {
				continue
			}
			listed, err := f.posts.Touch(ctx, p.ID)
			if client.StatusOf(err) == http.StatusBadRequest {
				malformed[p.ID] = true
			} else if err != nil {
				return err
			}
			all = all && listed
		}
		if all {
			break
		}
		// A post was just deleted or withdrawn, or is malformed. Look for another.
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
		// If the row has changed since, another worker has refilled the feed, or another post must be replaced.
		if status := client.StatusOf(err); err != nil && status != http.StatusNotFound &&
			status != http.StatusPreconditionFailed {
			return err
		}
	}
	return nil
}

// place is the position of a post in the order of the newest posts.
type place struct {
	ID           string         `json:"id"`
	CreationDate schema.Instant `json:"creationDate"`
}

func (p place) order() domain.Summary {
	return domain.Summary{PostID: p.ID, Created: time.Time(p.CreationDate)}
}

// placeRow is a place as it is stored. Its date may be malformed.
type placeRow struct {
	ID           string        `json:"id"`
	CreationDate string        `json:"creationDate"`
	Status       domain.Status `json:"status"`
	Held         domain.Hold   `json:"held"`
	Suspended    bool          `json:"authorSuspended"`
	Trashed      any           `json:"trashedDate"`
}

func (r placeRow) place() (p place, ok bool) {
	p.ID = r.ID
	return p, p.CreationDate.UnmarshalText([]byte(r.CreationDate)) == nil
}

// nextInLine finds the newest n posts that are older than all posts in the feed.
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
			`SELECT c.id, c.creationDate, c.status, c.held, c.authorSuspended, c.trashedDate FROM c
			 WHERE c.type = 'post' AND c.creationDate >= @from AND c.creationDate <= @to
			 AND NOT IS_DEFINED(c.deletionDate)`,
			client.Parameters{"from": schema.Instant(from), "to": schema.Instant(to)},
			func(row placeRow) error {
				p, ok := row.place()
				if !ok { // a malformed post, which is a dead letter already
					return nil
				}
				post := domain.Post{Status: row.Status, Held: row.Held, AuthorSuspended: row.Suspended}
				if !post.Listed() || row.Trashed != nil { // too few to be worth an index
					return nil
				}
				if oldest != nil && domain.NewestFirst(p.order(), *oldest) <= 0 {
					return nil
				}
				if len(found) == limit {
					return client.ErrStopScan
				}
				found = append(found, p)
				return nil
			})
		if errors.Is(err, client.ErrStopScan) {
			return nil, true, nil
		}
		return found, false, err
	})
}

// The windows of time that newestBefore searches.
const (
	firstWindow  = 24 * time.Hour
	windowGrowth = 32
	windowRows   = 1000                       // more than this in a window is too many to read
	wholeTime    = 250 * 365 * 24 * time.Hour // no post is older
)

// newestBefore finds the newest n posts up to end. Queries over all partitions cannot sort. newestBefore therefore
// queries windows of time, from a day up to all time, until a window holds enough posts but not too many. read
// returns the posts in a window, or more if there are more than limit.
func newestBefore(n int, end time.Time,
	read func(from, to time.Time, limit int) ([]place, bool, error)) ([]place, error) {
	few, many := time.Duration(0), time.Duration(0) // widths that hold too few, too many
	for width := firstWindow; ; {
		limit := max(windowRows, 2*n)
		if many != 0 && many-few <= time.Millisecond {
			width, limit = many, int(^uint(0)>>1) // too many posts at one moment: read all
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
