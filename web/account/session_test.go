package account_test

import (
	"bytes"
	"encoding/base64"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"inkfeed/domain"
	"inkfeed/web/webtest"
)

// only is the one session that there is.
func onlySession(d *webtest.Database, t *testing.T) domain.Session {
	t.Helper()
	sessions := d.Sessions()
	if len(sessions) != 1 {
		t.Fatalf("%d sessions", len(sessions))
	}
	return sessions[0]
}

// sleep lets time pass while the server and its database are stopped. The engine would look for expired items all
// the time, which takes minutes for a month in a bubble of synctest.
func sleep(s *webtest.Site, d time.Duration) {
	s.T.Helper()
	s.Data.Stop()
	time.Sleep(d)
	s.Data.Open()
	s.Restart(webtest.Config(s.Data, s.Log, webtest.KeyOne))
}

func TestSessionsAreKeptOnTheServer(t *testing.T) {
	t.Run("the cookie has a signed id, whose digest is kept", func(t *testing.T) {
		s := webtest.NewSite(t)
		ada := s.SignUp("ada")
		signed, err := base64.URLEncoding.DecodeString(ada.Cookies["inkfeed"])
		if err != nil {
			t.Fatal(err)
		}
		value, err := base64.URLEncoding.DecodeString(string(bytes.SplitN(signed, []byte("|"), 3)[1])) // time|value|signature
		if err != nil {
			t.Fatal(err)
		}
		id := string(value)
		user, secret := id[:strings.LastIndex(id, ".")], id[strings.LastIndex(id, ".")+1:]
		kept := onlySession(s.Data, t)
		if user != ada.User.ID || len(secret) < 26 || kept.ID != domain.SecretDigest(secret) || kept.UserID != user {
			t.Errorf("the cookie says %q, kept is %+v", id, kept)
		}
	})
	t.Run("each says where it was begun", func(t *testing.T) {
		s := webtest.NewSite(t)
		v := s.Anonymous()
		v.Header.Set("User-Agent", "Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:143.0) Gecko/20100101 Firefox/143.0")
		v.Post("/signup", "username", "ada", "password", webtest.Password).Want(303)
		if kept := onlySession(s.Data, t); kept.Device != "Firefox on Windows" || kept.Created.IsZero() || kept.LastUsed != kept.Created || kept.Confirmed != kept.Created {
			t.Errorf("kept is %+v", kept)
		}
	})
	t.Run("logging out ends it, also for whoever has kept the cookie", func(t *testing.T) {
		s := webtest.NewSite(t)
		ada := s.SignUp("ada")
		copied := s.Anonymous()
		copied.Cookies["inkfeed"] = ada.Cookies["inkfeed"]
		if !copied.IsSignedIn() {
			t.Fatal("a copied cookie is no session")
		}
		ada.Post("/logout").Want(303)
		if copied.IsSignedIn() || len(s.Data.Sessions()) != 0 {
			t.Error("the session goes on")
		}
	})
	t.Run("logging in ends the one that the browser had", func(t *testing.T) {
		s := webtest.NewSite(t)
		ada := s.SignUp("ada")
		before := onlySession(s.Data, t)
		ada.Post("/login", "username", "ada", "password", webtest.Password).Want(303)
		if after := onlySession(s.Data, t); after.ID == before.ID {
			t.Error("it is the same session")
		}
	})
	t.Run("one ended elsewhere ends here within seconds", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			s := webtest.NewSite(t)
			ada := s.SignUp("ada")
			if !ada.IsSignedIn() {
				t.Fatal("nobody is signed in")
			}
			s.Data.EndSessions() // what another server does
			time.Sleep(3 * time.Second)
			if ada.IsSignedIn() {
				t.Error("the session goes on")
			}
			ada.Get("/settings").WantRedirect(303, "/login?next=%2Fsettings")
		})
	})
	t.Run("a page and what it loads ask for it once", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			s := webtest.NewSite(t)
			ada := s.SignUp("ada")
			before := s.Data.Calls("Sessions.Get")
			for range 5 {
				ada.Get("/").Want(200)
			}
			if asked := s.Data.Calls("Sessions.Get") - before; asked != 1 {
				t.Errorf("it was asked %d times", asked)
			}
		})
	})
	t.Run("one that has ended is asked for a few times only", func(t *testing.T) {
		for _, ended := range []string{"here", "at another server"} {
			synctest.Test(t, func(t *testing.T) {
				s := webtest.NewLimitedSite(t, webtest.NewDatabase(t), webtest.NewCounters(), "read=50/1h")
				ada := s.SignUp("ada")
				copied := s.Anonymous()
				copied.Cookies["inkfeed"] = ada.Cookies["inkfeed"]
				if ended == "here" {
					ada.Post("/logout").Want(303)
				} else {
					time.Sleep(time.Minute)
					s.Data.EndSessions()
				}
				before := s.Data.Calls("Sessions.Get")
				for range 100 { // half of which are refused
					copied.Get("/settings")
				}
				if asked := s.Data.Calls("Sessions.Get") - before; asked > 3 {
					t.Errorf("ended %s: the storage was asked %d times", ended, asked)
				}
			})
		}
	})
	t.Run("one that is not found yet, just after it began, is asked for again", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			s := webtest.NewSite(t)
			ada := s.SignUp("ada")
			kept := onlySession(s.Data, t)
			s.Data.EndSessions() // a reading that is behind
			if ada.IsSignedIn() {
				t.Fatal("the session was found")
			}
			s.Data.Must(s.Data.Store.Sessions.Create(s.Data.Context(), kept))
			if !ada.IsSignedIn() {
				t.Error("the new session counts as ended")
			}
		})
	})
	t.Run("who is not signed in costs nothing", func(t *testing.T) {
		s := webtest.NewSite(t)
		s.Data.Fail("Sessions.Get")
		s.Anonymous().Get("/").Want(200)
		forged := s.Anonymous()
		forged.Cookies["inkfeed"] = base64.URLEncoding.EncodeToString([]byte("1|" + domain.NewUserID(nil) + ".x|y"))
		forged.Get("/").Want(200)
		if s.Data.Calls("Sessions.Get") != 0 {
			t.Error("the store was asked")
		}
	})
}

func TestTheUseOfASession(t *testing.T) {
	t.Run("is noted every five minutes at most", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			s := webtest.NewSite(t)
			ada := s.SignUp("ada")
			begun := onlySession(s.Data, t).LastUsed
			for range 9 {
				time.Sleep(time.Minute)
				ada.Get("/").Want(200)
			}
			if calls := s.Data.Calls("Sessions.Touch"); calls != 1 {
				t.Errorf("%d times in nine minutes", calls)
			}
			if used := onlySession(s.Data, t).LastUsed.Sub(begun); used != 5*time.Minute {
				t.Errorf("last used after %s", used)
			}
		})
	})
	t.Run("is in nobody's way when it cannot be noted", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			s := webtest.NewSite(t)
			ada := s.SignUp("ada")
			s.Data.Fail("Sessions.Touch")
			time.Sleep(10 * time.Minute)
			for range 2 {
				if !ada.IsSignedIn() {
					t.Error("signed out")
				}
			}
			if n := s.Data.Calls("Sessions.Touch"); n != 1 {
				t.Errorf("tried %d times", n)
			}
		})
	})
	t.Run("finds out that it has just ended", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			s := webtest.NewSite(t)
			ada := s.SignUp("ada")
			time.Sleep(10 * time.Minute)
			s.Data.Before("Sessions.Touch", s.Data.EndSessions)
			if ada.IsSignedIn() {
				t.Error("the session goes on")
			}
		})
	})
	t.Run("lets it last, in the browser too", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			s := webtest.NewSite(t)
			ada := s.SignUp("ada")
			given := 0
			for range 4 * 40 { // forty days
				sleep(s, 6*time.Hour)
				a := ada.Get("/").Want(200).Has("header .me", "@ada")
				for _, c := range a.Cookies() {
					given++
					if c.MaxAge != int(domain.SessionTime.Seconds()) || !c.HttpOnly {
						t.Errorf("given %v", c)
					}
				}
			}
			if given != 40 {
				t.Errorf("the cookie was given %d times", given)
			}
			sleep(s, domain.SessionTime)
			if ada.IsSignedIn() {
				t.Error("it lasts for ever")
			}
		})
	})
}

func TestWhenSessionsCannotBeAskedFor(t *testing.T) {
	s := webtest.NewSite(t)
	ada := s.SignUp("ada")
	p := ada.CreatePost("A title", "text")
	t.Run("nobody looks signed out", func(t *testing.T) {
		s.Data.Fail("Sessions.Get")
		defer s.Data.Recover("Sessions.Get")
		for _, path := range []string{"/", p.Path(), "/settings", "/new", "/login"} {
			if a := ada.Get(path).Want(503).Has("h1", "Temporarily unavailable"); a.Header.Get("Retry-After") == "" {
				t.Errorf("%s: no word when to try again", path)
			}
		}
		if ada.Cookies["inkfeed"] == "" {
			t.Error("the cookie is gone")
		}
	})
	t.Run("a form keeps its text", func(t *testing.T) {
		s.Data.Fail("Sessions.Get")
		defer s.Data.Recover("Sessions.Get")
		a := ada.Post("/posts/"+p.ID+"/comments", "content", "precious").Want(503).Has(`[role="alert"]`, "couldn't save")
		a.Has("textarea", "precious")
		if a := ada.Post("/posts", "title", "A title", "content", "dear").Want(503); a.Value("content") != "dear" {
			t.Error("the post is lost")
		}
	})
	t.Run("nobody is told to be logged out who is not", func(t *testing.T) {
		s.Data.Fail("Sessions.Delete")
		defer s.Data.Recover("Sessions.Delete")
		ada.Post("/logout").Want(503)
		if ada.Cookies["inkfeed"] == "" || !ada.IsSignedIn() {
			t.Error("the cookie is gone, and the session goes on")
		}
	})
	t.Run("a log-in says so, and the form comes back", func(t *testing.T) {
		s.Data.Fail("Sessions.Create")
		defer s.Data.Recover("Sessions.Create")
		v := s.Anonymous()
		if a := v.Post("/login", "username", "ada", "password", webtest.Password).Want(503); a.Value("username") != "ada" || v.Cookies["inkfeed"] != "" {
			t.Error("the form is empty, or there is a cookie")
		}
	})
	t.Run("a sign-up says that the account is there", func(t *testing.T) {
		s.Data.Fail("Sessions.Create")
		defer s.Data.Recover("Sessions.Create")
		s.Anonymous().Post("/signup", "username", "ben", "password", webtest.Password).Want(503).Has("main", "Your account was created")
	})
}

// FuzzSessionCookie: whatever a browser sends, nobody is signed in by what was not signed
// here, and nothing fails.
func FuzzSessionCookie(f *testing.F) {
	s := webtest.NewSite(f)
	s.SignUp("ada")
	for _, seed := range []string{"", "x", ".", "u.1.2", strings.Repeat("A", 5000), "MTc1fHUuYS5ifGM=", "\"quoted\"", "a=b; inkfeed=c"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, cookie string) {
		r := httptest.NewRequest(http.MethodGet, "/settings", nil)
		r.Header.Set("Cookie", "inkfeed="+strings.ToValidUTF8(cookie, ""))
		w := httptest.NewRecorder()
		s.Handler.ServeHTTP(w, r)
		if w.Code != http.StatusSeeOther {
			t.Errorf("status %d", w.Code)
		}
	})
}
