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

	"inkfeed/domain"
)

// An account that is to be deleted says when, on the user, and that is what counts: until
// then one write takes it back. As with drafts that publish themselves, an entry in the
// container schedule, in a partition of its own, says only that one should look at the user
// then; the users projector writes it too, should whoever was to do so have died.

// Departures are the accounts that are to be deleted, in the container schedule.
type Departures struct{ c *container }

type departureItem struct {
	ID          string  `json:"id"`
	Type        string  `json:"type"`
	UserID      string  `json:"userId"`
	LeavingDate instant `json:"leavingDate"`
	ETag        string  `json:"_etag,omitempty"`
}

func (i departureItem) domain() domain.Departure {
	return domain.Departure{UserID: i.UserID, At: time.Time(i.LeavingDate), ETag: i.ETag}
}

// Put notes that an account is to be deleted at a time. Putting the same again changes
// nothing but that whoever is about to drop the entry does not: see Done.
func (d *Departures) Put(ctx context.Context, e domain.Departure) error {
	return translate(d.c.upsert(operation(ctx, "departures"), typeLeaving,
		departureItem{ID: departureID(e.UserID, e.At), Type: typeLeaving, UserID: e.UserID, LeavingDate: instant(e.At)}))
}

// Upcoming lists the accounts that are to be deleted before a time, the earliest first, a
// page at a time as it is followed. An entry that cannot be read, or has not the id of what
// it says, is left out: Verify reports it.
func (d *Departures) Upcoming(ctx context.Context, before time.Time) iter.Seq2[domain.Departure, error] {
	return rows(func(visit func(departureItem) error) error {
		return eachRow(operation(ctx, "departures"), d.c, key(typeLeaving),
			`SELECT * FROM c WHERE c.type = 'leaving' AND c.leavingDate < @before ORDER BY c.leavingDate ASC`,
			parameters{"before": instant(before)}, func(row json.RawMessage) error {
				var item departureItem
				if decode(row, &item) != nil || item.ID != departureID(item.UserID, time.Time(item.LeavingDate)) {
					return nil
				}
				return visit(item)
			})
	}, departureItem.domain)
}

// Done drops an entry, unless it was put anew since it was read. One that is gone is no
// error.
func (d *Departures) Done(ctx context.Context, e domain.Departure) error {
	err := d.c.deleteVersion(operation(ctx, "departures"), typeLeaving, departureID(e.UserID, e.At), e.ETag)
	if statusOf(err) == http.StatusPreconditionFailed || missing(err) {
		return nil
	}
	return translate(err)
}

// Leave lets an account be deleted at a time, unless Stay comes before it. One that is
// leaving already keeps its time: the user returned says which. It answers Conflict when
// nobody who stays would be left who administers the site.
func (u *Users) Leave(ctx context.Context, userID string, at time.Time) (domain.User, error) {
	ctx = operation(ctx, "leave")
	item, err := u.accountItem(ctx, userID)
	if err != nil {
		return domain.User{}, err
	}
	if item.LeavingDate == nil {
		if err := u.checkSuccessor(ctx, item); err != nil {
			return domain.User{}, translate(err)
		}
		var ops azcosmos.PatchOperations
		ops.SetCondition(ifLive + " and not is_defined(c.leavingDate)")
		ops.AppendSet("/leavingDate", instant(domain.Timestamp(at)))
		ops.AppendSet("/leavingProblem", "") // what is not there cannot be removed
		ops.AppendRemove("/leavingProblem")
		err = u.c.patch(ctx, userID, userID, ops)
		if err != nil && statusOf(err) != http.StatusPreconditionFailed { // its own earlier attempt, or another's
			return domain.User{}, translate(err)
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
	list, err := read[administratorsItem](ctx, u.c, administratorsID, administratorsID)
	if err != nil && !missing(err) {
		return err
	}
	for _, a := range list.List {
		if a.UserID == leaver.UserID || a.Going != nil {
			continue
		}
		other, err := read[userItem](ctx, u.c, a.UserID, a.UserID)
		if err != nil && !missing(err) {
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
	ctx = operation(ctx, "stay")
	if !domain.IsUserID(userID) {
		return errNoUser()
	}
	var ops azcosmos.PatchOperations
	ops.SetCondition(ifLive + " and (is_defined(c.leavingDate) or is_defined(c.leavingProblem))")
	staying(&ops)
	ops.AppendSet("/leavingProblem", "")
	ops.AppendRemove("/leavingProblem")
	err := u.c.patch(ctx, userID, userID, ops)
	if statusOf(err) == http.StatusPreconditionFailed {
		_, err = u.account(ctx, userID) // it stays, by this call's own earlier attempt perhaps, or is gone
	}
	return translate(err)
}

func staying(ops *azcosmos.PatchOperations) {
	ops.AppendSet("/leavingDate", "") // what is not there cannot be removed
	ops.AppendRemove("/leavingDate")
}

func ifLeavingAt(at time.Time) string {
	text, _ := instant(at).MarshalText()
	return fmt.Sprintf("%s and c.leavingDate = '%s'", ifLive, text)
}

// DeleteLeaving deletes an account if it is to be deleted at that very time: the same write
// asks and deletes, so of it and Stay one comes first. An account that is deleted is no
// error; NotFound says that it stays, or has another time; Conflict that it cannot go, for
// nobody would be left who administers the site: see Keep. Anything else is Unavailable: what
// a user has asked for is tried until it is done.
func (u *Users) DeleteLeaving(ctx context.Context, d domain.Departure) error {
	err := translate(u.deleteLeaving(operation(ctx, "delete-leaving"), d))
	if err == nil || domain.Is(err, domain.NotFound) || errors.Is(err, errLastAdministrator) {
		return err
	}
	return &domain.Error{Kind: domain.Unavailable, Message: "The account could not be deleted yet.", Err: err}
}

func (u *Users) deleteLeaving(ctx context.Context, d domain.Departure) error {
	item, err := read[userItem](ctx, u.c, d.UserID, d.UserID)
	switch {
	case err != nil:
		return err
	case item.DeletionDate != nil:
		return nil
	case !item.LeavingDate.time().Equal(d.At):
		return errNotLeaving()
	}
	deleted, err := u.deleteIf(ctx, d.UserID, ifLeavingAt(d.At))
	if err != nil || deleted {
		return err
	}
	item, err = read[userItem](ctx, u.c, d.UserID, d.UserID)
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
	return domain.Errorf(domain.NotFound, "This account is not to be deleted at that time.")
}

// Keep makes an account that cannot be deleted at its time one that stays, and tells its
// user why. It reports whether this call did; one that has another time, or is gone, is left
// alone.
func (u *Users) Keep(ctx context.Context, d domain.Departure, problem string) (kept bool, err error) {
	var ops azcosmos.PatchOperations
	ops.SetCondition(ifLeavingAt(d.At))
	staying(&ops)
	ops.AppendSet("/leavingProblem", problem)
	err = u.c.patch(operation(ctx, "delete-leaving"), d.UserID, d.UserID, ops)
	if statusOf(err) == http.StatusPreconditionFailed || missing(err) {
		return false, nil
	}
	return err == nil, translate(err)
}
