package cosmos

import (
	"cmp"
	"context"
	"fmt"
	"time"

	"github.com/Azure/azure-sdk-for-go/sdk/data/azcosmos"

	"inkfeed/cosmos/client"
	"inkfeed/cosmos/schema"
	"inkfeed/domain"
)

// A draft and its post are in two partitions, so publishing is two writes. Their order ensures that a
// crash between them loses nothing.
//
// Publish writes the post first and then deletes the draft if it is still as it was published. A
// crash or failure in between leaves a draft with the text of the post. The draft is deleted when the
// author sends the form again or opens the draft.
//
// Publishing a scheduled draft begins by marking the draft as being published, in one conditional
// write. After it the draft cannot change, so each further attempt, also by another process, writes
// the same post. See scheduled_posts.go.
//
// Unpublish creates the draft first and then hides the post, so that the author can always see one
// of them. A crash in between leaves a draft without changes.

// Publish creates a post from a draft, or edits the post if d.Revision is not 0, and deletes the
// draft. If d.Held is set, the same write holds the post for review. Publish returns the post.
//
// It returns Invalid, with each bad field, if d breaks a rule of posts. It returns Conflict if the
// post has a later revision than d.Revision or was deleted, and if the stored draft is newer than
// d.Version and has another text. It then changes nothing, except that a scheduled draft may no
// longer be scheduled.
func (s *Drafts) Publish(ctx context.Context, author domain.User, d domain.Draft, now time.Time) (domain.Post, error) {
	return client.RewriteReturning(ctx, func() (domain.Post, error) { return s.publish(ctx, author, d, now) })
}

func (s *Drafts) publish(ctx context.Context, author domain.User, d domain.Draft, now time.Time) (domain.Post, error) {
	draftCtx := client.Writes("publish").In(ctx) // the post's own write is request C2
	if d.AuthorID = author.ID; !domain.IsTextID(d.PostID) {
		return domain.Post{}, errNoDraft()
	}
	if err := checkPublishable(author, d, now); err != nil {
		return domain.Post{}, err
	}
	item, err := s.read(draftCtx, author.ID, d.PostID)
	if err == nil {
		d.Slug = item.Slug // forms do not have it
	}
	switch {
	case domain.Is(err, domain.NotFound):
		return s.writePost(ctx, author, d, now)
	case err != nil:
		return domain.Post{}, err
	case item.Publishing && item.Revision == d.Revision && item.domain().SameText(d):
		// Another process is publishing this text or has died doing so, and the author has sent
		// the form again.
		return s.publishMarked(draftCtx, author, item)
	case item.Publishing:
		return domain.Post{}, errPublishing()
	case item.Version != d.Version && !item.domain().SameText(d):
		return domain.Post{}, errDraftChanged()
	case item.PublishDate != nil:
		return s.publishEarly(draftCtx, author, d, item, now)
	}
	post, err := s.writePost(ctx, author, d, now)
	if err != nil {
		return domain.Post{}, err
	}
	// A failure can be ignored: the post is published, and the draft is deleted when the author opens it.
	_ = s.deletePublished(draftCtx, item)
	return post, nil
}

// publishEarly publishes a scheduled draft before its time. A scheduler may be about to publish the
// draft too. So one write changes the draft's time to now and marks the draft as being published. If
// the process dies after that write, the scheduler completes the publication.
func (s *Drafts) publishEarly(ctx context.Context, author domain.User, d domain.Draft, item draftItem,
	now time.Time) (domain.Post, error) {
	now = domain.Timestamp(now)
	var ops azcosmos.PatchOperations
	appendText(&ops, d)
	ops.AppendSet("/publishDate", schema.Instant(now))
	ops.AppendSet("/publishing", true)
	ops.AppendSet("/held", d.Held)
	claimed, err := s.patchText(ctx, d, fmt.Sprintf("%s and c.version = %d and %s",
		ifChangeable, item.Version, ifScheduledFor(item.PublishDate.Time())), ops)
	if client.ConditionFailed(err) || client.Missing(err) {
		// The draft has changed since it was read, perhaps by an earlier attempt of this patch.
		return domain.Post{}, client.AgainIf(true, errPublishing())
	}
	if err != nil {
		return domain.Post{}, client.Translate(err)
	}
	return s.publishMarked(ctx, author, claimed)
}

// publishMarked publishes a draft that is marked as being published. If that can never succeed, it makes the draft an
// ordinary one again. After other failures the scheduler completes the publication.
func (s *Drafts) publishMarked(ctx context.Context, author domain.User, item draftItem) (domain.Post, error) {
	post, err := s.writeMarked(ctx, author, item)
	if err == nil {
		// A failure can be ignored: the post is published, and the scheduler deletes the draft.
		_ = s.deletePublished(ctx, item)
		return post, nil
	}
	if !domain.Is(err, domain.Unavailable) {
		scheduled := domain.ScheduledItem{UserID: author.ID, PostID: item.PostID, At: item.PublishDate.Time()}
		err = cmp.Or(err, s.putBack(ctx, scheduled, domain.Reason(err).Stored()))
	}
	return domain.Post{}, err
}

// writeMarked creates or edits the post of a draft that is marked as being published. The post has the time in the
// draft.
func (s *Drafts) writeMarked(ctx context.Context, author domain.User, item draftItem) (domain.Post, error) {
	post, err := s.writePost(ctx, author, item.domain(), item.PublishDate.Time())
	if domain.Is(err, domain.NotFound) { // the draft exists and stays
		err = domain.NewError(domain.Conflict, "The post was deleted.")
	}
	return post, err
}

func checkPublishable(author domain.User, d domain.Draft, now time.Time) error {
	if err := domain.CheckDraft(d); err != nil {
		return err
	}
	_, err := d.Post(author, now)
	return err
}

// writePost creates or edits the post of a draft. Repeated calls with the same draft change nothing.
func (s *Drafts) writePost(ctx context.Context, author domain.User, d domain.Draft, at time.Time) (domain.Post, error) {
	if d.Revision > 0 {
		edit, err := d.Edit(at)
		if err == nil {
			edit.Mentions, err = s.mentions(ctx, edit.Content)
		}
		if err != nil {
			return domain.Post{}, err
		}
		return s.posts.Edit(ctx, edit, author.ID)
	}
	post, err := d.Post(author, at)
	if err == nil {
		post.Mentions, err = s.mentions(ctx, post.Content)
	}
	if err != nil {
		return domain.Post{}, err
	}
	return s.posts.CreateAtNewAddress(ctx, post)
}

// mentions returns the mentions of a text that is being published.
func (s *Drafts) mentions(ctx context.Context, content string) (domain.Mentions, error) {
	if s.mentioned == nil {
		return "", nil
	}
	mentions, _, err := domain.ResolveMentions(ctx, s.mentioned(content), s.users.ByName)
	return mentions, err
}

// deletePublished deletes a draft after its publication, if it is still as it was published. A text that was
// saved in the meantime stays, as an edit of the post.
func (s *Drafts) deletePublished(ctx context.Context, item draftItem) error {
	if err := s.expirePreview(ctx, item.Preview); err != nil {
		return client.Translate(err)
	}
	err := s.deleteUnchanged(ctx, item)
	if domain.Is(err, domain.Conflict) {
		return nil
	}
	return err
}

// Unpublish hides a post from everyone but its author, who sees it as the returned draft. The post
// keeps its comments and likes. An existing draft keeps its text, but is no longer scheduled.
// Unpublish returns NotFound if the user has no such post.
func (s *Drafts) Unpublish(ctx context.Context, userID, postID string) (domain.Draft, error) {
	ctx = client.Writes("unpublish").In(ctx)
	post, err := s.posts.Own(ctx, postID, userID)
	if err != nil {
		return domain.Draft{}, err
	}
	draft, err := s.Save(ctx, domain.DraftOf(post, time.Now()))
	if domain.Is(err, domain.Conflict) {
		draft, err = s.Get(ctx, userID, postID)
	}
	if err != nil {
		return domain.Draft{}, err
	}
	switch {
	case draft.Publishing:
		return domain.Draft{}, errPublishing()
	case !draft.Publish.IsZero(): // the schedule would publish the post again
		if draft, err = s.Unschedule(ctx, userID, postID); err != nil {
			return domain.Draft{}, err
		}
	case draft.Leftover(post): // published already, and not deleted
		d := domain.DraftOf(post, time.Now())
		d.Version = draft.Version
		if draft, err = s.Save(ctx, d); err != nil {
			return domain.Draft{}, err
		}
	}
	if post, err = s.posts.SetStatus(ctx, postID, userID, domain.Unpublished); err != nil {
		return domain.Draft{}, err
	}
	return s.renewDraft(ctx, draft, post)
}

// renewDraft changes a draft's etag, so that a process that read the draft before its post was unpublished cannot
// delete it. If the draft has just been deleted, renewDraft creates it again. It returns Conflict if the draft is
// being published. It ignores other failures, because the post is already unpublished.
func (s *Drafts) renewDraft(ctx context.Context, draft domain.Draft, post domain.Post) (domain.Draft, error) {
	var ops azcosmos.PatchOperations
	ops.SetCondition(ifChangeable)
	ops.AppendSet("/postId", post.ID) // unchanged: a patch needs an operation
	renewed, err := s.change(ctx, post.AuthorID, post.ID, ops, func(domain.Draft) bool { return false })
	switch {
	case domain.Is(err, domain.NotFound):
		return s.Save(ctx, domain.DraftOf(post, time.Now()))
	case domain.Is(err, domain.Conflict): // being published, so the post will appear again
		return domain.Draft{}, err
	case err != nil:
		return draft, nil
	}
	return renewed, nil
}
