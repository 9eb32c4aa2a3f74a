package verify

import (
	"context"
	"strings"
	"time"

	"inkfeed/cosmos/schema"
	"inkfeed/domain"
)

// reportPost makes bob report ada's post, which is held for review.
func reportPost(ctx context.Context, w *world) error {
	report, err := domain.NewReport(w.bob, "spam", "Look", time.Now())
	if err == nil {
		_, err = w.Reports.Report(ctx, domain.Target{PostID: w.post.ID}, report, time.Time{})
	}
	if err == nil {
		err = w.Reviews.Put(ctx, domain.Review{Target: domain.Target{PostID: w.post.ID, CommentID: w.comment.ID},
			AuthorID: w.bob.ID, At: time.Now()})
	}
	return err
}

func dismissReports(ctx context.Context, w *world) error {
	_, err := w.Reports.Decide(ctx, domain.Target{PostID: w.post.ID}, 1, domain.DecisionDismissed, w.ada.ID, "",
		time.Now())
	return err
}

func brokenModeration() []brokenCase {
	inReports := func(path string, value any) worldStep {
		return after(reportPost, func(ctx context.Context, w *world) error {
			return w.Container(schema.ModerationContainer).Patch(ctx, schema.ReportsQueue, w.post.ID, set(path, value))
		})
	}
	return []brokenCase{
		{ruleTypes, "in moderation", `moderation item x of odd: type "y"`, func(ctx context.Context, w *world) error {
			return w.putItem(ctx, w.Container(schema.ModerationContainer), "odd",
				anyItem{"id": "x", "type": "y", "queue": "odd"})
		}},
		{ruleIDs, "of reports that nobody finds", "it is about other, in the queue reports",
			inReports("/postId", "other")},
		{ruleReports, "a report that stands in no queue", "it is a decided-report",
			inReports("/type", schema.TypeDecided)},
		{ruleReports, "a report that stays for ever", "its time to live is -1", inReports("/ttl", -1)},
		{ruleCounts, "of reports", "0 reports are counted, 1 are there", inReports("/reportCount", 0)},
		{ruleDeletions, "a report by a deleted account", "the reports on",
			after(reportPost, after(deleteAda, func(ctx context.Context, w *world) error {
				return w.Container(schema.ModerationContainer).Patch(ctx, schema.ReportsQueue, w.post.ID,
					set("/decidedBy", w.ada.ID))
			}))},
		{ruleIDs, "of what waits", "in the queue held", after(reportPost, func(ctx context.Context, w *world) error {
			return w.Container(schema.ModerationContainer).Patch(ctx, schema.HeldQueue, w.post.ID+"~"+w.comment.ID,
				set("/commentId", strings.ToUpper(w.comment.ID)))
		})},
		{ruleExpiry, "what waits for a moderator", "of held",
			after(reportPost, func(ctx context.Context, w *world) error {
				return w.Container(schema.ModerationContainer).Patch(ctx, schema.HeldQueue, w.post.ID+"~"+w.comment.ID,
					set("/ttl", 60))
			})},
	}
}
