package importing

import (
	"context"
	"time"

	"inkfeed/domain"
	"inkfeed/domain/portable"
)

// draft imports a draft or a scheduled post.
func (r *run) draft(ctx context.Context, n int, w wanted, record domain.Import) error {
	p := r.blog.Posts[n]
	post, err := r.latest(ctx, w.id)
	switch {
	case err == nil && !post.Deleted.IsZero():
		r.decline(n, "not imported: it was deleted here")
		return nil
	case err == nil: // the author has published it here
		r.count(&r.report.Kept)
		return nil
	case !domain.Is(err, domain.NotFound):
		return err
	}
	d := domain.Draft{PostID: w.id, AuthorID: r.owner(n).ID, Title: w.title, Content: w.content, Tags: w.typed,
		Details: w.details, Slug: w.slug, Status: w.status, Begun: w.created}
	err = domain.CheckDraft(d)
	if err != nil && w.content != p.Content {
		w.content, d.Content = p.Content, p.Content // see run.fit
		err = domain.CheckDraft(d)
	}
	if err != nil {
		r.leave(n, "not imported: %s", domain.Reason(err))
		return nil
	}
	there, moved, begun := w.draftDigest(), false, false
	current, err := r.savedDraft(ctx, r.owner(n).ID, w.id)
	switch {
	case domain.Is(err, domain.NotFound) && record.Done:
		r.decline(n, "not imported: its draft was discarded here")
		return nil
	case domain.Is(err, domain.NotFound):
		begun, record.Job = true, r.Job
	case err != nil:
		return err
	default:
		d.Version = current.Version
		here := digestOfDraft(current)
		// A time that the author chose here stays.
		moved = current.Publish.Equal(record.Publish) && !record.Publish.Equal(publication(p))
		switch {
		case here == there && record.Done && record.Digest == there && !moved:
			r.countUnchanged(n, record)
			if keepsAddresses(p) {
				return r.askAgain(ctx, n)
			}
			return nil
		case here == there && record.Done && record.Digest == there:
			r.count(&r.report.Changed)
		case here == there:
			r.countUnchanged(n, record)
		case record.Digest == "", record.Digest == there && record.Previous != here:
			r.count(&r.report.Kept)
			return nil
		case record.Digest != here && record.Previous != here:
			r.decline(n, "not imported: the draft was changed both here and in its source since it was imported")
			return nil
		default:
			r.count(&r.report.Changed)
			record.Previous = here
		}
	}
	if r.DryRun {
		if begun {
			r.countNew(n)
		}
		if keepsAddresses(p) {
			return r.redirectAll(ctx, n)
		}
		return nil
	}
	if d.Version > 0 && r.Job != "" && record.Job != r.Job && record.ChangedBy != r.Job {
		record.ChangedBy, record.Before, record.BeforePublish = r.Job, digestOfDraft(current), current.Publish
	}
	record.Digest, record.Done = there, false
	if keepsAddresses(p) {
		record.Paths = joinPaths(record.Paths, p.Paths)
	}
	if err := r.put(ctx, record); err != nil {
		return err
	}
	var saved domain.Draft
	err = r.Try(ctx, func() (err error) { saved, err = r.Drafts.Save(ctx, d); return err })
	switch {
	case domain.Is(err, domain.Invalid): // the quota is used up
		r.leave(n, "not imported: %s", domain.Reason(err))
		return nil
	case err != nil:
		return err
	}
	if begun {
		r.countNew(n)
	}
	switch {
	case p.Status == portable.Scheduled && !saved.Publish.Equal(p.Publish):
		err = r.publishAt(ctx, n, saved, p.Publish)
	case p.Status == portable.Draft && moved: // the source has removed the date
		err = r.Try(ctx, func() error { _, err := r.Drafts.Unschedule(ctx, d.AuthorID, d.PostID); return err })
	default:
		err = nil
	}
	if err != nil {
		return err
	}
	if keepsAddresses(p) {
		if err := r.redirectAll(ctx, n); err != nil {
			return err
		}
	}
	record.Previous, record.Done, record.Publish = "", true, publication(p)
	return r.put(ctx, record)
}

// publication returns the time at which a draft is published automatically, or zero.
func publication(p portable.Post) time.Time {
	if p.Status == portable.Scheduled {
		return domain.Timestamp(p.Publish)
	}
	return time.Time{}
}

// keepsAddresses reports whether the former addresses of a draft redirect to it once it is published.
func keepsAddresses(p portable.Post) bool { return p.Status == portable.Scheduled || p.Held }

// publishAt schedules a draft. A draft that cannot be scheduled stays a draft. If its time has just come, it is
// published at once.
func (r *run) publishAt(ctx context.Context, n int, d domain.Draft, at time.Time) error {
	if least := time.Now().Add(soon); at.Before(least) {
		at = least
	}
	err := r.Try(ctx, func() error {
		_, err := r.Drafts.Schedule(ctx, r.owner(n).ID, d.PostID, d.Version, at)
		return err
	})
	if domain.Is(err, domain.Invalid) {
		r.addProblem(n, "imported as a draft without a schedule: %s", domain.Reason(err))
		return nil
	}
	return err
}

// edition imports the unpublished change of a post, unless there is a draft of the post here. An export without a
// change makes a draft of the current post.
func (r *run) edition(ctx context.Context, n int, post domain.Post) error {
	d := domain.DraftOf(post, r.Now)
	e := r.blog.Posts[n].Edition
	if e != nil {
		content, err := r.rewritten(ctx, n, e.Content)
		if err != nil {
			return err
		}
		details, err := r.details(ctx, n, e.Details)
		if err != nil {
			return err
		}
		d.Title, d.Content, d.Tags, d.Details = e.Title, content, e.Tags, details
		switch e.Status {
		case portable.Published:
			d.Status = domain.Published
		case portable.Unlisted:
			d.Status = domain.Unlisted
		}
	}
	var saved domain.Draft
	err := r.Try(ctx, func() (err error) { saved, err = r.Drafts.Save(ctx, d); return err })
	switch {
	case domain.Is(err, domain.Conflict): // there is another draft, which the user may be editing
		return nil
	case domain.Is(err, domain.Invalid):
		r.addProblem(n, "its unpublished changes were left out: %s", domain.Reason(err))
		return nil
	case err != nil || e == nil || e.Publish.IsZero() || saved.Publish.Equal(e.Publish):
		return err
	}
	return r.publishAt(ctx, n, saved, e.Publish)
}

func (r *run) savedDraft(ctx context.Context, userID, id string) (d domain.Draft, err error) {
	err = r.Try(ctx, func() (err error) { d, err = r.Drafts.Get(ctx, userID, id); return err })
	return d, err
}

// soon is the period before its time in which a scheduled post is published at once. A schedule needs a time that is
// still in the future when it is written.
const soon = 5 * time.Second
