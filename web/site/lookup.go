package site

import (
	"context"
	"net/http"
	"net/url"
	"slices"
	"unicode/utf8"

	"github.com/labstack/echo/v4"

	"inkfeed/domain"
)

// ErrNoUser reports that there is no user at an address.
var ErrNoUser = domain.NewError(domain.NotFound, "There is no one with this username.")

// UserAt returns the user whose username is in the address, as byName finds it. Other reports that the address has
// another spelling or a former username.
func UserAt(c echo.Context, byName func(ctx context.Context, username string) (domain.User, error)) (u domain.User,
	other bool, err error) {
	typed, err := url.PathUnescape(c.Param("username")) // for unusual escapes in the address
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

// maxTagKey is the maximum length of a tag or its key in an address, in bytes. Longer texts are not
// looked up. A character can take up to eighteen bytes in a key.
const maxTagKey = 2000

// ShortTagAt is TagAt for what is stored for a user, whose tags are as short as those of posts.
func ShortTagAt(c echo.Context) (key string, err error) {
	if _, key, err = TagAt(c); err == nil && len(key) > 4*domain.MaxTag {
		err = errNoTag
	}
	return key, err
}

// TagAt returns the tag in the address as written there, and its key.
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

// maxSeriesKey is the maximum length of a title of a series or its key in an address, in bytes.
const maxSeriesKey = 500

// SeriesAt returns the key of the series in the address, and whether the address has another spelling of it.
func SeriesAt(c echo.Context) (key string, other bool, err error) {
	typed, err := url.PathUnescape(c.Param("series"))
	if err != nil || len(typed) > maxSeriesKey || !utf8.ValidString(typed) {
		return "", false, ErrNoSeries
	}
	if key = domain.SeriesKey(typed); key == "" {
		return "", false, ErrNoSeries
	}
	return key, key != typed, nil
}

// ErrNoSeries reports that there is no series at an address.
var ErrNoSeries = domain.NewError(domain.NotFound, "There is no such series. It may have been renamed.")

var errNoTag = domain.NewError(domain.NotFound, "There is no such tag.")

// ErrNoComment reports that there is no comment at an address.
var ErrNoComment = domain.NewError(domain.NotFound, "There is no such comment. It may have been deleted.")

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

// ErrNoPicture reports that there is no picture at an address.
var ErrNoPicture = domain.NewError(domain.NotFound, "There is no such picture. It may have been deleted.")

// HasRoute reports whether the site has something else than a static page at a path, for any method. Routes with
// parameters count for all their values.
func HasRoute(e *echo.Echo, path string) bool {
	there := e.AcquireContext()
	defer e.ReleaseContext(there)
	routes := e.Routes()
	for _, method := range []string{http.MethodGet, http.MethodPost} {
		there.Reset(nil, nil)
		e.Router().Find(method, path, there)
		if slices.ContainsFunc(routes, func(r *echo.Route) bool {
			return r.Method == method && r.Path == there.Path()
		}) {
			return true
		}
	}
	return false
}

// Mutes reads what users have muted.
type Mutes interface {
	// Of returns the mutes of a user, the latest first. It costs a point read.
	Of(ctx context.Context, userID string) (domain.Mutes, error)
}

// MutesOf returns what a user has muted. It reads nothing for the many who have muted nothing.
func MutesOf(ctx context.Context, mutes Mutes, u domain.User) (domain.Mutes, error) {
	if u.MuteCount == 0 {
		return nil, nil
	}
	return mutes.Of(ctx, u.ID)
}
