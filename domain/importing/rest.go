package importing

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"

	"inkfeed/domain"
	"inkfeed/domain/portable"
)

// rest imports the other data of Inkfeed's own export: comments, likes and bookmarks on posts that exist here.
func (r *run) rest(ctx context.Context) error {
	if err := r.profile(ctx); err != nil {
		return err
	}
	comments := make(map[string]domain.Comment) // imported, now or earlier; by their former ids
	inOrder := slices.SortedStableFunc(slices.Values(r.blog.Rest.Comments),
		func(a, b portable.Comment) int { return a.Created.Compare(b.Created) })
	for _, c := range inOrder {
		if err := r.comment(ctx, c, comments); err != nil {
			return err
		}
	}
	r.report.AllComments = len(comments)
	if err := r.closeComments(ctx); err != nil {
		return err
	}
	if r.others > 0 {
		r.addBlogProblem("comments on posts of others were left out: %d", r.others)
	}
	lost := 0
	likes, bookmarks := r.blog.Rest.Likes, r.blog.Rest.Bookmarks
	for i, reaction := range slices.Concat(likes, bookmarks) {
		isLike := i < len(likes)
		post, ok, err := r.target(ctx, reaction.PostID)
		switch {
		case err != nil:
			return err
		case !ok || isLike && r.foreign(post):
			lost++
			continue
		case r.DryRun:
			continue
		}
		r.wrote()
		err = r.Try(ctx, func() (err error) {
			if isLike {
				_, err = r.Posts.Like(ctx, domain.NewLike(r.User, post.ID, reaction.Created))
			} else {
				_, err = r.Posts.Bookmark(ctx, post, r.User.ID, reaction.Created)
			}
			return err
		})
		if err != nil && !domain.Is(err, domain.NotFound) {
			return err
		}
	}
	if lost > 0 {
		r.addBlogProblem("likes and bookmarks of posts that are not here were left out: %d", lost)
	}
	return nil
}

// closeComments closes the comments of the posts that the import has created or edited, if they are closed in the
// export. Until then the posts' records are incomplete, so that the next import finishes an interrupted one.
func (r *run) closeComments(ctx context.Context) error {
	for _, n := range slices.Sorted(maps.Keys(r.closing)) {
		r.wrote()
		err := r.Try(ctx, func() error {
			_, err := r.Posts.CloseComments(ctx, r.ids[n], r.owner(n).ID, true)
			return err
		})
		// The author may have deleted the post, or moved it to the trash.
		if err != nil && !domain.Is(err, domain.NotFound) && !domain.Is(err, domain.Conflict) {
			return err
		}
		if err := r.put(ctx, r.closing[n]); err != nil {
			return err
		}
	}
	return nil
}

// target returns the post here to which imported data refers.
func (r *run) target(ctx context.Context, postID string) (domain.Post, bool, error) {
	if n, ok := r.byID[postID]; ok && r.ids[n] != "" {
		if postID = r.ids[n]; r.DryRun {
			return domain.Post{ID: postID, AuthorID: r.User.ID}, true, nil
		}
	}
	post, err := r.latest(ctx, postID)
	switch {
	case domain.Is(err, domain.NotFound):
		return domain.Post{}, false, nil
	case err != nil:
		return domain.Post{}, false, err
	}
	return post, post.Deleted.IsZero() && (post.Open() || post.AuthorID == r.User.ID), nil
}

// comment imports a comment. The comment that it answers was imported before it.
func (r *run) comment(ctx context.Context, c portable.Comment, there map[string]domain.Comment) error {
	where := fmt.Sprintf("comment of %s on %s", c.Created.UTC().Format("2006-01-02 15:04"), c.Post)
	refuse := func(why portable.Problem) error {
		r.report.Problems = append(r.report.Problems, why)
		return nil
	}
	post, ok, err := r.target(ctx, c.PostID)
	if err != nil {
		return err
	}
	if !ok {
		return refuse(portable.NewProblem(where, "not imported: the post is not here"))
	}
	if r.foreign(post) {
		r.others++
		return nil
	}
	if same, found, err := r.commentAt(ctx, post.ID, c.ID); err != nil || found && same.AuthorID == r.User.ID {
		there[c.ID] = same
		return err
	}
	made, err := domain.NewComment(r.User, post.ID, c.Content, c.Created)
	if err != nil {
		return refuse(portable.NewProblem(where, "not imported: %s", domain.Reason(err)))
	}
	made.ID, made.Edited = domain.ImportedID(r.User.ID, "comment:"+c.ID), domain.Timestamp(c.Edited)
	if c.ParentID != "" {
		parent, ok := there[c.ParentID]
		if !ok {
			if parent, ok, err = r.commentAt(ctx, post.ID, c.ParentID); err != nil {
				return err
			}
		}
		if !ok || parent.ParentID != "" {
			return refuse(portable.NewProblem(where, "not imported: the comment that it answers is not here"))
		}
		made.ParentID, made.ParentCreated = parent.ID, parent.Created
	}
	if existing, found, err := r.commentAt(ctx, post.ID, made.ID); err != nil || found {
		there[c.ID] = existing
		return err
	}
	if made.Held, err = r.hold(ctx, r.User, domain.Post{}, wanted{content: made.Content}); err != nil {
		return err
	}
	if !r.DryRun {
		r.wrote()
		err = r.Try(ctx, func() error { _, err := r.Posts.AddComment(ctx, made); return err })
	}
	switch {
	case domain.Is(err, domain.NotFound):
		return refuse(portable.NewProblem(where, "not imported: readers cannot see the post"))
	case errors.Is(err, domain.ErrCommentDeleted):
		return refuse(portable.NewProblem(where, "not imported: it was deleted here"))
	case domain.Is(err, domain.Forbidden), domain.Is(err, domain.Conflict):
		return refuse(portable.NewProblem(where, "not imported: %s", domain.Reason(err)))
	case err != nil:
		return err
	}
	there[c.ID] = made
	r.report.Comments++
	return nil
}

func (r *run) commentAt(ctx context.Context, postID, id string) (c domain.Comment, found bool, err error) {
	err = r.Try(ctx, func() (err error) { c, err = r.Posts.Comment(ctx, postID, id); return err })
	if domain.Is(err, domain.NotFound) {
		return c, false, nil
	}
	return c, err == nil, err
}

// foreign reports whether a post belongs to another user. A confined import adds nothing to such posts.
func (r *run) foreign(post domain.Post) bool { return r.Confined && post.AuthorID != r.User.ID }
