package cosmos

import (
	"context"
	"net/http"
	"time"

	"github.com/Azure/azure-sdk-for-go/sdk/data/azcosmos"

	"inkfeed/cosmos/client"
	"inkfeed/cosmos/schema"
	"inkfeed/domain"
)

// Invitations is where codes are that let people sign up, in one partition of the container
// moderation. Each goes by itself some time after it ended.
//
// Who signs up takes a use of one before the account is made, by a transaction: the count
// goes up if it is below its bound, and an item says who took it. That makes the retry of a
// call whose answer was lost no second use. Once the account is there the item names nobody,
// and goes by itself soon. Until then it is a use that may have been taken for nothing, by a
// process that died: whoever next comes with an invitation that is used up gives it back.
type Invitations struct {
	c     *client.Container
	users *Users
}

type invitationItem struct {
	ID             string         `json:"id"` // the code
	Type           string         `json:"type"`
	Queue          string         `json:"queue"`
	CreationDate   schema.Instant `json:"creationDate"`
	ExpirationDate schema.Instant `json:"expirationDate"`
	CreatorID      string         `json:"creatorId"`
	CreatorName    string         `json:"creatorName"`
	Note           string         `json:"note,omitempty"`
	Uses           int            `json:"uses"`
	MaxUses        int            `json:"maxUses"`
	TTL            int            `json:"ttl"`
}

type invitationUseItem struct {
	ID    string `json:"id"`
	Type  string `json:"type"`
	Queue string `json:"queue"`
	// Of a use whose account may not be there.
	Code         string          `json:"code,omitempty"`
	UserID       string          `json:"userId,omitempty"`
	CreationDate *schema.Instant `json:"creationDate,omitempty"`
	// TTL in seconds: the invitation's until the account is there, then useTime.
	TTL int `json:"ttl"`
}

const (
	// endedTime is how long an invitation is listed that has ended.
	endedTime = 30 * 24 * time.Hour
	// useTime is how long it is known who took a use: longer than any call is tried again.
	useTime = time.Hour
)

func (i invitationItem) usedUp() bool { return i.Type == schema.TypeInvitation && i.Uses >= i.MaxUses }

func (i invitationItem) domain() domain.Invitation {
	return domain.Invitation{Code: i.ID, Created: time.Time(i.CreationDate), Expires: time.Time(i.ExpirationDate), CreatorID: i.CreatorID,
		CreatorName: i.CreatorName, Note: i.Note, Uses: i.Uses, MaxUses: i.MaxUses}
}

// Create keeps an invitation of domain.NewInvitation. It answers Conflict when there are as
// many as there can be.
func (s *Invitations) Create(ctx context.Context, i domain.Invitation) error {
	ctx = client.Operation(ctx, "create-invitation")
	all, err := s.List(ctx)
	switch {
	case err != nil:
		return err
	case len(all) >= domain.MaxInvitations:
		return domain.Errorf(domain.Conflict, "There can be up to %d invitations. Revoke or remove some first.", len(all))
	}
	seconds := int((time.Until(i.Expires) + endedTime).Seconds())
	err = s.c.Create(ctx, schema.InvitationQueue, invitationItem{ID: i.Code, Type: schema.TypeInvitation, Queue: schema.InvitationQueue,
		CreationDate: schema.Instant(i.Created), ExpirationDate: schema.Instant(i.Expires), CreatorID: i.CreatorID, CreatorName: i.CreatorName,
		Note: i.Note, MaxUses: i.MaxUses, TTL: seconds})
	if client.StatusOf(err) == http.StatusConflict { // this call's own earlier attempt: codes are random
		return nil
	}
	return client.Translate(err)
}

// List is all invitations, the newest first.
func (s *Invitations) List(ctx context.Context) ([]domain.Invitation, error) {
	rows, err := client.Query[invitationItem](client.Operation(ctx, "invitations"), s.c, schema.InvitationQueue,
		`SELECT * FROM c WHERE c.type = 'invitation' ORDER BY c.type DESC, c.creationDate DESC, c.id DESC`, nil)
	invitations := make([]domain.Invitation, len(rows))
	for i, row := range rows {
		invitations[i] = row.domain()
	}
	return invitations, client.Translate(err)
}

// Revoke takes an invitation back. One that is gone is no error.
func (s *Invitations) Revoke(ctx context.Context, code string) error {
	if !domain.IsID(code) {
		return nil
	}
	err := s.c.Delete(client.Operation(ctx, "revoke-invitation"), schema.InvitationQueue, code)
	if client.Missing(err) {
		return nil
	}
	return client.Translate(err)
}

// Erase takes back the invitations of a user whose account is deleted.
func (s *Invitations) Erase(ctx context.Context, userID string) error {
	all, err := s.List(ctx)
	for _, i := range all {
		if err == nil && i.CreatorID == userID {
			err = s.Revoke(ctx, i.Code)
		}
	}
	return err
}

// Check tells, as an Invalid error about the field "invitation", that nobody can come by a
// code any more. Whoever made it still has to be one who may.
func (s *Invitations) Check(ctx context.Context, code string) error {
	_, err := s.open(client.Operation(ctx, "invitation"), code)
	return err
}

// open reads what Check lets pass. Of an invitation that was used up it first gives back what
// sign-ups took that came to nothing.
func (s *Invitations) open(ctx context.Context, code string) (invitationItem, error) {
	if !domain.IsID(code) {
		return invitationItem{}, domain.ErrInvitation()
	}
	item, err := client.Read[invitationItem](ctx, s.c, schema.InvitationQueue, code)
	if err == nil && item.usedUp() {
		var back int
		if back, err = s.giveBackLost(ctx, code); back > 0 {
			item, err = client.Read[invitationItem](ctx, s.c, schema.InvitationQueue, code)
		}
	}
	if client.Missing(err) || err == nil && (item.Type != schema.TypeInvitation || !item.domain().Open(time.Now())) {
		return item, domain.ErrInvitation()
	}
	if err != nil {
		return item, client.Translate(err)
	}
	creator, err := s.users.account(ctx, item.CreatorID)
	if domain.Is(err, domain.NotFound) || err == nil && (!creator.Role.MayAdminister() || !creator.Suspended.IsZero()) {
		return item, domain.ErrInvitation()
	}
	return item, err
}

// Use takes one use for an account that is about to be made, once for each. Of many at once
// as many succeed as there are uses left; the others fail as Check does.
func (s *Invitations) Use(ctx context.Context, code, userID string) error {
	ctx = client.Operation(ctx, "use-invitation")
	invitation, err := s.open(ctx, code) // the time of the service's clock is not for conditions
	if err != nil {
		return err
	}
	now := schema.Instant(time.Now())
	batch := s.c.Batch(schema.InvitationQueue)
	batch.CreateItem(client.Encode(invitationUseItem{ID: useID(code, userID), Type: schema.TypeInvitationUse, Queue: schema.InvitationQueue,
		Code: code, UserID: userID, CreationDate: &now, TTL: invitation.TTL}), nil)
	var ops azcosmos.PatchOperations
	ops.SetCondition("from c where c.uses < c.maxUses")
	ops.AppendIncrement("/uses", 1)
	batch.PatchItem(code, ops, nil)
	_, err = s.c.Execute(ctx, batch, false)
	switch {
	case client.FailedAt(err, 0, http.StatusConflict): // this call's own earlier attempt
		return nil
	case client.FailedAt(err, 1, http.StatusPreconditionFailed), client.FailedAt(err, 1, http.StatusNotFound):
		return domain.ErrInvitation()
	}
	return client.Translate(err)
}

func useID(code, userID string) string { return "use." + domain.SecretDigest(code+" "+userID) }

// Settle notes that the account is there for which a use was taken: nothing gives it back any
// more, and nothing tells who took it. Without that whoever next needs a use finds out.
func (s *Invitations) Settle(ctx context.Context, code, userID string) error {
	var ops azcosmos.PatchOperations
	ops.SetCondition("from c where is_defined(c.userId)")
	ops.AppendRemove("/code")
	ops.AppendRemove("/userId")
	ops.AppendRemove("/creationDate")
	ops.AppendSet("/ttl", int(useTime.Seconds()))
	err := s.c.Patch(client.Operation(ctx, "settle-invitation"), schema.InvitationQueue, useID(code, userID), ops)
	if client.Missing(err) || client.StatusOf(err) == http.StatusPreconditionFailed { // done before
		return nil
	}
	return client.Translate(err)
}

// GiveBack undoes Use for an account that was not made after all. Where an account has been
// made, though whoever made it was not told, it settles that.
func (s *Invitations) GiveBack(ctx context.Context, code, userID string) error {
	ctx = client.Operation(ctx, "give-back-invitation")
	_, err := s.users.account(ctx, userID)
	if err == nil {
		return s.Settle(ctx, code, userID)
	}
	if !domain.Is(err, domain.NotFound) {
		return err
	}
	batch := s.c.Batch(schema.InvitationQueue)
	batch.DeleteItem(useID(code, userID), nil)
	var ops azcosmos.PatchOperations
	ops.AppendIncrement("/uses", -1)
	batch.PatchItem(code, ops, nil)
	_, err = s.c.Execute(ctx, batch, false)
	if client.FailedBatch(err, http.StatusNotFound) { // done before, or the invitation was taken back
		return nil
	}
	return client.Translate(err)
}

// giveBackLost gives back, or settles, what sign-ups took that have ended half-way: their names are
// free again by then. It tells how many those were.
func (s *Invitations) giveBackLost(ctx context.Context, code string) (ended int, err error) {
	taken, err := client.Query[invitationUseItem](ctx, s.c, schema.InvitationQueue,
		`SELECT * FROM c WHERE c.type = 'invitation-use' AND c.code = @code`, client.Parameters{"code": code})
	for _, use := range taken {
		if err != nil {
			break
		}
		if time.Since(use.CreationDate.Time()) > ReservationTime {
			ended++
			err = s.GiveBack(ctx, code, use.UserID)
		}
	}
	return ended, err
}
