package web_test

import (
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"

	"inkfeed/web"
	"inkfeed/web/site/ratelimit"
	"inkfeed/web/webtest"
)

// TestNoTextIsUntranslated visits the whole site in the pseudo-locale en-XA, and finds no text that is not translated.
func TestNoTextIsUntranslated(t *testing.T) {
	f := &findings{untranslated: map[string]place{}}
	t.Run("on any page", func(t *testing.T) {
		c := newCrawl(t, f, "owner")
		c.visitPages(t)
		c.sendRejectedForms()
	})
	t.Run("after any form", func(t *testing.T) { sendForms(t, f) })
	t.Run("on error pages", func(t *testing.T) { visitErrors(t, f) })
	f.report(t)
}

// findings are the texts that are not translated.
type findings struct {
	untranslated map[string]place // by text
}

// place is where a text was first found.
type place struct {
	route, viewer, at string
	times             int
}

// add adds the texts of a response to a viewer's request.
func (f *findings) add(route, viewer string, a *webtest.Response) {
	for _, u := range untranslatedIn(a) {
		f.addText(u.text, place{route, viewer, u.place, 0})
	}
}

func (f *findings) addText(text string, p place) {
	text = userWord.ReplaceAllString(number.ReplaceAllString(text, "0"), "α")
	if first, known := f.untranslated[text]; known {
		p = first
	}
	p.times++
	f.untranslated[text] = p
}

var (
	userWord = regexp.MustCompile(`\p{Greek}+`)
	number   = regexp.MustCompile(`[0-9]+`)
)

// report fails the test for each text.
func (f *findings) report(t *testing.T) {
	t.Helper()
	byPlace := func(a, b string) int {
		return strings.Compare(f.untranslated[a].route+a, f.untranslated[b].route+b)
	}
	for _, text := range slices.SortedFunc(maps.Keys(f.untranslated), byPlace) {
		p := f.untranslated[text]
		t.Errorf("%s as %s, in %s (%d times): %q", p.route, p.viewer, p.at, p.times, text)
	}
}

// crawl visits a site as several viewers.
type crawl struct {
	*scene
	*findings
	routes  []string
	viewers map[string]*webtest.Visitor
}

// newCrawl returns a crawl of a site with content of all kinds.
func newCrawl(t *testing.T, f *findings, actor string) *crawl {
	t.Helper()
	c := &crawl{scene: newSceneIn(t, greek, actor), findings: f}
	c.accented(func(config *web.Config) { config.DeletionGrace = webtest.DeletionGrace })
	routes, err := web.Routes(c.config)
	c.Must(err)
	c.routes = routes
	c.viewers = c.fill()
	return c
}

// visitPages opens each GET route as each viewer, and all pages to which the pages link.
func (c *crawl) visitPages(t *testing.T) {
	visited := make(map[string]bool)
	for _, name := range slices.Sorted(maps.Keys(c.viewers)) {
		seen, similar := make(map[string]bool), make(map[string]int)
		var queue []string
		for _, route := range c.routes {
			if method, _, _ := strings.Cut(route, " "); method == http.MethodGet {
				queue = append(queue, c.address(route))
			}
		}
		for len(queue) > 0 {
			address := queue[0]
			queue = queue[1:]
			route := c.routeOf("GET", address)
			kind := route + number.ReplaceAllString(queryOf(address), "")
			if seen[address] || similar[kind] == maxSimilar {
				continue
			}
			seen[address] = true
			similar[kind]++
			viewer := *c.viewers[name]
			viewer.Cookies = maps.Clone(viewer.Cookies)
			a := viewer.Get(address)
			c.add(route, name, a)
			c.add(route+" by htmx", name, viewer.HTMX().Get(address))
			if a.StatusCode < http.StatusBadRequest {
				visited[route] = true
			}
			queue = append(queue, linksOf(a)...)
		}
	}
	for _, route := range c.routes {
		if strings.HasPrefix(route, http.MethodGet) && slices.Contains(slices.Collect(maps.Values(decisions[route])),
			"ok") && !visited[route] {
			t.Errorf("%s was shown to no viewer", route)
		}
	}
}

// maxSimilar is how many pages of a route a viewer visits that differ only in their parameters.
const maxSimilar = 5

func queryOf(address string) string {
	_, query, _ := strings.Cut(address, "?")
	return query
}

// routeOf returns the route that answers a request.
func (c *crawl) routeOf(method, address string) string {
	path, _, _ := strings.Cut(address, "?")
	best := ""
	for _, route := range c.routes {
		pattern, isMethod := strings.CutPrefix(route, method+" ")
		// The pattern with the fewest parameters is the one that the router chooses.
		if isMethod && matchesRoute(pattern, path) &&
			(best == "" || strings.Count(route, ":") < strings.Count(best, ":")) {
			best = route
		}
	}
	if best == "" {
		return method + " " + path
	}
	return best
}

// matchesRoute reports whether a path fits the pattern of a route.
func matchesRoute(pattern, path string) bool {
	patterns, parts := strings.Split(pattern, "/"), strings.Split(path, "/")
	if len(patterns) != len(parts) {
		return false
	}
	for i, p := range patterns {
		before, _, isParameter := strings.Cut(p, ":")
		if isParameter && !strings.HasPrefix(parts[i], before) || !isParameter && p != parts[i] {
			return false
		}
	}
	return true
}

// linksOf returns the addresses of this site to which a page links.
func linksOf(a *webtest.Response) (addresses []string) {
	if to := a.Header.Get("Location"); strings.HasPrefix(to, "/") {
		to, _, _ = strings.Cut(to, "#")
		return []string{to}
	}
	if !strings.HasPrefix(a.Header.Get("Content-Type"), "text/html") {
		return nil
	}
	page := a.Page()
	for _, attribute := range []string{"href", "data-hx-get"} {
		for _, link := range page.Find("a[" + attribute + "], [data-hx-get]").EachIter() {
			to, err := url.Parse(link.AttrOr(attribute, ""))
			if err == nil && to.Host == "" && strings.HasPrefix(to.Path, "/") &&
				!strings.HasPrefix(to.Path, "/static/") {
				to.Fragment = ""
				addresses = append(addresses, to.String())
			}
		}
	}
	return addresses
}

// sendRejectedForms sends each form empty and with invalid values.
func (c *crawl) sendRejectedForms() {
	for _, name := range []string{"anonymous", "owner", "administrator", "new user", "half signed in"} {
		for _, route := range c.routes {
			if method, _, _ := strings.Cut(route, " "); method != http.MethodPost || endsSession[route] {
				continue
			}
			for _, form := range []url.Values{{}, spoiled(c.forms[route], "x y"), spoiled(c.forms[route],
				strings.Repeat("ω", 600)), spoiled(c.forms[route], "\u200b")} {
				for _, way := range ways[:2] {
					viewer := *c.viewers[name]
					viewer.Cookies = maps.Clone(viewer.Cookies)
					a := way.as(&viewer).Send(http.MethodPost, c.address(route), strings.NewReader(form.Encode()))
					c.add(route+" "+way.name, name, a)
				}
			}
		}
	}
}

// endsSession has the routes after which a viewer is signed out.
var endsSession = map[string]bool{"POST /logout": true, "POST /settings/sessions/end-others": true}

// spoiled returns a form with another value in each field.
func spoiled(form url.Values, value string) url.Values {
	form = maps.Clone(form)
	for name := range form {
		form[name] = []string{value}
	}
	return form
}

// sendForms sends each form as a visitor who may, in a new scene, and follows the redirect.
func sendForms(t *testing.T, f *findings) {
	for _, route := range slices.Sorted(maps.Keys(decisions)) {
		if !strings.HasPrefix(route, http.MethodPost) {
			continue
		}
		for _, actor := range []string{"owner", "administrator", "other"} {
			if decisions[route][actor] != "ok" {
				continue
			}
			for _, way := range ways[:2] {
				s := newSceneIn(t, greek, actor)
				s.accented()
				a := s.act(way.as(s.actor), route)
				f.add(route+" "+way.name, actor, a)
				if to := a.Header.Get("Location"); strings.HasPrefix(to, "/") {
					f.add(route+" and then "+to, actor, s.actor.Get(to))
				}
				for _, mail := range s.Data.Mails() {
					for _, text := range strings.Split(mail.Subject+"\n"+mail.Text, "\n") {
						if isUntranslated(text) {
							f.addText(text, place{"mail of " + route, actor, "text", 0})
						}
					}
				}
				s.Data.Close()
			}
			break
		}
	}
}

// visitErrors provokes the errors that any page may show.
func visitErrors(t *testing.T, f *findings) {
	c := newCrawl(t, f, "owner")
	owner := c.viewers["owner"]
	see := func(what string, a *webtest.Response, status int) {
		t.Helper()
		a.Want(status)
		f.add(what, "owner", a)
	}
	both := func(what string, status int, send func(v *webtest.Visitor) *webtest.Response) {
		t.Helper()
		see(what, send(owner), status)
		see(what+" by htmx", send(owner.HTMX()), status)
	}
	comments := c.address("POST /posts/:id/comments")
	both("error 404", 404, func(v *webtest.Visitor) *webtest.Response { return v.Get("/nothing") })
	both("error 405", 405, func(v *webtest.Visitor) *webtest.Response { return v.Get("/logout") })
	both("error 403", 403, func(v *webtest.Visitor) *webtest.Response { return v.Get("/admin") })
	both("cross-site", 403, func(v *webtest.Visitor) *webtest.Response { return crossSite(v).Post(comments) })
	both("error 400", 400, func(v *webtest.Visitor) *webtest.Response {
		return v.Send(http.MethodPost, "/login", strings.NewReader("username=%zz"))
	})
	both("error 413", 413, func(v *webtest.Visitor) *webtest.Response {
		return v.Send(http.MethodPost, "/posts", strings.NewReader("content="+strings.Repeat("x", 4<<20)))
	})
	for status, code := range map[int]int{503: webtest.StatusUnavailable, 500: webtest.StatusInternal} {
		c.Data.FailWith("Feed.FrontPage", code)
		both(fmt.Sprint("error ", status), status, func(v *webtest.Visitor) *webtest.Response { return v.Get("/") })
		c.Data.Recover("Feed.FrontPage")
	}
	for _, rule := range web.RuleNames() {
		s := newSceneIn(t, greek, "owner")
		limits, err := ratelimit.Parse(only(rule))
		s.Must(err)
		s.accented(func(config *web.Config) {
			config.RateLimits, config.DeletionGrace = limits, webtest.DeletionGrace
		})
		for _, route := range c.routes {
			if limited := web.RuleOf(route); limited == rule && !strings.HasPrefix(route, http.MethodHead) {
				for range 2 {
					f.add("limit of "+route, "owner", s.act(s.actor, route))
				}
			}
		}
	}
}
