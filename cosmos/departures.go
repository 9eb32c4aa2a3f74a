package cosmos

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"net/http"
	"time"

	"github.com/Azure/azure-sdk-for-go/sdk/data/azcosmos"

	"inkfeed/cosmos/client"
	"inkfeed/cosmos/schema"
	"inkfeed/domain"
)

// An account that is to be deleted says when, on the user, and that is what counts: until
// then one write takes it back. As with drafts that publish themselves, an entry in the
// container schedule, in a partition of its own, says only that one should look at the user
// then; the users projector writes it too, should whoever was to do so have died.

// Departures are the accounts that are to be deleted, in the container schedule.
type Departures struct{ c *client.Container }

type departureItem struct {
	ID          string         `json:"id"`
	Type        string         `json:"type"`
	UserID      string         `json:"userId"`
	LeavingDate schema.Instant `json:"leavingDate"`
	ETag        string         `json:"_etag,omitempty"`
}

func (i departureItem) domain() domain.Departure {
	return domain.Departure{UserID: i.UserID, At: time.Time(i.LeavingDate), ETag: i.ETag}
}

// Put notes that an account is to be deleted at a time. Putting the same again changes
// nothing but that whoever is about to drop the entry does not: see Done.
func (d *Departures) Put(ctx context.Context, e domain.Departure) error {
	return client.Translate(d.c.Upsert(client.Operation(ctx, "departures"), schema.TypeLeaving,
		departureItem{ID: schema.DepartureID(e.UserID, e.At), Type: schema.TypeLeaving, UserID: e.UserID, LeavingDate: schema.Instant(e.At)}))
}

// Upcoming lists the accounts that are to be deleted before a time, the earliest first, a
// page at a time as it is followed. An entry that cannot be read, or has not the id of what
// it says, is left out: Verify reports it.
func (d *Departures) Upcoming(ctx context.Context, before time.Time) iter.Seq2[domain.Departure, error] {
	return client.Rows(func(visit func(departureItem) error) error {
		return client.EachRow(client.Operation(ctx, "departures"), d.c, client.Key(schema.TypeLeaving),
			`SELECT * FROM c WHERE c.type = 'leaving' AND c.leavingDate < @before ORDER BY c.leavingDate ASC`,
			client.Parameters{"before": schema.Instant(before)}, func(row json.RawMessage) error {
				var item departureItem
				if client.Decode(row, &item) != nil || item.ID != schema.DepartureID(item.UserID, time.Time(item.LeavingDate)) {
					return nil
				}
				return visit(item)
			})
	}, departureItem.domain)
}

// Done drops an entry, unless it was put anew since it was read. One that is gone is no
// error.
func (d *Departures) Done(ctx context.Context, e domain.Departure) error {
	err := d.c.DeleteVersion(client.Operation(ctx, "departures"), schema.TypeLeaving, schema.DepartureID(e.UserID, e.At), e.ETag)
	if client.StatusOf(err) == http.StatusPreconditionFailed || client.Missing(err) {
		return nil
	}
	return client.Translate(err)
}

// Leave lets an account be deleted at a time, unless Stay comes before it. One that is
// leaving already keeps its time: the user returned says which. It answers Conflict when
// nobody who stays would be left who administers the site.
func (u *Users) Leave(ctx context.Context, userID string, at time.Time) (domain.User, error) {
	ctx = client.Operation(ctx, "leave")
	item, err := u.accountItem(ctx, userID)
	if err != nil {
		return domain.User{}, err
	}
	if item.LeavingDate == nil {
		if err := u.checkSuccessor(ctx, item); err != nil {
			return domain.User{}, client.Translate(err)
		}
		var ops azcosmos.PatchOperations
		ops.SetCondition(schema.IfLive + " and not is_defined(c.leavingDate)")
		ops.AppendSet("/leavingDate", schema.Instant(domain.Timestamp(at)))
		ops.AppendSet("/leavingProblem", "") // what is not there cannot be removed
		ops.AppendRemove("/leavingProblem")
		err = u.c.Patch(ctx, userID, userID, ops)
		if err != nil && client.StatusOf(err) != http.StatusPreconditionFailed { // its own earlier attempt, or another's
			return domain.User{}, client.Translate(err)
		}
	}
	user, err := u.account(ctx, userID)
	if err == nil && !user.Leaving.IsZero() {
		_ = u.departures.Put(ctx, domain.Departure{UserID: userID, At: user.Leaving}) // or the users projector does
	}
	return user, err
}

// checkSuccessor is letGo before it comes to that. Of several administrators who leave,
// none is the last one yet: the last to go is found by letGo at its time.
func (u *Users) checkSuccessor(ctx context.Context, leaver userItem) error {
	if !leaver.administrates() {
		return nil
	}
	list, err := client.Read[administratorsItem](ctx, u.c, schema.AdministratorsID, schema.AdministratorsID)
	if err != nil && !client.Missing(err) {
		return err
	}
	for _, a := range list.List {
		if a.UserID == leaver.UserID || a.Going != nil {
			continue
		}
		other, err := client.Read[userItem](ctx, u.c, a.UserID, a.UserID)
		if err != nil && !client.Missing(err) {
			return err
		}
		if err == nil && other.administrates() && other.LeavingDate == nil {
			return nil
		}
	}
	others, err := u.hasOthers(ctx, leaver.UserID)
	if err == nil && others {
		err = errLastAdministrator
	}
	return err
}

// Stay keeps an account that was to be deleted, and takes away what was said of one that
// could not be. It answers NotFound when it came too late.
func (u *Users) Stay(ctx context.Context, userID string) error {
	ctx = client.Operation(ctx, "stay")
	if !domain.IsUserID(userID) {
		return schema.ErrNoUser()
	}
	var ops azcosmos.PatchOperations
	ops.SetCondition(schema.IfLive + " and (is_defined(c.leavingDate) or is_defined(c.leavingProblem))")
	staying(&ops)
	ops.AppendSet("/leavingProblem", "")
	ops.AppendRemove("/leavingProblem")
	err := u.c.Patch(ctx, userID, userID, ops)
	if client.StatusOf(err) == http.StatusPreconditionFailed {
		_, err = u.account(ctx, userID) // it stays, by this call's own earlier attempt perhaps, or is gone
	}
	return client.Translate(err)
}

func staying(ops *azcosmos.PatchOperations) {
	ops.AppendSet("/leavingDate", "") // what is not there cannot be removed
	ops.AppendRemove("/leavingDate")
}

func ifLeavingAt(at time.Time) string {
	text, _ := schema.Instant(at).MarshalText()
	return fmt.Sprintf("%s and c.leavingDate = '%s'", schema.IfLive, text)
}

// DeleteLeaving deletes an account if it is to be deleted at that very time: the same write
// asks and deletes, so of it and Stay one comes first. An account that is deleted is no
// error; NotFound says that it stays, or has another time; Conflict that it cannot go, for
// nobody would be left who administers the site: see Keep. Anything else is Unavailable: what
// a user has asked for is tried until it is done.
func (u *Users) DeleteLeaving(ctx context.Context, d domain.Departure) error {
	err := client.Translate(u.deleteLeaving(client.Operation(ctx, "delete-leaving"), d))
	if err == nil || domain.Is(err, domain.NotFound) || errors.Is(err, errLastAdministrator) {
		return err
	}
	return &domain.Error{Kind: domain.Unavailable, Message: "We couldn't delete your account yet.", Err: err}
}

func (u *Users) deleteLeaving(ctx context.Context, d domain.Departure) error {
	item, err := client.Read[userItem](ctx, u.c, d.UserID, d.UserID)
	switch {
	case err != nil:
		return err
	case item.DeletionDate != nil:
		return nil
	case !item.LeavingDate.Time().Equal(d.At):
		return errNotLeaving()
	}
	deleted, err := u.deleteIf(ctx, d.UserID, ifLeavingAt(d.At))
	if err != nil || deleted {
		return err
	}
	item, err = client.Read[userItem](ctx, u.c, d.UserID, d.UserID)
	switch {
	case err != nil:
		return err
	case item.DeletionDate != nil: // by another instance, or its own earlier attempt
		return nil
	}
	// It was kept at the last moment, and goes on to administer the site if it did.
	if err := u.goesOn(ctx, d.UserID); err != nil {
		return err
	}
	return errNotLeaving()
}

func errNotLeaving() error {
	return domain.Errorf(domain.NotFound, "This account isn't scheduled for deletion at that time.")
}

// Keep makes an account that cannot be deleted at its time one that stays, and tells its
// user why. It reports whether this call did; one that has another time, or is gone, is left
// alone.
func (u *Users) Keep(ctx context.Context, d domain.Departure, problem string) (kept bool, err error) {
	var ops azcosmos.PatchOperations
	ops.SetCondition(ifLeavingAt(d.At))
	staying(&ops)
	ops.AppendSet("/leavingProblem", problem)
	err = u.c.Patch(client.Operation(ctx, "delete-leaving"), d.UserID, d.UserID, ops)
	if client.StatusOf(err) == http.StatusPreconditionFailed || client.Missing(err) {
		return false, nil
	}
	return err == nil, client.Translate(err)
}
