// Package costs shows administrators what the requests to the storage cost, and how far the workers are.
package costs

import (
	"github.com/labstack/echo/v4"

	"inkfeed/cosmos/costs"
	"inkfeed/web/site"
)

// Register registers the page of costs. The bills on it are at these prices. With the embedded engine nobody pays them.
func Register(e *echo.Echo, s *site.Site, store Store, prices costs.Prices, embedded bool) {
	page{s, store, prices, embedded}.register(e)
}
