package site

import (
	"net/http"

	"github.com/labstack/echo/v4"

	"inkfeed/domain"
)

// errReader is told to readers who come to where posts are written.
var errReader = domain.Errorf(domain.Forbidden,
	"You can read, like and comment. Ask an administrator if you'd like to write.")

// writing are the routes that are for those who may write posts. What a reader has written
// before can be read, unpublished and deleted as ever, and taken along.
var writing = map[string]bool{
	"GET /new": true, "POST /posts": true, "POST /preview": true,
	"GET /drafts": true, "GET /drafts/unlisted": true, "POST /drafts/:id": true,
	"GET /posts/:id/edit": true, "POST /posts/:id": true, "POST /posts/:id/versions/:revision/restore": true,
	"GET /images": true, "POST /images": true,
	"GET " + ImportPage: true, "POST " + ImportPage: true, "POST " + ImportPage + "/preview": true,
	"POST " + ImportPage + "/start": true, "POST " + ImportPage + "/discard": true,
	"GET " + ImportPage + "/undo": true, "POST " + ImportPage + "/undo": true,
}

// WritersOnly keeps readers from where posts are written. Who is not signed in is asked to by
// the pages themselves.
func (s *Site) WritersOnly(next echo.HandlerFunc) echo.HandlerFunc {
	return func(c echo.Context) error {
		method := c.Request().Method
		if method == http.MethodHead {
			method = http.MethodGet
		}
		if writing[method+" "+c.Path()] {
			if u, err := s.Viewer(c); err == nil && u.ID != "" && !u.Role.MayWrite() {
				return errReader
			}
		}
		return next(c)
	}
}

// Administrator is signedIn for what administrators do.
func (s *Site) Administrator(c echo.Context) (domain.User, error) {
	u, err := s.SignedIn(c)
	if err == nil && !u.Role.MayAdminister() {
		err = domain.Errorf(domain.Forbidden, "Only administrators can do this.")
	}
	return u, err
}

// CheckSuspended tells a user who has proved to be one, and is suspended, that and why.
func CheckSuspended(u domain.User) error {
	if u.Suspended.IsZero() {
		return nil
	}
	return domain.Errorf(domain.Forbidden, "This account has been suspended since %s. Reason: %s",
		u.Suspended.UTC().Format("2 January 2006"), u.SuspendedFor)
}

// Moderator is signedIn for moderators and administrators.
func (s *Site) Moderator(c echo.Context) (domain.User, error) {
	u, err := s.SignedIn(c)
	if err == nil && !u.Role.MayModerate() {
		return domain.User{}, domain.Errorf(domain.Forbidden, "Only moderators can see this page.")
	}
	return u, err
}
