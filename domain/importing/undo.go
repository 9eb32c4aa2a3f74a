package importing

import (
	"context"
	"iter"
	"slices"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"

	"inkfeed/domain"
	"inkfeed/domain/locale"
	"inkfeed/domain/plaintext"
)

// Undo reverts what an import in the browser has written. It deletes the posts, drafts, pictures and redirects
// that the import created, and restores the posts that it changed. It keeps everything that was changed here
// since.
//
// Undo may be interrupted at any point and run again: it deletes the record of a post last.
type Undo struct {
	User domain.User
	Job  string
	// Finished is the time when the import ended. Drafts that were saved later have been changed by the author.
	Finished time.Time
	Users    UndoUsers
	Posts    UndoPosts
	Drafts   UndoDrafts
	Records  UndoRecords
	Requests Requests
	Images   UndoImages
	Texts    Texts
	// Screen decides whether a restored text is held for review. With a nil Screen none is held.
	Screen Screen
	// Try makes a call to one of the stores above, and repeats it if that may help.
	Try func(ctx context.Context, call func() error) error
	// Progress is called with the number of posts done and the total.
	Progress func(done, of int)
}

// The stores that Undo needs. Errors are of the domain's kinds.
type (
	UndoUsers interface {
		ByID(ctx context.Context, userID string) (domain.User, error)
	}
	UndoPosts interface {
		Latest(ctx context.Context, postID string) (domain.Post, error)
		Version(ctx context.Context, postID string, revision int) (domain.PostVersion, error)
		Comments(ctx context.Context, postID string, page int) (domain.ListPage[domain.Comment], error)
		Edit(ctx context.Context, e domain.Edit, authorID string) (domain.Post, error)
		Delete(ctx context.Context, postID, authorID string) error
	}
	UndoDrafts interface {
		Get(ctx context.Context, userID, postID string) (domain.Draft, error)
		Schedule(ctx context.Context, userID, postID string, version int, at time.Time) (domain.Draft, error)
		Unschedule(ctx context.Context, userID, postID string) (domain.Draft, error)
		Discard(ctx context.Context, userID, postID string, version int) error
	}
	UndoRecords interface {
		Of(ctx context.Context, userID string) ([]domain.Import, error)
		Put(ctx context.Context, i domain.Import) error
		// Delete deletes the redirects that lead to the post, and then the record.
		Delete(ctx context.Context, i domain.Import) error
	}
	UndoImages interface {
		// Imported lists the pictures that a job imported.
		Imported(ctx context.Context, userID, job string) ([]domain.Image, error)
		Delete(ctx context.Context, userID string, name domain.ImageName) error
	}
	// Texts reads all posts and drafts of a user, to find the pictures that they show.
	Texts interface {
		Posts(ctx context.Context, userID string) iter.Seq2[domain.Post, error]
		Drafts(ctx context.Context, userID string) iter.Seq2[domain.Draft, error]
	}
)

// Undone is the result of an Undo.
type Undone struct {
	Kept     []domain.ImportKept // posts that stay; the first ones
	MoreKept int
}

// maxKept is the number of kept posts that the result names.
const maxKept = 50

// undoing is one Undo under way.
type undoing struct {
	*Undo
	mu   sync.Mutex
	done Undone
}

// Run undoes the import. After an error it can be run again, and continues.
func (u *Undo) Run(ctx context.Context) (Undone, error) {
	r := &undoing{Undo: u}
	var records []domain.Import
	err := u.Try(ctx, func() (err error) { records, err = u.Records.Of(ctx, u.User.ID); return err })
	if err != nil {
		return r.done, err
	}
	records = slices.DeleteFunc(records, func(i domain.Import) bool { return i.Job != u.Job && i.ChangedBy != u.Job })
	if err := u.withdraw(ctx, records); err != nil {
		return r.done, err
	}
	var finished int
	group, groupCtx := errgroup.WithContext(ctx)
	group.SetLimit(defaultWriters)
	for _, record := range records {
		if groupCtx.Err() != nil {
			break
		}
		group.Go(func() (err error) {
			defer Recovered(&err)
			err = r.record(groupCtx, record)
			r.mu.Lock()
			defer r.mu.Unlock()
			finished++
			u.Progress(finished, len(records))
			return err
		})
	}
	if err := group.Wait(); err != nil {
		return r.done, err
	}
	if err := ctx.Err(); err != nil {
		return r.done, err
	}
	return r.done, r.pictures(ctx)
}

// record undoes the import of one post. A scheduled draft may be published at any moment. Then record looks
// at it again, as a post.
func (r *undoing) record(ctx context.Context, record domain.Import) error {
	for {
		published, err := r.attempt(ctx, record)
		if err != nil || !published {
			return err
		}
	}
}

// attempt undoes what was imported of one post, unless the post was published meanwhile.
func (r *undoing) attempt(ctx context.Context, record domain.Import) (published bool, err error) {
	draft, isDraft, err := r.draft(ctx, record.PostID)
	if err != nil {
		return false, err
	}
	// The draft was read first, because publishing creates the post before it deletes the draft.
	post, isPost, err := r.post(ctx, record.PostID)
	if err != nil {
		return false, err
	}
	switch {
	case record.Job != r.Job && isDraft && !isPost:
		return r.restoreDraft(ctx, record, draft)
	case record.Job != r.Job:
		return false, r.restore(ctx, record, post, isPost, isDraft && draft.Saved.After(r.Finished))
	}
	var why locale.Message
	switch {
	case isPost:
		why, err = r.reason(ctx, record, post, draft, isDraft)
	case isDraft && digestOfDraft(draft) != record.Digest:
		why = locale.M("You changed this draft.")
	}
	if err != nil {
		return false, err
	}
	if !why.IsZero() {
		return false, r.keep(record, post, draft, isPost, why)
	}
	switch {
	case isPost:
		err = r.Try(ctx, func() error { return r.Posts.Delete(ctx, post.ID, r.User.ID) })
	case isDraft:
		err = r.Try(ctx, func() error { return r.Drafts.Discard(ctx, r.User.ID, record.PostID, draft.Version) })
		if err == nil {
			if _, published, err = r.post(ctx, record.PostID); err != nil || published {
				return published, err
			}
		}
	}
	if err != nil && !domain.Is(err, domain.NotFound) {
		return false, err
	}
	return false, r.Try(ctx, func() error { return r.Records.Delete(ctx, record) })
}

// withdraw removes the requests for addresses that the import's records name. It comes first, so that administrators
// approve no address whose record is deleted.
func (u *Undo) withdraw(ctx context.Context, records []domain.Import) error {
	named := make(map[string]bool)
	for _, record := range records {
		for _, path := range record.Paths {
			named[path] = record.Job == u.Job || named[path]
		}
	}
	return changeRequests(ctx, u.Try, u.Requests, u.User.ID, func(all *domain.AddressRequests) (changed bool) {
		before := all.Count
		all.Remove(func(r domain.Redirect) bool { return named[r.Path] })
		return all.Count != before
	})
}

// post returns the post with an id. It is not found if there is none or if it was deleted.
func (r *undoing) post(ctx context.Context, postID string) (post domain.Post, found bool, err error) {
	err = r.Try(ctx, func() (err error) { post, err = r.Posts.Latest(ctx, postID); return err })
	if domain.Is(err, domain.NotFound) {
		return post, false, nil
	}
	return post, err == nil && post.Deleted.IsZero(), err
}

func (r *undoing) draft(ctx context.Context, postID string) (d domain.Draft, found bool, err error) {
	err = r.Try(ctx, func() (err error) { d, err = r.Drafts.Get(ctx, r.User.ID, postID); return err })
	if domain.Is(err, domain.NotFound) {
		return d, false, nil
	}
	return d, err == nil, err
}

// reason returns why a post has to stay, or an empty message if it need not.
func (r *undoing) reason(
	ctx context.Context, record domain.Import, post domain.Post, draft domain.Draft, isDraft bool,
) (locale.Message, error) {
	switch {
	case post.AuthorID != r.User.ID:
		return locale.Message{}, nil
	case !unchanged(post, record):
		return locale.M("You edited this post."), nil
	case isDraft && draft.Saved.After(r.Finished):
		return locale.M("It has unpublished changes."), nil
	case post.CommentCount == 0:
		return locale.Message{}, nil
	}
	for page := 1; ; page++ {
		var comments domain.ListPage[domain.Comment]
		err := r.Try(ctx, func() (err error) { comments, err = r.Posts.Comments(ctx, post.ID, page); return err })
		if err != nil {
			return locale.Message{}, err
		}
		for _, c := range comments.Items {
			if c.Deleted.IsZero() && c.AuthorID != r.User.ID {
				return locale.M("Other people commented on it."), nil
			}
		}
		if !comments.More {
			return locale.Message{}, nil
		}
	}
}

// keep leaves a post unchanged and records why.
func (r *undoing) keep(record domain.Import, post domain.Post, draft domain.Draft, isPost bool,
	why locale.Message) error {
	kept := domain.ImportKept{PostID: record.PostID, Title: post.Title, Why: why.Stored(), Draft: !isPost}
	if !isPost {
		kept.Title = draft.Title
	}
	kept.Title = plaintext.Truncate(kept.Title, 100)
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(r.done.Kept) < maxKept {
		r.done.Kept = append(r.done.Kept, kept)
	} else {
		r.done.MoreKept++
	}
	return nil
}
