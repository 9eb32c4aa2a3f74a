package importing

import (
	"context"
	"time"

	"inkfeed/domain"
	"inkfeed/domain/portable"
)

// draft imports a draft or a scheduled post.
func (r *run) draft(ctx context.Context, n int, w wanted, record domain.Import) error {
	post, err := r.latest(ctx, w.id)
	switch {
	case err == nil && !post.Deleted.IsZero():
		r.decline(n, "not imported: it was deleted here")
		return nil
	case err == nil: // the author has published it here, or it was published with its pictures
		r.noteLacking(n, true)
		r.count(&r.report.Kept)
		return nil
	case !domain.Is(err, domain.NotFound):
		return err
	}
	r.noteLacking(n, false)
	i := &draftImport{run: r, n: n, source: r.blog.Posts[n], record: record}
	if err := i.prepare(w); err != nil {
		r.leave(n, "not imported: %s", domain.Reason(err))
		return nil
	}
	needed, err := i.compare(ctx)
	switch {
	case err != nil || !needed:
		return err
	case !r.DryRun:
		return i.write(ctx)
	case i.begun:
		r.countNew(n)
	}
	return i.redirectLater(ctx)
}

// draftImport is the import of one draft or scheduled post.
type draftImport struct {
	*run
	n       int           // of the post in the export
	source  portable.Post // in the export
	draft   domain.Draft  // as it is written
	digest  string        // of draft
	record  domain.Import
	current domain.Draft // as it is stored here, or zero
	begun   bool         // there is no draft here
	moved   bool         // the source has another time of publication than at the last import
}

// prepare makes the draft. It returns an error if the draft breaks a limit.
func (i *draftImport) prepare(w wanted) error {
	d := domain.Draft{PostID: w.id, AuthorID: i.owner(i.n).ID, Title: w.title, Content: w.content, Tags: w.typed,
		Details: w.details, Slug: w.slug, Status: w.status, Begun: w.created}
	err := domain.CheckDraft(d)
	if err != nil && w.content != i.source.Content {
		w.content, d.Content = i.source.Content, i.source.Content // see run.fit
		err = domain.CheckDraft(d)
	}
	i.draft, i.digest = d, w.draftDigest()
	return err
}

// compare compares the draft with the one that is stored here, and counts it. It reports whether the draft is to be
// written.
func (i *draftImport) compare(ctx context.Context) (needed bool, err error) {
	record := &i.record
	i.current, err = i.savedDraft(ctx, i.draft.AuthorID, i.draft.PostID)
	switch {
	case domain.Is(err, domain.NotFound) && record.Done:
		i.decline(i.n, "not imported: its draft was discarded here")
		return false, nil
	case domain.Is(err, domain.NotFound):
		i.begun, record.Job = true, i.Job
		return true, nil
	case err != nil:
		return false, err
	}
	i.draft.Version = i.current.Version
	here := digestOfDraft(i.current)
	// A time that the author chose here stays.
	i.moved = i.current.Publish.Equal(record.Publish) && !record.Publish.Equal(publication(i.source))
	switch {
	case here == i.digest && record.Done && record.Digest == i.digest && !i.moved:
		i.countUnchanged(i.n, *record)
		if keepsAddresses(i.source) {
			err = i.askAgain(ctx, i.n)
		}
		return false, err
	case here == i.digest && record.Done && record.Digest == i.digest:
		i.count(&i.report.Changed)
	case here == i.digest:
		i.countUnchanged(i.n, *record)
	case record.Digest == "", record.Digest == i.digest && record.Previous != here:
		i.count(&i.report.Kept)
		return false, nil
	case record.Digest != here && record.Previous != here:
		i.decline(i.n, "not imported: the draft was changed both here and in its source since it was imported")
		return false, nil
	default:
		i.count(&i.report.Changed)
		record.Previous = here
	}
	return true, nil
}

// write stores the draft, its schedule and its redirects, between two writes of the record.
func (i *draftImport) write(ctx context.Context) error {
	record := &i.record
	if i.draft.Version > 0 && i.Job != "" && record.Job != i.Job && record.ChangedBy != i.Job {
		record.ChangedBy, record.Before, record.BeforePublish = i.Job, digestOfDraft(i.current), i.current.Publish
	}
	record.Digest, record.Done = i.digest, false
	if keepsAddresses(i.source) {
		record.Paths = joinPaths(record.Paths, i.source.Paths)
	}
	if err := i.put(ctx, *record); err != nil {
		return err
	}
	var saved domain.Draft
	err := i.Try(ctx, func() (err error) { saved, err = i.Drafts.Save(ctx, i.draft); return err })
	switch {
	case domain.Is(err, domain.Invalid): // the quota is used up
		i.leave(i.n, "not imported: %s", domain.Reason(err))
		return nil
	case err != nil:
		return err
	}
	if i.begun {
		i.countNew(i.n)
	}
	if err := i.schedule(ctx, saved); err != nil {
		return err
	}
	if err := i.redirectLater(ctx); err != nil {
		return err
	}
	record.Previous, record.Done, record.Publish = "", true, publication(i.source)
	return i.put(ctx, *record)
}

// schedule gives the saved draft the time of publication that it has in the export.
func (i *draftImport) schedule(ctx context.Context, saved domain.Draft) error {
	switch {
	case i.source.Status == portable.Scheduled && !saved.Publish.Equal(i.source.Publish):
		return i.publishAt(ctx, i.n, saved, i.source.Publish)
	case i.source.Status == portable.Draft && i.moved: // the source has removed the date
		return i.Try(ctx, func() error {
			_, err := i.Drafts.Unschedule(ctx, i.draft.AuthorID, i.draft.PostID)
			return err
		})
	}
	return nil
}

// redirectLater prepares the redirects that begin once the draft is published.
func (i *draftImport) redirectLater(ctx context.Context) error {
	if !keepsAddresses(i.source) {
		return nil
	}
	return i.redirectAll(ctx, i.n)
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
	e := r.blog.Posts[n].PendingEdit
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
