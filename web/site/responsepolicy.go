package site

import (
	"context"

	"github.com/labstack/echo/v4"

	"inkfeed/domain"
)

// ResponsePolicy decides whether a user may respond to the post in the address, by a comment or a like.
type ResponsePolicy struct {
	Finder PostFinder
	// Blocks reports whether a user has blocked another.
	Blocks func(ctx context.Context, userID, otherID string) (bool, error)
}

// Blocked reports whether a post's author has blocked a viewer, to whom pages then offer no forms. It costs a point
// read for a signed-in viewer other than the author.
func (p ResponsePolicy) Blocked(ctx context.Context, post domain.Post, viewer domain.User) (bool, error) {
	if viewer.ID == "" || viewer.ID == post.AuthorID {
		return false, nil
	}
	return p.Blocks(ctx, post.AuthorID, viewer.ID)
}

// Check returns an error of kind Forbidden if the post's author has blocked the user, and ErrNoPost if the post is not
// open to everyone. It costs two point reads, if the cache has neither.
func (p ResponsePolicy) Check(c echo.Context, u domain.User) error {
	post, err := PostAt(c, func(ctx context.Context, postID string) (domain.Post, error) {
		return p.Finder.Posts.Get(context.WithValue(ctx, forResponseKey{}, true), postID)
	})
	if err != nil {
		return err
	}
	blocked, err := p.Blocked(c.Request().Context(), post, u)
	if err == nil && blocked {
		err = domain.ErrBlocked(post.AuthorName)
	}
	return err
}

type forResponseKey struct{}

// ForResponse reports whether a post is read to decide about a response to it, which needs only its id and author.
func ForResponse(ctx context.Context) bool { return ctx.Value(forResponseKey{}) != nil }
