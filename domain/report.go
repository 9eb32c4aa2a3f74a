package domain

import (
	"slices"
	"strings"
	"time"

	"inkfeed/domain/locale"
	"inkfeed/domain/plaintext"
)

// Target identifies a text that can be reported or moderated: a post, or a comment on it.
type Target struct {
	PostID    string
	CommentID string // empty for the post itself
}

// ID returns a unique id of the target.
func (t Target) ID() string {
	if t.CommentID == "" {
		return t.PostID
	}
	return t.PostID + "~" + t.CommentID
}

// ParseTarget returns the target with an id, see Target.ID. The target may be invalid.
func ParseTarget(id string) Target {
	post, comment, _ := strings.Cut(id, "~")
	return Target{post, comment}
}

// Valid reports whether the ids have a valid form.
func (t Target) Valid() bool {
	return IsID(t.PostID) && (t.CommentID == "" || IsID(t.CommentID))
}

// ReportReason is the reason for a report.
type ReportReason string

// The reasons that forms offer. ReportReason.String describes them.
const (
	ReasonSpam     ReportReason = "spam"
	ReasonAbuse    ReportReason = "abuse"
	ReasonPersonal ReportReason = "personal"
	ReasonIllegal  ReportReason = "illegal"
	ReasonOther    ReportReason = "other"
)

// ReportReasons returns all reasons in the order in which forms offer them.
func ReportReasons() []ReportReason {
	return []ReportReason{ReasonSpam, ReasonAbuse, ReasonPersonal, ReasonIllegal, ReasonOther}
}

// Label describes the reason in words.
func (r ReportReason) Label() locale.Message {
	switch r {
	case ReasonSpam:
		return locale.M("Spam or advertising")
	case ReasonAbuse:
		return locale.M("Insults, threats or hate")
	case ReasonPersonal:
		return locale.M("Private information about someone")
	case ReasonIllegal:
		return locale.M("Illegal content")
	}
	return locale.M("Something else")
}

// String describes the reason in English, as explanations for authors are stored.
func (r ReportReason) String() string { return r.Label().String() }

// MaxReportText is the maximum length of a report's text, in characters.
const MaxReportText = 1000

// Report is one user's report of a target.
type Report struct {
	UserID string
	Reason ReportReason
	Text   string // may be empty
	At     time.Time
}

// NewReport returns a report by reporter. The error names each invalid field.
func NewReport(reporter User, reason, text string, now time.Time) (Report, error) {
	r := Report{UserID: reporter.ID, Reason: ReportReason(reason), Text: strings.TrimSpace(plaintext.Clean(text)),
		At: Timestamp(now)}
	errs := fieldErrors{}
	if !slices.Contains(ReportReasons(), r.Reason) {
		errs.add("reason", "Choose a reason.")
	}
	if r.Text != "" {
		errs.addMessage("text", textProblem(bodyTexts, r.Text, MaxReportText))
	} else if r.Reason == ReasonOther {
		errs.add("text", "Describe the problem in a few words.")
	}
	return r, errs.err()
}

// Decision is a moderator's decision about reports.
type Decision string

const (
	Undecided         Decision = ""          // moderators have to decide
	DecisionDismissed Decision = "dismissed" // the text follows the rules, or does so now
	DecisionHidden    Decision = "hidden"    // see HeldByModerator
)

// Limits of the reports that are kept for one target.
const (
	// MaxReports is the number of reports that are kept with their texts.
	MaxReports = 20
	// MaxReporters is the number of further reporters whose ids are kept, so that no user counts twice. Reports
	// beyond that are only counted.
	MaxReporters = 200
)

// ReportedTime is how long reports are kept after the last report or the decision. Those of a hidden text are kept
// while it is hidden.
const ReportedTime = 180 * 24 * time.Hour

// Reported is a target with its reports and the decision about them.
type Reported struct {
	Target
	Reports []Report // at most MaxReports, oldest first
	Others  []string // the ids of up to MaxReporters further reporters
	Count   int      // of all reports
	First   time.Time
	Last    time.Time // of the last report, or of the decision if there was no report
	// Decision is the last decision; By, At and Why say who made it, when and why. It is Undecided if there are new
	// reports since, and Previous is then the decision before them.
	Decision Decision
	Previous Decision
	By       string // a user's id
	At       time.Time
	Why      string
	// Before is set while the Decision is DecisionHidden and can be undone.
	Before *BeforeHiding
	// Version counts the changes. A decision names the version that the moderator has seen.
	Version int
}

// Open reports whether the reports need a decision.
func (r Reported) Open() bool { return r.Decision == Undecided && r.Count > 0 }

// From returns the user's report, or nil if there is none or its text is not kept.
func (r Reported) From(userID string) *Report {
	for i, report := range r.Reports {
		if report.UserID == userID {
			return &r.Reports[i]
		}
	}
	return nil
}

// With returns the state with another report. A second report by the same user replaces the first. A dismissed target
// needs a new decision if the reporter is new, or if the target was edited since the decision.
func (r Reported) With(report Report, edited time.Time) Reported {
	isNew := true
	r.Reports, r.Others = slices.Clone(r.Reports), slices.Clone(r.Others)
	switch own := r.From(report.UserID); {
	case own != nil:
		*own, isNew = report, false
	case slices.Contains(r.Others, report.UserID):
		isNew = false
	case len(r.Reports) < MaxReports:
		r.Reports = append(r.Reports, report)
	case len(r.Others) < MaxReporters:
		r.Others = append(r.Others, report.UserID)
	}
	if isNew {
		r.Count++
	}
	if r.First.IsZero() {
		r.First = report.At
	}
	if report.At.After(r.Last) {
		r.Last = report.At
	}
	if r.Decision == DecisionDismissed && (isNew || edited.After(r.At)) {
		r.Decision, r.Previous = Undecided, r.Decision
	}
	r.Version++
	return r
}

// Decided returns the state with a moderator's decision. To hide a target so that it can be undone, see Hidden.
func (r Reported) Decided(d Decision, by, why string, now time.Time) Reported {
	r.Decision, r.Previous, r.By, r.At, r.Why, r.Before = d, Undecided, by, Timestamp(now), why, nil
	if r.First.IsZero() {
		r.First = r.At
	}
	if r.Last.IsZero() {
		r.Last = r.At
	}
	r.Version++
	return r
}

// Without returns the state without a user's reports and id. The count stays the same.
func (r Reported) Without(userID string) Reported {
	r.Reports = slices.DeleteFunc(slices.Clone(r.Reports), func(report Report) bool { return report.UserID == userID })
	r.Others = slices.DeleteFunc(slices.Clone(r.Others), func(id string) bool { return id == userID })
	if r.By == userID {
		r.By = ""
	}
	if r.Before != nil && r.Before.By == userID {
		before := *r.Before
		before.By = ""
		r.Before = &before
	}
	r.Version++
	return r
}

// Mentions reports whether the state contains the user's id.
func (r Reported) Mentions(userID string) bool {
	return r.From(userID) != nil || slices.Contains(r.Others, userID) || r.By == userID ||
		r.Before != nil && r.Before.By == userID
}

// Queue is an order of the list of open reports.
type Queue string

const (
	NewestReports Queue = ""     // the newest report first
	MostReports   Queue = "most" // the most reports first
)

// MaxCountedWaiting is the largest number of texts that are counted in a queue of moderators. It means "or more".
const MaxCountedWaiting = 100

// Waiting is what waits for moderators. Each number is at most MaxCountedWaiting.
type Waiting struct{ Reports, Reviews int }

// Sum returns the number of all that waits, at most MaxCountedWaiting.
func (w Waiting) Sum() int { return min(w.Reports+w.Reviews, MaxCountedWaiting) }

// ReportsPerPage is the number of reports on a page.
const ReportsPerPage = 20

// MayDecide returns a Forbidden error if a moderator may not decide about a text by author. Only administrators may
// decide about their own texts and those of administrators. If the author's account is deleted, author is zero.
func MayDecide(moderator, author User) error {
	switch {
	case !moderator.Role.MayModerate():
		return NewError(Forbidden, "Only moderators can do this.")
	case moderator.Role.MayAdminister():
		return nil
	case moderator.ID == author.ID:
		return NewError(Forbidden, "You wrote this yourself, so another moderator has to review it.")
	case author.Role.MayAdminister():
		return NewError(Forbidden, "An administrator wrote this, so only administrators can moderate it.")
	}
	return nil
}

// MaySuspend returns a Forbidden error if a moderator may not suspend an account. Users cannot suspend their own
// account, and only administrators can suspend moderators.
func MaySuspend(moderator, account User) error {
	switch {
	case !moderator.Role.MayModerate():
		return NewError(Forbidden, "Only moderators can suspend accounts.")
	case moderator.ID == account.ID:
		return NewError(Forbidden, "You can't suspend your own account.")
	case account.Role.MayModerate() && !moderator.Role.MayAdminister():
		return NewError(Forbidden, "Only administrators can suspend moderators.")
	case account.Role.MayAdminister():
		return NewError(Forbidden, "This account is an administrator's. Change its role before you suspend it.")
	}
	return nil
}

// MayRestore returns a Forbidden error if a moderator may not end a suspension. An administrator can be suspended
// only by a command on the server, or before getting that role. Another administrator can end such a suspension.
func MayRestore(moderator, account User) error {
	if account.Role.MayAdminister() && moderator.Role.MayAdminister() && moderator.ID != account.ID {
		return nil
	}
	return MaySuspend(moderator, account)
}

// Review is a text that is held for review: see HeldForReview.
type Review struct {
	Target
	AuthorID string
	At       time.Time // the time since which it waits
}
