package imports

import (
	"cmp"
	"context"
	"net/http"
	"slices"
	"time"

	"github.com/Azure/azure-sdk-for-go/sdk/data/azcosmos"
	"golang.org/x/sync/errgroup"

	"inkfeed/cosmos/client"
	"inkfeed/cosmos/schema"
	"inkfeed/domain"
)

type addressesItem struct {
	ID        string             `json:"id"`
	Type      string             `json:"type"`
	Queue     string             `json:"queue"`
	UserID    string             `json:"userId"`
	Created   schema.Instant     `json:"creationDate"`
	Requests  int                `json:"requestCount"`
	Examples  []string           `json:"examples,omitempty"`
	Addresses []requestedAddress `json:"addresses,omitempty"` // absent in the rows of lists
	ETag      string             `json:"_etag,omitempty"`
}

type requestedAddress struct {
	Path   string `json:"path"`
	PostID string `json:"postId,omitempty"`
	To     string `json:"to,omitempty"`
}

func (i addressesItem) domain() domain.AddressRequests {
	r := domain.AddressRequests{UserID: i.UserID, Since: time.Time(i.Created), Count: i.Requests, Examples: i.Examples,
		ETag: i.ETag}
	for _, a := range i.Addresses {
		r.Addresses = append(r.Addresses, domain.Redirect{Path: a.Path, OwnerID: i.UserID, PostID: a.PostID, To: a.To})
	}
	return r
}

// Requests returns the addresses that a user's imports ask for, with one point read. There may be none.
func (r *Redirects) Requests(ctx context.Context, userID string) (domain.AddressRequests, error) {
	item, err := client.Read[addressesItem](requestingAddresses.In(ctx), r.requests, schema.AddressQueue, userID)
	if client.Missing(err) {
		return domain.AddressRequests{UserID: userID}, nil
	}
	return item.domain(), client.Translate(err)
}

// SetRequests stores the addresses that a user's imports ask for. It fails with Conflict if they were changed since
// they were read.
func (r *Redirects) SetRequests(ctx context.Context, all domain.AddressRequests) error {
	if !domain.IsUserID(all.UserID) {
		return schema.ErrNoUser()
	}
	ctx = requestingAddresses.In(ctx)
	if all.Since.IsZero() {
		all.Since = time.Now()
	}
	item := addressesItem{ID: all.UserID, Type: schema.TypeAddressOwner, Queue: schema.AddressQueue, UserID: all.UserID,
		Created: schema.Instant(domain.Timestamp(all.Since)), Requests: all.Count, Examples: all.Examples}
	if all.Count > 0 {
		item.Type = schema.TypeAddressRequest
	}
	for _, a := range all.Addresses {
		item.Addresses = append(item.Addresses, requestedAddress{Path: a.Path, PostID: a.PostID, To: a.To})
	}
	var err error
	if all.ETag == "" {
		err = r.requests.Create(ctx, schema.AddressQueue, item)
	} else {
		err = r.requests.Replace(ctx, schema.AddressQueue, item.ID, all.ETag, item)
	}
	return client.Translate(err)
}

// ListRequests returns a page of the users who have imported. Those whose imports ask for addresses come first.
func (r *Redirects) ListRequests(ctx context.Context, page int) (domain.ListPage[domain.AddressRequests], error) {
	items, err := client.Query[addressesItem](requestingAddresses.In(ctx), r.requests,
		schema.AddressQueue, `SELECT c.userId, c.creationDate, c.requestCount, c.examples, c._etag FROM c
		 WHERE c.queue = @queue ORDER BY c.type DESC, c.creationDate DESC, c.id DESC OFFSET @offset LIMIT @limit`,
		client.PageOf(page, domain.RequestsPerPage, client.Parameters{"queue": schema.AddressQueue}))
	rows := client.Convert(items, addressesItem.domain)
	return domain.Cut(rows, page, domain.RequestsPerPage), client.Translate(err)
}

// Named returns the sorted addresses that the records of a user's imports name, with one query in the user's
// partition. Some may redirect to other users' posts, wait for approval, or redirect nowhere.
func (r *Redirects) Named(ctx context.Context, userID string) ([]string, error) {
	records, err := (&Imports{c: r.users}).Of(ctx, userID)
	var paths []string
	for _, record := range records {
		paths = append(paths, record.Paths...)
	}
	slices.Sort(paths)
	return slices.Compact(paths), err
}

// Limits of one call of Approve.
const (
	approveTime     = 5 * time.Second
	approveTogether = 16
)

// Approve redirects addresses that a user's imports ask for, and removes them from the requests. Addresses of other
// users stay in the requests, and so do reserved ones, those that no record names because the post was not imported,
// and those for which the time does not suffice. It fails with Conflict if the requests have changed. Repeating it
// completes an interrupted call.
func (r *Redirects) Approve(ctx context.Context, all domain.AddressRequests,
	chosen func(domain.Redirect) bool) (left domain.AddressRequests, err error) {
	ctx = redirecting.In(ctx)
	isNamed, err := r.named(ctx, all.UserID)
	if err != nil {
		return all, err
	}
	done, index := make([]bool, len(all.Addresses)), make(map[string]int)
	group, groupCtx := errgroup.WithContext(ctx)
	group.SetLimit(approveTogether)
	start := time.Now()
	for i, a := range all.Addresses {
		index[a.Path] = i
		if chosen(a) && time.Since(start) < approveTime && isNamed(a.Path) &&
			domain.ClaimOf(a.Path) != domain.ClaimNever {
			group.Go(func() error {
				there, err := r.Put(groupCtx, a)
				done[i] = err == nil && there.OwnerID == a.OwnerID
				return err
			})
		}
	}
	if err := group.Wait(); err != nil {
		return all, err
	}
	left = all
	left.Remove(func(a domain.Redirect) bool { return done[index[a.Path]] })
	if err = r.SetRequests(ctx, left); !domain.Is(err, domain.Conflict) && !domain.Is(err, domain.NotFound) {
		return left, err
	}
	// If an import was undone or an account deleted meanwhile, redirects must not outlive the records.
	isNamed, read := r.named(ctx, all.UserID)
	for i, a := range all.Addresses {
		if read == nil && done[i] && !isNamed(a.Path) {
			read = client.Translate(r.erase(ctx, a.Path, a.OwnerID))
		}
	}
	return all, cmp.Or(read, err)
}

// named returns a function that reports whether the records of a user's imports name an address.
func (r *Redirects) named(ctx context.Context, userID string) (func(path string) bool, error) {
	paths, err := r.Named(ctx, userID)
	return func(path string) bool {
		_, found := slices.BinarySearch(paths, path)
		return found
	}, err
}

// Assign makes an address lead from before to after. Without an owner, before or after stand for an address that leads
// nowhere. It fails with Conflict if the address leads elsewhere. A record of the new owner names the address first, so
// that it is deleted with the account.
func (r *Redirects) Assign(ctx context.Context, before, after domain.Redirect) error {
	ctx = redirecting.In(ctx)
	if after.OwnerID != "" {
		if err := r.name(ctx, after); err != nil {
			return client.Translate(err)
		}
	}
	id, item := schema.RedirectID(before.Path), redirectItemOf(after)
	there, err := client.Read[redirectItem](ctx, r.c, id, id)
	missing := client.Missing(err)
	switch {
	case err != nil && !missing:
		return client.Translate(err)
	case !missing && there.domain() != before, missing && before.OwnerID != "":
		return domain.NewError(domain.Conflict, "This address leads elsewhere now. Check where, and try again.")
	case missing && after.OwnerID == "":
		return nil
	case missing:
		err = r.c.Create(ctx, id, item)
	case after.OwnerID == "":
		err = r.c.DeleteVersion(ctx, id, id, there.ETag)
	default:
		err = r.c.Replace(ctx, id, id, there.ETag, item)
	}
	return client.Translate(err)
}

// name adds an address to the record of those that administrators gave to a user.
func (r *Redirects) name(ctx context.Context, to domain.Redirect) error {
	record := importItemOf(domain.Import{UserID: to.OwnerID, Done: true, Paths: []string{to.Path},
		PostID: domain.ImportedID(to.OwnerID, "assigned addresses")})
	err := r.users.Create(ctx, to.OwnerID, record)
	if client.StatusOf(err) == http.StatusConflict {
		var ops azcosmos.PatchOperations
		ops.AppendAdd("/paths/-", to.Path)
		err = r.users.Patch(ctx, to.OwnerID, record.ID, ops)
	}
	if err != nil {
		return err
	}
	return r.list(ctx, to.OwnerID)
}

// list adds a user to ListRequests.
func (r *Redirects) list(ctx context.Context, userID string) error {
	err := r.SetRequests(ctx, domain.AddressRequests{UserID: userID})
	if domain.Is(err, domain.Conflict) { // the user is listed already
		return nil
	}
	return err
}

// ListImporters adds every user who has records of imports to ListRequests.
func (r *Redirects) ListImporters(ctx context.Context) error {
	ctx = requestingAddresses.In(ctx)
	users := make(map[string]bool)
	err := client.Scan(ctx, r.users, `SELECT c.userId FROM c WHERE c.type = 'import'`, client.Parameters{},
		func(i importItem) error {
			users[i.UserID] = domain.IsUserID(i.UserID)
			return nil
		})
	for userID, person := range users {
		if err == nil && person {
			err = r.list(ctx, userID)
		}
	}
	return client.Translate(err)
}
