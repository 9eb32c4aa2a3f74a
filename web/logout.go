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

// endSession signs out and has the browser forget what it was shown.
func (s *site) endSession(c echo.Context) error {
	if err := s.sessions.end(c); err != nil {
		return err
	}
	// Back must not show the pages of whoever has gone.
	c.Response().Header().Set("Clear-Site-Data", `"cache"`)
	return nil
}
