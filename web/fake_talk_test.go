package web_test

import (
	"cmp"
	"context"
	"slices"
	"time"

	"inkfeed/domain"
)

func (f fakePosts) Comments(_ context.Context, id string, page int) (domain.Page[domain.Comment], error) {
	leave, err := f.enter("Comments")
	defer leave()
	return cut(f.placed(id), page, domain.CommentsPerPage), err
}

// placed is the comments of a post in their order.
func (f *fake) placed(id string) []domain.Comment {
	list := slices.Clone(f.comments[id])
	slices.SortStableFunc(list, func(a, b domain.Comment) int { return cmp.Compare(a.Place(), b.Place()) })
	return list
}

func (f fakePosts) CommentsAfter(_ context.Context, id, place string) (domain.Page[domain.Comment], error) {
	leave, err := f.enter("CommentsAfter")
	defer leave()
	list := slices.DeleteFunc(f.placed(id), func(c domain.Comment) bool { return c.Place() <= place })
	return cut(list, 1, domain.CommentsPerPage), err
}

func (f fakePosts) CommentsBefore(_ context.Context, id, place string) (int, error) {
	leave, err := f.enter("CommentsBefore")
	defer leave()
	return len(slices.DeleteFunc(f.placed(id), func(c domain.Comment) bool { return c.Place() >= place })), err
}

// find is where a comment is in the list of its post's, -1 when it is not.
func (f *fake) find(postID, id string) int {
	return slices.IndexFunc(f.comments[postID], func(o domain.Comment) bool { return o.ID == id })
}

func (f fakePosts) AddComment(_ context.Context, c domain.Comment) (domain.Post, error) {
	leave, err := f.enter("AddComment")
	defer leave()
	if err != nil {
		return domain.Post{}, err
	}
	p, ok := f.posts[c.PostID]
	if !ok {
		return domain.Post{}, errMissing
	}
	if f.find(p.ID, c.ID) >= 0 {
		return p, nil
	}
	if p.CommentsClosed {
		return domain.Post{}, domain.Errorf(domain.Forbidden, "Comments are closed.")
	}
	// What was read stays as it was.
	list := slices.Clone(f.comments[c.PostID])
	if c.ParentID != "" {
		parent := f.find(c.PostID, c.ParentID)
		if parent < 0 || list[parent].ParentID != "" || list[parent].Hidden() {
			return domain.Post{}, domain.Errorf(domain.Conflict, "The parent is gone.")
		}
		list[parent].Replies++
	}
	f.comments[c.PostID] = append(list, c)
	if c.Counts() {
		p.CommentCount++
	}
	f.posts[p.ID] = p
	return p, nil
}

func (f fakePosts) Comment(_ context.Context, postID, id string) (domain.Comment, error) {
	leave, err := f.enter("Comment")
	defer leave()
	if err != nil {
		return domain.Comment{}, err
	}
	i := f.find(postID, id)
	if i < 0 {
		return domain.Comment{}, errMissing
	}
	return f.comments[postID][i], nil
}

func (f fakePosts) EditComment(_ context.Context, e domain.CommentEdit, userID string) (domain.Comment, error) {
	leave, err := f.enter("EditComment")
	defer leave()
	if err != nil {
		return domain.Comment{}, err
	}
	i := f.find(e.PostID, e.ID)
	if i < 0 || !f.comments[e.PostID][i].Deleted.IsZero() {
		return domain.Comment{}, errMissing
	}
	list := slices.Clone(f.comments[e.PostID])
	switch {
	case list[i].AuthorID != userID:
		return domain.Comment{}, domain.Errorf(domain.Forbidden, "You can only edit your own comments.")
	case !list[i].Edited.Equal(e.Began):
		return domain.Comment{}, domain.Errorf(domain.Conflict, "Changed meanwhile.")
	}
	p := f.posts[e.PostID]
	if list[i].Counts() {
		p.CommentCount--
	}
	list[i].Content, list[i].Edited = e.Content, e.At
	if list[i].Held.Yields(e.Held) {
		list[i].Held = e.Held
	}
	if list[i].Counts() {
		p.CommentCount++
	}
	f.comments[e.PostID], f.posts[e.PostID] = list, p
	return list[i], nil
}

func (f fakePosts) DeleteComment(_ context.Context, postID, id, userID string) (domain.CommentRemoval, error) {
	leave, err := f.enter("DeleteComment")
	defer leave()
	if err != nil {
		return domain.CommentRemoval{}, err
	}
	p, ok := f.posts[postID]
	if !ok {
		return domain.CommentRemoval{}, errMissing
	}
	i := f.find(postID, id)
	if i < 0 {
		return domain.CommentRemoval{Post: p}, nil
	}
	list := slices.Clone(f.comments[postID])
	c := list[i]
	removal := domain.CommentRemoval{}
	switch {
	case !c.Deleted.IsZero():
		return domain.CommentRemoval{Post: p, Kept: true}, nil
	case c.AuthorID != userID:
		return domain.CommentRemoval{}, domain.Errorf(domain.Forbidden, "You can only delete your own comments.")
	case c.Replies > 0:
		list[i].Deleted, list[i].Content, list[i].AuthorID, list[i].AuthorName, list[i].Edited = domain.Timestamp(time.Now()), "", "", "", time.Time{}
		removal.Kept = true
	default:
		if parent := f.find(postID, c.ParentID); parent >= 0 {
			if list[parent].Replies--; list[parent].Replies == 0 && !list[parent].Deleted.IsZero() {
				removal.Parent = c.ParentID
			}
		}
		list = slices.DeleteFunc(list, func(o domain.Comment) bool { return o.ID == id || o.ID == removal.Parent })
	}
	f.comments[postID] = list
	p.CommentCount--
	f.posts[postID] = p
	removal.Post = p
	return removal, nil
}

func (f fakePosts) LatestLikes(_ context.Context, id string, most int) ([]domain.Like, error) {
	leave, err := f.enter("LatestLikes")
	defer leave()
	list := f.newestLikes(id)
	return list[:min(most, len(list))], err
}

func (f *fake) newestLikes(id string) []domain.Like {
	newest := slices.Clone(f.likes[id])
	slices.SortStableFunc(newest, func(a, b domain.Like) int {
		return cmp.Or(b.Created.Compare(a.Created), cmp.Compare(a.UserID, b.UserID))
	})
	return newest
}

// bookmarkKey names a bookmark.
type bookmarkKey struct{ postID, userID string }

func (f fakePosts) Bookmarked(_ context.Context, postID, userID string) (bool, error) {
	leave, err := f.enter("Bookmarked")
	defer leave()
	b, ok := f.bookmarks[bookmarkKey{postID, userID}]
	return ok && b.Deleted.IsZero(), err
}

func (f fakePosts) Bookmark(_ context.Context, p domain.Post, userID string, now time.Time) (domain.Bookmark, error) {
	leave, err := f.enter("Bookmark")
	defer leave()
	if err != nil {
		return domain.Bookmark{}, err
	}
	stored, ok := f.posts[p.ID]
	if !ok {
		return domain.Bookmark{}, errMissing
	}
	if stored.Bookmarked == "" {
		stored.Bookmarked = stored.Shown()
		f.posts[p.ID] = stored
	}
	key := bookmarkKey{p.ID, userID}
	b, ok := f.bookmarks[key]
	if ok && b.Deleted.IsZero() {
		return b, nil
	}
	b = domain.Bookmark{PostID: p.ID, UserID: userID, Created: domain.Timestamp(now), Version: b.Version + 1}
	if f.bookmarks == nil {
		f.bookmarks = make(map[bookmarkKey]domain.Bookmark)
	}
	f.bookmarks[key] = b
	return b, nil
}

func (f fakePosts) Unbookmark(_ context.Context, postID, userID string) (domain.Bookmark, error) {
	leave, err := f.enter("Unbookmark")
	defer leave()
	key := bookmarkKey{postID, userID}
	b, ok := f.bookmarks[key]
	if err != nil || !ok || !b.Deleted.IsZero() {
		return b, err
	}
	b.Deleted, b.Version = domain.Timestamp(time.Now()), b.Version+1
	f.bookmarks[key] = b
	return b, nil
}

func (f fakeUsers) ApplyBookmark(_ context.Context, s domain.Saved) error {
	leave, err := f.enter("ApplyBookmark")
	defer leave()
	if err != nil {
		return err
	}
	key := bookmarkKey{s.PostID, s.UserID}
	if f.saved == nil {
		f.saved = make(map[bookmarkKey]domain.Saved)
	}
	if f.saved[key].Version <= s.Version {
		f.saved[key] = s
	}
	return nil
}

func (f fakeUsers) Bookmarks(_ context.Context, userID string, page int) (domain.Page[domain.Saved], error) {
	leave, err := f.enter("Bookmarks")
	defer leave()
	var list []domain.Saved
	for key, s := range f.saved {
		if key.userID == userID && s.Deleted.IsZero() {
			list = append(list, s)
		}
	}
	slices.SortFunc(list, func(a, b domain.Saved) int {
		return cmp.Or(b.Bookmark.Created.Compare(a.Bookmark.Created), cmp.Compare(b.PostID, a.PostID))
	})
	return cut(list, page, domain.BookmarksPerPage), err
}
