package site

import (
	"errors"
	"net/http"
	"net/url"
	"time"

	"github.com/labstack/echo/v4"

	"inkfeed/domain"
	"inkfeed/views"
)

// confirmedFor is how long what matters most is not asked for again.
const confirmedFor = 15 * time.Minute

// ErrUnconfirmed leads to /confirm, and from there back.
var ErrUnconfirmed = errors.New("web: the user has to prove to be one again")

// Confirmed is nil when who is signed in has proved to be that user within confirmedFor, as
// everybody has who has just logged in. It goes before what could harm the user most, done
// by one who finds a browser open.
func (s *Site) Confirmed(c echo.Context) error {
	ok, err := s.Sessions.Confirmed(c, confirmedFor)
	if err == nil && !ok {
		err = ErrUnconfirmed
	}
	return err
}

// askToConfirm leads to where users prove to be one.
func (s *Site) askToConfirm(c echo.Context) error {
	to := "/confirm"
	if next := returnPath(c); next != "" {
		to += "?next=" + url.QueryEscape(next)
	}
	if IsFragment(c) {
		c.Response().Header().Set("HX-Redirect", to)
		return s.Render(c, http.StatusForbidden, views.ErrorNotice(ErrorPage(http.StatusForbidden,
			"Please confirm it's you.")))
	}
	return SeeOther(c, to)
}

// SignedInLately is signedIn for what matters most: see confirmed.
func (s *Site) SignedInLately(c echo.Context) (domain.User, error) {
	u, err := s.SignedIn(c)
	if err == nil {
		err = s.Confirmed(c)
	}
	return u, err
}
