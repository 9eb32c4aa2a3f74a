package cosmos

import (
	"context"
	"encoding/json"
	"fmt"
	"iter"
	"net/http"
	"time"

	"github.com/Azure/azure-sdk-for-go/sdk/data/azcosmos"

	"inkfeed/cosmos/client"
	"inkfeed/cosmos/schema"
	"inkfeed/domain"
)

// A draft that publishes itself says when, in its author's partition, and that is what
// counts. So that nobody needs to look for such drafts over all partitions, there is an
// entry for each in the container schedule, in one partition: whoever schedules a draft
// writes it right after, and the users projector, which sees the draft in the change
// feed, writes it too, should the former have died. An entry says only that one should
// look at its draft then: one whose draft was given another time, was published or
// discarded is dropped when its time comes.

// Schedule is the container of what is to be published, partitioned by /type: all of it
// is in one partition, in which every instance looks for what is due.
type Schedule struct{ c *client.Container }

type scheduledItem struct {
	ID          string         `json:"id"`
	Type        string         `json:"type"`
	UserID      string         `json:"userId"`
	PostID      string         `json:"postId"`
	PublishDate schema.Instant `json:"publishDate"`
	ETag        string         `json:"_etag,omitempty"`
}

func (i scheduledItem) domain() domain.Scheduled {
	return domain.Scheduled{AuthorID: i.UserID, PostID: i.PostID, At: time.Time(i.PublishDate), ETag: i.ETag}
}

// Put notes that a draft publishes itself at a time. Putting the same again changes
// nothing but that whoever is about to drop the entry does not: see Done.
func (s *Schedule) Put(ctx context.Context, e domain.Scheduled) error {
	body := client.Encode(scheduledItem{ID: schema.ScheduledID(e.AuthorID, e.PostID, e.At), Type: schema.TypeScheduled, UserID: e.AuthorID,
		PostID: e.PostID, PublishDate: schema.Instant(e.At)})
	return client.Translate(client.Retry(client.Operation(ctx, "schedule"), func() error {
		_, err := s.c.Client.UpsertItem(ctx, client.Key(schema.TypeScheduled), body, nil)
		return err
	}))
}

// Upcoming lists what is to be published before a time, the earliest first, a page at a
// time as it is followed. An entry that cannot be read, or has not the
// id of what it says, is left out: Verify reports it.
func (s *Schedule) Upcoming(ctx context.Context, before time.Time) iter.Seq2[domain.Scheduled, error] {
	return client.Rows(func(visit func(scheduledItem) error) error {
		return client.EachRow(client.Operation(ctx, "schedule"), s.c, client.Key(schema.TypeScheduled),
			`SELECT * FROM c WHERE c.type = 'scheduled' AND c.publishDate < @before ORDER BY c.publishDate ASC`,
			client.Parameters{"before": schema.Instant(before)}, func(row json.RawMessage) error {
				var item scheduledItem
				if client.Decode(row, &item) != nil || item.ID != schema.ScheduledID(item.UserID, item.PostID, time.Time(item.PublishDate)) {
					return nil
				}
				return visit(item)
			})
	}, scheduledItem.domain)
}

// Done drops an entry, unless it was put anew since it was read. One that is gone is no
// error.
func (s *Schedule) Done(ctx context.Context, e domain.Scheduled) error {
	err := s.c.DeleteVersion(client.Operation(ctx, "schedule"), schema.TypeScheduled, schema.ScheduledID(e.AuthorID, e.PostID, e.At), e.ETag)
	if client.StatusOf(err) == http.StatusPreconditionFailed || client.Missing(err) {
		return nil
	}
	return client.Translate(err)
}

// scheduleLimit is how far ahead a draft can be scheduled.
const scheduleLimit = 10 * 365 * 24 * time.Hour

// Schedule lets a draft of that version publish itself at a time, in place of any other
// time it had. It answers Invalid when that is not to come, about the field
// "publishDate", or when the draft breaks a rule of posts as it is; Conflict when it was
// saved since. It can be saved further, and publishes itself as it is then.
func (s *Drafts) Schedule(ctx context.Context, userID, postID string, version int, at time.Time) (domain.Draft, error) {
	ctx = client.Operation(ctx, "schedule-draft")
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
	draft, err = s.change(ctx, userID, postID, ops, func(domain.Draft) bool { return false })
	if err != nil {
		return domain.Draft{}, err
	}
	// Its failure is nobody's error: the draft is scheduled, and the users projector
	// writes the entry that this could not.
	_ = s.schedule.Put(ctx, domain.Scheduled{AuthorID: userID, PostID: postID, At: at})
	return draft, nil
}

// Unschedule lets a draft no longer publish itself. It answers Conflict when it is being
// published already, and NotFound when it has been.
func (s *Drafts) Unschedule(ctx context.Context, userID, postID string) (domain.Draft, error) {
	ctx = client.Operation(ctx, "schedule-draft")
	if !domain.IsID(postID) || !domain.IsUserID(userID) {
		return domain.Draft{}, errNoDraft()
	}
	var ops azcosmos.PatchOperations
	ops.SetCondition(ifChangeable + " and is_defined(c.publishDate)")
	ops.AppendRemove("/publishDate")
	return s.change(ctx, userID, postID, ops, func(current domain.Draft) bool { return current.Publish.IsZero() })
}

// PublishScheduled publishes a draft if it is to publish itself at that very time, as of
// which the post is. Whoever does it again, another instance or after a crash, finishes
// what was begun: there is one post, and of an edit one version. NotFound says that the
// draft, or its author, is not there or has another time; Unavailable that it is to be
// tried again; any other error that the draft cannot be published as it is: see PutBack.
func (s *Drafts) PublishScheduled(ctx context.Context, e domain.Scheduled) (domain.Post, error) {
	ctx = client.Operation(ctx, "publish-scheduled")
	item, err := s.read(ctx, e.AuthorID, e.PostID)
	switch {
	case err != nil:
		return domain.Post{}, err
	case !item.PublishDate.Time().Equal(e.At):
		return domain.Post{}, errNoDraft()
	}
	author, err := s.users.account(ctx, e.AuthorID)
	switch {
	case err != nil:
		return domain.Post{}, err
	case !author.Suspended.IsZero():
		return domain.Post{}, domain.Errorf(domain.Forbidden, "Your account was suspended at the scheduled time.")
	case !author.Role.MayWrite():
		return domain.Post{}, domain.Errorf(domain.Forbidden, "At the scheduled time, your account was a reader and couldn't publish posts.")
	}
	if !item.Publishing {
		if item, err = s.claim(ctx, item, author); err != nil {
			return domain.Post{}, err
		}
	}
	return s.finish(ctx, author, item)
}

// finish makes the post of a draft that is marked as being published, as of its time.
func (s *Drafts) finish(ctx context.Context, author domain.User, item draftItem) (domain.Post, error) {
	post, err := s.post(ctx, author, item.domain(), item.PublishDate.Time())
	if domain.Is(err, domain.NotFound) { // the draft is there, and stays
		err = domain.Errorf(domain.Conflict, "The post was deleted.")
	}
	if err != nil {
		return domain.Post{}, err
	}
	return post, s.published(ctx, item)
}

// claim marks a draft as being published, in the state in which it was read. Whether it is
// to be held is decided with that, for its author may have saved it since it was scheduled.
func (s *Drafts) claim(ctx context.Context, item draftItem, author domain.User) (draftItem, error) {
	var ops azcosmos.PatchOperations
	if s.review != nil {
		hold, err := s.reviewed(ctx, author, item.domain())
		if err != nil {
			return draftItem{}, err
		}
		ops.AppendSet("/held", hold)
	}
	ops.SetCondition(fmt.Sprintf("%s and c.version = %d and %s", ifChangeable, item.Version, ifScheduledFor(item.PublishDate.Time())))
	ops.AppendSet("/publishing", true)
	claimed, err := client.PatchReturning[draftItem](ctx, s.c, item.UserID, item.ID, ops)
	if client.StatusOf(err) == http.StatusPreconditionFailed {
		return draftItem{}, &domain.Error{Kind: domain.Unavailable, Message: "The draft is being changed right now.", Err: err}
	}
	return claimed, client.Translate(err)
}

func (s *Drafts) reviewed(ctx context.Context, author domain.User, d domain.Draft) (domain.Hold, error) {
	var before domain.Post
	if d.Revision > 0 {
		var err error
		if before, err = s.posts.Own(ctx, d.PostID, author.ID); err != nil && !domain.Is(err, domain.NotFound) {
			return domain.NotHeld, err
		}
		if before.Revision != d.Revision { // which the draft cannot become a change of any more
			before = domain.Post{}
		}
	}
	return s.review(ctx, author, before, d)
}

func ifScheduledFor(at time.Time) string {
	text, _ := schema.Instant(at).MarshalText()
	return fmt.Sprintf("c.publishDate = '%s'", text)
}

// PutBack makes a draft that cannot publish itself at that time one that does not, and
// tells its author why. One that has another time by now, or is gone, is left alone.
func (s *Drafts) PutBack(ctx context.Context, e domain.Scheduled, problem string) error {
	var ops azcosmos.PatchOperations
	ops.SetCondition("from c where " + ifScheduledFor(e.At))
	ops.AppendSet("/problem", problem)
	ops.AppendSet("/publishing", false) // what is not there cannot be removed
	ops.AppendRemove("/publishing")
	ops.AppendRemove("/publishDate")
	err := s.c.Patch(client.Operation(ctx, "publish-scheduled"), e.AuthorID, schema.DraftID(e.PostID), ops)
	if client.StatusOf(err) == http.StatusPreconditionFailed || client.Missing(err) {
		return nil
	}
	return client.Translate(err)
}
