package web

import (
	"cmp"
	"net/http"

	"github.com/labstack/echo/v4"
)

// Whom a rule counts.
type counted uint8

const (
	byUser    counted = iota // whoever is signed in, or was; otherwise their address
	byAddress                // also of somebody who is signed in
)

// limitedRoutes are those at which nothing is typed that could be lost: what has a form
// asks the limiter itself, and brings its form back.
var limitedRoutes = map[string]struct {
	rule rule
	by   counted
}{
	"POST /posts/:id/like":       {ruleLike, byUser},
	"POST /posts/:id/unlike":     {ruleLike, byUser},
	"POST /posts/:id/bookmark":   {ruleLike, byUser},
	"POST /posts/:id/unbookmark": {ruleLike, byUser},
	"POST /preview":              {rulePreview, byUser},
	"GET " + exportRoute:         {ruleExport, byUser},
	"GET /search":                {ruleSearch, byAddress},
	"HEAD /search":               {ruleSearch, byAddress},
	"GET /suggest/tags":          {ruleSuggest, byAddress},
	"HEAD /suggest/tags":         {ruleSuggest, byAddress},
}

// unlimitedRoutes change something, and are done as often as anybody likes.
var unlimitedRoutes = map[string]bool{
	"POST /logout": true, // who wants to leave is not kept
}

// ruleOf is the rule of the request's route, and whom it counts. What changes something
// is limited even if nobody has thought of it.
func ruleOf(c echo.Context) (r rule, by counted, limited bool) {
	method := c.Request().Method
	name := method + " " + route(c)
	if limit, ok := limitedRoutes[name]; ok {
		return limit.rule, limit.by, true
	}
	return ruleWrite, byUser, method != http.MethodGet && method != http.MethodHead && !unlimitedRoutes[name]
}

// limitRates holds routes to their rules.
func (s *site) limitRates(next echo.HandlerFunc) echo.HandlerFunc {
	return func(c echo.Context) error {
		r, by, limited := ruleOf(c)
		if !limited || s.limiter.rates.Off() {
			return next(c)
		}
		key := clientOf(c.Request()).group()
		if by == byUser {
			// Whom a cookie of ours names; whether the session goes on is for the handler to say.
			key = cmp.Or(s.sessions.claimedUser(c.Request()), key)
		}
		if err := s.limiter.allow(c.Request().Context(), r, key); err != nil {
			_, _ = s.viewer(c) // which the page shows
			return err
		}
		return next(c)
	}
}
