package web_test

import (
	"cmp"
	"fmt"
	"io"
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"inkfeed/domain"
	"inkfeed/web"
	"inkfeed/web/credential"
	"inkfeed/web/site/ratelimit"
	"inkfeed/web/webtest"
)

// only returns limits that allow one request per hour under the given rule, and any number under all others.
func only(rule string) string {
	var limits []string
	for _, name := range web.RuleNames() {
		if name == rule {
			limits = append(limits, name+"=1/1h")
		} else {
			limits = append(limits, name+"=off")
		}
	}
	return strings.Join(limits, ",")
}

// limit restarts the site with the limits of only.
func (s *scene) limit(rule string) {
	s.Handler = webtest.NewLimitedSite(s.T.(*testing.T), s.Data, webtest.NewCounters(), only(rule), withURL).Handler
}

// Every route that changes something is limited, so that no new route is forgotten.
func TestEveryRouteThatWritesIsLimited(t *testing.T) {
	routes, err := web.Routes(webtest.Config(webtest.NewDatabase(t), io.Discard, webtest.KeyOne))
	if err != nil {
		t.Fatal(err)
	}
	for _, route := range routes {
		if method, _, _ := strings.Cut(route, " "); method == http.MethodGet || method == http.MethodHead {
			continue
		}
		t.Run(route, func(t *testing.T) {
			rule := web.RuleOf(route)
			s := newScene(t, "owner")
			s.limit(rule)
			first := *s.actor
			first.Cookies = maps.Clone(s.actor.Cookies) // the response may change them
			if a := s.act(&first, route); a.StatusCode == http.StatusTooManyRequests {
				t.Errorf("%s: the first request is limited", a.Request)
			}
			a := s.act(s.actor, route)
			if rule == "" && a.StatusCode == http.StatusTooManyRequests {
				t.Errorf("%s: %d, although the route is never limited", a.Request, a.StatusCode)
			}
			if rule != "" {
				a.WantRetryAfter(time.Hour)
			}
		})
	}
}

// Each rule that can be set refuses the second request under a limit of one.
func TestEachRuleHolds(t *testing.T) {
	type act struct {
		actor   string
		prepare func(*scene)
		do      func(*scene) *webtest.Response
	}
	by := func(actor, route string) act {
		return act{actor: actor, do: func(s *scene) *webtest.Response { return s.act(s.actor, route) }}
	}
	post := func(path string, fields ...string) act {
		return act{actor: "owner", do: func(s *scene) *webtest.Response { return s.actor.Post(path, fields...) }}
	}
	login := act{do: func(s *scene) *webtest.Response {
		return s.Anonymous().LogIn("olga", "wrong "+webtest.Password)
	}}
	signUp := act{do: func(s *scene) *webtest.Response {
		return s.Anonymous().Post("/signup", "username", "n"+domain.NewID()[:8], "password", webtest.Password)
	}}
	rules := map[string][]act{
		"login":         {login},
		"login-address": {login},
		"login-account": {login},
		"second-factor": {{"owner", func(s *scene) { s.actor.EnableAuthenticator() }, func(s *scene) *webtest.Response {
			return s.HalfSignedIn("olga").Post("/login/second", "code", "000000")
		}}},
		"confirm": {post("/confirm", "password", "wrong "+webtest.Password),
			post("/settings/delete", "password", "wrong "+webtest.Password),
			post("/settings/password", "current", "wrong "+webtest.Password, "password", webtest.NewPassword)},
		"signup":  {signUp},
		"signups": {signUp},
		"invitation": {{"", func(s *scene) { s.SetSettings(domain.Settings{Registration: domain.RegistrationByCode}) },
			func(s *scene) *webtest.Response {
				return s.Anonymous().
					Post("/signup", "username", "eve", "password", webtest.Password, "invitation", "guessed")
			}}},
		"reset":        {by("", "POST /reset")},
		"mail":         {by("owner", "POST /settings/email")},
		"mail-address": {by("owner", "POST /settings/email")},
		"post": {by("owner", "POST /posts"), by("owner", "POST /posts/:id"),
			by("owner", "POST /posts/:id/versions/:revision/restore"),
			post("/posts", "title", "T", "content", "text", "do", "schedule", "zone", "UTC",
				"publishDate", time.Now().AddDate(0, 0, 2).Format("2006-01-02T15:04"))},
		"comment": {by("owner", "POST /posts/:id/comments")},
		"like": {by("owner", "POST /posts/:id/like"), by("owner", "POST /posts/:id/unlike"),
			by("owner", "POST /posts/:id/bookmark"), by("owner", "POST /posts/:id/unbookmark")},
		"follow": {by("other", "POST /@:username/follow"), by("other", "POST /@:username/unfollow"),
			by("owner", "POST /tags/:tag/follow"), by("owner", "POST /settings/following/remove")},
		"follows": {by("other", "POST /@:username/follow"), by("owner", "POST /tags/:tag/follow")},
		"report":  {by("other", "POST /posts/:id/report"), by("other", "POST /posts/:id/comments/:comment/report")},
		"upload": {by("owner", "POST /images"), by("owner", "POST /settings/avatar"),
			by("owner", "POST /settings/header")},
		"preview": {by("owner", "POST /preview")},
		"export": {by("owner", "GET /settings/export"), by("owner", "GET /settings/following/opml"),
			by("administrator", "GET /admin/pages/export")},
		"import": {by("owner", "POST /settings/import"), by("owner", "POST /settings/following/import"),
			by("administrator", "POST /admin/pages/import")},
		"import-subscribers": {by("owner", "POST /settings/newsletter/import")},
		"import-size":        {by("owner", "POST /settings/import"), by("owner", "POST /images")},
		"import-size-network": {{"owner", nil, func(s *scene) *webtest.Response {
			return s.actor.From("2001:db8::1").Upload("/settings/import", []byte("PK"))
		}}},
		"rename": {{"owner", nil, func(s *scene) *webtest.Response {
			return s.actor.Post("/settings/username", "username", "n"+domain.NewID()[:8])
		}}},
		"invite":               {by("administrator", "POST /admin/invitations")},
		"search":               {by("", "GET /search")},
		"subscribers":          {by("", "POST /subscribe"), by("", "POST /tags/:tag/subscribe")},
		"subscribers-provider": {by("", "POST /subscribe")},
		"suggest":              {by("", "GET /suggest/tags")},
		"passkey":              {by("owner", "POST /passkeys/challenge")},
		"write":                {by("owner", "POST /settings/profile")},
		"login-known": {{"owner", nil, func(s *scene) *webtest.Response {
			return s.actor.LogIn("olga", webtest.Password)
		}}},
		"units-user": {by("owner", "GET /settings")},
		"units-network": {{"", nil, func(s *scene) *webtest.Response {
			return s.Anonymous().From("2001:db8::1").Get("/@" + domain.NewID()[:8])
		}}},
		"read": {by("owner", "GET /settings"), by("", "GET /posts/:id"), by("", "GET /sitemap.xml"),
			by("owner", "GET /following/feed/:feed")},
	}
	// Requests beyond the limit "fresh" are not refused: see TestRequestsBeyondTheFreshLimitAreAnsweredFromTheCache.
	got := append(slices.Collect(maps.Keys(rules)), "fresh")
	if slices.Sort(got); !slices.Equal(got, web.RuleNames()) {
		t.Fatalf("the tested rules are %v, want %v", got, web.RuleNames())
	}
	for rule, acts := range rules {
		for i, act := range acts {
			t.Run(fmt.Sprint(rule, " ", i), func(t *testing.T) {
				s := newScene(t, cmp.Or(act.actor, "anonymous"))
				if act.prepare != nil {
					act.prepare(s)
				}
				s.limit(rule)
				if a := act.do(s); a.StatusCode == http.StatusTooManyRequests ||
					a.StatusCode >= http.StatusInternalServerError {
					t.Errorf("%s: the first request is answered with %d", a.Request, a.StatusCode)
				}
				act.do(s).WantRetryAfter(time.Hour)
			})
		}
	}
}

// A request that fails because of the server reveals nothing about a password, so it is not counted as an attempt.
func TestServerFailuresAreNotCounted(t *testing.T) {
	for name, try := range map[string]struct {
		rule, method string
		do           func(v *webtest.Visitor, password string) *webtest.Response
	}{
		"a log-in without the account": {"login", "Users.AccountByName",
			func(v *webtest.Visitor, password string) *webtest.Response {
				return v.WithoutSession().LogIn("olga", password)
			}},
		"a log-in without the credentials": {"login-account", "Credentials.Get",
			func(v *webtest.Visitor, password string) *webtest.Response {
				return v.WithoutSession().LogIn("olga", password)
			}},
		"an account's deletion": {"confirm", "Credentials.PasswordHash",
			func(v *webtest.Visitor, password string) *webtest.Response {
				return v.Post("/settings/delete", "password", password)
			}},
	} {
		t.Run(name, func(t *testing.T) {
			s := newScene(t, "owner")
			s.limit(try.rule)
			s.Data.Fail(try.method)
			for range 3 {
				if a := try.do(s.actor, webtest.Password); a.StatusCode != http.StatusServiceUnavailable {
					t.Fatalf("%s: %d, although storage is unavailable", a.Request, a.StatusCode)
				}
			}
			s.Data.Recover(try.method)
			try.do(s.actor, "wrong "+webtest.Password).Want(422)
			try.do(s.actor, "wrong "+webtest.Password).WantRetryAfter(time.Hour)
		})
	}
	t.Run("a full queue of password hashes", func(t *testing.T) {
		for path, fields := range map[string][]string{
			"/login":             {"username", "olga", "password", webtest.Password},
			"/confirm":           {"password", webtest.Password},
			"/settings/password": {"current", webtest.Password, "password", webtest.NewPassword},
		} {
			s := newScene(t, "owner")
			counters := webtest.NewCounters()
			c := webtest.Config(s.Data, io.Discard, webtest.KeyOne)
			c.Counters = counters
			c.RateLimits, _ = ratelimit.Parse("")
			c.Passwords = credential.NewHasherWith(nil, webtest.CheapHashing, 0)
			handler, err := web.New(c)
			if err != nil {
				t.Fatal(err)
			}
			s.Handler = handler
			s.actor.Post(path, fields...).Want(503).Has(`[role="alert"]`, "Too many people are logging in")
			for name, n := range counters.All {
				if n != 0 {
					t.Errorf("%s: %s is %d", path, name, n)
				}
			}
			if len(counters.All) == 0 {
				t.Errorf("%s: no counter was used", path)
			}
		}
	})
}
