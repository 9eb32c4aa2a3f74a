package verify

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/Azure/azure-sdk-for-go/sdk/data/azcosmos"

	"inkfeed/cosmos/client"
	"inkfeed/cosmos/feeds"
	"inkfeed/cosmos/schema"
)

// storedLease is the checker's own reading of a lease.
type storedLease struct {
	ID           string    `json:"id"`
	Type         string    `json:"type"`
	Processor    string    `json:"processor"`
	MinInclusive string    `json:"minInclusive"`
	MaxExclusive string    `json:"maxExclusive"`
	Container    string    `json:"container"` // empty in leases by earlier releases
	Owner        string    `json:"owner"`
	Continuation string    `json:"continuation"`
	Renewed      time.Time `json:"renewed"`
}

func (l storedLease) feedRange() feeds.Range {
	return feeds.Range{MinInclusive: l.MinInclusive, MaxExclusive: l.MaxExclusive}
}

// rebuilding is the prefix of the processors that replay a projection. Their leases come and go, so they need not
// cover everything.
const rebuilding = "rebuild."

// clockSkew is the maximum difference between the clock of the instance that renewed a lease and ours.
const clockSkew = time.Hour

func (a *audit) readLeases(ctx context.Context, db *client.Database) error {
	rids := make(map[string]string) // by processor, whose name is that of the container that it reads
	for _, name := range []string{schema.UsersContainer, schema.PostsContainer} {
		resp, err := client.Returning(ctx, func() (azcosmos.ContainerResponse, error) {
			return db.Container(name).Client.Read(ctx, nil)
		})
		if err != nil {
			return err
		}
		rids[name] = resp.ContainerProperties.ResourceID
	}
	return readItems(ctx, a, db, schema.LeasesContainer, wholeQuery, nil, func(l storedLease) {
		if l.Type != schema.TypeLease {
			a.violation(ruleTypes, "leases item "+l.ID, "type %q", l.Type)
			return
		}
		if !strings.HasPrefix(l.Processor, rebuilding) {
			a.leases[l.Processor] = append(a.leases[l.Processor], l.feedRange())
		}
		for _, problem := range l.problems(rids[l.Processor], a.now) {
			a.violation(ruleLeases, "lease "+l.ID, "%s", problem)
		}
	})
}

// problems lists the faults of a lease. rid is the resource id of its container, or empty if it is not known.
func (l storedLease) problems(rid string, now time.Time) (list []string) {
	problem := func(format string, args ...any) { list = append(list, fmt.Sprintf(format, args...)) }
	if id := schema.LeaseID(l.Processor, l.feedRange()); l.ID != id {
		problem("its id should be %s", id)
	}
	if l.MinInclusive >= l.MaxExclusive {
		problem("it is of the empty range from %q to %q", l.MinInclusive, l.MaxExclusive)
	}
	if l.Container != "" && rid != "" && l.Container != rid {
		problem("it is of container %s, which is now %s", l.Container, rid)
	}
	if l.Owner != "" && l.Renewed.IsZero() {
		problem("%s owns it, and never renewed it", l.Owner)
	}
	if l.Renewed.After(now.Add(clockSkew)) {
		problem("it was renewed at %s, which is in the future", l.Renewed.Format(time.RFC3339))
	}
	if l.Continuation != "" {
		if err := checkContinuation(l.Continuation, cmp.Or(rid, l.Container), l.feedRange()); err != nil {
			problem("its continuation: %v", err)
		}
	}
	return list
}

// continuationToken is the position in a change feed as the SDK encodes it. It has a part for each partition that
// the feed range was split into.
type continuationToken struct {
	ResourceID   string              `json:"resourceId"`
	Continuation []continuationRange `json:"continuation"`
}

type continuationRange struct {
	MinInclusive string `json:"minInclusive"`
	MaxExclusive string `json:"maxExclusive"`
}

// checkContinuation checks that a continuation belongs to the container and covers the whole range. The SDK treats
// a continuation that it cannot decode as none, and skips parts that are not named.
func checkContinuation(text, rid string, r feeds.Range) error {
	var token continuationToken
	if err := json.Unmarshal([]byte(text), &token); err != nil {
		return fmt.Errorf("not a token: %w", err)
	}
	if rid != "" && token.ResourceID != rid {
		return fmt.Errorf("it is of container %q, not of %s", token.ResourceID, rid)
	}
	slices.SortFunc(token.Continuation,
		func(x, y continuationRange) int { return cmp.Compare(x.MinInclusive, y.MinInclusive) })
	end := r.MinInclusive
	for _, part := range token.Continuation {
		if part.MinInclusive <= end {
			end = max(end, part.MaxExclusive)
		}
	}
	if end < r.MaxExclusive {
		return fmt.Errorf("it does not cover the range from %q", end)
	}
	return nil
}

// checkLeases checks that the leases of each processor cover the whole change feed without overlaps. The named
// processors must have leases.
func (a *audit) checkLeases(processors []string) {
	for _, name := range processors {
		if len(a.leases[name]) == 0 {
			a.violation(ruleTiling, "processor "+name, "it has no leases")
		}
	}
	for name, ranges := range a.leases {
		slices.SortFunc(ranges, func(x, y feeds.Range) int {
			return cmp.Or(cmp.Compare(x.MinInclusive, y.MinInclusive), cmp.Compare(x.MaxExclusive, y.MaxExclusive))
		})
		end := ""
		for _, r := range ranges {
			switch {
			case r.MinInclusive > end:
				a.violation(ruleTiling, "processor "+name, "no lease covers the range from %q to %q",
					end, r.MinInclusive)
			case r.MinInclusive < end:
				a.violation(ruleTiling, "processor "+name, "from %q to %q is covered twice", r.MinInclusive,
					min(end, r.MaxExclusive))
			}
			end = max(end, r.MaxExclusive)
		}
		if end < endOfHashes {
			a.violation(ruleTiling, "processor "+name, "no lease covers the range from %q to %q", end, endOfHashes)
		}
	}
}

// endOfHashes is the end of the last feed range. The first one begins at "".
const endOfHashes = "FF"

// storedDeadLetter is the checker's own reading of a dead letter.
type storedDeadLetter struct {
	ID           string `json:"id"`
	Type         string `json:"type"`
	Processor    string `json:"processor"`
	PartitionKey string `json:"partitionKey"`
	ItemID       string `json:"itemId"`
	Error        string `json:"error"`
}

// readDeadLetters reports each dead letter as a violation. A database from before the dead letters has no such
// container.
func (a *audit) readDeadLetters(ctx context.Context, db *client.Database) error {
	return readOptionalItems(ctx, a, db, schema.DeadLettersContainer, deadLettersQuery, func(i storedDeadLetter) {
		if i.Type != schema.TypeDeadLetter {
			a.violation(ruleTypes, schema.DeadLettersContainer+" item "+i.ID, "type %q", i.Type)
			return
		}
		a.violation(ruleDeadLetters, "item "+i.ItemID+" of "+i.PartitionKey, "for processor %s: %s", i.Processor,
			i.Error)
	})
}
