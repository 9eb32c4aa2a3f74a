package cosmos

import (
	"context"
	"fmt"
	"time"

	"github.com/Azure/azure-sdk-for-go/sdk/data/azcosmos"

	"inkfeed/cosmos/client"
	"inkfeed/cosmos/notifications"
	"inkfeed/cosmos/schema"
	"inkfeed/domain"
	"inkfeed/domain/locale"
)

// scheduleLimit is how far ahead a draft can be scheduled.
const scheduleLimit = 10 * 365 * 24 * time.Hour

// Schedule schedules the publication of a draft, and replaces any earlier time. The draft can still
// be saved, and is published as it is at that time. Schedule returns Invalid, for the field
// "publishDate", if the time is not in the future. It returns Invalid if the draft breaks a rule of
// posts, and Conflict if the draft no longer has that version.
func (s *Drafts) Schedule(ctx context.Context, userID, postID string, version int, at time.Time) (domain.Draft, error) {
	ctx = schedulingDraft.In(ctx)
	at = domain.Timestamp(at)
	now := time.Now()
	switch {
	case !at.After(now):
		return domain.Draft{}, domain.FieldError("publishDate", "Choose a time in the future.")
	case at.After(now.Add(scheduleLimit)):
		return domain.Draft{}, domain.FieldError("publishDate", "Choose a time within the next ten years.")
	}
	draft, err := s.Get(ctx, userID, postID)
	switch {
	case err != nil:
		return domain.Draft{}, err
	case draft.Publishing:
		return domain.Draft{}, errPublishing()
	case draft.Version != version:
		return domain.Draft{}, errDraftChanged()
	}
	if err := checkPublishable(domain.User{ID: userID}, draft, at); err != nil {
		return domain.Draft{}, err
	}
	var ops azcosmos.PatchOperations
	ops.SetCondition(fmt.Sprintf("%s and c.version = %d", ifChangeable, version))
	ops.AppendSet("/publishDate", schema.Instant(at))
	ops.AppendSet("/problem", "")
	draft, err = s.change(ctx, userID, postID, ops,
		func(current domain.Draft) bool { return current.Publish.Equal(at) })
	if err != nil {
		return domain.Draft{}, err
	}
	// A failure can be ignored: the draft is scheduled, and the users projector puts the item.
	_ = s.schedule.Put(ctx, domain.ScheduledItem{UserID: userID, PostID: postID, At: at})
	return draft, nil
}

// Unschedule cancels the scheduled publication of a draft. It returns Conflict while the draft is
// being published, and NotFound after that.
func (s *Drafts) Unschedule(ctx context.Context, userID, postID string) (domain.Draft, error) {
	ctx = schedulingDraft.In(ctx)
	if !domain.IsTextID(postID) || !domain.IsOwnerID(userID) {
		return domain.Draft{}, errNoDraft()
	}
	var ops azcosmos.PatchOperations
	ops.SetCondition(ifChangeable + " and is_defined(c.publishDate)")
	ops.AppendRemove("/publishDate")
	return s.change(ctx, userID, postID, ops, func(current domain.Draft) bool { return current.Publish.IsZero() })
}

// PublishScheduled publishes a draft if it is scheduled for exactly that time, which becomes the time of the post, and
// notifies the author. A repeated call, by another instance or after a crash, completes the first one: there is one
// post, or one version of an edit, and one notification. PublishScheduled returns NotFound if the draft or its author
// is gone or has another time, and Unavailable if the caller should try again. Any other error means that the draft
// cannot be published as it is: see AbandonPublication.
func (s *Drafts) PublishScheduled(ctx context.Context, e domain.ScheduledItem) (domain.Post, error) {
	ctx = publishingScheduled.In(ctx)
	item, err := s.read(ctx, e.UserID, e.PostID)
	switch {
	case err != nil:
		return domain.Post{}, err
	case !item.PublishDate.Time().Equal(e.At):
		return domain.Post{}, errNoDraft()
	}
	author, err := s.author(ctx, e.UserID)
	switch {
	case err != nil:
		return domain.Post{}, err
	case !author.Suspended.IsZero():
		return domain.Post{}, domain.NewError(domain.Forbidden, "Your account was suspended at the scheduled time.")
	case !author.Role.MayWrite():
		return domain.Post{}, domain.NewError(domain.Forbidden,
			"At the scheduled time, your account was a reader and couldn't publish posts.")
	}
	if !item.Publishing {
		if item, err = s.claimPublication(ctx, item, author); err != nil {
			return domain.Post{}, err
		}
	}
	post, err := s.writeMarked(ctx, author, item)
	if err == nil && !author.QuietKinds.Has(domain.NotifyPublished) {
		err = s.notifications.Notify(ctx, publication(e, domain.NotifyPublished))
	}
	if err != nil {
		return domain.Post{}, err
	}
	return post, s.deletePublished(ctx, item)
}

// publication returns the notification of the author that a scheduled post was published or put back. The time of the
// schedule identifies the event.
func publication(e domain.ScheduledItem, kind domain.NotificationKind) domain.Notification {
	return domain.Notification{UserID: e.UserID, Kind: kind, PostID: e.PostID, Event: int(e.At.UnixMilli()),
		Created: domain.Timestamp(time.Now())}
}

// claimPublication marks a draft as being published if it is still as it was read. It also decides again whether
// the post is held for review, because the author may have saved the draft since it was scheduled.
func (s *Drafts) claimPublication(ctx context.Context, item draftItem, author domain.User) (draftItem, error) {
	var ops azcosmos.PatchOperations
	if s.review != nil {
		hold, err := s.reviewHold(ctx, author, item.domain())
		if err != nil {
			return draftItem{}, err
		}
		ops.AppendSet("/held", hold)
	}
	ops.SetCondition(fmt.Sprintf("%s and c.version = %d and %s",
		ifChangeable, item.Version, ifScheduledFor(item.PublishDate.Time())))
	ops.AppendSet("/publishing", true)
	claimed, err := client.PatchReturning[draftItem](ctx, s.c, item.UserID, item.ID, ops)
	if client.ConditionFailed(err) {
		return draftItem{}, &domain.Error{Kind: domain.Unavailable,
			Message: locale.M("The draft is being changed right now."), Err: err}
	}
	return claimed, client.Translate(err)
}

// reviewHold decides how the post of a draft is to be held.
func (s *Drafts) reviewHold(ctx context.Context, author domain.User, d domain.Draft) (domain.Hold, error) {
	before, err := s.posts.EditedBy(ctx, d, author.ID)
	if err != nil {
		return domain.NotHeld, err
	}
	return s.review(ctx, author, before, d)
}

func ifScheduledFor(at time.Time) string {
	text, _ := schema.Instant(at).MarshalText()
	return fmt.Sprintf("c.publishDate = '%s'", text)
}

// AbandonPublication cancels the publication of a draft that cannot be published, and stores the problem for its
// author, who is notified in the same transaction. It does not change drafts that are gone or have another time.
func (s *Drafts) AbandonPublication(ctx context.Context, e domain.ScheduledItem, problem locale.Stored) error {
	ctx = publishingScheduled.In(ctx)
	batch := s.c.Batch(e.UserID)
	batch.PatchItem(schema.DraftID(e.PostID), putBackPatch(e, problem), nil)
	notifications.Add(&batch, publication(e, domain.NotifyPutBack))
	_, err := s.c.Execute(ctx, batch, false)
	switch {
	case client.FailedOperation(err) > 0: // the account is being deleted, or the text is a static page
		return s.putBack(ctx, e, problem)
	case client.IsFailedBatch(err) && client.LostRace(err):
		return nil
	}
	return client.Translate(err)
}

// putBack cancels the publication of a draft without notifying its author.
func (s *Drafts) putBack(ctx context.Context, e domain.ScheduledItem, problem locale.Stored) error {
	err := s.c.Patch(publishingScheduled.In(ctx), e.UserID, schema.DraftID(e.PostID), putBackPatch(e, problem))
	if client.ConditionFailed(err) || client.Missing(err) {
		return nil
	}
	return client.Translate(err)
}

func putBackPatch(e domain.ScheduledItem, problem locale.Stored) azcosmos.PatchOperations {
	var ops azcosmos.PatchOperations
	ops.SetCondition("from c where " + ifScheduledFor(e.At))
	ops.AppendSet("/problem", problem)
	ops.AppendSet("/publishing", false) // only an existing property can be removed
	ops.AppendRemove("/publishing")
	ops.AppendRemove("/publishDate")
	return ops
}

// author returns the account of a draft's author, also a suspended one. The author of a static page is the site.
func (s *Drafts) author(ctx context.Context, userID string) (domain.User, error) {
	if userID == domain.SiteUserID {
		return domain.SiteUser(), nil
	}
	return s.users.account(ctx, userID)
}
