package importing

import (
	"context"

	"inkfeed/domain"
	"inkfeed/domain/portable"
)

// post imports one post. It can repeat everything that it writes, and completes the record last. So the next import
// finishes an interrupted one.
func (r *run) post(ctx context.Context, n int) error {
	if r.ids[n] == "" {
		return nil
	}
	w, err := r.prepare(ctx, n)
	if err != nil {
		return err
	}
	if err := r.writers.Acquire(ctx, 1); err != nil {
		return err
	}
	defer r.writers.Release(1)
	record := r.record(r.owner(n).ID, w.id)
	r.redirected[n] = record.Paths
	switch r.blog.Posts[n].Status {
	case portable.Draft, portable.Scheduled:
		return r.draft(ctx, n, w, record)
	}
	return r.published(ctx, n, w, record)
}

// complete reports whether this job has completed the post before an interruption.
func (r *run) complete(n int, w wanted, record domain.Import) bool {
	return r.Job != "" && record.Job == r.Job && record.Done && record.Digest == w.digest() &&
		!newPaths(record.Paths, r.blog.Posts[n].Paths)
}

// published imports a post that is published in the export.
func (r *run) published(ctx context.Context, n int, w wanted, record domain.Import) error {
	if err := r.fit(n, &w); err != nil {
		r.leave(n, "not imported: %s", domain.Reason(err))
		return nil
	}
	if r.blog.Posts[n].Status != portable.Unpublished && r.complete(n, w, record) {
		r.listed.note(domain.Post{Tags: w.tags, Created: w.created, Status: w.status})
		r.countUnchanged(n, record)
		r.wrote()
		return r.askAgain(ctx, n)
	}
	current, err := r.latest(ctx, w.id)
	switch {
	case domain.Is(err, domain.NotFound):
		if r.blog.Posts[n].Status != portable.Unpublished {
			r.listed.note(domain.Post{Tags: w.tags, Created: w.created, Status: w.status})
		}
		return r.create(ctx, n, w, record)
	case err != nil:
		return err
	case current.AuthorID != r.owner(n).ID:
		r.leave(n, "not imported: another user has a post with this id")
		return nil
	case !current.Deleted.IsZero():
		r.decline(n, "not imported: it was deleted here")
		return nil
	case current.InTrash():
		r.decline(n, "not imported: it is in the trash here")
		return nil
	}
	then := current // the post after the import
	defer func() { r.listed.note(then) }()
	if r.blog.Posts[n].Status == portable.Unpublished { // the import does not change who can see the post here
		w.status = current.Status
	}
	here, there := digestOf(current), w.digest()
	switch {
	case here == there:
		r.countUnchanged(n, record)
		if record.Done && record.Digest == there && !newPaths(record.Paths, r.blog.Posts[n].Paths) {
			return r.askAgain(ctx, n)
		}
		return r.finish(ctx, n, w, record, there)
	case record.Digest == "":
		// No import has created the post, so it is the user's own, from which the export was made.
		r.count(&r.report.Kept)
		return nil
	case record.Digest == there && record.Previous != here:
		r.count(&r.report.Kept)
		if r.blog.Posts[n].CommentsClosed && !record.Done && !r.DryRun { // the author has edited it meanwhile
			record.Done = true
			r.closeLater(n, record)
		}
		return nil
	case record.Digest != here && record.Previous != here:
		r.decline(n, "not imported: the post was changed both here and in its source since it was imported")
		return nil
	}
	then.Tags, then.Status = w.tags, w.status
	return r.edit(ctx, n, w, record, current)
}

// maxRevision exceeds the revision of any post.
const maxRevision = 1_000_000

// create writes a new post.
func (r *run) create(ctx context.Context, n int, w wanted, record domain.Import) error {
	p := r.blog.Posts[n]
	draft, isDraft, err := r.formerDraft(ctx, n, record)
	if err != nil {
		return err
	}
	former := digestOfDraft(draft)
	switch {
	case !isDraft && record.Done:
		r.decline(n, "not imported: it was deleted here")
		return nil
	case isDraft && (former != record.Digest && former != record.Previous && former != w.draftDigest() ||
		!draft.Publish.Equal(record.Publish) || draft.Status == domain.Unlisted && w.status == domain.Published):
		r.decline(n, "not imported: its draft was changed here, and its source was published")
		return nil
	}
	r.countNew(n)
	if r.DryRun {
		return r.redirectAll(ctx, n)
	}
	switch {
	case record.Digest == "":
		record.Job = r.Job
	case r.Job != "" && record.Job != r.Job && record.ChangedBy != r.Job: // it was a draft before
		record.ChangedBy, record.Before, record.BeforePublish = r.Job, record.Digest, draft.Publish
	}
	record.Digest, record.Previous, record.Done = w.digest(), "", false
	if isDraft {
		record.Previous = former
	}
	if p.Status == portable.Unpublished {
		w.status = domain.Unpublished
		record.Digest = w.digest()
	}
	record.Paths = joinPaths(record.Paths, p.Paths)
	if err := r.put(ctx, record); err != nil {
		return err
	}
	owner := r.owner(n)
	if isDraft && p.Status != portable.Unpublished {
		err := r.Try(ctx, func() error { return r.Drafts.Discard(ctx, owner.ID, w.id, draft.Version) })
		if err != nil {
			return err
		}
	}
	post := domain.Post{ID: w.id, AuthorID: owner.ID, AuthorName: owner.Username, AuthorDisplayName: owner.DisplayName,
		AuthorAvatar: owner.Avatar, Title: w.title, Slug: w.slug, Content: w.content, Tags: w.tags, Details: w.details,
		Status: w.status, Created: w.created, Edited: w.edited, Revision: 1, Version: 1}
	hold, err := r.hold(ctx, owner, domain.Post{}, w)
	if err != nil {
		return err
	}
	post.Held = hold
	for _, v := range p.Versions {
		if v.Revision <= maxRevision {
			post.Revision = max(post.Revision, v.Revision+1)
		}
	}
	if p.Status == portable.Unpublished { // the draft comes first, so that the author always has it
		if err := r.edition(ctx, n, post); err != nil {
			return err
		}
	}
	if err := r.Try(ctx, func() error { return r.Posts.Create(ctx, post) }); err != nil {
		return err
	}
	return r.finish(ctx, n, w, record, record.Digest)
}

// formerDraft returns the draft of a post that was imported as a draft and has been published at its source since.
func (r *run) formerDraft(ctx context.Context, n int, record domain.Import) (d domain.Draft, found bool, err error) {
	if record.Digest == "" {
		return d, false, nil
	}
	d, err = r.savedDraft(ctx, r.owner(n).ID, record.PostID)
	if domain.Is(err, domain.NotFound) {
		return d, false, nil
	}
	return d, err == nil, err
}

// edit updates a post that is unchanged since its import. Its former text becomes a past version.
func (r *run) edit(ctx context.Context, n int, w wanted, record domain.Import, current domain.Post) error {
	r.count(&r.report.Changed)
	if r.DryRun {
		return r.redirectAll(ctx, n)
	}
	if r.Job != "" && record.Job != r.Job && record.ChangedBy != r.Job {
		record.ChangedBy, record.Before = r.Job, digestOf(current)
	}
	record.Previous, record.Digest, record.Done = digestOf(current), w.digest(), false
	record.Paths = joinPaths(record.Paths, r.blog.Posts[n].Paths)
	if err := r.put(ctx, record); err != nil {
		return err
	}
	at := w.edited
	if !at.After(current.Created) || at.Before(current.Edited) {
		at = domain.Timestamp(r.Now)
	}
	hold, err := r.hold(ctx, r.owner(n), current, w)
	if err != nil {
		return err
	}
	edit := domain.Edit{PostID: w.id, Revision: current.Revision, Title: w.title, Content: w.content, Tags: w.tags,
		Details: w.details, Status: w.status, At: at, Held: hold}
	err = r.Try(ctx, func() error { _, err := r.Posts.Edit(ctx, edit, r.owner(n).ID); return err })
	if err != nil {
		return err
	}
	return r.finish(ctx, n, w, record, record.Digest)
}

// finish writes the data that belongs to a post, and then marks the post as complete.
func (r *run) finish(ctx context.Context, n int, w wanted, record domain.Import, digest string) error {
	p := r.blog.Posts[n]
	if r.DryRun {
		return r.redirectAll(ctx, n)
	}
	written := record.Digest != "" && !record.Done // this import or an interrupted one has created or edited the post
	if paths := joinPaths(record.Paths, p.Paths); len(paths) > len(record.Paths) || record.Digest == "" {
		record.Paths, record.Digest = paths, digest
		if err := r.put(ctx, record); err != nil {
			return err
		}
	}
	for _, v := range p.Versions {
		content, err := r.rewritten(ctx, n, v.Content)
		if err != nil {
			return err
		}
		title, content, _, err := adapted(v.Title, content)
		if err != nil || v.Revision < 1 || v.Revision > maxRevision {
			r.addProblem(n, "an earlier version was left out: it cannot be a version of a post here")
			continue
		}
		details, err := r.details(ctx, n, v.Details)
		if err != nil {
			return err
		}
		version := domain.PostVersion{PostID: w.id, Revision: v.Revision, Title: title, Content: content,
			Tags: r.tags(n, v.Tags), Details: details, Saved: domain.Timestamp(v.Saved)}
		if err := r.Try(ctx, func() error { return r.Posts.AddVersion(ctx, version) }); err != nil {
			return err
		}
	}
	if p.PendingEdit != nil && p.Status != portable.Unpublished {
		post, err := r.latest(ctx, w.id)
		if err == nil {
			err = r.edition(ctx, n, post)
		}
		if err != nil {
			return err
		}
	}
	if err := r.redirectAll(ctx, n); err != nil {
		return err
	}
	record.Digest, record.Previous, record.Done = digest, "", true
	if p.CommentsClosed && written {
		r.closeLater(n, record)
		return nil
	}
	return r.put(ctx, record)
}

// closeLater has closeComments close the comments of a post and then store its record.
func (r *run) closeLater(n int, record domain.Import) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.closing[n] = record
}

// put stores a record and notes that the import has written something.
func (r *run) put(ctx context.Context, record domain.Import) error {
	r.wrote()
	return r.Try(ctx, func() error { return r.Records.Put(ctx, record) })
}
