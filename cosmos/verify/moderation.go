package verify

import (
	"context"
	"strings"

	"inkfeed/cosmos/client"
	"inkfeed/cosmos/schema"
	"inkfeed/domain"
)

// moderationKinds returns the kinds of items in moderation.
func moderationKinds() kindsOf {
	return kindsOf{
		schema.TypeReport:  (*audit).noteReport,
		schema.TypeDecided: (*audit).noteReport,
		schema.TypeReview:  (*audit).noteReview,

		schema.TypeSettings:      (*audit).noteSettings,
		schema.TypePages:         (*audit).notePages,
		schema.TypeSitePicture:   (*audit).noteSitePicture,
		schema.TypeInvitation:    (*audit).noteInvitation,
		schema.TypeInvitationUse: (*audit).noteInvitationUse,
		schema.TypeAudit:         (*audit).noteAudit,

		schema.TypeAddressRequest: (*audit).noteAddresses,
		schema.TypeAddressOwner:   (*audit).noteAddresses,
	}
}

// readModeration reads the container moderation. It runs after the users and posts were read, which its items
// name. A database from before the moderators has no such container.
func (a *audit) readModeration(ctx context.Context, db *client.Database) error {
	kinds := moderationKinds()
	err := readOptionalItems(ctx, a, db, schema.ModerationContainer, wholeQuery, func(i storedItem) {
		subject := schema.ModerationContainer + " item " + i.ID + " of " + i.Queue
		if note, ok := kinds[i.Type]; ok {
			note(a, subject, i)
		} else {
			a.violation(ruleTypes, subject, "type %q", i.Type)
		}
	})
	a.checkSitePictures()
	return err
}

// checkTarget checks that the id and queue of an item follow from its target.
func (a *audit) checkTarget(subject, queue string, i storedItem) bool {
	if target := (domain.Target{PostID: i.PostID, CommentID: i.CommentID}); i.ID != target.ID() || i.Queue != queue {
		a.violation(ruleIDs, subject, "it is about %s, in the queue %s", target.ID(), queue)
		return false
	}
	return true
}

// noteReport checks a report. Reports of deleted posts are sound: moderators dismiss them, or they expire.
func (a *audit) noteReport(subject string, i storedItem) {
	if !a.checkTarget(subject, schema.ReportsQueue, i) {
		return
	}
	open := i.Decision == domain.Undecided && i.ReportCount > 0
	if open != (i.Type == schema.TypeReport) {
		a.violation(ruleReports, subject, "its type is %s with %d reports and the decision %q", i.Type,
			i.ReportCount, i.Decision)
	}
	if kept := len(i.Reports) + len(i.Others); kept > i.ReportCount || len(i.Reports) > domain.MaxReports {
		a.violation(ruleCounts, subject, "%d reports are counted, %d exist", i.ReportCount, kept)
	}
	if hidden := i.Decision == domain.DecisionHidden; hidden == i.expires() {
		a.violation(ruleReports, subject, "its time to live is %d with the decision %q", i.TTL, i.Decision)
	}
	names := append([]string{i.DecidedBy, i.Before.DecidedBy}, i.Others...)
	for _, report := range i.Reports {
		names = append(names, report.UserID)
	}
	for _, id := range names {
		if u := a.users[id]; u != nil && u.erased {
			a.violation(ruleDeletions, "user "+id, "the reports on %s name the user", i.ID)
		}
	}
}

func (a *audit) noteReview(subject string, i storedItem) {
	if !a.checkTarget(subject, schema.HeldQueue, i) {
		return
	}
	a.checkStays(subject, i)
	if _, waits := a.waiting[i.ID]; !waits {
		a.violation(ruleReviews, subject, "the text does not wait for a moderator")
	}
	delete(a.waiting, i.ID)
	if u := a.users[i.UserID]; u != nil && u.erased {
		a.violation(ruleDeletions, "user "+i.UserID, "%s waits for a moderator", strings.TrimSpace(subject))
	}
}

// noteWaiting records a live post or comment that must have an entry in the review queue. A post in the trash has none.
func (a *audit) noteWaiting(subject string, i storedItem) {
	if i.Held != domain.HeldForReview || i.TrashedDate != nil {
		return
	}
	target := domain.Target{PostID: i.PostID}
	if i.Type == schema.TypeComment {
		target.CommentID = i.ID
	}
	a.waiting[target.ID()] = subject
}

// checkWaiting reports texts without an entry in the review queue. It runs after the queue was read.
func (a *audit) checkWaiting() {
	for id, subject := range a.waiting {
		a.violation(ruleReviews, subject, "the review queue has no entry for %s", id)
	}
}
