package web

import (
	"maps"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"github.com/labstack/echo/v4"

	"inkfeed/web/site"
	"inkfeed/web/site/ratelimit"
)

// Routes returns all routes of the site, such as "GET /posts/:id".
func Routes(c Config) ([]string, error) {
	added, err := AddedRoutes(c)
	var routes []string
	for _, r := range added {
		routes = append(routes, r.Method+" "+r.Path)
	}
	return routes, err
}

// AddedRoute is a route with the place in the source that adds it.
type AddedRoute struct {
	Method, Path string
	File         string // relative to the module, such as "web/reading/home.go"
	Line         int
}

// AddedRoutes returns all routes of the site in the order in which they are added.
func AddedRoutes(c Config) ([]AddedRoute, error) {
	var added []AddedRoute
	e := echo.New()
	e.OnAddRouteHandler = func(_ string, r echo.Route, _ echo.HandlerFunc, _ []echo.MiddlewareFunc) {
		var callers [20]uintptr
		frames := runtime.CallersFrames(callers[:runtime.Callers(1, callers[:])])
		for {
			frame, more := frames.Next()
			at := strings.LastIndex(filepath.ToSlash(frame.File), "/web/")
			file := frame.File[at+1:]
			if file = strings.TrimPrefix(file, "web/"); at >= 0 && !strings.HasPrefix(file, "site/") &&
				!strings.HasSuffix(file, "_test.go") {
				added = append(added, AddedRoute{r.Method, r.Path, "web/" + file, frame.Line})
				return
			}
			if !more {
				return
			}
		}
	}
	_, err := addRoutes(e, c)
	return added, err
}

// StatusOf maps kinds of errors to statuses.
var StatusOf = site.StatusOf

// LimitedRoutes returns the routes that the table of limits names.
func LimitedRoutes() []string { return slices.Sorted(maps.Keys(site.LimitedRoutes)) }

// RuleOf returns the rate limit rule of a route that changes something, or "".
func RuleOf(route string) string {
	if limit, ok := site.LimitedRoutes[route]; ok {
		return string(limit.Rule)
	}
	if site.UnlimitedRoutes[route] {
		return ""
	}
	return string(ratelimit.Write)
}

// RuleNames are the names of the rules that can be set.
var RuleNames = ratelimit.Names
