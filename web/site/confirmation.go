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

// confirmationTime is how long a confirmation of the user's identity is valid.
const confirmationTime = 15 * time.Minute

// ErrUnconfirmed reports that users must confirm who they are. HandleError leads to /confirm, and from there back.
var ErrUnconfirmed = errors.New("web: the user must confirm their identity")

// Confirmation protects the actions that could harm a user most, against someone who finds a browser open. It requires
// that the user has logged in, or confirmed with a password or passkey, within the last 15 minutes.
type Confirmation struct {
	Site *Site
}

// Check returns ErrUnconfirmed if the session was not confirmed recently.
func (n Confirmation) Check(c echo.Context) error {
	confirmed, err := n.Site.Sessions.Confirmed(c, confirmationTime)
	if err == nil && !confirmed {
		err = ErrUnconfirmed
	}
	return err
}

// SignedIn returns the signed-in user, or ErrUnconfirmed if the session was not confirmed recently.
func (n Confirmation) SignedIn(c echo.Context) (domain.User, error) {
	u, err := n.Site.SignedIn(c)
	if err == nil {
		err = n.Check(c)
	}
	return u, err
}

// askToConfirm redirects to the page where users confirm who they are.
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
