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
)

func TestEachKindOfFailureHasItsStatus(t *testing.T) {
	for kind, status := range map[domain.Kind]int{
		domain.Internal: 500, domain.NotFound: 404, domain.Invalid: 422, domain.Conflict: 409,
		domain.Unauthenticated: 401, domain.Forbidden: 403, domain.TooLarge: 413, domain.Unavailable: 503, domain.TooMany: 429,
	} {
		if got := web.StatusOf(kind); got != status {
			t.Errorf("%s: %d, want %d", kind, got, status)
		}
	}
}

// asks are the pages that ask before something is deleted, with a method of the
// store that each needs.
func asks(p domain.Post, c domain.Comment) map[string]string {
	return map[string]string{"/posts/" + p.ID + "/delete": "Posts.Own", deletePath(c): "Posts.Comment"}
}

// reads are the pages that read, with a method of the store that each needs.
func reads(p domain.Post) map[string]string {
	return map[string]string{"/": "Feed.FrontPage", "/@ada": "Users.PostsOf", "/@ada/archive": "Users.Archive", p.Path(): "Posts.Comments", "/posts/" + p.ID: "Posts.Get",
		"/posts/" + p.ID + "/comments": "Posts.Comments", "/posts/" + p.ID + "/likes": "Posts.Likes"}
}

func TestABusyStoreIsSaidSo(t *testing.T) {
	s := newSite(t)
	ada := s.member("ada")
	p := ada.aPost("A title", "text")
	for path, method := range reads(p) {
		s.data.fail(method)
		for _, v := range []*visitor{s.stranger(), ada} {
			a := v.get(path).want(503).has("h1", "Temporarily unavailable")
			if a.Header.Get("Retry-After") == "" || strings.Contains(a.body, "10.0.0.7") {
				t.Errorf("%s: no word when to try again, or one too many", path)
			}
		}
		s.data.recover(method)
	}
	t.Run("also when it is not known who asks", func(t *testing.T) {
		s.data.fail("Users.ByID")
		defer s.data.recover("Users.ByID")
		ada.get("/").want(503).has("h1", "Temporarily unavailable")
		ada.get("/nowhere").want(404)
	})
	t.Run("htmx gets a notice over the page that stays", func(t *testing.T) {
		s.data.fail("Posts.Like")
		defer s.data.recover("Posts.Like")
		a := ada.htmx().post("/posts/"+p.ID+"/like").want(503).has("dialog[open]", "Temporarily unavailable").hasNo("h1").hasNo("main")
		if a.Header.Get("HX-Retarget") != "#Page-notice" || a.Header.Get("HX-Reswap") != "innerHTML" || a.Header.Get("Retry-After") == "" {
			t.Errorf("headers %v", a.Header)
		}
		ada.get(p.Path()).has("#Page-notice[aria-live]", "")
	})
}

func TestTheTitleSaysThatAFormCameBack(t *testing.T) {
	s := newSite(t)
	ada := s.member("ada")
	p := ada.aPost("A title", "text")
	path := "/posts/" + p.ID
	for title, answers := range map[string][]*answer{
		"Error: Sign up":              {s.stranger().post("/signup")},
		"Error: Log in":               {s.stranger().post("/login")},
		"Error: Settings":             {ada.post("/settings/username")},
		"Error: Delete your account?": {ada.post("/settings/delete")},
		"Error: Write a post":         {ada.post("/posts"), ada.forgotten().post("/posts", "title", "T", "content", "C")},
		"Error: Edit post":            {ada.post(path), ada.forgotten().post(path, "title", "T", "content", "C")},
		"Error: A title":              {ada.post(path + "/comments")},
	} {
		for _, a := range answers {
			if got := a.page().Find("title").Text(); got != title+" · Inkfeed" {
				t.Errorf("%s: the title is %q", a.what, got)
			}
		}
	}
}

func TestAFaultOfOursShowsNothingOfIt(t *testing.T) {
	s := newSite(t)
	ada := s.member("ada")
	p := ada.aPost("A title", "text")
	pages := reads(p)
	maps.Copy(pages, asks(p, ada.comments(p, "mine")[0]))
	for path, method := range pages {
		s.data.failWith(method, statusInternal)
		a := ada.get(path).want(500).has("h1", "Something went wrong")
		id := a.Header.Get("X-Request-Id")
		a.has("main code", id)
		if strings.Contains(a.body, "secret") {
			t.Errorf("%s shows the cause", path)
		}
		if log := s.log.String(); !strings.Contains(log, "secret") || !strings.Contains(log, "request_id="+id) {
			t.Errorf("%s: the log does not tell the cause", path)
		}
		s.data.recover(method)
	}
}

func TestAPanicIsAFaultOfOurs(t *testing.T) {
	log := &bytes.Buffer{}
	c := config(newDatabase(t), log, keyOne)
	c.Feed = panicking{}
	handler, err := web.New(c)
	if err != nil {
		t.Fatal(err)
	}
	s := &site{t: t, handler: handler, log: log}
	s.stranger().get("/").want(500).has("h1", "Something went wrong")
	if !strings.Contains(log.String(), "at the wheel") {
		t.Error("the log does not tell of it")
	}
}

func TestAStoreThatDoesNotAnswerIsGivenUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := config(newDatabase(t), io.Discard, keyOne)
		c.Feed = silent{}
		handler, err := web.New(c)
		if err != nil {
			t.Fatal(err)
		}
		s := &site{t: t, handler: handler}
		begin := time.Now()
		s.stranger().get("/").want(503).has("h1", "Temporarily unavailable")
		if waited := time.Since(begin); waited < time.Second || waited > time.Minute {
			t.Errorf("given up after %s", waited)
		}
	})
}

type silent struct{}

func (silent) FrontPage(ctx context.Context, _ int) (domain.Page[domain.Summary], error) {
	<-ctx.Done()
	return domain.Page[domain.Summary]{}, ctx.Err()
}

type panicking struct{}

func (panicking) FrontPage(context.Context, int) (domain.Page[domain.Summary], error) {
	panic("asleep at the wheel")
}

func TestAddressesThatAreNot(t *testing.T) {
	s := newSite(t)
	ada := s.member("ada")
	t.Run("are not found", func(t *testing.T) {
		for _, path := range []string{"/nothing", "/static/nothing.css", "/static/", "/posts", "/posts/", "/login/x", "//", "/@", "/.git/config"} {
			if a := s.stranger().get(path); a.StatusCode != http.StatusMethodNotAllowed {
				a.want(404).has("h1", "Not found")
			}
		}
		ada.get("/nothing").want(404).has("h1", "Not found").has("header .me", "@ada")
	})
	t.Run("take no other method", func(t *testing.T) {
		a := s.stranger().post("/settings").want(405).has("h1", "Not possible")
		if allow := a.Header.Get("Allow"); !strings.Contains(allow, "GET") {
			t.Errorf("Allow is %q", allow)
		}
		s.stranger().get("/logout").want(405)
		ada.post("/goodbye").want(405)
		s.stranger().send(http.MethodDelete, "/", nil).want(405)
	})
}

func TestALargeBodyIsRefused(t *testing.T) {
	s := newSite(t)
	ada := s.member("ada")
	huge := "content=" + strings.Repeat("x", 4<<20)
	t.Run("when its length is declared", func(t *testing.T) {
		a := ada.send(http.MethodPost, "/posts", strings.NewReader(huge)).want(413).has(`[role="alert"]`, "too long")
		if got := a.Value("content"); len(got) != 4<<20 {
			t.Errorf("of the text %d bytes come back", len(got))
		}
		s.stranger().send(http.MethodPost, "/posts", strings.NewReader(huge)).want(413).has("h1", "Too large")
	})
	t.Run("when it is not", func(t *testing.T) {
		ada.send(http.MethodPost, "/posts", struct{ *strings.Reader }{strings.NewReader(huge)}).
			want(413).
			has(`[role="alert"]`, "too long")
	})
	t.Run("also by what takes next to nothing", func(t *testing.T) {
		for _, path := range []string{"/posts/" + domain.NewID() + "/delete", "/settings/delete",
			"/posts/" + domain.NewID() + "/comments/" + domain.NewID() + "/delete"} {
			ada.send(http.MethodPost, path, strings.NewReader(huge)).want(413).has("h1", "Too large")
		}
	})
	t.Run("htmx gets a notice", func(t *testing.T) {
		ada.htmx().
			send(http.MethodPost, "/posts/"+domain.NewID()+"/comments", strings.NewReader(huge)).
			want(413).
			has(`[role="alert"]`, "too long")
	})
}

func TestAMalformedFormIsNotUnderstood(t *testing.T) {
	newSite(t).stranger().send(http.MethodPost, "/login", strings.NewReader("username=%zz")).want(400).has("h1", "Bad request")
}

func TestHealth(t *testing.T) {
	c := config(newDatabase(t), &bytes.Buffer{}, keyOne)
	ready := errors.New("secret")
	c.Ready = func(context.Context) error { return ready }
	var behind []string
	c.Behind = func(context.Context) []string { return behind }
	handler, err := web.New(c)
	if err != nil {
		t.Fatal(err)
	}
	s := &site{t: t, handler: handler}
	if a := s.stranger().get("/healthz").want(200); a.body != "ok" {
		t.Errorf("says %q", a.body)
	}
	if a := s.stranger().get("/readyz").want(503); strings.Contains(a.body, "secret") {
		t.Errorf("says %q", a.body)
	}
	ready = nil
	if a := s.stranger().get("/readyz").want(200); a.body != "ok\n" {
		t.Errorf("says %q", a.body)
	}
	// No reason to be sent no visitors, but to be seen.
	behind = []string{"lagging: posts", "dead letters: 2"}
	if a := s.stranger().get("/readyz").want(200); a.body != "ok\nlagging: posts\ndead letters: 2\n" {
		t.Errorf("says %q", a.body)
	}
}

func TestTheLogTellsOfEachRequestAndOfNoPerson(t *testing.T) {
	s := newSite(t)
	ada := s.member("ada")
	p := ada.aPost("A title", "text")
	s.log.Reset()
	a := ada.get(p.Path() + "?secret=1").want(200)
	line := s.log.String()
	for _, want := range []string{"method=GET", "route=/posts/:id/:slug", "status=200", "duration=", "bytes=", "request_id=" + a.Header.Get("X-Request-Id")} {
		if !strings.Contains(line, want) {
			t.Errorf("no %s in %s", want, line)
		}
	}
	ada.post("/login", "username", "ada", "password", "hunter2 hunter2")
	for _, not := range []string{"ada", "hunter2", p.ID, "secret"} {
		if strings.Contains(s.log.String(), not) {
			t.Errorf("%q is in the log", not)
		}
	}
	t.Run("an id that the client sends is not taken", func(t *testing.T) {
		v := s.stranger()
		v.header.Set("X-Request-Id", "forged")
		if got := v.get("/").Header.Get("X-Request-Id"); got == "forged" || got == "" {
			t.Errorf("the id is %q", got)
		}
	})
	t.Run("files and health are for those who debug", func(t *testing.T) {
		s.log.Reset()
		s.stranger().get("/healthz")
		s.stranger().get("/favicon.svg")
		if strings.Contains(s.log.String(), "level=INFO") {
			t.Error(s.log)
		}
	})
}

func TestOverARealConnection(t *testing.T) {
	s := newSite(t)
	server := httptest.NewServer(s.handler)
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
