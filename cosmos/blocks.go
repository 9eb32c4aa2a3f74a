package cosmos

import (
	"context"
	"net/http"
	"time"

	"inkfeed/cosmos/client"
	"inkfeed/cosmos/schema"
	"inkfeed/domain"
)

// Blocks stores which users a user has blocked, each block in the blocking user's partition of the container users.
type Blocks struct {
	c     *client.Container
	users *Users
}

// blockItem is in the blocking user's partition. Its id contains the blocked user's id, so that a
// point read finds out whether a user is blocked.
type blockItem struct {
	ID           string         `json:"id"`
	Type         string         `json:"type"`
	UserID       string         `json:"userId"`
	BlockedID    string         `json:"blockedId"`
	CreationDate schema.Instant `json:"creationDate"`
}

// Block stops another user from commenting on a user's posts and liking them. It is one write. It returns nil if the
// other user is blocked already, Invalid if both are the same user, and NotFound if there is no other user of that id.
func (s *Blocks) Block(ctx context.Context, userID, blockedID string, now time.Time) error {
	ctx = blocking.In(ctx)
	switch {
	case !domain.IsUserID(userID) || !domain.IsUserID(blockedID):
		return schema.ErrNoUser()
	case userID == blockedID:
		return domain.NewError(domain.Invalid, "You can't block yourself.")
	}
	if _, err := s.users.ByID(ctx, blockedID); err != nil {
		return err
	}
	err := s.c.Create(ctx, userID, blockItem{ID: schema.BlockID(blockedID), Type: schema.TypeBlock, UserID: userID,
		BlockedID: blockedID, CreationDate: schema.Instant(domain.Timestamp(now))})
	if client.StatusOf(err) == http.StatusConflict {
		return nil
	}
	return client.Translate(err)
}

// Unblock undoes Block. It returns nil if the other user is not blocked.
func (s *Blocks) Unblock(ctx context.Context, userID, blockedID string) error {
	if !domain.IsUserID(userID) || !domain.IsUserID(blockedID) {
		return nil
	}
	if err := s.c.Delete(blocking.In(ctx), userID, schema.BlockID(blockedID)); !client.Missing(err) {
		return client.Translate(err)
	}
	return nil
}

// Has reports whether a user has blocked another. It is a point read.
func (s *Blocks) Has(ctx context.Context, userID, otherID string) (bool, error) {
	if !domain.IsUserID(userID) || !domain.IsUserID(otherID) {
		return false, nil
	}
	_, err := client.Read[blockItem](client.Reads("blocks").In(ctx), s.c, userID, schema.BlockID(otherID))
	if client.Missing(err) {
		return false, nil
	}
	return err == nil, client.Translate(err)
}

// List returns one page of the users whom a user has blocked, the most recently blocked first,
// with their current names. It is a query in the user's partition and a read of the names.
func (s *Blocks) List(ctx context.Context, userID string, page int) (domain.ListPage[domain.Block], error) {
	ctx = client.Reads("blocked").In(ctx)
	rows, err := client.Query[blockItem](ctx, s.c, userID,
		`SELECT * FROM c WHERE c.userId = @user AND c.type = 'block'
		 ORDER BY c.type DESC, c.creationDate DESC, c.id DESC OFFSET @offset LIMIT @limit`,
		client.PageOf(page, domain.BlocksPerPage, client.Parameters{"user": userID}))
	if err != nil {
		return domain.ListPage[domain.Block]{}, client.Translate(err)
	}
	blocks, ids := make([]domain.Block, len(rows)), make([]string, len(rows))
	for i, row := range rows {
		blocks[i] = domain.Block{UserID: row.UserID, BlockedID: row.BlockedID, Created: time.Time(row.CreationDate)}
		ids[i] = row.BlockedID
	}
	found := domain.Cut(blocks, page, domain.BlocksPerPage)
	names, err := s.users.Authors(ctx, ids[:len(found.Items)])
	for i := range found.Items {
		b := &found.Items[i]
		if a, ok := names[b.BlockedID]; ok && !a.Deleted && !a.Suspended {
			b.Blocked = domain.User{ID: b.BlockedID, Username: a.Name, DisplayName: a.DisplayName}
		}
	}
	return found, err
}
