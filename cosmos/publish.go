package cosmos

import (
	"cmp"
	"context"
	"fmt"
	"net/http"
	"time"

	"github.com/Azure/azure-sdk-for-go/sdk/data/azcosmos"

	"inkfeed/cosmos/client"
	"inkfeed/cosmos/schema"
	"inkfeed/domain"
)

// A draft and its post are in two partitions, so publishing is two writes, in an order
// that loses nothing wherever it stops.
//
// Publishing writes the post first and then deletes the draft, in the state in which it
// was published. What stops in between leaves a draft that says what the post says: the
// author who sends the form again, or opens the draft, is rid of it.
//
// Publishing at a time of a draft's own begins by marking it as being published, in one
// conditional write: from then on it cannot change, and each further attempt, also of
// another process, writes the same post. See schedule.go.
//
// Unpublishing makes the draft first and then hides the post, so that its author never
// loses sight of it. What stops in between leaves a draft that changes nothing.

// Publish makes a post of what its author has typed, or a change of the post when
// d.Revision is not 0, and is done with the draft. With d.Held the post is held from the
// same write on. It returns the post as it has become.
//
// It answers Invalid, with each bad field, when d breaks a rule of posts; Conflict when
// the post has moved past d.Revision, was deleted, or a draft is stored that d.Version
// does not know of and that says something else. Then nothing is changed, but that a
// draft which was to publish itself does not any more.
func (s *Drafts) Publish(ctx context.Context, author domain.User, d domain.Draft, now time.Time) (domain.Post, error) {
	draftCtx := client.Operation(ctx, "publish") // the post itself is C2, like any other
	if d.AuthorID = author.ID; !domain.IsID(d.PostID) {
		return domain.Post{}, errNoDraft()
	}
	if err := checkPublishable(author, d, now); err != nil {
		return domain.Post{}, err
	}
	item, err := s.read(draftCtx, author.ID, d.PostID)
	switch {
	case domain.Is(err, domain.NotFound):
		return s.post(ctx, author, d, now)
	case err != nil:
		return domain.Post{}, err
	case item.Publishing && item.Revision == d.Revision && item.domain().SameText(d):
		// What a process began that died, or another one is about to end. The author has only
		// sent the form again.
		return s.finish(draftCtx, author, item)
	case item.Publishing:
		return domain.Post{}, errPublishing()
	case item.Version != d.Version && !item.domain().SameText(d):
		return domain.Post{}, errDraftChanged()
	case item.PublishDate != nil:
		return s.publishEarly(draftCtx, author, d, item, now)
	}
	post, err := s.post(ctx, author, d, now)
	if err != nil {
		return domain.Post{}, err
	}
	return post, s.published(draftCtx, item)
}

// publishEarly publishes a scheduled draft before its time, at which it would publish
// itself at this moment perhaps. So it is given another time, now, and marked as being
// published in one write; a process that dies after it is as one that dies at a draft's
// own time.
func (s *Drafts) publishEarly(ctx context.Context, author domain.User, d domain.Draft, item draftItem, now time.Time) (domain.Post, error) {
	now = domain.Timestamp(now)
	var ops azcosmos.PatchOperations
	ops.SetCondition(fmt.Sprintf("%s and c.version = %d and %s", ifChangeable, item.Version, ifScheduledFor(item.PublishDate.Time())))
	ops.AppendSet("/title", d.Title)
	ops.AppendSet("/content", d.Content)
	ops.AppendSet("/tags", d.Tags)
	ops.AppendSet("/details", d.Details)
	ops.AppendSet("/status", d.Status)
	ops.AppendSet("/revision", d.Revision)
	ops.AppendSet("/publishDate", schema.Instant(now))
	ops.AppendSet("/publishing", true)
	ops.AppendSet("/held", d.Held)
	claimed, err := client.PatchReturning[draftItem](ctx, s.c, item.UserID, item.ID, ops)
	if client.StatusOf(err) == http.StatusPreconditionFailed {
		return domain.Post{}, errPublishing()
	}
	if err != nil {
		return domain.Post{}, client.Translate(err)
	}
	post, err := s.post(ctx, author, d, now)
	if err == nil {
		return post, s.published(ctx, claimed)
	}
	if !domain.Is(err, domain.Unavailable) { // otherwise it is finished as a scheduled one is
		back := s.AbandonPublication(ctx, domain.ScheduledItem{UserID: author.ID, PostID: d.PostID, At: now}, domain.Reason(err))
		err = cmp.Or(err, back)
	}
	return domain.Post{}, err
}

func checkPublishable(author domain.User, d domain.Draft, now time.Time) error {
	if err := domain.CheckDraft(d); err != nil {
		return err
	}
	_, err := d.Post(author, now)
	return err
}

// post writes the post that a draft becomes, or changes. Done again with the same it
// changes nothing.
func (s *Drafts) post(ctx context.Context, author domain.User, d domain.Draft, at time.Time) (domain.Post, error) {
	if d.Revision > 0 {
		edit, err := d.Edit(at)
		if err != nil {
			return domain.Post{}, err
		}
		return s.posts.Edit(ctx, edit, author.ID)
	}
	post, err := d.Post(author, at)
	if err != nil {
		return domain.Post{}, err
	}
	if err := s.posts.Create(ctx, post); err != nil {
		return domain.Post{}, err
	}
	return s.posts.Own(ctx, post.ID, author.ID)
}

// published is done with a draft, if it is still what was published. What another window
// has saved meanwhile stays, as a change of the post.
func (s *Drafts) published(ctx context.Context, item draftItem) error {
	if err := s.expirePreview(ctx, item.Preview); err != nil {
		return client.Translate(err)
	}
	err := s.drop(ctx, item)
	if domain.Is(err, domain.Conflict) {
		return nil
	}
	return err
}

// Unpublish takes a post back: only its author finds it from then on, as the draft that
// this returns. Comments and likes stay with it until it is published again. A draft that
// there is already keeps its text, but no longer publishes itself. It answers NotFound when
// the user has no such post.
func (s *Drafts) Unpublish(ctx context.Context, userID, postID string) (domain.Draft, error) {
	ctx = client.Operation(ctx, "unpublish")
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
	case !draft.Publish.IsZero(): // it would bring the post back
		if _, err = s.Unschedule(ctx, userID, postID); err != nil {
			return domain.Draft{}, err
		}
	case draft.Leftover(post): // of an older revision, published already
		d := domain.DraftOf(post, time.Now())
		d.Version = draft.Version
		if _, err = s.Save(ctx, d); err != nil {
			return domain.Draft{}, err
		}
	}
	if post, err = s.posts.SetStatus(ctx, postID, userID, domain.Unpublished); err != nil {
		return domain.Draft{}, err
	}
	return s.keep(ctx, post)
}

// keep changes a draft's etag, so that whoever read it before its post was hidden, and is
// about to delete it, does not. One that has just gone is made anew.
func (s *Drafts) keep(ctx context.Context, post domain.Post) (domain.Draft, error) {
	var ops azcosmos.PatchOperations
	ops.SetCondition(ifChangeable)
	ops.AppendSet("/postId", post.ID) // as it is
	draft, err := s.change(ctx, post.AuthorID, post.ID, ops, func(domain.Draft) bool { return false })
	if domain.Is(err, domain.NotFound) {
		return s.Save(ctx, domain.DraftOf(post, time.Now()))
	}
	return draft, err
}
