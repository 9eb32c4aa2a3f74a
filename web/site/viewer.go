package site

import (
	"context"

	"github.com/labstack/echo/v4"

	"inkfeed/domain"
	"inkfeed/web/site/session"
)

// viewerKey is where a request keeps its viewer once it is known.
const viewerKey = "viewer"

// Viewer is who is signed in, the zero user when nobody is. It fails when that cannot be
// found out, which is not the same.
func (s *Site) Viewer(c echo.Context) (domain.User, error) {
	if u, ok := c.Get(viewerKey).(domain.User); ok {
		return u, nil
	}
	current, err := s.Session(c)
	if err != nil {
		return domain.User{}, err
	}
	var u domain.User
	if current.UserID != "" {
		u, err = s.Users.ByID(c.Request().Context(), current.UserID)
		if err != nil && !domain.Is(err, domain.NotFound) {
			return domain.User{}, err
		}
		valid := err == nil
		if valid {
			if valid, err = s.Sessions.IsValid(c, u); err != nil {
				return domain.User{}, err
			}
		}
		if !valid {
			u = domain.User{}
		}
	}
	c.Set(viewerKey, u)
	return u, nil
}

// Session returns the session of a request, or the zero session if there is none. The session may
// have ended, or its user may be deleted: see viewer.
func (s *Site) Session(c echo.Context) (domain.Session, error) {
	return s.Sessions.Current(c)
}

// Users reads users.
type Users interface {
	// ByID returns a user. The error is of kind NotFound for a user who is suspended or deleted.
	ByID(ctx context.Context, userID string) (domain.User, error)
}

// SignedIn is viewer for what needs one: the error is of kind Unauthenticated
// when nobody is signed in.
func (s *Site) SignedIn(c echo.Context) (domain.User, error) {
	u, err := s.Viewer(c)
	if err == nil && u.ID == "" {
		err = session.ErrNotSignedIn
	}
	return u, err
}

// StillSignedIn reads the user again and returns an error if the session has ended since the
// request began. A request that changes credentials calls it after reading them and before writing
// them. The write fails if the credentials have changed since they were read, so a request of an
// ended session changes nothing.
func (s *Site) StillSignedIn(c echo.Context, u domain.User) error {
	now, err := s.Users.ByID(c.Request().Context(), u.ID)
	if domain.Is(err, domain.NotFound) {
		return session.ErrNotSignedIn
	}
	if err != nil {
		return err
	}
	valid, err := s.Sessions.IsValid(c, now)
	if err == nil && !valid {
		err = session.ErrNotSignedIn
	}
	return err
}

// EndSession signs out and has the browser forget what it was shown.
func (s *Site) EndSession(c echo.Context) error {
	if err := s.Sessions.End(c); err != nil {
		return err
	}
	// Back must not show the pages of whoever has gone.
	c.Response().Header().Set("Clear-Site-Data", `"cache"`)
	return nil
}
