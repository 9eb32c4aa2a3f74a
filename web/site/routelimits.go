package site

import (
	"net/http"

	"github.com/labstack/echo/v4"

	"inkfeed/domain"
	"inkfeed/web/site/client"
	"inkfeed/web/site/ratelimit"
)

// Whom a rule counts.
type counted uint8

const (
	byUser    counted = iota // the user of the session cookie at this address; without a cookie, the address
	byAddress                // also of somebody who is signed in
)

// LimitedRoutes are those at which nothing is typed that could be lost: what has a form
// asks the limiter itself, and brings its form back.
var LimitedRoutes = map[string]struct {
	Rule ratelimit.Rule
	by   counted
}{
	"POST /posts/:id/like":       {ratelimit.Like, byUser},
	"POST /posts/:id/unlike":     {ratelimit.Like, byUser},
	"POST /posts/:id/bookmark":   {ratelimit.Like, byUser},
	"POST /posts/:id/unbookmark": {ratelimit.Like, byUser},
	"POST /preview":              {ratelimit.Preview, byUser},
	"GET " + ExportRoute:         {ratelimit.Export, byUser},
	"GET /search":                {ratelimit.Search, byAddress},
	"HEAD /search":               {ratelimit.Search, byAddress},
	"GET /suggest/tags":          {ratelimit.Suggest, byAddress},
	"HEAD /suggest/tags":         {ratelimit.Suggest, byAddress},
}

// UnlimitedRoutes change something, and are done as often as anybody likes.
var UnlimitedRoutes = map[string]bool{
	"POST /logout": true, // who wants to leave is not kept
}

// ruleOf is the rule of the request's route, and whom it counts. What changes something
// is limited even if nobody has thought of it. Files that do not change are read without limit.
func ruleOf(c echo.Context) (r ratelimit.Rule, by counted, limited bool) {
	method := c.Request().Method
	name := method + " " + Route(c)
	if limit, ok := LimitedRoutes[name]; ok {
		return limit.Rule, limit.by, true
	}
	if method == http.MethodGet || method == http.MethodHead {
		return ratelimit.Read, byUser, !isQuiet(Route(c)) && Route(c) != MediaRoute
	}
	return ratelimit.Write, byUser, !UnlimitedRoutes[name]
}

// LimitRates holds routes to their rules.
func (s *Site) LimitRates(next echo.HandlerFunc) echo.HandlerFunc {
	return func(c echo.Context) error {
		r, by, limited := ruleOf(c)
		if !limited || s.Limiter.Rates.Off() ||
			CacheabilityOf(c.Request().Context()) != nil { // the cache's own request was counted
			return next(c)
		}
		key, byAddressAlone := client.Of(c.Request()).LimitKey(), true
		if by == byUser {
			// The session of the cookie may have ended. With the address in the key, its former
			// holder cannot use up the limit of the user, who is elsewhere.
			if user := s.Sessions.CookieUser(c.Request()); user != "" {
				key, byAddressAlone = user+"|"+key, false
			}
		}
		if err := s.Limiter.Allow(c.Request().Context(), r, key); err != nil {
			if byAddressAlone {
				c.Set(viewerKey, domain.User{}) // the page of the refusal is not worth a reading
			} else {
				_, _ = s.Viewer(c) // the page of the refusal shows the user
			}
			return err
		}
		return next(c)
	}
}
