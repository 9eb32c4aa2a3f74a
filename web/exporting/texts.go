package exporting

import (
	"context"
	"io"
	"iter"
	"slices"
	"time"

	"inkfeed/domain"
	"inkfeed/domain/portable"
	"inkfeed/domain/portable/export"
)

// Images yields the pictures of a user or of the site's pages.
func (e *Exporter) Images(ctx context.Context, ownerID string) iter.Seq2[export.Image, error] {
	return Map(e.store.Export.Images(ctx, ownerID), func(i domain.Image) export.Image {
		return export.Image{Path: export.ImagePath(i.Name.String()), Open: func() (io.ReadCloser, error) {
			return e.store.Files.Open(ctx, i.Name.String())
		}, Listed: !i.Avatar, Alt: i.Alt}
	})
}

// Map converts the elements of a sequence.
func Map[T, U any](all iter.Seq2[T, error], as func(T) U) iter.Seq2[U, error] {
	return func(yield func(U, error) bool) {
		for each, err := range all {
			var u U
			if err == nil {
				u = as(each)
			}
			if !yield(u, err) {
				return
			}
		}
	}
}

// Posts yields the posts of a user or the pages of the site, and then the drafts without a post. It reads the list of
// drafts before the posts, so that it misses none that is published meanwhile. Paths are the former addresses by the
// posts' ids.
func (e *Exporter) Posts(ctx context.Context, authorID string,
	paths map[string][]string) iter.Seq2[portable.Post, error] {
	return func(yield func(portable.Post, error) bool) {
		var drafts []string
		for d, err := range e.store.Export.Drafts(ctx, authorID) {
			if err != nil {
				yield(portable.Post{}, err)
				return
			}
			drafts = append(drafts, d.PostID)
		}
		for p, err := range e.store.Export.Posts(ctx, authorID) {
			var post portable.Post
			if err == nil {
				post, err = e.post(ctx, p, paths[p.ID])
			}
			if !yield(post, err) || err != nil {
				return
			}
			if i := slices.Index(drafts, p.ID); i >= 0 {
				drafts = slices.Delete(drafts, i, i+1)
			}
		}
		for _, id := range drafts {
			post, found, err := e.draft(ctx, authorID, id, paths[id])
			if err == nil && !found {
				continue
			}
			if !yield(post, err) || err != nil {
				return
			}
		}
	}
}

// draft returns a draft for the export, or the post that it has become. It returns false if the draft was discarded. It
// reads the draft first, because publishing creates the post before it deletes the draft.
func (e *Exporter) draft(ctx context.Context, authorID, id string, paths []string) (portable.Post, bool, error) {
	d, err := e.store.Drafts.Get(ctx, authorID, id)
	isDraft := err == nil
	if !isDraft && !domain.Is(err, domain.NotFound) {
		return portable.Post{}, false, err
	}
	p, err := e.store.Posts.Own(ctx, id, authorID)
	switch {
	case err == nil:
		post, err := e.post(ctx, p, paths)
		return post, true, err
	case !domain.Is(err, domain.NotFound) && !domain.Is(err, domain.Conflict): // published and moved to the trash
		return portable.Post{}, false, err
	}
	return exportedDraft(d, paths), isDraft, nil
}

// post returns a post for the export, with its past versions and the draft that changes it.
func (e *Exporter) post(ctx context.Context, p domain.Post, paths []string) (portable.Post, error) {
	out := portable.Post{ID: p.ID, Title: p.Title, Content: p.Content, Tags: p.Tags.List(), Slug: p.Slug,
		Details: p.Details, Status: portable.Published, Created: p.Created, Edited: p.Edited, Paths: paths,
		CommentsClosed: p.CommentsClosed}
	switch {
	case p.InTrash(): // so that an import does not make it public
		out.Status = portable.Unpublished
	case p.Status == domain.Published:
	case p.Status == domain.Unlisted:
		out.Status = portable.Unlisted
	default: // also a status that is not known
		out.Status = portable.Unpublished
	}
	if p.Revision > 1 {
		for v, err := range e.store.Export.Versions(ctx, p.ID) {
			if err != nil {
				return portable.Post{}, err
			}
			out.Versions = append(out.Versions, portable.Version{Revision: v.Revision, Title: v.Title,
				Tags: v.Tags.List(), Details: v.Details, Content: v.Content, Saved: v.Saved})
		}
	}
	draft, err := e.store.Drafts.Get(ctx, p.AuthorID, p.ID)
	switch {
	case domain.Is(err, domain.NotFound):
	case err != nil:
		return portable.Post{}, err
	case draft.Rewrites(p), draft.Status != domain.DraftOf(p, p.Created).Status, !draft.Publish.IsZero():
		out.PendingEdit = &portable.PendingEdit{Title: draft.Title, Tags: draft.Tags, Details: draft.Details,
			Content: draft.Content, Status: portable.Published, Publish: draft.Publish}
		if draft.Status == domain.Unlisted {
			out.PendingEdit.Status = portable.Unlisted
		}
		if p.InTrash() || !draft.Status.Shown() {
			out.PendingEdit.Publish = time.Time{}
		}
	}
	return out, nil
}

func exportedDraft(d domain.Draft, paths []string) portable.Post {
	p := portable.Post{ID: d.PostID, Title: d.Title, Content: d.Content, Tags: export.SplitTags(d.Tags), Slug: d.Slug,
		Details: d.Details, Status: portable.Draft, Created: d.Begun, Publish: d.Publish, Paths: paths}
	switch {
	case !d.Status.Shown(): // a status that is not known
		p.Publish = time.Time{}
	case !d.Publish.IsZero():
		p.Status = portable.Scheduled
	}
	p.Hidden = d.Status == domain.Unlisted
	return p
}
