package importing

import (
	"context"
	"strings"
	"time"

	"inkfeed/domain"
	"inkfeed/domain/locale"
)

// restore restores the former text of a post that the import has changed.
func (r *undoing) restore(ctx context.Context, record domain.Import, post domain.Post, isPost, hasDraft bool) error {
	if !isPost || post.AuthorID != r.User.ID {
		return r.forget(ctx, record)
	}
	if digestOf(post) == record.Before { // by an earlier attempt
		return r.restored(ctx, record)
	}
	if post.InTrash() {
		return r.keep(record, post, domain.Draft{}, true, locale.M("It is in the trash."))
	}
	was := domain.PostVersion{Title: post.Title, Content: post.Content, Tags: post.Tags, Details: post.Details}
	var version domain.PostVersion
	err := r.Try(ctx, func() (err error) { version, err = r.Posts.Version(ctx, post.ID, post.Revision-1); return err })
	switch {
	case err == nil:
		was = version
	case !domain.Is(err, domain.NotFound):
		return err
	}
	status, known := formerStatus(record.Before, was)
	if unchanged(post, record) && !hasDraft && !known {
		return r.keep(record, post, domain.Draft{}, true,
			locale.M("It was a draft before the import. Unpublish it if you don't want it to be public."))
	}
	if digestOf(post) != record.Digest || hasDraft {
		return r.keep(record, post, domain.Draft{}, true,
			locale.M("You edited it after the import changed it."))
	}
	hold, err := r.Screen.hold(ctx, r.Try, r.User, post, domain.Draft{Title: was.Title, Content: was.Content,
		Tags: strings.Join(was.Tags.List(), ", "), Details: was.Details})
	if err != nil {
		return err
	}
	edit := domain.Edit{PostID: post.ID, Revision: post.Revision, Title: was.Title, Content: was.Content,
		Tags: was.Tags, Details: was.Details, Status: status, At: domain.Timestamp(time.Now()), Held: hold}
	if err := r.Try(ctx, func() error { _, err := r.Posts.Edit(ctx, edit, r.User.ID); return err }); err != nil {
		return err
	}
	return r.restored(ctx, record)
}

// restoreDraft restores the schedule of a draft that the import has changed. The former text of a draft is lost. If the
// author has changed the text since, restoreDraft may end a schedule but sets no time at which the text is published.
// It returns true if the draft was published or discarded meanwhile.
func (r *undoing) restoreDraft(ctx context.Context, record domain.Import, draft domain.Draft) (gone bool, err error) {
	former := record.BeforePublish
	if former.Before(time.Now().Add(soon)) {
		former = time.Time{}
	}
	here := digestOfDraft(draft)
	edited := here != record.Digest && here != record.Before
	var why locale.Message
	// The import may have ended the schedule because the new text is not to be published.
	unscheduled := here != record.Before && draft.Publish.IsZero()
	// An interrupted import has not recorded the time for which it has scheduled the draft.
	if (draft.Publish.Equal(record.Publish) || !record.Done) && (former.IsZero() || !edited && !unscheduled) {
		err := r.reschedule(ctx, draft, former)
		switch {
		case err == nil:
			draft.Publish = former
		case domain.Is(err, domain.NotFound):
			return true, nil
		case domain.Is(err, domain.Invalid):
			why = locale.M("It could not be scheduled again, because it cannot be published as it is.")
		default:
			return false, err
		}
	}
	if draft.Publish.Equal(former) {
		record.Publish = former
	}
	switch {
	case !why.IsZero():
	case edited:
		why = locale.M("You changed this draft.")
	case here == record.Before:
		return false, r.restored(ctx, record)
	default:
		why = locale.M("The import changed this draft. Its former text is lost.")
	}
	if err := r.Try(ctx, func() error { return r.Records.Put(ctx, record) }); err != nil {
		return false, err
	}
	return false, r.keep(record, domain.Post{}, draft, false, why)
}

// reschedule schedules a draft for a time, or removes its schedule if the time is zero.
func (r *undoing) reschedule(ctx context.Context, draft domain.Draft, at time.Time) error {
	if draft.Publish.Equal(at) {
		return nil
	}
	return r.Try(ctx, func() (err error) {
		if at.IsZero() {
			_, err = r.Drafts.Unschedule(ctx, r.User.ID, draft.PostID)
		} else {
			_, err = r.Drafts.Schedule(ctx, r.User.ID, draft.PostID, draft.Version, at)
		}
		return err
	})
}

// unchanged reports whether a post has the text that was imported. An imported draft may have been published since.
func unchanged(post domain.Post, record domain.Import) bool {
	asDraft := draftDigest(post.Title, post.Content, strings.Join(post.Tags.List(), ", "), post.Details)
	return digestOf(post) == record.Digest || asDraft == record.Digest
}

// formerStatus returns the status with which a text has the given digest.
func formerStatus(before string, was domain.PostVersion) (domain.Status, bool) {
	for _, status := range []domain.Status{domain.Published, domain.Unlisted, domain.Unpublished} {
		if postDigest(was.Title, was.Content, was.Tags, was.Details, status) == before {
			return status, true
		}
	}
	return "", false
}

// restored records that the post has its former text again.
func (r *undoing) restored(ctx context.Context, record domain.Import) error {
	record.Digest = record.Before
	return r.forget(ctx, record)
}

// forget records that nothing is left to restore.
func (r *undoing) forget(ctx context.Context, record domain.Import) error {
	record.ChangedBy, record.Before, record.BeforePublish = "", "", time.Time{}
	return r.Try(ctx, func() error { return r.Records.Put(ctx, record) })
}
