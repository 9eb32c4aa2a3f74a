package domain

import (
	"slices"
	"strings"
	"time"

	"inkfeed/domain/locale"
	"inkfeed/domain/names"
	"inkfeed/domain/plaintext"
	"inkfeed/domain/siteinfo"
)

// AuditTime is how long the audit log keeps its entries: 13 months.
const AuditTime = 400 * 24 * time.Hour

// AuditAction is an action of a moderator, an administrator or a command on the server.
type AuditAction string

// The actions that the audit log records.
const (
	AuditRole           AuditAction = "role"         // changed an account's role
	AuditSuspend        AuditAction = "suspend"      // suspended an account
	AuditRestore        AuditAction = "restore"      // ended a suspension
	AuditSettings       AuditAction = "settings"     // changed the site's settings
	AuditPage           AuditAction = "page"         // added or changed a static page
	AuditPageDeleted    AuditAction = "delete-page"  // deleted a static page
	AuditPublishPage    AuditAction = "publish-page" // published the text of a static page
	AuditSchedulePage   AuditAction = "schedule-page"
	AuditUnpublishPage  AuditAction = "unpublish-page"
	AuditSamplesDeleted AuditAction = "delete-samples"
	AuditInvite         AuditAction = "invite"       // created an invitation
	AuditRevoke         AuditAction = "revoke"       // revoked an invitation
	AuditFirst          AuditAction = "first"        // became administrator because the site had none
	AuditPassword       AuditAction = "password"     // set a user's password
	AuditFactors        AuditAction = "factors"      // removed a user's second factors
	AuditHidePost       AuditAction = "hide-post"    // hid a post
	AuditShowPost       AuditAction = "show-post"    // showed a hidden post again
	AuditApprovePost    AuditAction = "approve-post" // approved a post that was held for review
	AuditHideComment    AuditAction = "hide-comment"
	AuditShowComment    AuditAction = "show-comment"
	AuditApproveComment AuditAction = "approve-comment"
	AuditDismissReports AuditAction = "dismiss-reports"
	AuditResolveReports AuditAction = "resolve-reports"

	AuditApproveAddresses AuditAction = "approve-addresses" // let old addresses lead to a user's imported posts
	AuditDeclineAddresses AuditAction = "decline-addresses"
	AuditAssignAddress    AuditAction = "assign-address" // changed where an old address leads

	AuditRepeatDeliveries AuditAction = "repeat-deliveries" // had failed deliveries tried again
	AuditDropDeliveries   AuditAction = "drop-deliveries"   // gave failed deliveries up
)

// The kinds of targets of an audit entry.
const (
	AuditsUser       = "user"
	AuditsPost       = "post"
	AuditsComment    = "comment"
	AuditsSite       = "site"
	AuditsInvitation = "invitation"
)

// AuditPerPage is the number of audit entries on a page.
const AuditPerPage = 50

// MaxReason is the maximum length of the reason for a suspension or for hiding a text, in characters.
const MaxReason = 500

// AuditEntry records an action: its actor, target, time and reason. It keeps names as they were at that time.
type AuditEntry struct {
	ID         string // see NewAuditEntry and Once
	At         time.Time
	ActorID    string // empty for a command on the server
	ActorName  string
	Action     AuditAction
	TargetKind string // one of the constants above
	TargetID   string
	// TargetPost is the post of a comment.
	TargetPost string
	TargetName string // a username or a title
	Detail     string // for example the new role
	Reason     string
}

// CommandActor is the actor's name in entries made by a command on the server.
const CommandActor = "a command on the server"

// NewAuditEntry returns an entry for an action. The caller adds the target and the reason.
func NewAuditEntry(actor User, action AuditAction, now time.Time) AuditEntry {
	e := AuditEntry{ID: NewID(), At: Timestamp(now), ActorID: actor.ID, ActorName: actor.Username, Action: action}
	if actor.ID == "" {
		e.ActorName = CommandActor
	}
	return e
}

// Once returns the entry with an id that follows from its action and target, which must be set, and from the state that
// the action has changed or made. So an action that is repeated, to complete an interrupted request, is recorded once.
func (e AuditEntry) Once(state string) AuditEntry {
	e.ID = derivedID(string(e.Action), e.TargetKind, e.TargetPost, e.TargetID, state)
	return e
}

// AccountDecision is a change of an account by a form. It is stored with the change, so that a repeated request
// can complete the audit log without recording a change that the request has not made.
type AccountDecision struct {
	ID   string // see AttemptID
	At   time.Time
	From Role // the role before the change
}

// About returns the entry with a user as its target.
func (e AuditEntry) About(u User) AuditEntry {
	e.TargetKind, e.TargetID, e.TargetName = AuditsUser, u.ID, u.Username
	return e
}

// AboutPage returns the entry with a static page as its target.
func (e AuditEntry) AboutPage(path string) AuditEntry {
	e.TargetKind, e.Detail = AuditsSite, "page "+path
	return e
}

// AboutMovedPage returns the entry with a static page as its target that had another path before.
func (e AuditEntry) AboutMovedPage(from, to string) AuditEntry {
	return e.AboutPage(from + " → " + to)
}

// CleanReason validates and normalises a reason, which must not be empty. The error is Invalid, about the field
// "reason".
func CleanReason(reason string) (string, error) {
	reason = strings.TrimSpace(plaintext.Clean(reason))
	switch {
	case reason == "":
		return "", FieldError("reason", "Enter a reason. The person will see it.")
	case plaintext.Exceeds(reason, MaxReason):
		return reason, FieldError("reason", "Use at most {n} characters for the reason.", "n", MaxReason)
	}
	return reason, nil
}

// ChangedSettings returns the names of the settings that differ, in the order of the form.
func ChangedSettings(before, after Settings) (changed []string) {
	a, b := before.Info, after.Info
	type setting struct {
		name string
		same bool
	}
	settings := []setting{
		{"name", a.Name == b.Name}, {"tagline", a.Tagline == b.Tagline},
		{"description", a.Description == b.Description},
		{"accent", a.Accent == b.Accent}, {"css", a.CSS == b.CSS}, {"footer", a.Footer == b.Footer},
		{"links", a.Links == b.Links},
		{"logo", a.Logo == b.Logo}, {"logoDark", a.LogoDark == b.LogoDark}, {"icon", a.Icon == b.Icon},
		{"front", a.FrontUser == b.FrontUser},
		{"frontPage", a.FrontPage == b.FrontPage}, {"featured", a.Featured == b.Featured},
		{"language", a.Language == b.Language}, {"timeZone", a.TimeZone == b.TimeZone},
		{"contact", a.Contact == b.Contact}, {"postalAddress", a.PostalAddress == b.PostalAddress},
		{"registration", before.Registration == after.Registration},
		{"role", before.NewRole == after.NewRole}, {"days", before.ReviewPeriod() == after.ReviewPeriod()},
		{"invited", before.DoubtInvited == after.DoubtInvited}, {"embeds", before.PlainEmbeds == after.PlainEmbeds},
	}
	for f := range siteinfo.LookFields() {
		settings = append(settings, setting{f.Name, f.Of(a.Looks) == f.Of(b.Looks)})
	}
	for _, s := range settings {
		if !s.same {
			changed = append(changed, s.name)
		}
	}
	return changed
}

// ChangedPrefix begins the detail of changed settings, before the names of their fields: "changed name, accent". Older
// entries have an English text instead.
const ChangedPrefix = "changed "

// AboutSettings returns the entry with the site as its target and the names of the changed settings as its detail.
func (e AuditEntry) AboutSettings(changed []string) AuditEntry {
	e.TargetKind, e.Detail = AuditsSite, ChangedPrefix+strings.Join(changed, ", ")
	return e
}

// AccountsPerPage is the number of accounts on a page of their list.
const AccountsPerPage = 50

// MaxAccountSearch is the maximum length of the text that accounts are searched for, in characters.
const MaxAccountSearch = 100

// AccountState is the standing of an account.
type AccountState string

// The states of accounts. A suspended account that is scheduled for deletion counts as suspended.
const (
	AccountActive    AccountState = "active"
	AccountSuspended AccountState = "suspended"
	AccountLeaving   AccountState = "leaving" // scheduled for deletion
)

// AccountStates returns all states of accounts.
func AccountStates() []AccountState {
	return []AccountState{AccountActive, AccountSuspended, AccountLeaving}
}

// Label is the state in words.
func (s AccountState) Label() locale.Message {
	switch s {
	case AccountSuspended:
		return locale.M("suspended|account")
	case AccountLeaving:
		return locale.M("scheduled for deletion|account")
	}
	return locale.M("active|account")
}

// ActiveDay is a day in UTC on which a user was signed in, such as "2026-11-30", or empty.
type ActiveDay string

// ActiveDayOf returns the day of a time.
func ActiveDayOf(t time.Time) ActiveDay { return ActiveDay(t.UTC().Format(time.DateOnly)) }

// Time returns the beginning of the day, and the zero time for an empty one.
func (d ActiveDay) Time() time.Time {
	t, _ := time.Parse(time.DateOnly, string(d))
	return t
}

// AccountRow is an entry of the list of all accounts.
type AccountRow struct {
	UserID      string
	Username    string
	DisplayName string
	Role        Role
	State       AccountState
	Created     time.Time
	Active      ActiveDay // the last one; empty for a user who has not been signed in since it is recorded
}

// AccountRowOf returns the entry of a user. There is none for a deleted user.
func AccountRowOf(u User) (row AccountRow, listed bool) {
	row = AccountRow{UserID: u.ID, Username: u.Username, DisplayName: u.DisplayName, Role: u.Role,
		State: AccountActive, Created: u.Created, Active: u.Active}
	switch {
	case !u.Suspended.IsZero():
		row.State = AccountSuspended
	case !u.ScheduledDeletion.IsZero():
		row.State = AccountLeaving
	}
	return row, u.Deleted.IsZero()
}

// Place orders the list: by the last active day, or that of the sign-up if it is later. An account changes its place at
// most once a day.
func (r AccountRow) Place() Place {
	return Place(string(max(r.Active, ActiveDayOf(r.Created))) + "~" + r.UserID)
}

// Search is the text in which AccountFilter looks for a part of the names.
func (r AccountRow) Search() string { return names.Fold(r.Username + " " + r.DisplayName) }

// AccountFilter selects accounts of the list. The zero value selects all.
type AccountFilter struct {
	Text  string       // a part of the names
	Role  string       // as Role.String returns it, or empty for all roles
	State AccountState // empty for all states
}

// Selects reports whether an account has the role and state of the filter.
func (f AccountFilter) Selects(r AccountRow) bool {
	return (f.Role == "" || f.Role == r.Role.String()) && (f.State == "" || f.State == r.State)
}

// CleanAccountFilter normalises a filter. It leaves out a role or state that does not exist. Its error is about the
// field "q", the text.
func CleanAccountFilter(f AccountFilter) (AccountFilter, error) {
	if _, err := ParseRole(f.Role); err != nil {
		f.Role = ""
	}
	if !slices.Contains(AccountStates(), f.State) {
		f.State = ""
	}
	f.Text = strings.TrimPrefix(strings.TrimSpace(plaintext.CleanLine(f.Text)), "@")
	if plaintext.Exceeds(f.Text, MaxAccountSearch) {
		return f, FieldError("q", "Use at most {n} characters.", "n", MaxAccountSearch)
	}
	return f, nil
}
