package site

import (
	"net/url"
	"unicode/utf8"

	"github.com/labstack/echo/v4"

	"inkfeed/domain"
)

var ErrNoUser = domain.Errorf(domain.NotFound, "There is no one with this username.")

// UserAt finds whom the address names. Other says that it does so in another spelling, or by
// a former name.
func UserAt(c echo.Context, users UserByName) (u domain.User, other bool, err error) {
	typed, err := url.PathUnescape(c.Param("username")) // where the address does not say it as usual
	if err != nil {
		return domain.User{}, false, ErrNoUser
	}
	name, err := domain.CleanUsername(typed)
	if err != nil {
		return domain.User{}, false, ErrNoUser
	}
	u, err = users.ByName(c.Request().Context(), name)
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

// CommentAt gets the comment that the address names.
func CommentAt(c echo.Context, posts CommentGetter) (domain.Comment, error) {
	id := c.Param("comment")
	if !domain.IsID(id) {
		return domain.Comment{}, ErrNoComment
	}
	found, err := posts.Comment(c.Request().Context(), c.Param("id"), id)
	if domain.Is(err, domain.NotFound) {
		return domain.Comment{}, ErrNoComment
	}
	return found, err
}

var ErrNoPicture = domain.Errorf(domain.NotFound, "There is no such picture. It may have been deleted.")
