package domain

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"inkfeed/domain/plaintext"
)

// Target names what moderators decide about: a post, or a comment on it.
type Target struct {
	PostID    string
	CommentID string // empty: the post itself
}

// ID is of one target alone.
func (t Target) ID() string {
	if t.CommentID == "" {
		return t.PostID
	}
	return t.PostID + "~" + t.CommentID
}

// Valid tells whether there can be such a target.
func (t Target) Valid() bool {
	return IsID(t.PostID) && (t.CommentID == "" || IsID(t.CommentID))
}

// ReportReason is why somebody reports something.
type ReportReason string

const (
	ReasonSpam     ReportReason = "spam"
	ReasonAbuse    ReportReason = "abuse"
	ReasonPersonal ReportReason = "personal"
	ReasonIllegal  ReportReason = "illegal"
	ReasonOther    ReportReason = "other"
)

// ReportReasons lists them in the order in which a form offers them.
func ReportReasons() []ReportReason {
	return []ReportReason{ReasonSpam, ReasonAbuse, ReasonPersonal, ReasonIllegal, ReasonOther}
}

// String is the reason in words.
func (r ReportReason) String() string {
	switch r {
	case ReasonSpam:
		return "Spam or advertising"
	case ReasonAbuse:
		return "Insults, threats or hate"
	case ReasonPersonal:
		return "Private information about someone"
	case ReasonIllegal:
		return "Illegal content"
	}
	return "Something else"
}

// MaxReportText bounds what somebody says of a report, in characters.
const MaxReportText = 1000

// Report is what one user says about a target.
type Report struct {
	UserID string
	Reason ReportReason
	Text   string // may be empty
	At     time.Time
}

// NewReport makes a report by reporter. The error names each bad field.
func NewReport(reporter User, reason, text string, now time.Time) (Report, error) {
	r := Report{UserID: reporter.ID, Reason: ReportReason(reason), Text: strings.TrimSpace(plaintext.Clean(text)), At: Timestamp(now)}
	errs := fieldErrors{}
	if !slices.Contains(ReportReasons(), r.Reason) {
		errs.add("reason", "Choose a reason.")
	}
	if r.Text != "" {
		errs.add("text", checkText("The text", r.Text, MaxReportText))
	} else if r.Reason == ReasonOther {
		errs.add("text", "Describe the problem in a few words.")
	}
	return r, errs.err()
}

// HidingReason is what is told to the author of what a moderator hides. The error names each
// bad field: "why", "words".
func HidingReason(why, words string) (string, error) {
	reason, errs := ReportReason(why), fieldErrors{}
	if !slices.Contains(ReportReasons(), reason) {
		errs.add("why", "Choose a reason. The author will see it.")
	}
	if words = strings.TrimSpace(plaintext.Clean(words)); plaintext.Exceeds(words, MaxReason) {
		errs.add("words", fmt.Sprintf("Use at most %d characters for the message.", MaxReason))
	}
	switch {
	case reason == ReasonOther && words != "":
		return words, errs.err()
	case words != "":
		return reason.String() + ": " + words, errs.err()
	}
	return reason.String(), errs.err()
}

// Decision is what a moderator made of what was reported.
type Decision string

const (
	Undecided         Decision = ""
	DecisionDismissed Decision = "dismissed" // nothing is wrong with it, or not any more
	DecisionHidden    Decision = "hidden"    // see HeldByModerator
)

// Limits of what is kept of reports on one target.
const (
	// MaxReports is how many reports are kept with what they say.
	MaxReports = 20
	// MaxReporters is of how many more it is known who made them, so that nobody counts
	// twice. Those beyond are counted, and no more.
	MaxReporters = 200
)

// ReportedTime is how long it is known that something was reported, since the last report
// or the decision. What is hidden stays known.
const ReportedTime = 180 * 24 * time.Hour

// Reported is a target with what was said and decided about it.
type Reported struct {
	Target
	Reports []Report // the first MaxReports, the oldest first
	Others  []string // who made the next MaxReporters
	Count   int      // of all
	First   time.Time
	Last    time.Time // of the reports, or of the decision if there was none
	// Decision is the last one, and below by whom, when and why it was made. Of what was
	// reported anew since it is Undecided, and the one before is Former.
	Decision Decision
	Former   Decision
	By       string // a user's id
	At       time.Time
	Why      string
	// Version counts the changes: who decides says which state of it he has seen.
	Version int
}

// Open tells that somebody has to decide about it.
func (r Reported) Open() bool { return r.Decision == Undecided && r.Count > 0 }

// From is what that user has reported, nil: nothing, or it is not kept.
func (r Reported) From(userID string) *Report {
	for i, report := range r.Reports {
		if report.UserID == userID {
			return &r.Reports[i]
		}
	}
	return nil
}

// Usual is the reason that most reports give, the first of them if there are several.
func (r Reported) Usual() ReportReason {
	usual, most := ReasonSpam, 0
	for _, reason := range ReportReasons() {
		n := 0
		for _, report := range r.Reports {
			if report.Reason == reason {
				n++
			}
		}
		if n > most {
			usual, most = reason, n
		}
	}
	return usual
}

// With adds a report. A second one by the same user takes the place of the first. What
// was dismissed is to be decided anew when the reporter is new, or what was reported has
// been edited since, at edited.
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
		r.Decision, r.Former = Undecided, r.Decision
	}
	r.Version++
	return r
}

// Decided adds a moderator's decision.
func (r Reported) Decided(d Decision, by, why string, now time.Time) Reported {
	r.Decision, r.Former, r.By, r.At, r.Why = d, Undecided, by, Timestamp(now), why
	if r.First.IsZero() {
		r.First = r.At
	}
	if r.Last.IsZero() {
		r.Last = r.At
	}
	r.Version++
	return r
}

// Without takes away what a user has said, and who it was. The count stays: it was said.
func (r Reported) Without(userID string) Reported {
	r.Reports = slices.DeleteFunc(slices.Clone(r.Reports), func(report Report) bool { return report.UserID == userID })
	r.Others = slices.DeleteFunc(slices.Clone(r.Others), func(id string) bool { return id == userID })
	if r.By == userID {
		r.By = ""
	}
	r.Version++
	return r
}

// Names tells whether the user stands anywhere in it.
func (r Reported) Names(userID string) bool {
	return r.From(userID) != nil || slices.Contains(r.Others, userID) || r.By == userID
}

// Queue is an order of what is to be decided.
type Queue string

const (
	NewestReports Queue = ""
	MostReports   Queue = "most"
)

// MaxCountedReviews is how far moderators are told how much waits for them.
const MaxCountedReviews = 100

// ReportsPerPage is how many rows a page of the moderators' queue shows.
const ReportsPerPage = 20

// MayDecide tells, by its error of kind Forbidden, whether a moderator may decide about
// what author wrote. Nobody but administrators decides about what they wrote themselves or
// an administrator has written. Who has left has nobody to protect: author may be zero.
func MayDecide(moderator, author User) error {
	switch {
	case !moderator.Role.MayModerate():
		return Errorf(Forbidden, "Only moderators can do this.")
	case moderator.Role.MayAdminister():
		return nil
	case moderator.ID == author.ID:
		return Errorf(Forbidden, "You wrote this yourself, so another moderator has to review it.")
	case author.Role.MayAdminister():
		return Errorf(Forbidden, "An administrator wrote this, so only administrators can moderate it.")
	}
	return nil
}

// MaySuspend tells, by its error of kind Forbidden, whether a moderator may suspend an
// account: nobody their own, and moderators none of other moderators.
func MaySuspend(moderator, account User) error {
	switch {
	case !moderator.Role.MayModerate():
		return Errorf(Forbidden, "Only moderators can suspend accounts.")
	case moderator.ID == account.ID:
		return Errorf(Forbidden, "You can't suspend your own account.")
	case account.Role.MayModerate() && !moderator.Role.MayAdminister():
		return Errorf(Forbidden, "Only administrators can suspend moderators.")
	case account.Role.MayAdminister():
		return Errorf(Forbidden, "This account is an administrator's. Change its role before you suspend it.")
	}
	return nil
}

// MayRestore tells likewise who may end a suspension. An administrator is suspended by a
// command on the server only, or was made one since; another can end that.
func MayRestore(moderator, account User) error {
	if account.Role.MayAdminister() && moderator.Role.MayAdminister() && moderator.ID != account.ID {
		return nil
	}
	return MaySuspend(moderator, account)
}

// Review is a text that waits until a moderator has looked at it: see HeldForReview.
type Review struct {
	Target
	AuthorID string
	At       time.Time // since when
}
