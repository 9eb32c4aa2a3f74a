package inspector

import "github.com/labstack/echo/v4"

// Register registers the route of the page that turns the inspector on and off.
func (i *Inspector) Register(e *echo.Echo) {
	modes{i}.register(e)
}
