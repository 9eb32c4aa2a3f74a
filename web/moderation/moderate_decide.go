package moderation

import (
	"context"
	"net/url"
	"strconv"
	"time"

	"inkfeed/domain"
	"inkfeed/web/site"
)

var errNoDecision = domain.NewError(domain.Invalid, "Choose an action.")

// carryOut carries out the decision of a form.
func (h moderate) carryOut(ctx context.Context, viewer domain.User, m reviewItem, sent url.Values) error {
	ctx, cancel := site.Uninterrupted(ctx)
	defer cancel()
	now := time.Now()
	if sent.Get("do") == site.DoSuspend {
		return h.suspend(ctx, viewer, m, sent.Get("reason"), now)
	}
	if err := domain.MayDecide(viewer, m.author); err != nil {
		return err
	}
	version, err := m.version(sent, viewer)
	if err != nil {
		return err
	}
	switch do := sent.Get("do"); do {
	case site.DoDismiss:
		return h.decide(ctx, viewer, m, version, domain.DecisionDismissed, domain.AuditDismissReports, "", now, nil)
	case site.DoHide:
		if m.Deleted {
			return site.ErrNoPost
		}
		why, err := domain.HidingReason(sent.Get("why"), sent.Get("words"))
		if err != nil {
			return err
		}
		return h.decide(ctx, viewer, m, version, domain.DecisionHidden,
			m.auditAction(domain.AuditHidePost, domain.AuditHideComment), why, now, h.hide)
	case site.DoUndo:
		return h.undo(ctx, viewer, m, now)
	case site.DoRestore, site.DoApprove:
		if m.Deleted {
			return site.ErrNoPost
		}
		if sent.Get("text") != m.TextVersion() {
			return domain.ErrEdited()
		}
		switch before := m.Reported.Before; {
		case before != nil && before.Held == domain.HeldByAuthor && m.Reported.Version == version:
			return h.restoreForAuthor(ctx, viewer, m, now)
		case m.Held == domain.HeldByAuthor && m.Reported.Decision == domain.DecisionDismissed &&
			m.Reported.By == viewer.ID:
			return nil // the second request of a double click
		case m.Held == domain.HeldByAuthor:
			return domain.NewError(domain.Conflict, "The author of the post has hidden this comment.")
		}
		action, follow := m.auditAction(domain.AuditShowPost, domain.AuditShowComment), h.release
		if do == site.DoApprove {
			action, follow = m.auditAction(domain.AuditApprovePost, domain.AuditApproveComment), h.approve
		}
		return h.decide(ctx, viewer, m, version, domain.DecisionDismissed, action, "", now, follow)
	}
	return errNoDecision
}

// restoreForAuthor ends a moderator's hiding of a comment that the post's author had hidden before. The comment stays
// hidden by the post's author, so the comment's author is not notified. The decision is stored last, so that repeating
// the request completes an interrupted one.
func (h moderate) restoreForAuthor(ctx context.Context, viewer domain.User, m reviewItem, now time.Time) error {
	if err := h.unhide(ctx, m); err != nil {
		return err
	}
	version := m.Reported.Version
	entry := m.entry(viewer, domain.AuditShowComment, version+1, now)
	if err := h.store.Audit.Record(ctx, entry); err != nil {
		return err
	}
	_, err := h.store.Reports.Decide(ctx, m.Target, version, domain.DecisionDismissed, viewer.ID, "", now)
	return err
}

// undo reverses the viewer's own decision to hide a text, and restores the former state of the text and its reports.
// The author's list of notifications no longer shows the hiding. The decision is restored last, so that repeating the
// request completes an interrupted one.
func (h moderate) undo(ctx context.Context, viewer domain.User, m reviewItem, now time.Time) error {
	known := m.Reported
	switch {
	case m.Deleted:
		return site.ErrNoPost
	case m.Held != domain.HeldByModerator && known.Decision != domain.DecisionHidden:
		return nil // the second request of a double click
	case !known.MayUndo(viewer.ID):
		return domain.NewError(domain.Conflict, "Another moderator has already handled this. Please review it again.")
	}
	if m.Held == domain.HeldByModerator {
		if known.Before.Text != m.TextVersion() {
			return domain.ErrEdited()
		}
		if err := h.unhide(ctx, m); err != nil {
			return err
		}
	}
	action := m.auditAction(domain.AuditShowPost, domain.AuditShowComment)
	if known.Before.Held == domain.NotHeld {
		if err := h.notify(ctx, viewer, m, action, known.Version+1, now); err != nil {
			return err
		}
	}
	if err := h.store.Audit.Record(ctx, m.entry(viewer, action, known.Version+1, now)); err != nil {
		return err
	}
	_, err := h.store.Reports.UndoHiding(ctx, m.Target, viewer.ID)
	return err
}

// version returns the version that the moderator has seen. Below the text itself, the form contains
// only how the text was held. If that has not changed, the decision applies to the current version.
func (m reviewItem) version(sent url.Values, viewer domain.User) (int, error) {
	known := m.Reported
	switch {
	case !sent.Has("seen"):
		version, err := strconv.Atoi(sent.Get("version"))
		if err != nil {
			version = -1 // matches no version
		}
		return version, nil
	case domain.Hold(sent.Get("seen")) == m.Held:
		return known.Version, nil
	case known.By == viewer.ID: // perhaps the same decision, sent again
		return known.Version - 1, nil
	}
	return 0, domain.NewError(domain.Conflict, "Another moderator has already handled this. Please review it again.")
}

func (m reviewItem) auditAction(post, comment domain.AuditAction) domain.AuditAction {
	if m.CommentID != "" {
		return comment
	}
	return post
}

// decide stores a decision, carries out its consequences, notifies the author and removes the item from
// the review queue. The decision is stored first, so that of two moderators only one changes the text.
func (h moderate) decide(ctx context.Context, viewer domain.User, m reviewItem, version int, d domain.Decision,
	action domain.AuditAction, why string,
	now time.Time, follow func(context.Context, reviewItem) error) error {
	known := m.Reported
	if known.Decision != d || known.By != viewer.ID ||
		known.Version != version+1 { // otherwise this request repeats the viewer's own decision
		var err error
		if d == domain.DecisionHidden {
			known, err = h.store.Reports.Hide(ctx, m.Target, version, m.Held, m.TextVersion(), viewer.ID, why, now)
		} else {
			known, err = h.store.Reports.Decide(ctx, m.Target, version, d, viewer.ID, why, now)
		}
		if err != nil {
			return err
		}
	}
	if follow != nil {
		if err := follow(ctx, m); err != nil {
			return err
		}
	}
	if err := h.notify(ctx, viewer, m, action, version+1, now); err != nil {
		return err
	}
	if m.Deleted || follow != nil || m.Held != domain.HeldForReview {
		if err := h.store.Reviews.Done(ctx, m.Target); err != nil {
			return err
		}
	}
	e := m.entry(viewer, action, version+1, known.At)
	e.Reason = why
	return h.store.Audit.Record(ctx, e)
}

// notify notifies the author of a decision, unless it is the author's own. Version is the version of the reports after
// the decision.
func (h moderate) notify(ctx context.Context, viewer domain.User, m reviewItem, action domain.AuditAction, version int,
	now time.Time) error {
	kind, ok := notified[action]
	if !ok || m.author.ID == "" || m.author.ID == viewer.ID {
		return nil
	}
	return h.store.Notifications.Notify(ctx, domain.Notification{UserID: m.author.ID, Kind: kind, PostID: m.PostID,
		CommentID: m.CommentID, Event: version, Created: domain.Timestamp(now)})
}

// notified are the actions of which authors are notified, with the kinds of the notifications.
var notified = map[domain.AuditAction]domain.NotificationKind{
	domain.AuditHidePost: domain.NotifyHidden, domain.AuditHideComment: domain.NotifyHidden,
	domain.AuditShowPost: domain.NotifyRestored, domain.AuditShowComment: domain.NotifyRestored,
	domain.AuditApprovePost: domain.NotifyApproved, domain.AuditApproveComment: domain.NotifyApproved,
}

// entry returns the entry of the audit log about a decision. Version is the version of the reports after it. Entries
// about the same decision are recorded once.
func (m reviewItem) entry(viewer domain.User, action domain.AuditAction, version int,
	at time.Time) domain.AuditEntry {
	e := domain.NewAuditEntry(viewer, action, at)
	e.TargetKind, e.TargetID, e.TargetName = domain.AuditsPost, m.PostID, m.Title
	if m.CommentID != "" {
		e.TargetKind, e.TargetID, e.TargetPost, e.TargetName = domain.AuditsComment, m.CommentID, m.PostID,
			m.author.Username
	}
	return e.Once(strconv.Itoa(version))
}

func (h moderate) hide(ctx context.Context, m reviewItem) (err error) {
	if m.CommentID != "" {
		_, err = h.store.Posts.HoldComment(ctx, m.PostID, m.CommentID, domain.HeldByModerator)
	} else {
		_, err = h.store.Posts.Hold(ctx, m.PostID, domain.HeldByModerator)
	}
	return err
}

func (h moderate) release(ctx context.Context, m reviewItem) (err error) {
	if m.CommentID != "" {
		_, err = h.store.Posts.ReleaseComment(ctx, m.PostID, m.CommentID, m.Edited)
	} else {
		_, err = h.store.Posts.Release(ctx, m.PostID, m.Revision)
	}
	return err
}

// unhide restores the hold from before the text was hidden.
func (h moderate) unhide(ctx context.Context, m reviewItem) (err error) {
	before := m.Reported.Before.Held
	if m.CommentID != "" {
		_, err = h.store.Posts.UnhideComment(ctx, m.PostID, m.CommentID, m.Edited, before)
	} else {
		_, err = h.store.Posts.Unhide(ctx, m.PostID, m.Revision, before)
	}
	return err
}

// approve publishes a held text and marks its author as trusted.
func (h moderate) approve(ctx context.Context, m reviewItem) error {
	if err := h.release(ctx, m); err != nil || m.author.ID == "" {
		return err
	}
	return h.store.Accounts.Trust(ctx, m.author.ID)
}

func (h moderate) suspend(ctx context.Context, viewer domain.User, m reviewItem, reason string, now time.Time) error {
	if m.author.ID == "" {
		return domain.NewError(domain.NotFound, "This account was deleted.")
	}
	reason, err := domain.CleanReason(reason)
	if err != nil {
		return err
	}
	return h.suspendAccount(ctx, viewer, m.author, reason, now)
}
