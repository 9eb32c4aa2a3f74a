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
func (p ResponsePolicy) Blocked(ctx context.Context, authorID string, viewer domain.User) (bool, error) {
	if viewer.ID == "" || viewer.ID == authorID {
		return false, nil
	}
	return p.Blocks(ctx, authorID, viewer.ID)
}

// Check returns an error of kind Forbidden if the post's author has blocked the user, and ErrNoPost if the post is not
// open to everyone, or its author is suspended or deleted, even before the workers have updated the post. It costs
// three point reads, if the cache has none of them.
func (p ResponsePolicy) Check(c echo.Context, u domain.User) error {
	author, err := PostAt(c, p.Finder.Posts.Author)
	if err != nil {
		return err
	}
	if author.ID != u.ID {
		_, err := p.Finder.Site.Users.ByID(c.Request().Context(), author.ID)
		if domain.Is(err, domain.NotFound) {
			return ErrNoPost
		}
		if err != nil {
			return err
		}
	}
	blocked, err := p.Blocked(c.Request().Context(), author.ID, u)
	if err == nil && blocked {
		err = domain.ErrBlocked(author.Username)
	}
	return err
}
