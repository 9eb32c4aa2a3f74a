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

// Check returns an error of kind Forbidden if the post's author has blocked the user, and ErrNoPost if the post is not
// open to everyone. It costs two point reads.
func (p ResponsePolicy) Check(c echo.Context, u domain.User) error {
	post, err := p.Finder.Post(c)
	if err != nil || post.AuthorID == u.ID {
		return err
	}
	blocked, err := p.Blocks(c.Request().Context(), post.AuthorID, u.ID)
	if err == nil && blocked {
		err = domain.ErrBlocked(post.AuthorName)
	}
	return err
}
