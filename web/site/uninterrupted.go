package site

import (
	"context"

	"github.com/labstack/echo/v4"
)

// Uninterrupted returns a context for a change that must not stay incomplete because its user closed the page. It does
// not end with the request, but after UsualLimits.Time.
func Uninterrupted(ctx context.Context) (context.Context, context.CancelFunc) {
	return context.WithTimeout(context.WithoutCancel(ctx), UsualLimits.Time)
}

// Uninterrupt gives a request an [Uninterrupted] context, until the caller calls the returned function.
func Uninterrupt(c echo.Context) (end func()) {
	r := c.Request()
	ctx, cancel := Uninterrupted(r.Context())
	c.SetRequest(r.WithContext(ctx))
	return func() {
		c.SetRequest(r)
		cancel()
	}
}
