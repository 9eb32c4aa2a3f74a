package following

import (
	"context"
	"net/http"
	"time"

	"github.com/Azure/azure-sdk-for-go/sdk/data/azcosmos"

	"inkfeed/cosmos/client"
	"inkfeed/cosmos/schema"
	"inkfeed/domain"
)

// followerItem is the copy of a follow in the partition of the followers of its source.
type followerItem struct {
	ID           string          `json:"id"` // the follower's
	Type         string          `json:"type"`
	UserID       string          `json:"userId"` // the partition
	CreationDate schema.Instant  `json:"creationDate"`
	Version      int64           `json:"version"`
	DeletionDate *schema.Instant `json:"deletionDate,omitempty"`
	TTL          int             `json:"ttl,omitempty"`
	ETag         string          `json:"_etag,omitempty"`
}

func followerItemOf(f domain.Follow) followerItem {
	of := followItemOf(f)
	i := followerItem{ID: f.UserID, Type: schema.TypeFollower, UserID: schema.FollowersKey(f.Source),
		CreationDate: of.CreationDate, Version: of.Version, DeletionDate: of.DeletionDate, TTL: of.TTL}
	if of.DeletionDate != nil {
		i.Type = schema.TypeDeletedFollower
	}
	return i
}

// followersItem counts the followers of a source, in their partition.
type followersItem struct {
	ID     string `json:"id"`
	Type   string `json:"type"`
	UserID string `json:"userId"`
	Count  int    `json:"count"`
	Merged bool   `json:"merged,omitempty"`
}

// copyToSource brings the copy of a follow up to date, together with the number of followers, in one transaction. A
// copy in a later state stays.
func (s *Follows) copyToSource(ctx context.Context, f domain.Follow) error {
	want, first := followerItemOf(f), false
	return client.Rewrite(ctx, func() error {
		found, err := client.Read[followerItem](ctx, s.users, want.UserID, want.ID)
		missing := client.Missing(err)
		switch {
		case err != nil && !missing:
			return client.Translate(err)
		case err == nil && found.Version >= f.Version:
			return nil
		}
		batch := s.users.Batch(want.UserID)
		if missing {
			batch.CreateItem(client.Encode(want), nil)
		} else {
			batch.ReplaceItem(want.ID, client.Encode(want), client.IfMatch(found.ETag))
		}
		change := 0
		if f.Deleted.IsZero() {
			change++
		}
		if !missing && found.DeletionDate == nil {
			change--
		}
		switch {
		case change == 0, first && change < 0: // of a deleted account, whose followers are not counted any more
		case first:
			batch.CreateItem(client.Encode(followersItem{ID: schema.FollowersID, Type: schema.TypeFollowers,
				UserID: want.UserID, Count: change}), nil)
		default:
			var count azcosmos.PatchOperations
			count.AppendIncrement("/count", int64(change))
			batch.PatchItem(schema.FollowersID, count, nil)
		}
		_, err = s.users.Execute(ctx, batch, false)
		if client.FailedAt(err, 1, http.StatusNotFound) || client.FailedAt(err, 1, http.StatusConflict) {
			first = !first
			return client.AgainIf(true, client.Translate(err))
		}
		return client.Lost(client.Translate(err))
	})
}

// Followers returns how many followers a source has. It costs a point read.
func (s *Follows) Followers(ctx context.Context, source domain.Source) (domain.Followers, error) {
	item, err := client.Read[followersItem](reading.In(ctx), s.users, schema.FollowersKey(source), schema.FollowersID)
	if client.Missing(err) {
		return domain.Followers{}, nil
	}
	return domain.Followers{Count: item.Count, Merged: item.Merged}, client.Translate(err)
}

// ListFollowers returns followers of a source who follow it at a place of the list or earlier, the latest first, and
// the place where the next page begins, which is empty on the last page. It is one query in the partition of the
// followers, and a read of each follower's present names.
func (s *Follows) ListFollowers(ctx context.Context, source domain.Source, from domain.Place) (
	list []domain.Follow, next domain.Place, err error) {
	ctx = reading.In(ctx)
	where, params := between("", from)
	params["limit"] = domain.FollowsPerPage + 1
	rows, err := client.Query[followerItem](ctx, s.users, schema.FollowersKey(source),
		`SELECT * FROM c WHERE c.type = 'follower'`+where+
			` ORDER BY c.type DESC, c.creationDate DESC, c.id DESC OFFSET 0 LIMIT @limit`, params)
	if err != nil {
		return nil, "", client.Translate(err)
	}
	if len(rows) > domain.FollowsPerPage {
		last := rows[domain.FollowsPerPage]
		rows, next = rows[:domain.FollowsPerPage], domain.PlaceOf(time.Time(last.CreationDate), last.ID)
	}
	list = client.Convert(rows, func(i followerItem) domain.Follow { return i.domain(source) })
	return list, next, s.name(ctx, list, func(f domain.Follow) string { return f.UserID })
}

func (i followerItem) domain(source domain.Source) domain.Follow {
	return domain.Follow{UserID: i.ID, Source: source, Created: time.Time(i.CreationDate), Version: i.Version,
		Deleted: i.DeletionDate.Time()}
}

// FollowersAfter returns the ids of at most limit followers of a source after a place, the earliest first, and the
// place of the last one. The zero place is the beginning.
func (s *Follows) FollowersAfter(ctx context.Context, source domain.Source, after domain.Place, limit int) (
	ids []string, last domain.Place, err error) {
	where, params := between(after, "")
	params["limit"] = limit
	rows, err := client.Query[followerItem](fanning.In(ctx), s.users, schema.FollowersKey(source),
		`SELECT c.id, c.creationDate FROM c WHERE c.type = 'follower'`+where+
			` ORDER BY c.type ASC, c.creationDate ASC, c.id ASC OFFSET 0 LIMIT @limit`, params)
	for _, row := range rows {
		ids = append(ids, row.ID)
		last = domain.PlaceOf(time.Time(row.CreationDate), row.ID)
	}
	return ids, last, client.Translate(err)
}

// between returns a condition for items of a list between two places. The first place is left out, the second is not.
// Zero places are the beginning and the end.
func between(after, to domain.Place) (where string, params client.Parameters) {
	params = make(client.Parameters)
	if at, id, ok := after.Split(); ok {
		where = " AND (c.creationDate > @date OR c.creationDate = @date AND c.id > @id)"
		params["date"], params["id"] = schema.Instant(at), id
	}
	if at, id, ok := to.Split(); ok {
		where += " AND (c.creationDate < @end OR c.creationDate = @end AND c.id <= @last)"
		params["end"], params["last"] = schema.Instant(at), id
	}
	return where, params
}

// FormerBetween returns the ids of users who have ceased to follow a source since a time, and whose places among the
// followers were between two places.
func (s *Follows) FormerBetween(ctx context.Context, source domain.Source, after, to domain.Place, since time.Time) (
	ids []string, err error) {
	where, params := between(after, to)
	params["since"] = schema.Instant(since)
	rows, err := client.Query[followerItem](fanning.In(ctx), s.users, schema.FollowersKey(source),
		`SELECT c.id FROM c WHERE c.type = 'deleted-follower' AND c.deletionDate >= @since`+where, params)
	for _, row := range rows {
		ids = append(ids, row.ID)
	}
	return ids, client.Translate(err)
}

// Refresh lets this process read all follows of a source that other processes have stored before. With session
// consistency a replica may lag behind; each write answers with a session token that covers those before it.
func (s *Follows) Refresh(ctx context.Context, source domain.Source) error {
	key := schema.FollowersKey(source)
	mark := followerItem{ID: schema.TypeMark, Type: schema.TypeMark, UserID: key, TTL: int(markTime.Seconds())}
	return client.Translate(s.users.Upsert(fanning.In(ctx), key, mark))
}

// Merge makes a source one that is merged into timelines when these are read.
func (s *Follows) Merge(ctx context.Context, source domain.Source) error {
	var ops azcosmos.PatchOperations
	ops.AppendSet("/merged", true)
	err := s.users.Patch(fanning.In(ctx), schema.FollowersKey(source), schema.FollowersID, ops)
	return client.Translate(err)
}
