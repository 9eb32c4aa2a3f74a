package notifications

import (
	"context"
	"net/http"
	"time"

	"github.com/Azure/azure-sdk-for-go/sdk/data/azcosmos"

	"inkfeed/cosmos/client"
	"inkfeed/cosmos/dependency"
	"inkfeed/cosmos/schema"
	"inkfeed/domain"
)

var (
	muting       = client.WritesOnly("mute", dependency.FacetMutes|dependency.FacetAccount)
	readingMutes = client.Reads("mutes")
)

// Mutes stores what users have muted. All mutes of a user are one item in the user's partition, and the user item
// counts them.
type Mutes struct{ c *client.Container }

// NewMutes returns the mutes of a database.
func NewMutes(db *client.Database) *Mutes { return &Mutes{c: db.Container(schema.UsersContainer)} }

type mutesItem struct {
	ID     string      `json:"id"`
	Type   string      `json:"type"`
	UserID string      `json:"userId"`
	Muted  []mutedItem `json:"muted"`
	ETag   string      `json:"_etag,omitempty"`
}

type mutedItem struct {
	Kind domain.MuteKind `json:"kind"`
	ID   string          `json:"id"`
	Date schema.Instant  `json:"date"`
}

func (i mutesItem) domain() domain.Mutes {
	return client.Convert(i.Muted, func(m mutedItem) domain.Mute {
		return domain.Mute{Kind: m.Kind, ID: m.ID, Date: time.Time(m.Date)}
	})
}

// Of returns the mutes of a user, with one point read.
func (s *Mutes) Of(ctx context.Context, userID string) (domain.Mutes, error) {
	item, err := client.Read[mutesItem](readingMutes.In(ctx), s.c, userID, schema.MutesID)
	if client.Missing(err) {
		return nil, nil
	}
	return item.domain(), client.Translate(err)
}

// Mute adds a mute. Muting again changes nothing. It returns Conflict if the user has too many mutes, and NotFound if
// the user is deleted.
func (s *Mutes) Mute(ctx context.Context, userID string, m domain.Mute) error {
	if !m.Valid() {
		return domain.NewError(domain.Invalid, "There is no such person, tag or post.")
	}
	return s.change(ctx, userID, func(all domain.Mutes) (domain.Mutes, error) { return all.With(m) })
}

// Unmute removes a mute, if there is one. It returns NotFound if the user is deleted.
func (s *Mutes) Unmute(ctx context.Context, userID string, kind domain.MuteKind, id string) error {
	return s.change(ctx, userID, func(all domain.Mutes) (domain.Mutes, error) { return all.Without(kind, id), nil })
}

// change replaces the mutes of a user and their count in one transaction, unless another request came first. Then it
// tries again.
func (s *Mutes) change(ctx context.Context, userID string, change func(domain.Mutes) (domain.Mutes, error)) error {
	ctx = muting.In(ctx)
	return client.Rewrite(ctx, func() error {
		item, err := client.Read[mutesItem](ctx, s.c, userID, schema.MutesID)
		if err != nil && !client.Missing(err) {
			return client.Translate(err)
		}
		known, etag := item.domain(), item.ETag
		mutes, err := change(known)
		if err != nil || len(mutes) == len(known) {
			return err
		}
		item = mutesItem{ID: schema.MutesID, Type: schema.TypeMutes, UserID: userID,
			Muted: make([]mutedItem, len(mutes))}
		for i, m := range mutes {
			item.Muted[i] = mutedItem{m.Kind, m.ID, schema.Instant(domain.Timestamp(m.Date))}
		}
		batch := s.c.Batch(userID)
		var count azcosmos.PatchOperations
		count.SetCondition(schema.IfLive)
		count.AppendSet("/muteCount", len(mutes))
		batch.PatchItem(userID, count, nil)
		if etag == "" {
			batch.CreateItem(client.Encode(item), nil)
		} else {
			batch.ReplaceItem(item.ID, client.Encode(item), client.IfMatch(etag))
		}
		_, err = s.c.Execute(ctx, batch, false)
		if client.FailedAt(err, 0, http.StatusPreconditionFailed) || client.FailedAt(err, 0, http.StatusNotFound) {
			return schema.ErrNoUser()
		}
		return client.AgainLaterIf(client.LostRace(err), client.Translate(err))
	})
}
