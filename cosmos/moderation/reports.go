package moderation

import (
	"context"
	"slices"
	"time"

	"inkfeed/cosmos/client"
	"inkfeed/cosmos/schema"
	"inkfeed/domain"
)

var (
	reporting = client.Writes("report")
	deciding  = client.Writes("decide")
)

// Reports stores users' reports to the moderators, and the moderators' decisions. It is the partition "reports" of
// the container moderation, with one item for each target. An item expires after domain.ReportedTime, unless the
// target is hidden.
type Reports struct{ c *client.Container }

// NewReports returns the reports of a database.
func NewReports(db *client.Database) *Reports {
	return &Reports{c: db.Container(schema.ModerationContainer)}
}

type reportItem struct {
	ID           string          `json:"id"`
	Type         string          `json:"type"`
	Queue        string          `json:"queue"`
	PostID       string          `json:"postId"`
	CommentID    string          `json:"commentId,omitempty"`
	Reports      []reporterItem  `json:"reports"`
	Others       []string        `json:"others,omitempty"`
	Count        int             `json:"reportCount"`
	CreationDate schema.Instant  `json:"creationDate"`
	ReportDate   schema.Instant  `json:"reportDate"`
	Decision     domain.Decision `json:"decision,omitempty"`
	Previous     domain.Decision `json:"formerDecision,omitempty"`
	DecidedBy    string          `json:"decidedBy,omitempty"`
	DecisionDate *schema.Instant `json:"decisionDate,omitempty"`
	Why          string          `json:"decisionReason,omitempty"`
	Before       *beforeItem     `json:"beforeHiding,omitempty"`
	Version      int             `json:"version"`
	TTL          int             `json:"ttl"`
	ETag         string          `json:"_etag,omitempty"`
}

// beforeItem is the stored form of a domain.BeforeHiding.
type beforeItem struct {
	Held         domain.Hold     `json:"held,omitempty"`
	Text         string          `json:"textVersion"`
	Decision     domain.Decision `json:"decision,omitempty"`
	Previous     domain.Decision `json:"formerDecision,omitempty"`
	DecidedBy    string          `json:"decidedBy,omitempty"`
	DecisionDate *schema.Instant `json:"decisionDate,omitempty"`
	Why          string          `json:"decisionReason,omitempty"`
	Count        int             `json:"reportCount"`
}

type reporterItem struct {
	UserID string              `json:"userId"`
	Reason domain.ReportReason `json:"reason"`
	Text   string              `json:"text,omitempty"`
	Date   schema.Instant      `json:"date"`
}

func reportItemOf(r domain.Reported) reportItem {
	i := reportItem{
		ID:           r.ID(),
		Type:         schema.TypeDecided,
		Queue:        schema.ReportsQueue,
		PostID:       r.PostID,
		CommentID:    r.CommentID,
		Reports:      make([]reporterItem, len(r.Reports)),
		Others:       r.Others,
		Count:        r.Count,
		CreationDate: schema.Instant(r.First),
		ReportDate:   schema.Instant(r.Last),
		Decision:     r.Decision,
		Previous:     r.Previous,
		DecidedBy:    r.By,
		DecisionDate: schema.Optional(r.At),
		Why:          r.Why,
		Version:      r.Version,
		TTL:          int(domain.ReportedTime.Seconds()),
	}
	if r.Open() {
		i.Type = schema.TypeReport
	}
	if b := r.Before; b != nil {
		i.Before = &beforeItem{Held: b.Held, Text: b.Text, Decision: b.Decision, Previous: b.Previous, DecidedBy: b.By,
			DecisionDate: schema.Optional(b.At), Why: b.Why, Count: b.Count}
	}
	if r.Decision == domain.DecisionHidden {
		i.TTL = schema.Forever
	}
	for n, report := range r.Reports {
		i.Reports[n] = reporterItem{UserID: report.UserID, Reason: report.Reason, Text: report.Text,
			Date: schema.Instant(report.At)}
	}
	return i
}

func (i reportItem) domain() domain.Reported {
	r := domain.Reported{
		Target:   domain.Target{PostID: i.PostID, CommentID: i.CommentID},
		Others:   i.Others,
		Count:    i.Count,
		First:    time.Time(i.CreationDate),
		Last:     time.Time(i.ReportDate),
		Decision: i.Decision,
		Previous: i.Previous,
		By:       i.DecidedBy,
		At:       i.DecisionDate.Time(),
		Why:      i.Why,
		Version:  i.Version,
	}
	if b := i.Before; b != nil {
		r.Before = &domain.BeforeHiding{Held: b.Held, Text: b.Text, Decision: b.Decision, Previous: b.Previous,
			By: b.DecidedBy, At: b.DecisionDate.Time(), Why: b.Why, Count: b.Count}
	}
	for _, report := range i.Reports {
		r.Reports = append(r.Reports, domain.Report{UserID: report.UserID, Reason: report.Reason, Text: report.Text,
			At: time.Time(report.Date)})
	}
	return r
}

// Of returns the reports and the decision about a target. Most targets have none.
func (r *Reports) Of(ctx context.Context, target domain.Target) (domain.Reported, error) {
	item, err := r.read(reporting.In(ctx), target)
	return item.domain(), client.Translate(err)
}

// read reads the item of a target. If there is none, it returns a new item without an ETag.
func (r *Reports) read(ctx context.Context, target domain.Target) (reportItem, error) {
	if !target.Valid() {
		return reportItem{}, errNoTarget()
	}
	item, err := client.Read[reportItem](ctx, r.c, schema.ReportsQueue, target.ID())
	if client.Missing(err) {
		return reportItem{PostID: target.PostID, CommentID: target.CommentID}, nil
	}
	return item, err
}

func errNoTarget() error {
	return domain.NewError(domain.NotFound, "There is no such post or comment.")
}

// Report adds a user's report about a target. edited is the time of the last edit of the target, or zero. See
// domain.Reported.With.
func (r *Reports) Report(ctx context.Context, target domain.Target, report domain.Report,
	edited time.Time) (domain.Reported, error) {
	return r.change(reporting.In(ctx), target, func(was domain.Reported) (domain.Reported, error) {
		if own := was.From(report.UserID); own != nil && *own == report {
			return was, nil // an earlier attempt of this call
		}
		return was.With(report, edited), nil
	})
}

// Decide records a decision about a target. version is the version that the moderator has seen; 0 means that there
// were no reports. If the version differs, Decide returns Conflict and the current state.
func (r *Reports) Decide(ctx context.Context, target domain.Target, version int, d domain.Decision,
	by, why string, now time.Time) (domain.Reported, error) {
	return r.decide(ctx, target, version, d, by, now, func(was domain.Reported) domain.Reported {
		return was.Decided(d, by, why, now)
	})
}

// Hide is Decide for DecisionHidden. It also stores the previous state, so that UndoHiding can restore it: see
// domain.Reported.Hidden. Held is the previous hold of the target, and text the version of the hidden text.
func (r *Reports) Hide(ctx context.Context, target domain.Target, version int, held domain.Hold, text, by, why string,
	now time.Time) (domain.Reported, error) {
	return r.decide(ctx, target, version, domain.DecisionHidden, by, now, func(was domain.Reported) domain.Reported {
		return was.Hidden(held, text, by, why, now)
	})
}

func (r *Reports) decide(ctx context.Context, target domain.Target, version int, d domain.Decision, by string,
	now time.Time, change func(domain.Reported) domain.Reported) (domain.Reported, error) {
	now = domain.Timestamp(now)
	return r.change(deciding.In(ctx), target, func(was domain.Reported) (domain.Reported, error) {
		switch {
		case was.Decision == d && was.By == by && was.At.Equal(now):
			return was, nil // an earlier attempt of this call
		case was.Version != version:
			return was, domain.NewError(domain.Conflict, "This has changed since you opened it. Please review it "+
				"again.")
		}
		return change(was), nil
	})
}

// UndoHiding restores the decision from before the moderator by hid a target. If the hiding cannot be undone any more,
// it changes nothing.
func (r *Reports) UndoHiding(ctx context.Context, target domain.Target, by string) (domain.Reported, error) {
	return r.change(deciding.In(ctx), target, func(was domain.Reported) (domain.Reported, error) {
		if !was.MayUndo(by) {
			return was, nil // an earlier attempt may have undone it
		}
		return was.Unhidden(), nil
	})
}

// change rewrites an item, and tries again after each lost race. Many users may report one target at the same
// time, so only the context limits the number of attempts.
func (r *Reports) change(ctx context.Context, target domain.Target,
	how func(domain.Reported) (domain.Reported, error)) (domain.Reported, error) {
	for attempt := 1; ; attempt++ {
		item, err := r.read(ctx, target)
		if err != nil {
			return domain.Reported{}, client.Translate(err)
		}
		was := item.domain()
		changed, err := how(was)
		if err != nil || changed.Version == was.Version {
			return was, err
		}
		if item.ETag == "" {
			err = r.c.Create(ctx, schema.ReportsQueue, reportItemOf(changed))
		} else {
			err = r.c.Replace(ctx, schema.ReportsQueue, item.ID, item.ETag, reportItemOf(changed))
		}
		if err == nil || !client.LostRace(err) {
			return changed, client.Translate(err)
		}
		if err := client.PauseAfter(ctx, attempt); err != nil {
			return domain.Reported{}, client.Translate(err)
		}
	}
}

// Open returns one page of undecided reports.
func (r *Reports) Open(ctx context.Context, order domain.Queue, page int) (domain.ListPage[domain.Reported], error) {
	text := `SELECT * FROM c WHERE c.queue = @queue AND c.type = 'report'
		 ORDER BY c.type DESC, c.reportDate DESC, c.id DESC OFFSET @offset LIMIT @limit`
	if order == domain.MostReports {
		text = `SELECT * FROM c WHERE c.queue = @queue AND c.type = 'report'
		 ORDER BY c.type DESC, c.reportCount DESC, c.reportDate DESC, c.id DESC OFFSET @offset LIMIT @limit`
	}
	items, err := client.Query[reportItem](client.Reads("reports").In(ctx), r.c, schema.ReportsQueue, text,
		client.PageOf(page, domain.ReportsPerPage, client.Parameters{"queue": schema.ReportsQueue}))
	rows := client.Convert(items, reportItem.domain)
	return domain.Cut(rows, page, domain.ReportsPerPage), client.Translate(err)
}

// CountOpen counts the targets with undecided reports up to the maximum most, which limits the cost.
func (r *Reports) CountOpen(ctx context.Context, most int) (int, error) {
	return count(client.Reads("reports-count").In(ctx), r.c, schema.ReportsQueue, schema.TypeReport, most)
}

// Forget removes a deleted user's reports and decisions, and the user's name from them. It reads the whole queue,
// which is short.
func (r *Reports) Forget(ctx context.Context, userID string) error {
	items, err := client.Query[reportItem](ctx, r.c, schema.ReportsQueue, `SELECT * FROM c WHERE c.queue = @queue`,
		client.Parameters{"queue": schema.ReportsQueue})
	items = slices.DeleteFunc(items, func(i reportItem) bool { return !i.domain().Mentions(userID) })
	for _, item := range items {
		if err == nil {
			_, err = r.change(ctx, item.domain().Target, func(was domain.Reported) (domain.Reported, error) {
				if !was.Mentions(userID) { // already removed
					return was, nil
				}
				return was.Without(userID), nil
			})
		}
	}
	return err
}
