package verify

import (
	"context"
	"slices"

	"inkfeed/cosmos/client"
	"inkfeed/cosmos/schema"
	"inkfeed/domain"
)

// storedSession is a session, or another secret in the same container.
type storedSession struct {
	ID      string `json:"id"`
	Type    string `json:"type"`
	UserID  string `json:"userId"`
	LastUse date   `json:"lastUse"`
	TTL     int    `json:"ttl"`
	// Only sessions have a version.
	SessionVersion int `json:"sessionVersion"`
}

// sessionsQuery leaves the payloads of secrets out.
const sessionsQuery = `SELECT c.id, c.type, c.userId, c.lastUse, c.ttl, c.sessionVersion FROM c`

// readSessions reads the sessions. It runs after the users were read. A database from before the stored sessions
// has no such container.
func (a *audit) readSessions(ctx context.Context, db *client.Database) error {
	secrets := domain.SecretKinds()
	return readOptionalItems(ctx, a, db, schema.SessionsContainer, sessionsQuery, func(i storedSession) {
		subject := schema.SessionsContainer + " item " + i.ID + " of " + i.UserID
		switch {
		case i.Type == schema.TypeSession:
			a.checkSession(subject, i)
		case i.Type != schema.TypeTaken && !slices.Contains(secrets, domain.SecretKind(i.Type)):
			a.violation(ruleTypes, subject, "type %q", i.Type)
			return
		case i.ID != i.UserID:
			a.violation(ruleIDs, subject, "a secret is a partition of its own")
		}
		if i.TTL <= 0 {
			a.violation(ruleSessions, subject, "it has no time to live")
		}
	})
}

// checkSession checks that the user of a session exists. A session that a log-in started during the deletion of
// the account is sound: it authenticates no user, and expires.
func (a *audit) checkSession(subject string, i storedSession) {
	switch u := a.users[i.UserID]; {
	case u == nil || !u.present:
		a.violation(ruleSessions, subject, "there is no such user")
	case u.erased && i.LastUse.Time().Before(u.deletion.Add(-schema.ClockMargin)):
		a.violation(ruleSessions, subject, "the account is deleted")
	case u.live() && i.SessionVersion > u.sessionVersion: // the next change of credentials would not end it
		a.violation(ruleSessions, subject, "its version is %d, and its user's %d", i.SessionVersion, u.sessionVersion)
	}
}

// auditedEmail is an e-mail address that belongs to an account.
type auditedEmail struct {
	owner    string
	underWay bool
}

func (a *audit) noteEmail(subject string, i storedItem) {
	if i.ID != i.UserID {
		a.violation(ruleIDs, subject, "an address is a partition of its own")
		return
	}
	a.checkStays(subject, i)
	a.emails[i.ID] = auditedEmail{owner: i.OwnerID, underWay: i.SinceDate != nil}
}

// checkEmails checks that each verified address leads to its account. A crash may leave an account with further
// addresses, which is sound.
func (a *audit) checkEmails() {
	for id, u := range a.users {
		if u.live() && u.email != "" && a.emails[u.email].owner != id {
			a.violation(ruleEmails, "user "+id, "the address belongs to %q", a.emails[u.email].owner)
		}
	}
	for id, e := range a.emails {
		if u := a.users[e.owner]; !e.underWay && (u == nil || !u.present || u.erased) {
			a.violation(ruleEmails, id, "there is no user %s", e.owner)
		}
	}
}
