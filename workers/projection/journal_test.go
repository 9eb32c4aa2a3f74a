package projection

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"inkfeed/domain"
)

// journal is a storage that records the calls of projectors.
type journal struct {
	mu           sync.Mutex
	lines        []string
	authors      map[string]domain.Author
	own          bool
	more         bool // the result of steps that may leave more to do
	moreImages   bool
	moreFollows  bool
	moreLists    bool
	moreImports  bool          // redirects of imports are left
	suspending   int           // the steps that the propagation of a suspension takes; 0: one
	naming       int           // those of a name
	limit        int           // of the last step
	avatarsAgain time.Duration // the result of DeleteOldAvatars
	fail         error
	rows         []string // whose rows in the list of accounts were written
	failRows     error
	sources      map[string]domain.Post
	comments     map[string]domain.Comment
	listed       []domain.Review // the review queue

	blocks    []string                    // two users, of whom the first has blocked the second
	followers map[string]domain.Followers // by the keys of sources
	bookmarks []domain.Bookmark
	shown     []string // the records that SetBookmarked made
	overtaken bool     // the record of the post has changed since it was read
}

func (j *journal) log(format string, args ...any) error {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.lines = append(j.lines, fmt.Sprintf(format, args...))
	return j.fail
}

// scheduleJournal records scheduled items.
type scheduleJournal struct{ *journal }

func (j scheduleJournal) PutNew(_ context.Context, item domain.ScheduledItem) error {
	return j.log("schedule %s of %s at %s", item.PostID, item.UserID, item.At.Format(time.RFC3339))
}

func (j *journal) MarkTold(_ context.Context, postID string, _ time.Time) error {
	return j.log("the followers were told of %s", postID)
}

func (j *journal) EraseFollows(_ context.Context, userID string, _ int) (domain.Step, error) {
	return domain.Step{More: j.moreFollows}, j.log("erase the follows of %s", userID)
}

func (j *journal) Has(_ context.Context, userID, otherID string) (bool, error) {
	return slices.Contains(j.blocks, userID+" "+otherID), nil
}

func (j *journal) Followers(_ context.Context, s domain.Source) (domain.Followers, error) {
	return j.followers[s.Key()], nil
}

func (j *journal) Complete(_ context.Context, f domain.Follow) error {
	return j.log("complete the follow of %s by %s, ended %t", f.Source.Key(), f.UserID, !f.Deleted.IsZero())
}

func (j *journal) Unfollow(_ context.Context, userID string, s domain.Source) error {
	return j.log("%s unfollows %s", userID, s.Key())
}

func (j *journal) ApplySummary(_ context.Context, s domain.Summary) error {
	if !s.Deleted.IsZero() {
		return j.log("users tombstone of %s", s.PostID)
	}
	return j.log("users copy of %s version %d likes %d", s.PostID, s.Version, s.LikeCount)
}

func (j *journal) RewriteSummary(ctx context.Context, authorID, postID string, source summarySource) error {
	s, err := source(ctx)
	if err != nil {
		return err
	}
	return j.log("rewrite %s of %s to version %d", postID, authorID, s.Version)
}

// tagJournal records calls for the copies by tags.
type tagJournal struct{ *journal }

func (j tagJournal) ApplySummary(_ context.Context, key string, s domain.Summary) error {
	return j.log("tag %s: %s version %d", key, s.PostID, s.Version)
}

func (j tagJournal) RewriteSummary(ctx context.Context, key, postID string, source summarySource) error {
	s, err := source(ctx)
	if err != nil {
		return err
	}
	return j.log("rewrite %s in tag %s to version %d", postID, key, s.Version)
}

func (j *journal) ClearStaleListings(_ context.Context, postID string, version int) error {
	return j.log("clear stale listings of %s at version %d", postID, version)
}

func (j *journal) Latest(_ context.Context, postID string) (domain.Post, error) {
	return j.sources[postID], nil
}

func (j *journal) Comment(_ context.Context, postID, commentID string) (domain.Comment, error) {
	c, ok := j.comments[commentID]
	if !ok {
		return domain.Comment{}, domain.NewError(domain.NotFound, "")
	}
	return c, nil
}

func (j *journal) Authors(_ context.Context, ids []string) (map[string]domain.Author, error) {
	return j.authors, nil
}

func (j *journal) Apply(_ context.Context, changed []domain.Summary) error {
	var ids []string
	for _, s := range changed {
		ids = append(ids, s.PostID)
	}
	slices.Sort(ids)
	return j.log("feed copies of %s", strings.Join(ids, " "))
}

func (j *journal) SetAuthorName(_ context.Context, postID, itemID string, as domain.Author) error {
	return j.log("name %s of %s is %s", itemID, postID, formatAuthor(as))
}

func (j *journal) SetAuthorSuspended(_ context.Context, postID, itemID string, suspended bool) error {
	return j.log("author of %s of %s is suspended: %t", itemID, postID, suspended)
}

func (j *journal) PropagateSuspension(_ context.Context, userID string, suspended bool) (int, bool, error) {
	j.suspending--
	return 1, j.more || j.suspending > 0, j.log("suspension of %s is %t", userID, suspended)
}

func (j *journal) Delete(_ context.Context, postID, authorID string) error {
	return j.log("delete post %s of %s", postID, authorID)
}

func (j *journal) DeleteComment(_ context.Context, postID, commentID, userID string) (domain.CommentRemoval, error) {
	return domain.CommentRemoval{}, errors.Join(j.log("delete comment %s of %s by %s", commentID, postID, userID),
		domain.NewError(domain.NotFound, "gone already"))
}

func (j *journal) Unlike(_ context.Context, postID, userID string) (domain.Post, error) {
	return domain.Post{}, j.log("unlike %s by %s", postID, userID)
}

func (j *journal) EraseResponses(_ context.Context, postID string) (bool, error) {
	return j.more, j.log("erase responses of %s", postID)
}

func (j *journal) EraseAuthored(_ context.Context, userID string, limit int) (domain.Step, error) {
	j.limit = limit
	return domain.Step{More: j.more}, j.log("erase what %s wrote", userID)
}

func (j *journal) EraseImages(_ context.Context, userID string) (bool, error) {
	return j.moreImages, j.log("erase the pictures of %s", userID)
}

func (j *journal) EraseImports(_ context.Context, userID string) (bool, error) {
	return j.moreImports, nil
}

func (j *journal) DeleteOldAvatars(_ context.Context, userID, shown string) (time.Duration, error) {
	return j.avatarsAgain, j.log("keep the avatar %q of %s", shown, userID)
}

func (j *journal) ErasePersonal(_ context.Context, userID string) error {
	return j.log("erase the profile of %s", userID)
}

func (j *journal) FinishErasure(_ context.Context, id string) error {
	return j.log("finish erasure of %s", id)
}

func (j *journal) Count(_ context.Context, userID, postID string) error {
	return j.log("count draft %s of %s", postID, userID)
}

func (j *journal) Erase(_ context.Context, userID, postID string) error {
	return j.log("erase draft %s of %s", postID, userID)
}

func (j *journal) EraseOf(_ context.Context, deleted domain.Post) error {
	return j.log("erase draft %s of %s of a deleted post: %t", deleted.ID, deleted.AuthorID, !deleted.Deleted.IsZero())
}

func (j *journal) Put(_ context.Context, e domain.ScheduledItem) error {
	return j.log("schedule %s of %s at %s", e.PostID, e.UserID, e.At.Format(time.TimeOnly))
}

// rowJournal records whose rows are written.
type rowJournal struct{ *journal }

func (j rowJournal) Put(_ context.Context, u domain.User) error {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.rows = append(j.rows, u.ID)
	return j.failRows
}

// deletionJournal records scheduled deletions of accounts.
type deletionJournal struct{ *journal }

func (j deletionJournal) Put(_ context.Context, e domain.ScheduledItem) error {
	return j.log("schedule the deletion of %s at %s", e.UserID, e.At.Format(time.TimeOnly))
}

// deliveryJournal records deliveries.
type deliveryJournal struct{ *journal }

func (j deliveryJournal) Put(_ context.Context, list ...domain.Delivery) error {
	return j.log("deliver %s", list[0].ID)
}

func (j deliveryJournal) Outgoing(_ context.Context, before time.Time) ([]domain.Delivery, error) {
	return []domain.Delivery{{ID: "left", UserID: "u", Expires: time.Now().Add(time.Minute)}},
		j.log("list those from before %s", before.Format(time.TimeOnly))
}

func (j deliveryJournal) Rouse(_ context.Context, destination string) error {
	return j.log("rouse %s", destination)
}

func (j deliveryJournal) DeleteOutgoing(_ context.Context, d domain.Delivery) error {
	return j.log("forwarded %s of %s", d.ID, d.UserID)
}

func (j *journal) Touch(_ context.Context, userID string) error { return j.log("again %s", userID) }

func (j *journal) ConfirmName(_ context.Context, u domain.User) (bool, error) {
	return j.own, j.log("confirm %s", u.Username)
}

func (j *journal) Settle(_ context.Context, userID string) error {
	return j.log("settle %s", userID)
}

func (j *journal) MarkPropagated(_ context.Context, userID string, version int) error {
	return j.log("%s is propagated up to %d", userID, version)
}

func (j *journal) PropagateName(_ context.Context, userID string, as domain.Author, limit int) (domain.Step, error) {
	j.naming--
	j.limit = limit
	return domain.Step{More: j.more || j.naming > 0}, j.log("propagate %s to the items of %s", formatAuthor(as), userID)
}

// formatAuthor returns a username, in parentheses the display name, and the avatar.
func formatAuthor(as domain.Author) string {
	if as.DisplayName == "" {
		return as.Name + as.Avatar
	}
	return fmt.Sprintf("%s (%s)%s", as.Name, as.DisplayName, as.Avatar)
}

// is fails unless the journal has recorded these calls, in any order.
func (j *journal) is(t *testing.T, want ...string) {
	t.Helper()
	got := slices.Sorted(slices.Values(j.lines))
	slices.Sort(want)
	if !slices.Equal(got, want) {
		t.Errorf("got\n  %s\nwant\n  %s", strings.Join(got, "\n  "), strings.Join(want, "\n  "))
	}
}
