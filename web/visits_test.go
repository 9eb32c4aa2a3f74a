package web_test

import (
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"inkfeed/web"
	"inkfeed/web/webtest"
)

// visits is an instance that is idle until it is used, or always.
type visits struct {
	idle            bool
	uses, refreshes int
}

func (v *visits) Idle() bool              { return v.idle }
func (v *visits) Use()                    { v.uses++ }
func (v *visits) Refresh(context.Context) { v.refreshes++ }

func TestOnlyRequestsByPeopleEndTheIdlenessOfAServer(t *testing.T) {
	v := &visits{idle: true}
	config := webtest.Config(webtest.NewDatabase(t), io.Discard, webtest.KeyOne)
	config.Visits = v
	handler, err := web.New(config)
	if err != nil {
		t.Fatal(err)
	}
	for visitor, requests := range map[string][]string{
		"a person": {"GET /", "GET /@ada", "GET /login", "POST /login", "GET /search?q=x", "GET /tags/go",
			"GET /admin/costs", "GET /posts/x/likes"},
		"a program": {"GET /feed.rss", "GET /feed.atom", "GET /@ada/feed.json", "GET /tags/go/feed.rss",
			"GET /sitemap.xml", "GET /oembed?url=x", "GET /robots.txt"},
		"a monitor": {"GET /healthz", "GET /readyz", "HEAD /", "GET /static/style.css", "GET /wp-login.php",
			"OPTIONS /", "GET /.env"},
	} {
		for _, request := range requests {
			*v = visits{idle: true}
			method, target, _ := strings.Cut(request, " ")
			handler.ServeHTTP(httptest.NewRecorder(), httptest.NewRequest(method, target, http.NoBody))
			refreshes, uses := 1, 1
			switch visitor {
			case "a program":
				uses = 0
			case "a monitor":
				refreshes, uses = 0, 0
			}
			if v.refreshes != refreshes || v.uses != uses {
				t.Errorf("%s by %s: %d refreshes and %d uses, want %d and %d", request, visitor, v.refreshes, v.uses,
					refreshes, uses)
			}
		}
	}
	*v = visits{}
	for range 100 {
		handler.ServeHTTP(httptest.NewRecorder(), httptest.NewRequest(http.MethodGet, "/", http.NoBody))
	}
	if v.refreshes != 0 || v.uses > 1 {
		t.Errorf("a server in use: %d refreshes and %d uses within a second", v.refreshes, v.uses)
	}
}
