package cosmos

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"time"

	"github.com/Azure/azure-sdk-for-go/sdk/data/azcosmos"

	"inkfeed/cosmos/client"
	"inkfeed/cosmos/schema"
	"inkfeed/domain"
)

// Sessions stores sessions. The container is partitioned by /userId. A session that is not used
// expires by its time to live.
type Sessions struct{ c, users *client.Container }

type sessionItem struct {
	ID           string         `json:"id"`
	Type         string         `json:"type"`
	UserID       string         `json:"userId"`
	Device       string         `json:"device"`
	CreationDate schema.Instant `json:"creationDate"`
	LastUse      schema.Instant `json:"lastUse"`
	Confirmed    schema.Instant `json:"confirmationDate"`
	TTL          int            `json:"ttl"` // in seconds, since the last use
	// SessionVersion is absent, and so 0, in sessions from before users had one.
	SessionVersion int `json:"sessionVersion,omitempty"`
}

func (i sessionItem) domain() domain.Session {
	return domain.Session{ID: i.ID, UserID: i.UserID, Device: i.Device, Created: time.Time(i.CreationDate),
		LastUsed: time.Time(i.LastUse), Confirmed: time.Time(i.Confirmed), SessionVersion: i.SessionVersion}
}

// maxSessions is the maximum number of sessions of a user.
const maxSessions = 50

// Create begins a session. If the user then has more than maxSessions, it ends the least recently used
// ones.
func (s *Sessions) Create(ctx context.Context, session domain.Session) error {
	ctx = client.Writes("start-session").In(ctx)
	err := s.c.Create(ctx, session.UserID, sessionItem{
		ID: session.ID, Type: schema.TypeSession, UserID: session.UserID, Device: session.Device,
		CreationDate: schema.Instant(session.Created), LastUse: schema.Instant(session.LastUsed),
		Confirmed: schema.Instant(session.Confirmed), TTL: int(domain.SessionTime.Seconds()),
		SessionVersion: session.SessionVersion,
	})
	// Ids are random, so a conflict is with an earlier attempt of this call.
	if err != nil && client.StatusOf(err) != http.StatusConflict {
		return client.Translate(err)
	}
	all, err := s.List(ctx, session.UserID)
	if err != nil || len(all) <= maxSessions {
		return nil // the session has begun; the next Create deletes any surplus
	}
	for _, old := range all[maxSessions:] {
		if old.ID != session.ID {
			_ = s.Delete(ctx, session.UserID, old.ID)
		}
	}
	return nil
}

// Get reads a session. It is a point read. It returns NotFound if the session has ended.
func (s *Sessions) Get(ctx context.Context, userID, id string) (domain.Session, error) {
	if !domain.IsUserID(userID) {
		return domain.Session{}, errNoSession()
	}
	item, err := client.Read[sessionItem](client.Reads("session").In(ctx), s.c, userID, id)
	if client.Missing(err) {
		return domain.Session{}, errNoSession()
	}
	return item.domain(), client.Translate(err)
}

func errNoSession() error { return domain.NewError(domain.NotFound, "The session has ended.") }

// Touch records that a session is used, which extends its life. It returns NotFound if the session has
// ended.
func (s *Sessions) Touch(ctx context.Context, userID, id string, at time.Time) error {
	return s.setProperty(client.WritesOnly("touch-session", 0).In(ctx), userID, id, "/lastUse", schema.Instant(at))
}

// RecordActivity records in the user item that the user is signed in on a day. Only the first call for a day changes
// the item. Cached pages do not show the day.
func (s *Sessions) RecordActivity(ctx context.Context, userID string, day domain.ActiveDay) error {
	var ops azcosmos.PatchOperations
	ops.SetCondition(fmt.Sprintf("%s and (not is_defined(c.activeDay) or c.activeDay < '%s')", schema.IfLive, day))
	ops.AppendSet("/activeDay", day)
	err := s.users.Patch(recordingActivity.In(ctx), userID, userID, ops)
	if client.ConditionFailed(err) {
		return nil // recorded already, or the account is deleted
	}
	return client.Translate(err)
}

// Confirm records that the user has confirmed their identity in a session.
func (s *Sessions) Confirm(ctx context.Context, userID, id string, at time.Time) error {
	ctx = client.WritesOnly("confirm-session", 0).In(ctx)
	return s.setProperty(ctx, userID, id, "/confirmationDate", schema.Instant(at))
}

// SetVersion gives a session the user's current version, so that it stays valid when the user's
// other sessions are ended. A session that has ended stays ended.
func (s *Sessions) SetVersion(ctx context.Context, userID, id string, version int) error {
	return s.setProperty(client.WritesOnly("set-session-version", 0).In(ctx), userID, id, "/sessionVersion", version)
}

// setProperty sets one property of a session, and restarts its time to live.
func (s *Sessions) setProperty(ctx context.Context, userID, id, property string, value any) error {
	var ops azcosmos.PatchOperations
	ops.AppendSet(property, value)
	err := s.c.Patch(ctx, userID, id, ops) // any write restarts the time to live
	if client.Missing(err) {
		return errNoSession()
	}
	return client.Translate(err)
}

// List returns a user's sessions, the last used first. The query itself has no order: a session
// that is used between two pages would change its place and could be missed. Code that ends all
// sessions of a user depends on a complete list.
func (s *Sessions) List(ctx context.Context, userID string) ([]domain.Session, error) {
	if !domain.IsUserID(userID) {
		return nil, schema.ErrNoUser()
	}
	rows, err := client.Query[sessionItem](client.Reads("sessions").In(ctx), s.c, userID,
		`SELECT * FROM c WHERE c.type = 'session'`, nil)
	sessions := client.Convert(rows, sessionItem.domain)
	slices.SortStableFunc(sessions, func(a, b domain.Session) int { return b.LastUsed.Compare(a.LastUsed) })
	return sessions, client.Translate(err)
}

// Delete ends a session. It returns nil if the session has ended.
func (s *Sessions) Delete(ctx context.Context, userID, id string) error {
	if !domain.IsUserID(userID) {
		return schema.ErrNoUser()
	}
	err := s.c.Delete(client.WritesOnly("end-session", 0).In(ctx), userID, id)
	if client.Missing(err) {
		return nil
	}
	return client.Translate(err)
}

// DeleteOthers ends all sessions of a user except the one to keep. An empty keep ends them all.
func (s *Sessions) DeleteOthers(ctx context.Context, userID, keep string) error {
	all, err := s.List(ctx, userID)
	if err != nil {
		return err
	}
	all = slices.DeleteFunc(all, func(one domain.Session) bool { return one.ID == keep })
	var failed []error
	for _, session := range all {
		failed = append(failed, s.Delete(ctx, userID, session.ID))
	}
	return errors.Join(failed...)
}
