package web

import (
	"net/http"

	"github.com/labstack/echo/v4"

	"inkfeed/domain"
)

// Whom a rule counts.
type counted uint8

const (
	byUser    counted = iota // the user of the session cookie at this address; without a cookie, the address
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
// is limited even if nobody has thought of it. Files that do not change are read without limit.
func ruleOf(c echo.Context) (r rule, by counted, limited bool) {
	method := c.Request().Method
	name := method + " " + route(c)
	if limit, ok := limitedRoutes[name]; ok {
		return limit.rule, limit.by, true
	}
	if method == http.MethodGet || method == http.MethodHead {
		return ruleRead, byUser, !isQuiet(route(c)) && route(c) != mediaRoute
	}
	return ruleWrite, byUser, !unlimitedRoutes[name]
}

// limitRates holds routes to their rules.
func (s *site) limitRates(next echo.HandlerFunc) echo.HandlerFunc {
	return func(c echo.Context) error {
		r, by, limited := ruleOf(c)
		if !limited || s.limiter.rates.Off() ||
			sharingOf(c.Request().Context()) != nil { // the cache's own request was counted
			return next(c)
		}
		key, byAddressAlone := clientOf(c.Request()).group(), true
		if by == byUser {
			// The session of the cookie may have ended. With the address in the key, its former
			// holder cannot use up the limit of the user, who is elsewhere.
			if user := s.sessions.claimedUser(c.Request()); user != "" {
				key, byAddressAlone = user+"|"+key, false
			}
		}
		if err := s.limiter.allow(c.Request().Context(), r, key); err != nil {
			if byAddressAlone {
				c.Set(viewerKey, domain.User{}) // the page of the refusal is not worth a reading
			} else {
				_, _ = s.viewer(c) // the page of the refusal shows the user
			}
			return err
		}
		return next(c)
	}
}
