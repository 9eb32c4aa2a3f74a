package web_test

import (
	"bytes"
	"encoding/base64"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"inkfeed/domain"
)

// only is the one session that there is.
func onlySession(d *database, t *testing.T) domain.Session {
	t.Helper()
	sessions := d.sessions()
	if len(sessions) != 1 {
		t.Fatalf("%d sessions", len(sessions))
	}
	return sessions[0]
}

// sleep lets time pass while the server and its database are stopped. The engine would look for expired items all
// the time, which takes minutes for a month in a bubble of synctest.
func sleep(s *site, d time.Duration) {
	s.t.Helper()
	s.data.stop()
	time.Sleep(d)
	s.data.open()
	s.restart(config(s.data, s.log, keyOne))
}

// cookie is one that an answer gives, the last one of that name.
func (a *answer) cookie(name string) *http.Cookie {
	a.t.Helper()
	for _, c := range slices.Backward(a.Cookies()) {
		if c.Name == name {
			return c
		}
	}
	a.t.Fatalf("%s: there is no cookie %s", a.what, name)
	return nil
}

// signedIn reports whether pages know the visitor.
func (v *visitor) signedIn() bool {
	v.t.Helper()
	return v.get("/").want(200).page().Find("header .me").Length() == 1
}

func TestSessionsAreKeptOnTheServer(t *testing.T) {
	t.Run("the cookie has a signed id, whose digest is kept", func(t *testing.T) {
		s := newSite(t)
		ada := s.member("ada")
		signed, err := base64.URLEncoding.DecodeString(ada.cookies["inkfeed"])
		if err != nil {
			t.Fatal(err)
		}
		value, err := base64.URLEncoding.DecodeString(string(bytes.SplitN(signed, []byte("|"), 3)[1])) // time|value|signature
		if err != nil {
			t.Fatal(err)
		}
		id := string(value)
		user, secret := id[:strings.LastIndex(id, ".")], id[strings.LastIndex(id, ".")+1:]
		kept := onlySession(s.data, t)
		if user != ada.user.ID || len(secret) < 26 || kept.ID != domain.SecretDigest(secret) || kept.UserID != user {
			t.Errorf("the cookie says %q, kept is %+v", id, kept)
		}
	})
	t.Run("each says where it was begun", func(t *testing.T) {
		s := newSite(t)
		v := s.stranger()
		v.header.Set("User-Agent", "Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:143.0) Gecko/20100101 Firefox/143.0")
		v.post("/signup", "username", "ada", "password", password).want(303)
		if kept := onlySession(s.data, t); kept.Device != "Firefox on Windows" || kept.Created.IsZero() || kept.LastUsed != kept.Created || kept.Confirmed != kept.Created {
			t.Errorf("kept is %+v", kept)
		}
	})
	t.Run("logging out ends it, also for whoever has kept the cookie", func(t *testing.T) {
		s := newSite(t)
		ada := s.member("ada")
		copied := s.stranger()
		copied.cookies["inkfeed"] = ada.cookies["inkfeed"]
		if !copied.signedIn() {
			t.Fatal("a copied cookie is no session")
		}
		ada.post("/logout").want(303)
		if copied.signedIn() || len(s.data.sessions()) != 0 {
			t.Error("the session goes on")
		}
	})
	t.Run("logging in ends the one that the browser had", func(t *testing.T) {
		s := newSite(t)
		ada := s.member("ada")
		before := onlySession(s.data, t)
		ada.post("/login", "username", "ada", "password", password).want(303)
		if after := onlySession(s.data, t); after.ID == before.ID {
			t.Error("it is the same session")
		}
	})
	t.Run("one ended elsewhere ends here within seconds", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			s := newSite(t)
			ada := s.member("ada")
			if !ada.signedIn() {
				t.Fatal("nobody is signed in")
			}
			s.data.endSessions() // what another server does
			time.Sleep(3 * time.Second)
			if ada.signedIn() {
				t.Error("the session goes on")
			}
			ada.get("/settings").wantRedirect(303, "/login?next=%2Fsettings")
		})
	})
	t.Run("a page and what it loads ask for it once", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			s := newSite(t)
			ada := s.member("ada")
			before := s.data.calls("Sessions.Get")
			for range 5 {
				ada.get("/").want(200)
			}
			if asked := s.data.calls("Sessions.Get") - before; asked != 1 {
				t.Errorf("it was asked %d times", asked)
			}
		})
	})
	t.Run("one that has ended is asked for a few times only", func(t *testing.T) {
		for _, ended := range []string{"here", "at another server"} {
			synctest.Test(t, func(t *testing.T) {
				s := limited(t, newDatabase(t), newCounters(), "read=50/1h")
				ada := s.member("ada")
				copied := s.stranger()
				copied.cookies["inkfeed"] = ada.cookies["inkfeed"]
				if ended == "here" {
					ada.post("/logout").want(303)
				} else {
					time.Sleep(time.Minute)
					s.data.endSessions()
				}
				before := s.data.calls("Sessions.Get")
				for range 100 { // half of which are refused
					copied.get("/settings")
				}
				if asked := s.data.calls("Sessions.Get") - before; asked > 3 {
					t.Errorf("ended %s: the storage was asked %d times", ended, asked)
				}
			})
		}
	})
	t.Run("one that is not found yet, just after it began, is asked for again", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			s := newSite(t)
			ada := s.member("ada")
			kept := onlySession(s.data, t)
			s.data.endSessions() // a reading that is behind
			if ada.signedIn() {
				t.Fatal("the session was found")
			}
			s.data.must(s.data.store.Sessions.Create(s.data.ctx(), kept))
			if !ada.signedIn() {
				t.Error("the new session counts as ended")
			}
		})
	})
	t.Run("who is not signed in costs nothing", func(t *testing.T) {
		s := newSite(t)
		s.data.fail("Sessions.Get")
		s.stranger().get("/").want(200)
		forged := s.stranger()
		forged.cookies["inkfeed"] = base64.URLEncoding.EncodeToString([]byte("1|" + domain.NewUserID(nil) + ".x|y"))
		forged.get("/").want(200)
		if s.data.calls("Sessions.Get") != 0 {
			t.Error("the store was asked")
		}
	})
}

func TestTheUseOfASession(t *testing.T) {
	t.Run("is noted every five minutes at most", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			s := newSite(t)
			ada := s.member("ada")
			begun := onlySession(s.data, t).LastUsed
			for range 9 {
				time.Sleep(time.Minute)
				ada.get("/").want(200)
			}
			if calls := s.data.calls("Sessions.Touch"); calls != 1 {
				t.Errorf("%d times in nine minutes", calls)
			}
			if used := onlySession(s.data, t).LastUsed.Sub(begun); used != 5*time.Minute {
				t.Errorf("last used after %s", used)
			}
		})
	})
	t.Run("is in nobody's way when it cannot be noted", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			s := newSite(t)
			ada := s.member("ada")
			s.data.fail("Sessions.Touch")
			time.Sleep(10 * time.Minute)
			for range 2 {
				if !ada.signedIn() {
					t.Error("signed out")
				}
			}
			if n := s.data.calls("Sessions.Touch"); n != 1 {
				t.Errorf("tried %d times", n)
			}
		})
	})
	t.Run("finds out that it has just ended", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			s := newSite(t)
			ada := s.member("ada")
			time.Sleep(10 * time.Minute)
			s.data.before("Sessions.Touch", s.data.endSessions)
			if ada.signedIn() {
				t.Error("the session goes on")
			}
		})
	})
	t.Run("lets it last, in the browser too", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			s := newSite(t)
			ada := s.member("ada")
			given := 0
			for range 4 * 40 { // forty days
				sleep(s, 6*time.Hour)
				a := ada.get("/").want(200).has("header .me", "@ada")
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
			if ada.signedIn() {
				t.Error("it lasts for ever")
			}
		})
	})
}

func TestWhenSessionsCannotBeAskedFor(t *testing.T) {
	s := newSite(t)
	ada := s.member("ada")
	p := ada.aPost("A title", "text")
	t.Run("nobody looks signed out", func(t *testing.T) {
		s.data.fail("Sessions.Get")
		defer s.data.recover("Sessions.Get")
		for _, path := range []string{"/", p.Path(), "/settings", "/new", "/login"} {
			if a := ada.get(path).want(503).has("h1", "Temporarily unavailable"); a.Header.Get("Retry-After") == "" {
				t.Errorf("%s: no word when to try again", path)
			}
		}
		if ada.cookies["inkfeed"] == "" {
			t.Error("the cookie is gone")
		}
	})
	t.Run("a form keeps its text", func(t *testing.T) {
		s.data.fail("Sessions.Get")
		defer s.data.recover("Sessions.Get")
		a := ada.post("/posts/"+p.ID+"/comments", "content", "precious").want(503).has(`[role="alert"]`, "couldn't save")
		a.has("textarea", "precious")
		if a := ada.post("/posts", "title", "A title", "content", "dear").want(503); a.Value("content") != "dear" {
			t.Error("the post is lost")
		}
	})
	t.Run("nobody is told to be logged out who is not", func(t *testing.T) {
		s.data.fail("Sessions.Delete")
		defer s.data.recover("Sessions.Delete")
		ada.post("/logout").want(503)
		if ada.cookies["inkfeed"] == "" || !ada.signedIn() {
			t.Error("the cookie is gone, and the session goes on")
		}
	})
	t.Run("a log-in says so, and the form comes back", func(t *testing.T) {
		s.data.fail("Sessions.Create")
		defer s.data.recover("Sessions.Create")
		v := s.stranger()
		if a := v.post("/login", "username", "ada", "password", password).want(503); a.Value("username") != "ada" || v.cookies["inkfeed"] != "" {
			t.Error("the form is empty, or there is a cookie")
		}
	})
	t.Run("a sign-up says that the account is there", func(t *testing.T) {
		s.data.fail("Sessions.Create")
		defer s.data.recover("Sessions.Create")
		s.stranger().post("/signup", "username", "ben", "password", password).want(503).has("main", "Your account was created")
	})
}

// FuzzSessionCookie: whatever a browser sends, nobody is signed in by what was not signed
// here, and nothing fails.
func FuzzSessionCookie(f *testing.F) {
	s := newSite(f)
	s.member("ada")
	for _, seed := range []string{"", "x", ".", "u.1.2", strings.Repeat("A", 5000), "MTc1fHUuYS5ifGM=", "\"quoted\"", "a=b; inkfeed=c"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, cookie string) {
		r := httptest.NewRequest(http.MethodGet, "/settings", nil)
		r.Header.Set("Cookie", "inkfeed="+strings.ToValidUTF8(cookie, ""))
		w := httptest.NewRecorder()
		s.handler.ServeHTTP(w, r)
		if w.Code != http.StatusSeeOther {
			t.Errorf("status %d", w.Code)
		}
	})
}
