package web

import (
	"github.com/labstack/echo/v4"

	"inkfeed/domain"
)

// byPasskey is who has answered with a passkey. It is a device, and makes sure by itself of
// who holds it: no other factor is asked for.
func (h login) byPasskey(c echo.Context, answer string) (domain.User, error) {
	ctx := c.Request().Context()
	at, _ := h.passkeySite(c)
	userID, err := h.factors.provePasskey(ctx, at, passkeyLogin, "", answer)
	if err != nil {
		return domain.User{}, err
	}
	u, err := h.users.Account(ctx, userID)
	if domain.Is(err, domain.NotFound) {
		err = errUnknownPasskey
	}
	return u, err
}
