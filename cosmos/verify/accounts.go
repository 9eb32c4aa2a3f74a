package verify

import (
	"context"
	"time"

	"inkfeed/cosmos/client"
	"inkfeed/cosmos/schema"
	"inkfeed/domain"
	"inkfeed/domain/names"
)

// storedRow has the properties of the rows of overviews that the rules are about, and the active day of a user.
type storedRow struct {
	List      string `json:"list"`
	SortKey   string `json:"sortKey"`
	Search    string `json:"search"`
	ActiveDay string `json:"activeDay"`
}

// readOverviews reads the rows of the overviews. It runs after users and posts were read.
func (a *audit) readOverviews(ctx context.Context, db *client.Database) error {
	err := readItems(ctx, a, db, schema.OverviewsContainer, wholeQuery, nil, func(i storedItem) {
		subject := "overviews item " + i.ID + " of " + i.List
		switch {
		case i.Type == schema.TypeAccountRow:
			a.noteAccountRow(subject, i)
		case i.Type == schema.TypeCommentRow && i.List == schema.CommentsOverview:
			a.noteCommentRow(subject, i)
		default:
			a.violation(ruleTypes, subject, "type %q", i.Type)
		}
	})
	if client.NoContainer(err) {
		return nil
	}
	a.hasOverviews = err == nil
	return err
}

// noteAccountRow compares a row with its user.
func (a *audit) noteAccountRow(subject string, i storedItem) {
	u := a.users[i.ID]
	if i.List != schema.AccountsOverview {
		a.violation(ruleIDs, subject, "it belongs to the list %s", schema.AccountsOverview)
		return
	}
	if u == nil || !u.live() {
		a.violation(ruleAccountRows, subject, "there is no user %s", i.ID)
		return
	}
	u.listed = true
	a.checkStays(subject, i)
	role, state, day := u.role, "active", u.created.Format(time.DateOnly)
	if role == string(domain.RoleAuthor) {
		role = "author"
	}
	switch {
	case u.suspended:
		state = "suspended"
	case !u.scheduledDeletion.IsZero():
		state = "leaving"
	}
	for _, p := range []struct{ name, row, user string }{
		{"username", i.Username, u.name}, {"displayName", i.DisplayName, u.displayName}, {"role", i.Role, role},
		{"state", i.State, state}, {"activeDay", i.ActiveDay, u.activeDay},
		{"creationDate", time.Time(i.CreationDate).String(), u.created.String()},
		{"sortKey", i.SortKey, max(day, u.activeDay) + "~" + i.ID},
		{"search", i.Search, names.Fold(u.name + " " + u.displayName)},
	} {
		if p.row != p.user {
			a.violation(ruleAccountRows, subject, "%s %q, it should be %q", p.name, p.row, p.user)
		}
	}
}

// noteScheduledDeletion records and checks an entry of the schedule that deletes an account.
func (a *audit) noteScheduledDeletion(subject string, i storedItem) {
	switch {
	case i.LeavingDate == nil:
		a.violation(ruleScheduledDeletion, subject, "the entry has no time")
		return
	case i.ID != schema.ScheduledDeletionID(i.UserID, i.LeavingDate.Time()):
		a.violation(ruleIDs, subject, "it is of %s at %s", i.UserID, i.LeavingDate.Time().Format(schema.InstantLayout))
		return
	}
	a.checkStays(subject, i)
	a.deletions[i.ID] = true
}

// checkScheduledDeletion checks that the scheduled deletion of a user has an entry. It runs after the schedule was
// read. An entry is sound even if its user has no scheduled deletion, or one at another time: it is dropped when
// it is due.
func (a *audit) checkScheduledDeletion(subject, id string, u *auditedUser) {
	if !u.scheduledDeletion.IsZero() && !a.deletions[schema.ScheduledDeletionID(id, u.scheduledDeletion)] {
		a.violation(ruleScheduledDeletion, subject, "no entry deletes it at %s",
			u.scheduledDeletion.Format(schema.InstantLayout))
	}
}

// noteContinuation checks an entry of the schedule that continues the projection of a user. It is sound even if nothing
// is left to do: then it has no effect when it is due.
func (a *audit) noteContinuation(subject string, i storedItem) {
	if i.Continuation == nil {
		a.violation(ruleScheduledDeletion, subject, "the entry has no time")
	}
	if i.ID != i.UserID {
		a.violation(ruleIDs, subject, "it is of %s", i.UserID)
	}
	a.checkStays(subject, i)
}
