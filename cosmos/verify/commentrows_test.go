package verify

import (
	"context"

	"inkfeed/cosmos/schema"
	"inkfeed/domain"
)

// commentRow returns the id of the row of the world's comment.
func (w *world) commentRow() string {
	return domain.Target{PostID: w.post.ID, CommentID: w.comment.ID}.ID()
}

func deleteComment(ctx context.Context, w *world) error {
	_, err := w.Posts.DeleteComment(ctx, w.post.ID, w.comment.ID, w.bob.ID)
	if err == nil {
		err = projectWorld(ctx, w)
	}
	return err
}

func brokenCommentRows() []brokenCase {
	inRow := func(path string, value any) worldStep {
		return func(ctx context.Context, w *world) error {
			return w.Container(schema.OverviewsContainer).Patch(ctx, schema.CommentsOverview, w.commentRow(),
				set(path, value))
		}
	}
	inMarker := func(path string, value any) worldStep {
		return after(deleteComment, func(ctx context.Context, w *world) error {
			return w.Container(schema.PostsContainer).Patch(ctx, w.post.ID, w.comment.ID, set(path, value))
		})
	}
	cases := []brokenCase{
		{ruleCommentRows, "a comment without a row", "1 of its comments have no row",
			func(ctx context.Context, w *world) error {
				return w.Container(schema.OverviewsContainer).Delete(ctx, schema.CommentsOverview, w.commentRow())
			}},
		{ruleCommentRows, "the row of a deleted comment", "1 rows have no comment", deleteComment},
		{ruleCommentRows, "the row of a comment on a post that does not exist", "1 rows have no comment",
			inRow("/postId", domain.NewID())},
		{ruleCommentRows, "the row of a placeholder, and a reply without a row", "differ", replyToPlaceholder},
		{ruleTypes, "an unknown type among the rows", `type "x"`, inRow("/type", "x")},
		{ruleShapes, "a row without a date", "overviews item", inRow("/creationDate", "yesterday")},
		{ruleExpiry, "a row that expires", "it expires in 60 seconds", inRow("/ttl", 60)},
		{ruleTombstones, "the marker of a comment that stays", "does not expire", inMarker("/ttl", -1)},
		{ruleDeletions, "the marker of a comment with its text", "has text", inMarker("/content", "Hello")},
	}
	for path, value := range map[string]any{"/content": "Bye", "/userId": "u", "/userUsername": "bob",
		"/userDisplayName": "B.", "/creationDate": "2020-01-02T03:04:05.000Z", "/editDate": "2020-01-02T03:04:05.000Z",
		"/held": "author", "/authorSuspended": true, "/state": "hidden", "/sortKey": "2020", "/commentId": "x"} {
		cases = append(cases, brokenCase{ruleCommentRows, "a row with another " + path, "differ", inRow(path, value)})
	}
	return cases
}
