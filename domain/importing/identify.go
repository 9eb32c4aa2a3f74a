package importing

import (
	"context"
	"slices"

	"inkfeed/domain"
)

// identify determines the id of each post. Posts in Inkfeed's own export keep their ids, unless another user here has
// them.
func (r *run) identify(ctx context.Context) error {
	elsewhere := false // the author of the export has another account here
	if owner := r.blog.Rest.Profile.UserID; owner != "" && owner != r.User.ID {
		err := r.Try(ctx, func() error {
			_, err := r.Users.ByID(ctx, owner)
			return err
		})
		if err != nil && !domain.Is(err, domain.NotFound) {
			return err
		}
		elsewhere = err == nil
	}
	r.ids = make([]string, len(r.blog.Posts))
	keys := make(map[string]bool)
	for n, p := range r.blog.Posts {
		owner := r.owner(n).ID
		id := r.importedID(owner, p.Key)
		if p.ID != "" && !elsewhere {
			own, err := r.keepsID(ctx, owner, p.ID, id)
			if err != nil {
				return err
			}
			if own {
				id = p.ID
			}
		}
		if keys[id] {
			r.addProblem(n, "not imported: the export contains it twice")
			r.report.Left++
			continue
		}
		keys[id] = true
		r.ids[n] = id
		if p.ID != "" {
			r.byID[p.ID] = n
		}
	}
	return nil
}

// owner returns the user who gets a post.
func (r *run) owner(n int) domain.User {
	if u, ok := r.Owners[r.blog.Posts[n].Author]; ok {
		return u
	}
	return r.User
}

// keepsID reports whether a post can keep its id: the id belongs to the user's post or is free and was never used, and
// the post was not imported under another id.
func (r *run) keepsID(ctx context.Context, userID, id, derived string) (keeps bool, err error) {
	if _, imported := r.records[derived]; imported {
		return false, nil
	}
	record, imported := r.records[id]
	if imported && r.Job != "" && record.Job == r.Job && record.Done { // before an interruption
		return true, nil
	}
	post, err := r.latest(ctx, id)
	switch {
	case domain.Is(err, domain.NotFound) && !imported && !domain.IsPageID(id): // only administrators import pages
		var used bool // perhaps by another user: the export may be forged
		err = r.Try(ctx, func() (err error) { used, err = r.Posts.Used(ctx, id); return err })
		return !used, err
	case domain.Is(err, domain.NotFound):
		return true, nil
	case err != nil:
		return false, err
	}
	if r.undone[userID] > 0 && !post.Deleted.IsZero() && !imported { // perhaps deleted by the undoing of an import
		return false, nil
	}
	return post.AuthorID == userID, nil
}

// importedID returns the id of the post with this key in its source: the id under which it was imported, or one
// that no undone import has used.
func (r *run) importedID(userID, key string) string {
	for undone := range r.undone[userID] {
		id := domain.ImportGeneration(userID, key, undone)
		if _, ok := r.records[id]; ok {
			return id
		}
	}
	return domain.ImportGeneration(userID, key, r.undone[userID])
}

// readRecords reads the records of earlier imports with one query for each user, which costs less than one read
// for each post.
func (r *run) readRecords(ctx context.Context) error {
	if len(r.blog.Posts) == 0 {
		return nil
	}
	r.records, r.undone = make(map[string]domain.Import), make(map[string]int)
	for _, user := range r.users() {
		var list []domain.Import
		if err := r.Try(ctx, func() (err error) { list, err = r.Records.Of(ctx, user); return err }); err != nil {
			return err
		}
		for _, record := range list {
			r.records[record.PostID] = record
		}
		err := r.Try(ctx, func() (err error) { r.undone[user], err = r.Records.Undone(ctx, user); return err })
		if err != nil {
			return err
		}
	}
	return nil
}

// record returns the record of an earlier import of a post, or a new record.
func (r *run) record(userID, id string) domain.Import {
	if record, ok := r.records[id]; ok {
		return record
	}
	return domain.Import{UserID: userID, PostID: id}
}

// users returns the ids of the users who get posts.
func (r *run) users() []string {
	ids := []string{r.User.ID}
	for _, owner := range r.Owners {
		if !slices.Contains(ids, owner.ID) {
			ids = append(ids, owner.ID)
		}
	}
	return ids
}
