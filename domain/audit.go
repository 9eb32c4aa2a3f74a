package domain

import (
	"fmt"
	"strings"
	"time"

	"inkfeed/domain/plaintext"
)

// AuditTime is how long the audit log keeps what was done: 13 months.
const AuditTime = 400 * 24 * time.Hour

// AuditAction is what somebody did who has power over others.
type AuditAction string

// Those about accounts and the site. What is done to texts is beside what they are.
const (
	AuditRole           AuditAction = "role"         // gave an account another role
	AuditSuspend        AuditAction = "suspend"      // suspended an account
	AuditRestore        AuditAction = "restore"      // ended its suspension
	AuditSettings       AuditAction = "settings"     // changed the settings of the site
	AuditInvite         AuditAction = "invite"       // made an invitation
	AuditRevoke         AuditAction = "revoke"       // took one back
	AuditFirst          AuditAction = "first"        // became administrator, as there was none
	AuditPassword       AuditAction = "password"     // set another's password
	AuditFactors        AuditAction = "factors"      // took another's second factors away
	AuditHidePost       AuditAction = "hide-post"    // hid a post
	AuditShowPost       AuditAction = "show-post"    // ended that
	AuditApprovePost    AuditAction = "approve-post" // let one be seen that waited for a review
	AuditHideComment    AuditAction = "hide-comment"
	AuditShowComment    AuditAction = "show-comment"
	AuditApproveComment AuditAction = "approve-comment"
	AuditDismissReports AuditAction = "dismiss-reports"
	AuditResolveReports AuditAction = "resolve-reports"
)

// What an entry of the audit log can be about.
const (
	AuditsUser       = "user"
	AuditsPost       = "post"
	AuditsComment    = "comment"
	AuditsSite       = "site"
	AuditsInvitation = "invitation"
)

// AuditPerPage is how many entries of the audit log a page shows.
const AuditPerPage = 50

// MaxReason is how long the reason may be that is given to who is suspended, or whose text
// is hidden, in characters.
const MaxReason = 500

// AuditEntry says who did what to whom, when and why. Names are as they were then.
type AuditEntry struct {
	ID         string // see NewAuditEntry
	At         time.Time
	ActorID    string // empty: a command on the server
	ActorName  string
	Action     AuditAction
	TargetKind string // one of those above
	TargetID   string
	// TargetPost is the post that a comment is on.
	TargetPost string
	TargetName string // a username or a title
	Detail     string // the new role, say
	Reason     string
}

// CommandActor is the name of who did something by a command on the server.
const CommandActor = "a command on the server"

// NewAuditEntry begins an entry: what was done, and to what, is the caller's to add.
func NewAuditEntry(actor User, action AuditAction, now time.Time) AuditEntry {
	e := AuditEntry{ID: NewID(), At: Timestamp(now), ActorID: actor.ID, ActorName: actor.Username, Action: action}
	if actor.ID == "" {
		e.ActorName = CommandActor
	}
	return e
}

// About is an entry that is about a user.
func (e AuditEntry) About(u User) AuditEntry {
	e.TargetKind, e.TargetID, e.TargetName = AuditsUser, u.ID, u.Username
	return e
}

// CleanReason validates and normalises a reason, as an Invalid error about the field
// "reason". One must be given.
func CleanReason(reason string) (string, error) {
	reason = strings.TrimSpace(plaintext.Clean(reason))
	switch {
	case reason == "":
		return "", FieldError("reason", "Enter a reason. The person will see it.")
	case plaintext.Exceeds(reason, MaxReason):
		return reason, FieldError("reason", fmt.Sprintf("Use at most %d characters for the reason.", MaxReason))
	}
	return reason, nil
}
