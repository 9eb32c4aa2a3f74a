package site

import (
	"cmp"
	"context"
	"net/http"
	"strings"

	"github.com/labstack/echo/v4"

	"inkfeed/domain"
	"inkfeed/web/site/ratelimit"
	"inkfeed/web/site/remote"
)

// countedBy tells what a rule counts by.
type countedBy uint8

const (
	byUser    countedBy = iota // the user, also at this address alone; without a session cookie, the address
	byAddress                  // the address, also of signed-in users
)

// LimitedRoutes are the rules of routes without text input. Handlers of forms call the limiter
// themselves, so that they can show the form again.
var LimitedRoutes = map[string]struct {
	Rule ratelimit.Rule
	by   countedBy
}{
	"POST /posts/:id/like":         {ratelimit.Like, byUser},
	"POST /posts/:id/unlike":       {ratelimit.Like, byUser},
	"POST /posts/:id/bookmark":     {ratelimit.Like, byUser},
	"POST /posts/:id/unbookmark":   {ratelimit.Like, byUser},
	"POST /@:username/follow":      {ratelimit.Follow, byUser},
	"POST /@:username/unfollow":    {ratelimit.Follow, byUser},
	"POST /tags/:tag/follow":       {ratelimit.Follow, byUser},
	"POST /tags/:tag/unfollow":     {ratelimit.Follow, byUser},
	"POST " + UnfollowPath:         {ratelimit.Follow, byUser},
	"GET " + OPMLPath:              {ratelimit.Export, byUser},
	"POST " + OPMLImportPath:       {ratelimit.Import, byUser},
	"GET " + PrivateFeedRoute:      {ratelimit.Read, byAddress},
	"HEAD " + PrivateFeedRoute:     {ratelimit.Read, byAddress},
	"POST /preview":                {ratelimit.Preview, byUser},
	"POST /admin/settings/preview": {ratelimit.Preview, byUser},
	"GET " + ExportRoute:           {ratelimit.Export, byUser},
	"GET " + PagesExportPath:       {ratelimit.Export, byUser},
	"GET " + SubscribersExportPath: {ratelimit.Export, byUser},
	"GET /search":                  {ratelimit.Search, byAddress},
	"HEAD /search":                 {ratelimit.Search, byAddress},
	"GET /tags":                    {ratelimit.Search, byAddress},
	"HEAD /tags":                   {ratelimit.Search, byAddress},
	"GET /authors":                 {ratelimit.Search, byAddress},
	"HEAD /authors":                {ratelimit.Search, byAddress},
	"GET /suggest/tags":            {ratelimit.Suggest, byAddress},
	"HEAD /suggest/tags":           {ratelimit.Suggest, byAddress},
}

// UnlimitedRoutes are the routes that change something without any limit.
var UnlimitedRoutes = map[string]bool{
	"POST /logout":       true, // logging out must always work
	"POST /mail/bounces": true, // a mail server with a token may return many mails at once
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

// ReadRule returns the rule that counts reads of a page that may come from the cache.
func ReadRule(path string) ratelimit.Rule {
	return cmp.Or(LimitedRoutes["GET "+path].Rule, ratelimit.Read)
}

// CountRead counts a request by its address like that of a page, and returns an error beyond the limit. It is for
// routes that are not limited themselves.
func (s *Site) CountRead(c echo.Context) error {
	r := c.Request()
	return s.Limiter.AllowFrom(r.Context(), ratelimit.Read, "", remote.Of(r))
}

// LimitRates is middleware that applies the rules of routes.
func (s *Site) LimitRates(next echo.HandlerFunc) echo.HandlerFunc {
	return func(c echo.Context) error {
		r, by, limited := ruleFor(c)
		if !limited || s.Limiter.Rates.Off() ||
			CacheabilityOf(c.Request().Context()) != nil { // the page cache has counted the visitor's request
			return next(c)
		}
		from, user := remote.Of(c.Request()), s.Sessions.CookieUser(c.Request()) // whose session may have ended
		if Route(c) == "/login" || s.mayFinishLogin(c) {
			from = from.Alone() // the handler of /login limits networks, except for known browsers
		}
		if err := s.checkNetwork(c, r, user, from); err != nil {
			return err
		}
		if err := s.Limiter.Check(ratelimit.UnitsUser, user); err != nil && !isUnmetered(c) {
			c.Set(viewerErrorKey, err) // the error page is shown without reading the viewer
			if c.Request().Method != http.MethodPost {
				return err
			} // the handler gets the error from Viewer, so it can show the submitted text again
		}
		if by == byAddress {
			user = ""
		}
		if err := s.allow(c.Request().Context(), r, user, from); err != nil {
			if user == "" {
				c.Set(viewerKey, domain.User{}) // as above
			} else {
				_, _ = s.Viewer(c) // the error page shows the viewer
			}
			return err
		}
		err := next(c)
		if viewer, _ := c.Get(viewerKey).(domain.User); user != "" && viewer.ID == user {
			s.Limiter.Charge(r, user)
		} else if user != "" {
			s.Limiter.ChargeFrom(r, from)
		}
		return err
	}
}

// checkNetwork fails if the address of a request or its networks have reached a limit, unless the viewer is signed in.
// The user is that of the session cookie. Only then, it reads whether their session has ended.
func (s *Site) checkNetwork(c echo.Context, r ratelimit.Rule, user string, from remote.Client) error {
	err := s.Limiter.CheckUnits(domain.User{}, from)
	if user == "" {
		if err != nil {
			c.Set(viewerKey, domain.User{}) // the error page is shown without reading the viewer
		}
		return err
	}
	if err = cmp.Or(err, s.Limiter.CheckFrom(r, from)); err == nil {
		return nil
	}
	viewer, failed := s.Viewer(c)
	if failed != nil || viewer.ID == "" {
		return cmp.Or(failed, err)
	}
	return s.Limiter.CheckUnits(viewer, from)
}

// mayFinishLogin reports whether a request continues a log-in whose password was right, as often as
// ratelimit.LoginKnown allows.
func (s *Site) mayFinishLogin(c echo.Context) bool {
	user := s.Sessions.WaitingUser(c.Request())
	return user != "" && (Route(c) == "/login/second" || Route(c) == "/passkeys/challenge") &&
		s.Limiter.Allow(c.Request().Context(), ratelimit.LoginKnown, "second factor "+user) == nil
}

// allow counts a request of a user, or of an address if the user is empty. The user's session may have ended, so the
// user is only counted at this address yet. Once the viewer is known, LimitRates counts the user or the networks.
func (s *Site) allow(ctx context.Context, r ratelimit.Rule, user string, from remote.Client) error {
	if user == "" {
		return s.Limiter.AllowFrom(ctx, r, "", from)
	}
	if err := s.Limiter.Check(r, user); err != nil {
		return err
	}
	return s.Limiter.Allow(ctx, r, user+"|"+from.LimitKey())
}

// isUnmetered reports whether the request units of a request do not count. Exports have a rule of their own.
func isUnmetered(c echo.Context) bool {
	return isQuiet(Route(c)) || Route(c) == ExportRoute || Route(c) == PagesExportPath
}

// MeterUnits is middleware that counts the request units of requests for their user or networks. It is the outermost,
// so that the reads for error pages are counted, too.
func (s *Site) MeterUnits(next echo.HandlerFunc) echo.HandlerFunc {
	return func(c echo.Context) error {
		r := c.Request()
		if isUnmetered(c) || CacheabilityOf(r.Context()) != nil { // the page cache measures what it asks for
			return next(c)
		}
		ctx, charge := s.Metered(r.Context())
		c.SetRequest(r.WithContext(ctx))
		defer func() {
			viewer, _ := c.Get(viewerKey).(domain.User)
			charge(viewer, remote.Of(c.Request()), projected(c))
		}()
		return next(c)
	}
}

// projected returns how many times the request units of a request count. The workers spend about twice as much on the
// copies of a post after a post, comment, like or bookmark as the request itself, and three times as much on the
// timeline of a user who follows something.
func projected(c echo.Context) float64 {
	route := Route(c)
	switch {
	case c.Request().Method != http.MethodPost:
	case strings.HasPrefix(route, "/posts"):
		return 3
	case isFollowRoute(route), route == OPMLImportPath:
		return 4
	}
	return 1
}

// Metered returns a context whose storage requests are measured, and a function that counts them so far, a number of
// times.
func (s *Site) Metered(ctx context.Context) (context.Context, func(u domain.User, from remote.Client, times float64)) {
	if s.Meter == nil || s.Limiter.Rates.Off() {
		return ctx, func(domain.User, remote.Client, float64) {}
	}
	ctx, units := s.Meter(ctx)
	return ctx, func(u domain.User, from remote.Client, times float64) {
		s.Limiter.ChargeUnits(u, from, times*units())
	}
}
