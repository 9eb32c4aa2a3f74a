package site

import (
	"context"
	"net/url"
	"unicode/utf8"

	"github.com/labstack/echo/v4"

	"inkfeed/domain"
)

var ErrNoUser = domain.Errorf(domain.NotFound, "There is no one with this username.")

// UserAt returns the user whose username is in the address, as byName finds it. Other reports that the address has
// another spelling or a former username.
func UserAt(c echo.Context, byName func(ctx context.Context, username string) (domain.User, error)) (u domain.User,
	other bool, err error) {
	typed, err := url.PathUnescape(c.Param("username")) // where the address does not say it as usual
	if err != nil {
		return domain.User{}, false, ErrNoUser
	}
	name, err := domain.CleanUsername(typed)
	if err != nil {
		return domain.User{}, false, ErrNoUser
	}
	u, err = byName(c.Request().Context(), name)
	if domain.Is(err, domain.NotFound) {
		return domain.User{}, false, ErrNoUser
	}
	return u, u.Username != typed, err
}

// maxTagKey is longer than any tag and its key, in bytes: a longer text is not looked up.
// Some characters become eighteen in a key.
const maxTagKey = 2000

// TagAt returns the tag in the address as it is written there, and its key.
func TagAt(c echo.Context) (name, key string, err error) {
	name, err = url.PathUnescape(c.Param("tag"))
	if err != nil || len(name) > maxTagKey || !utf8.ValidString(name) {
		return "", "", errNoTag
	}
	if key = domain.TagKey(name); key == "" || len(key) > maxTagKey {
		return "", "", errNoTag
	}
	return name, key, nil
}

var errNoTag = domain.Errorf(domain.NotFound, "There is no such tag.")

var ErrNoComment = domain.Errorf(domain.NotFound, "There is no such comment. It may have been deleted.")

// CommentAt returns the comment that get finds under the ids in the address.
func CommentAt(c echo.Context,
	get func(ctx context.Context, postID, commentID string) (domain.Comment, error)) (domain.Comment, error) {
	id := c.Param("comment")
	if !domain.IsID(id) {
		return domain.Comment{}, ErrNoComment
	}
	found, err := get(c.Request().Context(), c.Param("id"), id)
	if domain.Is(err, domain.NotFound) {
		return domain.Comment{}, ErrNoComment
	}
	return found, err
}

var ErrNoPicture = domain.Errorf(domain.NotFound, "There is no such picture. It may have been deleted.")
