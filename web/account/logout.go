package account

import (
	"github.com/labstack/echo/v4"

	"inkfeed/web/site"
)

// logout logs users out.
type logout struct{ *site.Site }

func (h logout) register(e *echo.Echo) {
	e.POST("/logout", h.submit)
}

func (h logout) submit(c echo.Context) error {
	if err := h.EndSession(c); err != nil {
		return err
	}
	return site.SeeOther(c, "/")
}
