package web_test

import (
	"cmp"
	"context"
	"slices"
	"time"

	"inkfeed/domain"
)

type blockKey struct{ userID, blockedID string }

func (f fakePosts) HoldComment(_ context.Context, postID, id string, hold domain.Hold) (domain.Post, error) {
	return f.changeHold("HoldComment", postID, id, func(h domain.Hold) domain.Hold {
		if h.Yields(hold) {
			return hold
		}
		return h
	})
}

func (f fakePosts) ShowComment(ctx context.Context, postID, id string, edited time.Time, instead domain.Hold) (domain.Post, error) {
	if c, err := f.Comment(ctx, postID, id); err == nil && c.Held == domain.HeldByAuthor && !c.Edited.Equal(edited) {
		return domain.Post{}, domain.ErrEdited()
	}
	return f.changeHold("ShowComment", postID, id, func(h domain.Hold) domain.Hold {
		if h == domain.HeldByAuthor {
			return instead
		}
		return h
	})
}

func (f *fake) changeHold(method, postID, id string, to func(domain.Hold) domain.Hold) (domain.Post, error) {
	leave, err := f.enter(method)
	defer leave()
	i := f.find(postID, id)
	if err != nil || i < 0 {
		return domain.Post{}, cmp.Or(err, errMissing)
	}
	list, p := slices.Clone(f.comments[postID]), f.posts[postID]
	if list[i].Counts() {
		p.CommentCount--
	}
	list[i].Held = to(list[i].Held)
	if list[i].Counts() {
		p.CommentCount++
	}
	f.comments[postID], f.posts[postID] = list, p
	return p, nil
}

func (f fakePosts) CloseComments(_ context.Context, postID, userID string, closed bool) (domain.Post, error) {
	leave, err := f.enter("CloseComments")
	defer leave()
	p, ok := f.posts[postID]
	switch {
	case err != nil:
		return domain.Post{}, err
	case !ok:
		return domain.Post{}, errMissing
	case p.AuthorID != userID:
		return domain.Post{}, domain.Errorf(domain.Forbidden, "Only its author.")
	}
	p.CommentsClosed = closed
	f.posts[postID] = p
	return p, nil
}

func (f fakeUsers) Block(_ context.Context, userID, blockedID string, now time.Time) error {
	leave, err := f.enter("Block")
	defer leave()
	switch _, ok := f.users[blockedID]; {
	case err != nil:
		return err
	case userID == blockedID:
		return domain.Errorf(domain.Invalid, "You can't block yourself.")
	case !ok:
		return errMissing
	}
	if f.blocks == nil {
		f.blocks = make(map[blockKey]time.Time)
	}
	f.blocks[blockKey{userID, blockedID}] = now
	return nil
}

func (f fakeUsers) Unblock(_ context.Context, userID, blockedID string) error {
	leave, err := f.enter("Unblock")
	defer leave()
	delete(f.blocks, blockKey{userID, blockedID})
	return err
}

func (f fakeUsers) Blocks(_ context.Context, userID, otherID string) (bool, error) {
	leave, err := f.enter("Blocks")
	defer leave()
	_, ok := f.blocks[blockKey{userID, otherID}]
	return ok, err
}

func (f fakeUsers) Blocked(_ context.Context, userID string, page int) (domain.Page[domain.Block], error) {
	leave, err := f.enter("Blocked")
	defer leave()
	var all []domain.Block
	for key, at := range f.blocks {
		if key.userID == userID {
			all = append(all, domain.Block{UserID: userID, BlockedID: key.blockedID, Created: at, Blocked: f.users[key.blockedID]})
		}
	}
	slices.SortFunc(all, func(a, b domain.Block) int { return b.Created.Compare(a.Created) })
	return cut(all, page, domain.BlocksPerPage), err
}
