package verify

import (
	"context"
	"strings"
	"time"

	"inkfeed/cosmos/schema"
	"inkfeed/domain"
)

// reportPost makes bob report ada's post.
func reportPost(ctx context.Context, w *world) error {
	report, err := domain.NewReport(w.bob, "spam", "Look", time.Now())
	if err == nil {
		_, err = w.Reports.Report(ctx, domain.Target{PostID: w.post.ID}, report, time.Time{})
	}
	return err
}

// reviewComment holds bob's comment for review.
func reviewComment(ctx context.Context, w *world) error {
	_, err := w.Posts.HoldComment(ctx, w.post.ID, w.comment.ID, domain.HeldForReview)
	if err == nil {
		err = projectWorld(ctx, w)
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
		{ruleTypes, "an unknown type in moderation", `moderation item x of odd: type "y"`,
			func(ctx context.Context, w *world) error {
				return w.putItem(ctx, w.Container(schema.ModerationContainer), "odd",
					anyItem{"id": "x", "type": "y", "queue": "odd"})
			}},
		{ruleIDs, "a report with another id", "it is about other, in the queue reports",
			inReports("/postId", "other")},
		{ruleReports, "a report in the wrong queue", "its type is decided-report",
			inReports("/type", schema.TypeDecided)},
		{ruleReports, "a report that does not expire", "its time to live is -1", inReports("/ttl", -1)},
		{ruleCounts, "a report that is not counted", "0 reports are counted, 1 exist",
			inReports("/reportCount", 0)},
		{ruleDeletions, "a report by a deleted account", "the reports on",
			after(reportPost, after(deleteAda, func(ctx context.Context, w *world) error {
				return w.Container(schema.ModerationContainer).Patch(ctx, schema.ReportsQueue, w.post.ID,
					set("/decidedBy", w.ada.ID))
			}))},
		{ruleDeletions, "a decision before a hiding by a deleted account", "the reports on",
			after(reportPost, after(deleteAda, func(ctx context.Context, w *world) error {
				return w.Container(schema.ModerationContainer).Patch(ctx, schema.ReportsQueue, w.post.ID,
					set("/beforeHiding", anyItem{"decidedBy": w.ada.ID}))
			}))},
		{ruleReviews, "an entry of the review queue whose text does not wait", "does not wait for a moderator",
			func(ctx context.Context, w *world) error {
				return w.Reviews.Put(ctx, domain.Review{Target: domain.Target{PostID: w.post.ID}, AuthorID: w.ada.ID,
					At: time.Now()})
			}},
		{ruleReviews, "an entry of the review queue whose text is deleted", "does not wait for a moderator",
			func(ctx context.Context, w *world) error {
				return w.Reviews.Put(ctx, domain.Review{Target: domain.Target{PostID: domain.NewID()},
					AuthorID: w.ada.ID, At: time.Now()})
			}},
		{ruleIDs, "an entry of the review queue with another id", "in the queue held",
			after(reviewComment, func(ctx context.Context, w *world) error {
				return w.Container(schema.ModerationContainer).Patch(ctx, schema.HeldQueue, w.post.ID+"~"+w.comment.ID,
					set("/commentId", strings.ToUpper(w.comment.ID)))
			})},
		{ruleExpiry, "an entry of the review queue", "of held",
			after(reviewComment, func(ctx context.Context, w *world) error {
				return w.Container(schema.ModerationContainer).Patch(ctx, schema.HeldQueue, w.post.ID+"~"+w.comment.ID,
					set("/ttl", 60))
			})},
	}
}
