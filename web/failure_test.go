package web_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"inkfeed/domain"
	"inkfeed/web"
	"inkfeed/web/pagecache"
	"inkfeed/web/webtest"
)

func TestEachKindOfErrorHasItsStatus(t *testing.T) {
	for kind, status := range map[domain.Kind]int{
		domain.Internal: 500, domain.NotFound: 404, domain.Invalid: 422, domain.Conflict: 409,
		domain.Unauthenticated: 401, domain.Forbidden: 403, domain.TooLarge: 413, domain.Unavailable: 503,
		domain.TooMany: 429,
	} {
		if got := web.StatusOf(kind); got != status {
			t.Errorf("%s: %d, want %d", kind, got, status)
		}
	}
}

// confirmations maps the pages that ask for confirmation before a deletion to a store method that each needs.
func confirmations(p domain.Post, c domain.Comment) map[string]string {
	return map[string]string{"/posts/" + p.ID + "/delete": "Posts.OwnOrTrashed", webtest.DeletePath(c): "Posts.Comment"}
}

// reads maps pages to a store method that each needs.
func reads(p domain.Post) map[string]string {
	return map[string]string{"/": "Feed.FrontPage", "/@ada": "UserCopies.PostsOf",
		"/@ada/archive": "UserCopies.Archive",
		p.Path():        "Posts.Comments", "/posts/" + p.ID: "Posts.Get",
		"/posts/" + p.ID + "/comments": "Posts.Comments", "/posts/" + p.ID + "/likes": "Posts.Likes"}
}

func TestUnavailableStorageIsReportedWith503(t *testing.T) {
	s := webtest.NewSite(t)
	ada := s.SignUp("ada")
	p := ada.CreatePost("A title", "text")
	for path, method := range reads(p) {
		s.Data.Fail(method)
		for _, v := range []*webtest.Visitor{s.Anonymous(), ada} {
			a := v.Get(path).Want(503).Has("h1", "Temporarily unavailable")
			if a.Header.Get("Retry-After") == "" || strings.Contains(a.Body, "10.0.0.7") {
				t.Errorf("%s: Retry-After is missing, or the page shows the cause", path)
			}
		}
		s.Data.Recover(method)
	}
	t.Run("also when the viewer cannot be read", func(t *testing.T) {
		s.Data.Fail("Users.ByID")
		defer s.Data.Recover("Users.ByID")
		ada.Get("/").Want(503).Has("h1", "Temporarily unavailable")
		ada.Get("/nowhere").Want(404)
	})
	t.Run("shows htmx a notice and keeps the page", func(t *testing.T) {
		s.Data.Fail("Posts.Like")
		defer s.Data.Recover("Posts.Like")
		a := ada.HTMX().Post("/posts/"+p.ID+"/like").Want(503).Has("dialog[open]", "Temporarily unavailable").
			HasNo("h1").HasNo("main")
		if a.Header.Get("HX-Retarget") != "#Page-notice" || a.Header.Get("HX-Reswap") != "innerHTML" ||
			a.Header.Get("Retry-After") == "" {
			t.Errorf("headers %v", a.Header)
		}
		ada.Get(p.Path()).Has("#Page-notice[aria-live]", "")
	})
}

func TestTheTitleOfARejectedFormSaysError(t *testing.T) {
	s := webtest.NewSite(t)
	ada := s.SignUp("ada")
	p := ada.CreatePost("A title", "text")
	path := "/posts/" + p.ID
	for title, answers := range map[string][]*webtest.Response{
		"Error: Sign up":              {s.Anonymous().Post("/signup")},
		"Error: Log in":               {s.Anonymous().Post("/login")},
		"Error: Settings":             {ada.Post("/settings/username")},
		"Error: Delete your account?": {ada.Post("/settings/delete")},
		"Error: Write a post": {
			ada.Post("/posts"), ada.WithoutSession().Post("/posts", "title", "T", "content", "C"),
		},
		"Error: Edit post": {ada.Post(path), ada.WithoutSession().Post(path, "title", "T", "content", "C")},
		"Error: A title":   {ada.Post(path + "/comments")},
	} {
		for _, a := range answers {
			if got := a.Page().Find("title").Text(); got != title+" · Inkfeed" {
				t.Errorf("%s: the title is %q", a.Request, got)
			}
		}
	}
}

func TestInternalErrorsHideTheirCause(t *testing.T) {
	s := webtest.NewSite(t)
	ada := s.SignUp("ada")
	p := ada.CreatePost("A title", "text")
	pages := reads(p)
	maps.Copy(pages, confirmations(p, ada.CreateComments(p, "mine")[0]))
	for path, method := range pages {
		s.Data.FailWith(method, webtest.StatusInternal)
		a := ada.Get(path).Want(500).Has("h1", "Something went wrong")
		id := a.Header.Get("X-Request-Id")
		a.Has("main code", id)
		if strings.Contains(a.Body, "secret") {
			t.Errorf("%s shows the cause", path)
		}
		if log := s.Log.String(); !strings.Contains(log, "secret") || !strings.Contains(log, "request_id="+id) {
			t.Errorf("%s: the log lacks the cause", path)
		}
		s.Data.Recover(method)
	}
}

func TestAPanicIsAnInternalError(t *testing.T) {
	log := &bytes.Buffer{}
	c := webtest.Config(webtest.NewDatabase(t), log, webtest.KeyOne)
	c.Feed = panicking{}
	handler, err := web.New(c)
	if err != nil {
		t.Fatal(err)
	}
	s := &webtest.Site{T: t, Handler: handler, Log: log}
	s.Anonymous().Get("/").Want(500).Has("h1", "Something went wrong")
	if !strings.Contains(log.String(), "at the wheel") {
		t.Error("the log lacks the panic")
	}
}

func TestStorageRequestsTimeOut(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := webtest.Config(webtest.NewDatabase(t), io.Discard, webtest.KeyOne)
		c.Feed = silent{}
		handler, err := web.New(c)
		if err != nil {
			t.Fatal(err)
		}
		s := &webtest.Site{T: t, Handler: handler}
		begin := time.Now()
		s.Anonymous().Get("/").Want(503).Has("h1", "Temporarily unavailable")
		if waited := time.Since(begin); waited < time.Second || waited > time.Minute {
			t.Errorf("answered after %s", waited)
		}
	})
}

type silent struct{}

func (silent) FrontPage(ctx context.Context, _ int) (domain.ListPage[domain.Summary], error) {
	<-ctx.Done()
	return domain.ListPage[domain.Summary]{}, ctx.Err()
}

type panicking struct{}

func (panicking) FrontPage(context.Context, int) (domain.ListPage[domain.Summary], error) {
	panic("asleep at the wheel")
}

func TestUnknownAddressesAndMethodsAreRefused(t *testing.T) {
	s := webtest.NewSite(t)
	ada := s.SignUp("ada")
	t.Run("answers 404 for unknown addresses", func(t *testing.T) {
		for _, path := range []string{
			"/nothing", "/static/nothing.css", "/static/", "/posts", "/login/x", "//", "/@", "/.git/config",
		} {
			if a := s.Anonymous().Get(path); a.StatusCode != http.StatusMethodNotAllowed {
				a.Want(404).Has("h1", "Not found")
			}
		}
		ada.Get("/nothing").Want(404).Has("h1", "Not found").Has("header .me", "@ada")
	})
	t.Run("answers 405 for other methods", func(t *testing.T) {
		a := s.Anonymous().Post("/settings").Want(405).Has("h1", "Not possible")
		if allow := a.Header.Get("Allow"); !strings.Contains(allow, "GET") {
			t.Errorf("Allow is %q", allow)
		}
		s.Anonymous().Get("/logout").Want(405)
		ada.Post("/goodbye").Want(405)
		s.Anonymous().Send(http.MethodDelete, "/", nil).Want(405)
	})
}

func TestLargeBodiesAreRefused(t *testing.T) {
	s := webtest.NewSite(t)
	ada := s.SignUp("ada")
	huge := "content=" + strings.Repeat("x", 4<<20)
	t.Run("with a declared length", func(t *testing.T) {
		a := ada.Send(http.MethodPost, "/posts", strings.NewReader(huge)).
			Want(413).
			Has(`[role="alert"]`, "larger than this site accepts")
		if got := a.Value("content"); len(got) != 4<<20 {
			t.Errorf("%d bytes of the text come back", len(got))
		}
		s.Anonymous().Send(http.MethodPost, "/posts", strings.NewReader(huge)).Want(413).Has("h1", "Too large")
	})
	t.Run("without a declared length", func(t *testing.T) {
		ada.Send(http.MethodPost, "/posts", struct{ *strings.Reader }{strings.NewReader(huge)}).
			Want(413).
			Has(`[role="alert"]`, "larger than this site accepts")
	})
	t.Run("by forms with few fields", func(t *testing.T) {
		for _, path := range []string{"/posts/" + domain.NewID() + "/delete", "/settings/delete",
			"/posts/" + domain.NewID() + "/comments/" + domain.NewID() + "/delete"} {
			ada.Send(http.MethodPost, path, strings.NewReader(huge)).Want(413).Has("h1", "Too large")
		}
	})
	t.Run("with a notice for htmx", func(t *testing.T) {
		ada.HTMX().
			Send(http.MethodPost, "/posts/"+domain.NewID()+"/comments", strings.NewReader(huge)).
			Want(413).
			Has(`[role="alert"]`, "larger than this site accepts")
	})
}

func TestAMalformedFormIsABadRequest(t *testing.T) {
	webtest.NewSite(t).Anonymous().Send(http.MethodPost, "/login", strings.NewReader("username=%zz")).Want(400).
		Has("h1", "Bad request")
}

func TestHealthReportsTheStateOfTheServer(t *testing.T) {
	c := webtest.Config(webtest.NewDatabase(t), &bytes.Buffer{}, webtest.KeyOne)
	ready := errors.New("secret")
	c.Ready = func(context.Context) error { return ready }
	handler, err := web.New(c)
	if err != nil {
		t.Fatal(err)
	}
	s := &webtest.Site{T: t, Handler: handler}
	if a := s.Anonymous().Get("/healthz").Want(200); a.Body != "ok" {
		t.Errorf("the body is %q", a.Body)
	}
	if a := s.Anonymous().Get("/readyz").Want(503); a.Body != "not ready" {
		t.Errorf("the body is %q", a.Body)
	}
	ready = nil
	if a := s.Anonymous().Get("/readyz").Want(200); a.Body != "ok\n" {
		t.Errorf("the body is %q", a.Body)
	}
}

func TestRequestsAreLoggedWithoutPersonalData(t *testing.T) {
	s := webtest.NewSite(t)
	ada := s.SignUp("ada")
	p := ada.CreatePost("A title", "text")
	s.Log.Reset()
	a := ada.Get(p.Path() + "?secret=1").Want(200)
	line := s.Log.String()
	for _, want := range []string{
		"method=GET", "route=/posts/:id/:slug", "status=200", "duration=", "bytes=",
		"request_id=" + a.Header.Get("X-Request-Id"),
	} {
		if !strings.Contains(line, want) {
			t.Errorf("%s is missing in %s", want, line)
		}
	}
	ada.Post("/login", "username", "ada", "password", "hunter2 hunter2")
	for _, not := range []string{"ada", "hunter2", p.ID, "secret"} {
		if strings.Contains(s.Log.String(), not) {
			t.Errorf("%q is in the log", not)
		}
	}
	t.Run("ignores the request id of a client", func(t *testing.T) {
		v := s.Anonymous()
		v.Header.Set("X-Request-Id", "forged")
		if got := v.Get("/").Header.Get("X-Request-Id"); got == "forged" || got == "" {
			t.Errorf("the id is %q", got)
		}
	})
	t.Run("logs requests of assets and health checks at debug", func(t *testing.T) {
		s.Log.Reset()
		s.Anonymous().Get("/healthz")
		s.Anonymous().Get("/favicon.svg")
		if strings.Contains(s.Log.String(), "level=INFO") {
			t.Error(s.Log)
		}
	})
}

func TestHEADDeclaresTheLength(t *testing.T) {
	s := webtest.NewSite(t)
	server := httptest.NewServer(s.Handler)
	defer server.Close()
	resp, err := http.Head(server.URL + "/")
	if err != nil {
		t.Fatal(err)
	}
	resp.Body.Close()
	if resp.StatusCode != 200 || resp.ContentLength <= 0 {
		t.Errorf("HEAD: status %d, length %d", resp.StatusCode, resp.ContentLength)
	}
}

// TestRequestsEndWhenTheStorageHangs checks that requests end at the time limit of their routes, and soon after that
// with an error page.
func TestRequestsEndWhenTheStorageHangs(t *testing.T) {
	const limit = 20 * time.Second
	synctest.Test(t, func(t *testing.T) {
		var cache *pagecache.Cache
		s := webtest.NewCachedSite(t, "off", func(c *web.Config) { cache = c.Cache })
		ada, ben, carl := s.SignUp("ada"), s.SignUp("ben"), s.SignUp("carl")
		p := ada.CreatePost("A title", "text")
		for name, tt := range map[string]struct {
			hanging string
			warm    func()
			send    func() *webtest.Response
		}{
			"a user's page": {"Users.ByID", nil, func() *webtest.Response { return ben.Get("/") }},
			"a page from memory for a user": {"Blocks.Has", func() {
				carl.Get(p.Path())
				ben.Get("/")
			}, func() *webtest.Response { return ben.Get(p.Path()) }},
			"a like": {"Users.ByID", nil, func() *webtest.Response { return ben.Post("/posts/" + p.ID + "/like") }},
			"a form that reads past the cache": {"Users.ByID", nil, func() *webtest.Response {
				return ben.Post("/settings/blocks", "user", ada.User.ID)
			}},
			"a page for anonymous visitors": {"Feed.FrontPage", nil, func() *webtest.Response {
				return s.Anonymous().Get("/")
			}},
		} {
			cache.Clear()
			if tt.warm != nil {
				tt.warm()
			}
			s.Data.Hang(tt.hanging)
			begin := time.Now()
			a := tt.send()
			if waited := time.Since(begin); a.StatusCode != http.StatusServiceUnavailable || waited > limit {
				t.Errorf("%s: status %d after %s", name, a.StatusCode, waited)
			}
			time.Sleep(time.Minute) // until what goes on in the background has ended
			s.Data.Recover(tt.hanging)
		}
	})
}
