package web_test

import (
	"bytes"
	"context"
	"net/http"
	"strings"
	"testing"
	"time"

	"inkfeed/web"
)

func TestSignup(t *testing.T) {
	t.Run("signs in", func(t *testing.T) {
		ada := newSite(t).member("ada")
		ada.get("/").want(200).has(`header a[href="/@ada"]`, "@ada").has(`header form[action="/logout"]`, "Log out")
	})
	t.Run("names each bad field and keeps the username", func(t *testing.T) {
		a := newSite(t).stranger().post("/signup", "username", "a b", "password", "short", "next", "/new").want(422)
		a.complains("username", "Use letters").complains("password", "at least 8 characters")
		if a.Value("username") != "a b" || a.Value("next") != "/new" {
			t.Errorf("the form holds %q, %q", a.Value("username"), a.Value("next"))
		}
		if !strings.Contains(a.Header.Get("Cache-Control"), "no-store") {
			t.Error("the form may be stored")
		}
	})
	t.Run("puts the cursor into the first field to mend", func(t *testing.T) {
		a := newSite(t).stranger().post("/signup", "username", "ada", "password", "short").want(422)
		a.has("#password[autofocus]", "").hasNo("#username[autofocus]")
	})
	t.Run("never shows a password again", func(t *testing.T) {
		a := newSite(t).stranger().post("/signup", "username", "", "password", "a secret that was typed").want(422)
		if strings.Contains(a.body, "a secret") {
			t.Error("the password is in the page")
		}
	})
	t.Run("says that a name is taken, in any case", func(t *testing.T) {
		s := newSite(t)
		s.member("ada")
		s.stranger().post("/signup", "username", "ADA", "password", password).want(422).complains("username", "is taken")
	})
	t.Run("leads on", func(t *testing.T) {
		newSite(t).stranger().post("/signup", "username", "ada", "password", password, "next", "/new").wantRedirect(303, "/new")
	})
	t.Run("tells the first one who administers the site", func(t *testing.T) {
		s := newSiteOn(t, newVacantDatabase(t), keyOne)
		ada := s.stranger()
		a := ada.post("/signup", "username", "ada", "password", password).wantRedirect(303, "/admin/settings?first=yes")
		ada.get(a.Header.Get("Location")).want(200).has(`[role="status"]`, "you're the administrator")
		s.stranger().post("/signup", "username", "ben", "password", password).wantRedirect(303, "/")
	})
	t.Run("tells them also where an address is to be verified", func(t *testing.T) {
		s := newSiteOn(t, newVacantDatabase(t), keyOne)
		ada, ben := s.stranger(), s.stranger()
		ada.post("/signup", "username", "ada", "password", password, "email", "ada@example.org").wantRedirect(303, "/settings/email?asked=yes&first=yes")
		ada.get("/settings/email?asked=yes&first=yes").want(200).has(`[role="status"]:contains("first")`, "you're the administrator")
		ben.post("/signup", "username", "ben", "password", password, "email", "ben@example.org").wantRedirect(303, "/settings/email?asked=yes")
		if strings.Contains(ben.get("/settings/email?asked=yes&first=yes").want(200).body, "the administrator") {
			t.Error("ben is told so, too")
		}
	})
	t.Run("a member is sent on", func(t *testing.T) {
		newSite(t).member("ada").get("/signup").wantRedirect(303, "/")
	})
	t.Run("a conflict brings the form back and says why", func(t *testing.T) {
		s := newSite(t)
		s.data.failWrites("Users.SignUp", statusConflict)
		a := s.stranger().post("/signup", "username", "ada", "password", password).want(409).has(`[role="alert"]`, "just become available")
		if a.Value("username") != "ada" {
			t.Error("what was typed is lost")
		}
	})
	t.Run("a busy store brings the form back", func(t *testing.T) {
		s := newSite(t)
		s.data.fail("Users.SignUp")
		a := s.stranger().post("/signup", "username", "ada", "password", password).want(503)
		if a.Header.Get("Retry-After") == "" || a.Value("username") != "ada" {
			t.Error("no form, or no word when to try again")
		}
	})
}

func TestLogin(t *testing.T) {
	s := newSite(t)
	s.member("ada")
	t.Run("signs in, by the name in any case", func(t *testing.T) {
		for _, name := range []string{"ada", "Ada", " ada "} {
			v := s.stranger()
			v.post("/login", "username", name, "password", password).wantRedirect(303, "/")
			v.get("/settings").want(200)
		}
	})
	t.Run("says no more than that the two do not match", func(t *testing.T) {
		var said []string
		for _, pair := range [][2]string{{"ada", "wrong password"}, {"nobody", password}, {"no body!", password},
			{"ada", "short"}, {"ada", strings.Repeat("x", 5000)}} {
			v := s.stranger()
			a := v.post("/login", "username", pair[0], "password", pair[1]).want(422)
			a.complains("password", "Wrong username or password")
			if a.Value("username") != pair[0] || a.Value("password") != "" || len(v.cookies) != 0 {
				t.Errorf("%s: the form holds %q, %q", pair[0], a.Value("username"), a.Value("password"))
			}
			said = append(said, strings.ReplaceAll(a.body, pair[0], ""))
		}
		for _, one := range said[1:] {
			if one != said[0] {
				t.Error("the answers differ")
			}
		}
	})
	t.Run("does not hash what is too long to be a password", func(t *testing.T) {
		before := s.data.calls("Users.AccountByName")
		s.stranger().post("/login", "username", "ada", "password", strings.Repeat("x", 1<<20)).want(422)
		if s.data.calls("Users.AccountByName") != before {
			t.Error("the store was asked")
		}
	})
	t.Run("names what is missing", func(t *testing.T) {
		s.stranger().post("/login").want(422).complains("username", "Enter").complains("password", "Enter")
	})
	t.Run("leads to where the visitor was going", func(t *testing.T) {
		next := s.stranger().get("/new").want(303).Header.Get("Location")
		a := s.stranger().get(next).want(200)
		if a.Value("next") != "/new" {
			t.Fatalf("the form leads to %q", a.Value("next"))
		}
		s.stranger().post("/login", "username", "ada", "password", password, "next", a.Value("next")).wantRedirect(303, "/new")
		s.stranger().post("/login", "username", "ada", "password", "wrong password", "next", "/new").want(422).
			has(`input[name="next"][value="/new"]`, "")
	})
	t.Run("the address in any script comes out encoded", func(t *testing.T) {
		s.stranger().post("/login", "username", "ada", "password", password, "next", "/posts/x/猫?a=b").
			wantRedirect(303, "/posts/x/%E7%8C%AB?a=b")
	})
	t.Run("does not lead off the site", func(t *testing.T) {
		for _, next := range []string{"https://evil.example", "//evil.example", "/\\evil.example", "\\/evil.example",
			"/\t/evil.example", "/\n/evil.example", "javascript:alert(1)", "evil.example", "@evil.example", " //evil.example",
			"/%5cevil.example\r\nX: y", "///evil.example", "/a//evil.example", "http:/evil.example", "/" + strings.Repeat("a", 3000)} {
			s.stranger().post("/login", "username", "ada", "password", password, "next", next).wantRedirect(303, "/")
		}
		s.stranger().get("/login?next=//evil.example").want(200).hasNo(`[name="next"]`)
	})
	t.Run("a member is sent on", func(t *testing.T) {
		ada := s.stranger()
		ada.post("/login", "username", "ada", "password", password).want(303)
		ada.get("/login?next=/new").wantRedirect(303, "/new")
		ada.get("/login?next=//evil.example").wantRedirect(303, "/")
	})
}

func TestSession(t *testing.T) {
	t.Run("is new at each log-in", func(t *testing.T) {
		v := newSite(t).member("ada")
		before := v.cookies["inkfeed"]
		v.post("/login", "username", "ada", "password", password).want(303)
		if v.cookies["inkfeed"] == before {
			t.Error("the same cookie")
		}
	})
	t.Run("keeps nothing of one planted before", func(t *testing.T) {
		s := newSite(t)
		mallory := s.member("mallory")
		s.member("ada")
		victim := s.stranger()
		victim.cookies["inkfeed"] = mallory.cookies["inkfeed"]
		victim.post("/login", "username", "ada", "password", password).want(303)
		victim.get("/").has("header .me", "@ada")
		mallory.get("/").has(`header a[href="/login"]`, "Log in") // hers was in that browser, and has ended
	})
	t.Run("ends", func(t *testing.T) {
		v := newSite(t).member("ada")
		a := v.post("/logout").wantRedirect(303, "/")
		if got := a.Header.Get("Clear-Site-Data"); got != `"cache"` {
			t.Errorf("Clear-Site-Data is %q", got)
		}
		if c := a.Cookies()[0]; c.MaxAge >= 0 || c.Value == "" && c.Path != "/" {
			t.Errorf("cookie %v", c)
		}
		v.get("/settings").wantRedirect(303, "/login?next=%2Fsettings")
	})
	t.Run("is in a cookie that scripts and other sites do not get", func(t *testing.T) {
		s := newSite(t)
		c := s.stranger().post("/signup", "username", "ada", "password", password).cookie("inkfeed")
		if c.Name != "inkfeed" || !c.HttpOnly || c.SameSite != http.SameSiteLaxMode || c.Path != "/" || c.Secure ||
			c.MaxAge != int((30*24*time.Hour).Seconds()) {
			t.Errorf("cookie %v", c)
		}
		behind := s.stranger()
		behind.header.Set("X-Forwarded-Proto", "https")
		c = behind.post("/login", "username", "ada", "password", password).cookie("__Host-inkfeed")
		if c.Name != "__Host-inkfeed" || !c.Secure || c.Path != "/" || c.Domain != "" || !c.HttpOnly {
			t.Errorf("behind TLS the cookie is %v", c)
		}
		behind.get("/settings").want(200)
		behind.cookies["inkfeed"] = behind.cookies["__Host-inkfeed"]
		delete(behind.cookies, "__Host-inkfeed")
		behind.get("/settings").want(303) // a plain cookie can be planted by whoever is on the line
	})
	t.Run("a cookie that is broken signs nobody in", func(t *testing.T) {
		s := newSite(t)
		v := s.member("ada")
		good := v.cookies["inkfeed"]
		flipped := []byte(good)
		flipped[len(flipped)/2] ^= 1
		for _, cookie := range []string{"", "x", string(flipped), good[:len(good)-4], good + "AAAA", strings.Repeat("A", 4000)} {
			v.cookies["inkfeed"] = cookie
			v.get("/").want(200).has(`header a[href="/login"]`, "Log in")
		}
	})
	t.Run("of a user who is gone signs nobody in", func(t *testing.T) {
		s := newSite(t)
		v := s.member("ada")
		s.data.must(s.data.store.Users.Delete(s.data.ctx(), v.user.ID))
		v.get("/").want(200).has(`header a[href="/login"]`, "Log in")
	})
	t.Run("survives a new key while the old one is kept, and no longer", func(t *testing.T) {
		old := newSite(t)
		v := old.member("ada")
		for name, c := range map[string]struct {
			keys [][]byte
			in   bool
		}{
			"kept":    {[][]byte{keyTwo, keyOne}, true},
			"dropped": {[][]byte{keyTwo}, false},
		} {
			moved := *v
			moved.site = newSiteOn(t, old.data, c.keys...)
			if in := moved.get("/").page().Find("header .me").Length() == 1; in != c.in {
				t.Errorf("%s: signed in is %t", name, in)
			}
		}
	})
}

func TestNewRefusesWhatCannotWork(t *testing.T) {
	whole := config(newDatabase(t), &bytes.Buffer{}, keyOne)
	for name, change := range map[string]func(*web.Config){
		"no key":      func(c *web.Config) { c.SessionKeys = nil },
		"a short key": func(c *web.Config) { c.SessionKeys = [][]byte{keyOne, []byte("short")} },
		"no feed":     func(c *web.Config) { c.Feed = nil },
		"no logger":   func(c *web.Config) { c.Logger = nil },
	} {
		c := whole
		change(&c)
		if _, err := web.New(c); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}

func TestPasswordsAsTheyAreReallyStored(t *testing.T) {
	data := newDatabase(t)
	c := config(data, &bytes.Buffer{}, keyOne)
	c.Passwords = nil // the default
	handler, err := web.New(c)
	if err != nil {
		t.Fatal(err)
	}
	s := &site{t: t, data: data, handler: handler}
	v := s.member("ada")
	if hash := data.credentials(v.user.ID).PasswordHash; !strings.HasPrefix(hash, "$argon2id$v=19$m=19456,t=2,p=1$") {
		t.Errorf("stored as %q", hash)
	}
	s.stranger().post("/login", "username", "ada", "password", password).want(303)
}

func TestALoginThatMustWaitTooLongIsToldSo(t *testing.T) {
	s := newSite(t)
	s.member("ada")
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	r := newForm("/login", "username", "ada", "password", password).WithContext(ctx)
	if w := s.serve(r); w.Code != 503 || !strings.Contains(w.Body.String(), "<form") {
		t.Errorf("status %d", w.Code)
	}
}

func TestSettings(t *testing.T) {
	s := newSite(t)
	ada := s.member("ada")
	s.member("ben")
	t.Run("renames and says what follows", func(t *testing.T) {
		ada.post("/settings/username", "username", " lovelace ").wantRedirect(303, "/settings?renamed=yes")
		ada.get("/settings?renamed=yes").want(200).has(`[role="status"]`, "You are now @lovelace").has("header .me", "@lovelace")
	})
	t.Run("the same name changes nothing", func(t *testing.T) {
		ada.post("/settings/username", "username", "lovelace").wantRedirect(303, "/settings")
	})
	t.Run("another case of letters is a change", func(t *testing.T) {
		ada.post("/settings/username", "username", "Lovelace").wantRedirect(303, "/settings?renamed=yes")
	})
	t.Run("a taken or impossible name comes back", func(t *testing.T) {
		for name, message := range map[string]string{"Ben": "is taken", "a b": "Use letters", "": "Choose"} {
			a := ada.post("/settings/username", "username", name).want(422).complains("username", message)
			if a.Value("username") != name {
				t.Errorf("the form holds %q", a.Value("username"))
			}
		}
	})
	t.Run("needs a log-in, and leads back", func(t *testing.T) {
		s.stranger().get("/settings").wantRedirect(303, "/login?next=%2Fsettings")
		s.stranger().post("/settings/username", "username", "x").wantRedirect(303, "/login?next=%2Fsettings")
	})
}
