package web

import "github.com/labstack/echo/v4"

// logout signs users out.
type logout struct{ *site }

func (h logout) register(e *echo.Echo) {
	e.POST("/logout", h.submit)
}

func (h logout) submit(c echo.Context) error {
	if err := h.endSession(c); err != nil {
		return err
	}
	return seeOther(c, "/")
}
