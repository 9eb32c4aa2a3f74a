package site

import (
	"net/http"

	"github.com/labstack/echo/v4"

	"inkfeed/domain"
	"inkfeed/web/site/client"
	"inkfeed/web/site/ratelimit"
)

// countedBy tells what a rule counts by.
type countedBy uint8

const (
	byUser    countedBy = iota // the user of the session cookie at this address; without a cookie, the address
	byAddress                  // the address, also of signed-in users
)

// LimitedRoutes are the rules of routes without text input. Handlers of forms call the limiter
// themselves, so that they can show the form again.
var LimitedRoutes = map[string]struct {
	Rule ratelimit.Rule
	by   countedBy
}{
	"POST /posts/:id/like":       {ratelimit.Like, byUser},
	"POST /posts/:id/unlike":     {ratelimit.Like, byUser},
	"POST /posts/:id/bookmark":   {ratelimit.Like, byUser},
	"POST /posts/:id/unbookmark": {ratelimit.Like, byUser},
	"POST /preview":              {ratelimit.Preview, byUser},
	"GET " + ExportRoute:         {ratelimit.Export, byUser},
	"GET " + PagesExportPath:     {ratelimit.Export, byUser},
	"GET /search":                {ratelimit.Search, byAddress},
	"HEAD /search":               {ratelimit.Search, byAddress},
	"GET /suggest/tags":          {ratelimit.Suggest, byAddress},
	"HEAD /suggest/tags":         {ratelimit.Suggest, byAddress},
}

// UnlimitedRoutes are the routes that change something without any limit.
var UnlimitedRoutes = map[string]bool{
	"POST /logout": true, // logging out must always work
}

// ruleFor returns the rule of the request's route and what it counts by. Changes without a rule of
// their own are limited by ratelimit.Write. Static files and pictures are not limited, except that the site's logo and
// icons count when they are read from the storage.
func ruleFor(c echo.Context) (r ratelimit.Rule, by countedBy, limited bool) {
	method := c.Request().Method
	name := method + " " + Route(c)
	if limit, ok := LimitedRoutes[name]; ok {
		return limit.Rule, limit.by, true
	}
	if method == http.MethodGet || method == http.MethodHead {
		return ratelimit.Read, byUser, !isQuiet(Route(c)) && Route(c) != MediaRoute && Route(c) != BrandRoute
	}
	return ratelimit.Write, byUser, !UnlimitedRoutes[name]
}

// CountRead counts a request by its address like that of a page, and returns an error beyond the limit. It is for
// routes that are not limited themselves.
func (s *Site) CountRead(c echo.Context) error {
	r := c.Request()
	return s.Limiter.Allow(r.Context(), ratelimit.Read, client.Of(r).LimitKey())
}

// LimitRates is middleware that applies the rules of routes.
func (s *Site) LimitRates(next echo.HandlerFunc) echo.HandlerFunc {
	return func(c echo.Context) error {
		r, by, limited := ruleFor(c)
		if !limited || s.Limiter.Rates.Off() ||
			CacheabilityOf(c.Request().Context()) != nil { // the page cache has counted the visitor's request
			return next(c)
		}
		key, byAddressAlone := client.Of(c.Request()).LimitKey(), true
		if by == byUser {
			// The session of the cookie may have ended. The key contains the address, so that
			// someone with an old cookie cannot use up the user's limit.
			if user := s.Sessions.CookieUser(c.Request()); user != "" {
				key, byAddressAlone = user+"|"+key, false
			}
		}
		if err := s.Limiter.Allow(c.Request().Context(), r, key); err != nil {
			if byAddressAlone {
				c.Set(viewerKey, domain.User{}) // the error page is shown without reading the viewer
			} else {
				_, _ = s.Viewer(c) // the error page shows the viewer
			}
			return err
		}
		return next(c)
	}
}
