package cosmos

import (
	"context"
	"net/http"
	"slices"
	"time"

	"github.com/Azure/azure-sdk-for-go/sdk/data/azcosmos"

	"inkfeed/cosmos/client"
	"inkfeed/cosmos/schema"
	"inkfeed/domain"
)

// Invitations stores the invitation codes with which people sign up, in one partition of the container moderation.
// Invitations expire some time after they end.
//
// A sign-up takes one use of an invitation before it creates the account. One transaction counts the use, if any is
// left, and creates an item with the new user's id. The item prevents that a repeated call takes a second use. Once the
// account exists, the id is removed and the item soon expires. If the process dies before that, the use may be taken
// without an account. The next sign-up that finds the invitation used up gives such a use back.
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
	Role           string         `json:"role,omitempty"`
	Email          string         `json:"email,omitempty"`
	Uses           int            `json:"uses"`
	MaxUses        int            `json:"maxUses"`
	TTL            int            `json:"ttl"`
}

type invitationUseItem struct {
	ID    string `json:"id"`
	Type  string `json:"type"`
	Queue string `json:"queue"`
	// Code, UserID and CreationDate are set until the account is known to exist.
	Code         string          `json:"code,omitempty"`
	UserID       string          `json:"userId,omitempty"`
	CreationDate *schema.Instant `json:"creationDate,omitempty"`
	// TTL is in seconds: the invitation's until the account exists, then useTime.
	TTL int `json:"ttl"`
}

const (
	// endedTime is how long an ended invitation is listed.
	endedTime = 30 * 24 * time.Hour
	// useTime is how long the item of a use exists after the sign-up. It is longer than any call is repeated.
	useTime = time.Hour
)

func (i invitationItem) usedUp() bool { return i.Type == schema.TypeInvitation && i.Uses >= i.MaxUses }

func (i invitationItem) domain() domain.Invitation {
	return domain.Invitation{Code: i.ID, Created: time.Time(i.CreationDate), Expires: time.Time(i.ExpirationDate),
		CreatorID: i.CreatorID, CreatorName: i.CreatorName, Note: i.Note, RoleName: i.Role, Email: i.Email,
		Uses: i.Uses, MaxUses: i.MaxUses}
}

// Create stores an invitation from domain.NewInvitation. It returns Conflict if there are
// domain.MaxInvitations already. If there is one with this code, Create changes nothing.
func (s *Invitations) Create(ctx context.Context, i domain.Invitation) error {
	ctx = client.Writes("create-invitation").In(ctx)
	all, err := s.List(ctx)
	switch {
	case err != nil:
		return err
	case slices.ContainsFunc(all, func(known domain.Invitation) bool { return known.Code == i.Code }):
		return nil // an earlier attempt of the request
	case len(all) >= domain.MaxInvitations:
		return domain.NewError(domain.Conflict,
			"There can be up to {n} invitations. Revoke or remove some first.", "n", len(all))
	}
	seconds := int((time.Until(i.Expires) + endedTime).Seconds())
	err = s.c.Create(ctx, schema.InvitationQueue, invitationItem{ID: i.Code, Type: schema.TypeInvitation,
		Queue: schema.InvitationQueue, CreationDate: schema.Instant(i.Created),
		ExpirationDate: schema.Instant(i.Expires), CreatorID: i.CreatorID, CreatorName: i.CreatorName,
		Note: i.Note, Role: i.RoleName, Email: i.Email, MaxUses: i.MaxUses, TTL: seconds})
	if client.StatusOf(err) == http.StatusConflict { // an earlier attempt of this call or of its request
		return nil
	}
	return client.Translate(err)
}

// List returns all invitations, the newest first.
func (s *Invitations) List(ctx context.Context) ([]domain.Invitation, error) {
	rows, err := client.Query[invitationItem](client.Reads("invitations").In(ctx), s.c, schema.InvitationQueue,
		`SELECT * FROM c WHERE c.type = 'invitation' ORDER BY c.type DESC, c.creationDate DESC, c.id DESC`, nil)
	invitations := client.Convert(rows, invitationItem.domain)
	return invitations, client.Translate(err)
}

// Revoke deletes an invitation. It returns nil if the invitation is gone.
func (s *Invitations) Revoke(ctx context.Context, code string) error {
	if !domain.IsID(code) {
		return nil
	}
	err := s.c.Delete(client.Writes("revoke-invitation").In(ctx), schema.InvitationQueue, code)
	if client.Missing(err) {
		return nil
	}
	return client.Translate(err)
}

// Erase revokes the invitations of a deleted user.
func (s *Invitations) Erase(ctx context.Context, userID string) error {
	all, err := s.List(ctx)
	for _, i := range all {
		if err == nil && i.CreatorID == userID {
			err = s.Revoke(ctx, i.Code)
		}
	}
	return err
}

// Check returns an Invalid error for the field "invitation" if a code cannot be used. An invitation
// can be used only while its creator is an administrator.
func (s *Invitations) Check(ctx context.Context, code string) error {
	_, err := s.open(checkingInvitation.In(ctx), code)
	return err
}

// open reads an invitation, or fails as Check does. If the invitation is used up, open first gives
// back the uses of sign-ups that failed.
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

// Use takes one use of an invitation for an account that is about to be created. Repeated calls for
// the same user take one use. If no use is left, Use fails as Check does.
func (s *Invitations) Use(ctx context.Context, code, userID string) error {
	ctx = client.Writes("use-invitation").In(ctx)
	invitation, err := s.open(ctx, code) // checks the time, which a condition cannot
	if err != nil {
		return err
	}
	now := schema.Instant(time.Now())
	batch := s.c.Batch(schema.InvitationQueue)
	batch.CreateItem(client.Encode(invitationUseItem{ID: useID(code, userID), Type: schema.TypeInvitationUse,
		Queue: schema.InvitationQueue, Code: code, UserID: userID, CreationDate: &now, TTL: invitation.TTL}), nil)
	var ops azcosmos.PatchOperations
	ops.SetCondition("from c where c.uses < c.maxUses")
	ops.AppendIncrement("/uses", 1)
	batch.PatchItem(code, ops, nil)
	_, err = s.c.Execute(ctx, batch, false)
	switch {
	case client.FailedAt(err, 0, http.StatusConflict): // an earlier attempt of this call
		return nil
	case client.FailedAt(err, 1, http.StatusPreconditionFailed), client.FailedAt(err, 1, http.StatusNotFound):
		return domain.ErrInvitation()
	}
	return client.Translate(err)
}

// UsedBy returns the invitation with a code if the user has signed up with it. It returns NotFound otherwise, or after
// the invitation was revoked, and Invalid if the code is malformed.
func (s *Invitations) UsedBy(ctx context.Context, code, userID string) (domain.Invitation, error) {
	ctx = checkingInvitation.In(ctx)
	if !domain.IsID(code) {
		return domain.Invitation{}, domain.ErrInvitation()
	}
	item, err := client.Read[invitationItem](ctx, s.c, schema.InvitationQueue, code)
	if err == nil {
		_, err = client.Read[invitationUseItem](ctx, s.c, schema.InvitationQueue, useID(code, userID))
	}
	if err != nil {
		return domain.Invitation{}, client.Translate(err)
	}
	return item.domain(), nil
}

func useID(code, userID string) string { return "use." + domain.SecretDigest(code+" "+userID) }

// Settle records that the account of a use exists, so that the use is not given back. It removes the
// user's id from the use. If Settle is not called, open finds the account when the uses run out.
func (s *Invitations) Settle(ctx context.Context, code, userID string) error {
	var ops azcosmos.PatchOperations
	ops.SetCondition("from c where is_defined(c.userId)")
	ops.AppendRemove("/code")
	ops.AppendRemove("/userId")
	ops.AppendRemove("/creationDate")
	ops.AppendSet("/ttl", int(useTime.Seconds()))
	err := s.c.Patch(client.Writes("settle-invitation").In(ctx), schema.InvitationQueue, useID(code, userID), ops)
	if client.Missing(err) || client.ConditionFailed(err) { // settled before
		return nil
	}
	return client.Translate(err)
}

// GiveBack undoes Use for an account that was not created. If the account exists after all, because
// the answer to its creation was lost, GiveBack settles the use instead.
func (s *Invitations) GiveBack(ctx context.Context, code, userID string) error {
	ctx = client.Writes("give-back-invitation").In(ctx)
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
	if client.FailedBatch(err, http.StatusNotFound) { // given back before, or the invitation was revoked
		return nil
	}
	return client.Translate(err)
}

// giveBackLost gives back or settles the uses of sign-ups that must have ended, because their
// usernames are no longer reserved. It returns the number of such uses.
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
