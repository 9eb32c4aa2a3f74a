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

// onlySession returns the only stored session.
func onlySession(d *webtest.Database, t *testing.T) domain.Session {
	t.Helper()
	sessions := d.Sessions()
	if len(sessions) != 1 {
		t.Fatalf("%d sessions", len(sessions))
	}
	return sessions[0]
}

// sleep advances the time while the server and its database are stopped. Otherwise the engine would look for expired
// items all the time. For a month in a synctest bubble that takes minutes.
func sleep(s *webtest.Site, d time.Duration) {
	s.T.Helper()
	s.Data.Stop()
	time.Sleep(d)
	s.Data.Open()
	s.Restart(webtest.Config(s.Data, s.Log, webtest.KeyOne))
}

func TestSessionsAreStoredOnTheServer(t *testing.T) {
	t.Run("under the digest of the id in the signed cookie", func(t *testing.T) {
		s := webtest.NewSite(t)
		ada := s.SignUp("ada")
		signed, err := base64.URLEncoding.DecodeString(ada.Cookies["inkfeed"])
		if err != nil {
			t.Fatal(err)
		}
		// time|value|signature
		value, err := base64.URLEncoding.DecodeString(string(bytes.SplitN(signed, []byte("|"), 3)[1]))
		if err != nil {
			t.Fatal(err)
		}
		id := string(value)
		user, secret := id[:strings.LastIndex(id, ".")], id[strings.LastIndex(id, ".")+1:]
		stored := onlySession(s.Data, t)
		if user != ada.User.ID || len(secret) < 26 || stored.ID != domain.SecretDigest(secret) ||
			stored.UserID != user {
			t.Errorf("the cookie has the id %q, but the session is %+v", id, stored)
		}
	})
	t.Run("with device and times", func(t *testing.T) {
		s := webtest.NewSite(t)
		v := s.Anonymous()
		v.Header.Set("User-Agent", "Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:143.0) Gecko/20100101 Firefox/143.0")
		v.Post("/signup", "username", "ada", "password", webtest.Password).Want(303)
		if got := onlySession(s.Data, t); got.Device != "Firefox on Windows" || got.Created.IsZero() ||
			got.LastUsed != got.Created || got.Confirmed != got.Created {
			t.Errorf("the session is %+v", got)
		}
	})
	t.Run("so logging out ends them for copied cookies too", func(t *testing.T) {
		s := webtest.NewSite(t)
		ada := s.SignUp("ada")
		copied := s.Anonymous()
		copied.Cookies["inkfeed"] = ada.Cookies["inkfeed"]
		if !copied.IsSignedIn() {
			t.Fatal("the copied cookie is not signed in")
		}
		ada.Post("/logout").Want(303)
		if copied.IsSignedIn() || len(s.Data.Sessions()) != 0 {
			t.Error("the session is still valid")
		}
	})
	t.Run("and a log-in replaces the session of the browser", func(t *testing.T) {
		s := webtest.NewSite(t)
		ada := s.SignUp("ada")
		before := onlySession(s.Data, t)
		ada.Post("/login", "username", "ada", "password", webtest.Password).Want(303)
		if after := onlySession(s.Data, t); after.ID == before.ID {
			t.Error("the session is the same")
		}
	})
	t.Run("and end within seconds on other servers", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			s := webtest.NewSite(t)
			ada := s.SignUp("ada")
			if !ada.IsSignedIn() {
				t.Fatal("ada is not signed in")
			}
			s.Data.EndSessions() // as another server would
			time.Sleep(3 * time.Second)
			if ada.IsSignedIn() {
				t.Error("the session is still valid")
			}
			ada.Get("/settings").WantRedirect(303, "/login?next=%2Fsettings")
		})
	})
	t.Run("and are read once for a page with its assets", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			s := webtest.NewSite(t)
			ada := s.SignUp("ada")
			before := s.Data.Calls("Sessions.Get")
			for range 5 {
				ada.Get("/").Want(200)
			}
			if asked := s.Data.Calls("Sessions.Get") - before; asked != 1 {
				t.Errorf("the session was read %d times", asked)
			}
		})
	})
	t.Run("and ended ones are read a few times only", func(t *testing.T) {
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
				for range 100 { // half of these are refused
					copied.Get("/settings")
				}
				if asked := s.Data.Calls("Sessions.Get") - before; asked > 3 {
					t.Errorf("ended %s: the session was read %d times", ended, asked)
				}
			})
		}
	})
	t.Run("and read again if a new one is not found yet", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			s := webtest.NewSite(t)
			ada := s.SignUp("ada")
			stored := onlySession(s.Data, t)
			s.Data.EndSessions() // as if a read were outdated
			if ada.IsSignedIn() {
				t.Fatal("the session was found")
			}
			s.Data.Must(s.Data.Store.Sessions.Create(s.Data.Context(), stored))
			if !ada.IsSignedIn() {
				t.Error("the new session is treated as ended")
			}
		})
	})
	t.Run("and not read for anonymous visitors and forged cookies", func(t *testing.T) {
		s := webtest.NewSite(t)
		s.Data.Fail("Sessions.Get")
		s.Anonymous().Get("/").Want(200)
		forged := s.Anonymous()
		forged.Cookies["inkfeed"] = base64.URLEncoding.EncodeToString([]byte("1|" + domain.NewUserID(nil) + ".x|y"))
		forged.Get("/").Want(200)
		if s.Data.Calls("Sessions.Get") != 0 {
			t.Error("the sessions were read")
		}
	})
}

func TestSessionsRecordTheirUse(t *testing.T) {
	t.Run("at most every five minutes", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			s := webtest.NewSite(t)
			ada := s.SignUp("ada")
			begun := onlySession(s.Data, t).LastUsed
			for range 9 {
				time.Sleep(time.Minute)
				ada.Get("/").Want(200)
			}
			if calls := s.Data.Calls("Sessions.Touch"); calls != 1 {
				t.Errorf("recorded %d times in nine minutes", calls)
			}
			if used := onlySession(s.Data, t).LastUsed.Sub(begun); used != 5*time.Minute {
				t.Errorf("last used after %s", used)
			}
		})
	})
	t.Run("without signing out if that fails", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			s := webtest.NewSite(t)
			ada := s.SignUp("ada")
			s.Data.Fail("Sessions.Touch")
			time.Sleep(10 * time.Minute)
			for range 2 {
				if !ada.IsSignedIn() {
					t.Error("the user is signed out")
				}
			}
			if n := s.Data.Calls("Sessions.Touch"); n != 1 {
				t.Errorf("tried %d times", n)
			}
		})
	})
	t.Run("and the day on which their user was last active, once a day", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			s := webtest.NewSite(t)
			ada := s.SignUp("ada")
			second := s.Anonymous()
			second.LogIn("ada", webtest.Password).Want(303)
			for _, hours := range []int{0, 1, 11, 13, 12, 24} {
				sleep(s, time.Duration(hours)*time.Hour)
				for _, v := range []*webtest.Visitor{ada, second} {
					v.Get("/").Want(200)
				}
				if day := s.User("ada").Active; day != domain.ActiveDayOf(time.Now()) {
					t.Errorf("active on %q, it is %s", day, time.Now())
				}
			}
			if calls := s.Data.Calls("Sessions.RecordActivity"); calls != 6 { // two sessions, three days
				t.Errorf("recorded %d times", calls)
			}
			s.Data.Fail("Sessions.RecordActivity")
			sleep(s, 24*time.Hour)
			ada.Get("/").Want(200).Has("header .me", "@ada")
		})
	})
	t.Run("and notice that they have just ended", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			s := webtest.NewSite(t)
			ada := s.SignUp("ada")
			time.Sleep(10 * time.Minute)
			s.Data.Before("Sessions.Touch", s.Data.EndSessions)
			if ada.IsSignedIn() {
				t.Error("the session is still valid")
			}
		})
	})
	t.Run("and are extended, in the browser too", func(t *testing.T) {
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
						t.Errorf("the cookie is %v", c)
					}
				}
			}
			if given != 40 {
				t.Errorf("the cookie was sent %d times, want 40", given)
			}
			sleep(s, domain.SessionTime)
			if ada.IsSignedIn() {
				t.Error("the session has not expired")
			}
		})
	})
}

func TestFailuresOfTheSessionStore(t *testing.T) {
	s := webtest.NewSite(t)
	ada := s.SignUp("ada")
	p := ada.CreatePost("A title", "text")
	t.Run("answer 503 instead of signing users out", func(t *testing.T) {
		s.Data.Fail("Sessions.Get")
		defer s.Data.Recover("Sessions.Get")
		for _, path := range []string{"/", p.Path(), "/settings", "/new", "/login"} {
			a := ada.Get(path).Want(503).Has("h1", "Temporarily unavailable")
			if a.Header.Get("Retry-After") == "" {
				t.Errorf("%s: Retry-After is missing", path)
			}
		}
		if ada.Cookies["inkfeed"] == "" {
			t.Error("the cookie was deleted")
		}
	})
	t.Run("return forms with their text", func(t *testing.T) {
		s.Data.Fail("Sessions.Get")
		defer s.Data.Recover("Sessions.Get")
		a := ada.Post("/posts/"+p.ID+"/comments", "content", "precious").Want(503).
			Has(`[role="alert"]`, "couldn't save")
		a.Has("textarea", "precious")
		if a := ada.Post("/posts", "title", "A title", "content", "dear").Want(503); a.Value("content") != "dear" {
			t.Error("the post is lost")
		}
	})
	t.Run("keep the session of a user who logs out", func(t *testing.T) {
		s.Data.Fail("Sessions.Delete")
		defer s.Data.Recover("Sessions.Delete")
		ada.Post("/logout").Want(503)
		if ada.Cookies["inkfeed"] == "" || !ada.IsSignedIn() {
			t.Error("the cookie was deleted, but the session is still valid")
		}
	})
	t.Run("show the log-in form again", func(t *testing.T) {
		s.Data.Fail("Sessions.Create")
		defer s.Data.Recover("Sessions.Create")
		v := s.Anonymous()
		a := v.Post("/login", "username", "ada", "password", webtest.Password).Want(503)
		if a.Value("username") != "ada" || v.Cookies["inkfeed"] != "" {
			t.Error("the username is lost, or the browser has a cookie")
		}
	})
	t.Run("tell a new user that the account was created", func(t *testing.T) {
		s.Data.Fail("Sessions.Create")
		defer s.Data.Recover("Sessions.Create")
		s.Anonymous().Post("/signup", "username", "ben", "password", webtest.Password).Want(503).
			Has("main", "Your account was created")
	})
}

// FuzzSessionCookie checks that no unsigned cookie signs a user in or causes a failure.
func FuzzSessionCookie(f *testing.F) {
	s := webtest.NewSite(f)
	s.SignUp("ada")
	for _, seed := range []string{
		"", "x", ".", "u.1.2", strings.Repeat("A", 5000), "MTc1fHUuYS5ifGM=", "\"quoted\"", "a=b; inkfeed=c",
	} {
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
