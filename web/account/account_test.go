package account_test

import (
	"bytes"
	"context"
	"net/http"
	"strings"
	"testing"
	"time"

	"inkfeed/web"
	"inkfeed/web/webtest"
)

func TestSignup(t *testing.T) {
	t.Run("signs in", func(t *testing.T) {
		ada := webtest.NewSite(t).SignUp("ada")
		ada.Get("/").Want(200).Has(`header a[href="/@ada"]`, "@ada").Has(`header form[action="/logout"]`, "Log out")
	})
	t.Run("names each bad field and keeps the username", func(t *testing.T) {
		a := webtest.NewSite(t).Anonymous().Post("/signup", "username", "a b", "password", "short", "next", "/new").Want(422)
		a.HasFieldError("username", "Use letters").HasFieldError("password", "at least 8 characters")
		if a.Value("username") != "a b" || a.Value("next") != "/new" {
			t.Errorf("the form holds %q, %q", a.Value("username"), a.Value("next"))
		}
		if !strings.Contains(a.Header.Get("Cache-Control"), "no-store") {
			t.Error("the form may be stored")
		}
	})
	t.Run("puts the cursor into the first field to mend", func(t *testing.T) {
		a := webtest.NewSite(t).Anonymous().Post("/signup", "username", "ada", "password", "short").Want(422)
		a.Has("#password[autofocus]", "").HasNo("#username[autofocus]")
	})
	t.Run("never shows a password again", func(t *testing.T) {
		a := webtest.NewSite(t).Anonymous().Post("/signup", "username", "", "password", "a secret that was typed").Want(422)
		if strings.Contains(a.Body, "a secret") {
			t.Error("the password is in the page")
		}
	})
	t.Run("says that a name is taken, in any case", func(t *testing.T) {
		s := webtest.NewSite(t)
		s.SignUp("ada")
		s.Anonymous().Post("/signup", "username", "ADA", "password", webtest.Password).Want(422).HasFieldError("username", "is taken")
	})
	t.Run("leads on", func(t *testing.T) {
		webtest.NewSite(t).Anonymous().Post("/signup", "username", "ada", "password", webtest.Password, "next", "/new").WantRedirect(303, "/new")
	})
	t.Run("tells the first one who administers the site", func(t *testing.T) {
		s := webtest.NewSiteOn(t, webtest.NewEmptyDatabase(t), webtest.KeyOne)
		ada := s.Anonymous()
		a := ada.Post("/signup", "username", "ada", "password", webtest.Password).WantRedirect(303, "/admin/settings?first=yes")
		ada.Get(a.Header.Get("Location")).Want(200).Has(`[role="status"]`, "you're the administrator")
		s.Anonymous().Post("/signup", "username", "ben", "password", webtest.Password).WantRedirect(303, "/")
	})
	t.Run("tells them also where an address is to be verified", func(t *testing.T) {
		s := webtest.NewSiteOn(t, webtest.NewEmptyDatabase(t), webtest.KeyOne)
		ada, ben := s.Anonymous(), s.Anonymous()
		ada.Post("/signup", "username", "ada", "password", webtest.Password, "email", "ada@example.org").WantRedirect(303, "/settings/email?asked=yes&first=yes")
		ada.Get("/settings/email?asked=yes&first=yes").Want(200).Has(`[role="status"]:contains("first")`, "you're the administrator")
		ben.Post("/signup", "username", "ben", "password", webtest.Password, "email", "ben@example.org").WantRedirect(303, "/settings/email?asked=yes")
		if strings.Contains(ben.Get("/settings/email?asked=yes&first=yes").Want(200).Body, "the administrator") {
			t.Error("ben is told so, too")
		}
	})
	t.Run("a member is sent on", func(t *testing.T) {
		webtest.NewSite(t).SignUp("ada").Get("/signup").WantRedirect(303, "/")
	})
	t.Run("a conflict brings the form back and says why", func(t *testing.T) {
		s := webtest.NewSite(t)
		s.Data.FailWrites("Users.SignUp", webtest.StatusConflict)
		a := s.Anonymous().Post("/signup", "username", "ada", "password", webtest.Password).Want(409).Has(`[role="alert"]`, "just become available")
		if a.Value("username") != "ada" {
			t.Error("what was typed is lost")
		}
	})
	t.Run("a busy store brings the form back", func(t *testing.T) {
		s := webtest.NewSite(t)
		s.Data.Fail("Users.SignUp")
		a := s.Anonymous().Post("/signup", "username", "ada", "password", webtest.Password).Want(503)
		if a.Header.Get("Retry-After") == "" || a.Value("username") != "ada" {
			t.Error("no form, or no word when to try again")
		}
	})
}

func TestLogin(t *testing.T) {
	s := webtest.NewSite(t)
	s.SignUp("ada")
	t.Run("signs in, by the name in any case", func(t *testing.T) {
		for _, name := range []string{"ada", "Ada", " ada "} {
			v := s.Anonymous()
			v.Post("/login", "username", name, "password", webtest.Password).WantRedirect(303, "/")
			v.Get("/settings").Want(200)
		}
	})
	t.Run("says no more than that the two do not match", func(t *testing.T) {
		var said []string
		for _, pair := range [][2]string{{"ada", "wrong password"}, {"nobody", webtest.Password}, {"no body!", webtest.Password},
			{"ada", "short"}, {"ada", strings.Repeat("x", 5000)}} {
			v := s.Anonymous()
			a := v.Post("/login", "username", pair[0], "password", pair[1]).Want(422)
			a.HasFieldError("password", "Wrong username or password")
			if a.Value("username") != pair[0] || a.Value("password") != "" || len(v.Cookies) != 0 {
				t.Errorf("%s: the form holds %q, %q", pair[0], a.Value("username"), a.Value("password"))
			}
			said = append(said, strings.ReplaceAll(a.Body, pair[0], ""))
		}
		for _, one := range said[1:] {
			if one != said[0] {
				t.Error("the answers differ")
			}
		}
	})
	t.Run("does not hash what is too long to be a password", func(t *testing.T) {
		before := s.Data.Calls("Users.AccountByName")
		s.Anonymous().Post("/login", "username", "ada", "password", strings.Repeat("x", 1<<20)).Want(422)
		if s.Data.Calls("Users.AccountByName") != before {
			t.Error("the store was asked")
		}
	})
	t.Run("names what is missing", func(t *testing.T) {
		s.Anonymous().Post("/login").Want(422).HasFieldError("username", "Enter").HasFieldError("password", "Enter")
	})
	t.Run("leads to where the visitor was going", func(t *testing.T) {
		next := s.Anonymous().Get("/new").Want(303).Header.Get("Location")
		a := s.Anonymous().Get(next).Want(200)
		if a.Value("next") != "/new" {
			t.Fatalf("the form leads to %q", a.Value("next"))
		}
		s.Anonymous().Post("/login", "username", "ada", "password", webtest.Password, "next", a.Value("next")).WantRedirect(303, "/new")
		s.Anonymous().Post("/login", "username", "ada", "password", "wrong password", "next", "/new").Want(422).
			Has(`input[name="next"][value="/new"]`, "")
	})
	t.Run("the address in any script comes out encoded", func(t *testing.T) {
		s.Anonymous().Post("/login", "username", "ada", "password", webtest.Password, "next", "/posts/x/猫?a=b").
			WantRedirect(303, "/posts/x/%E7%8C%AB?a=b")
	})
	t.Run("does not lead off the site", func(t *testing.T) {
		for _, next := range []string{"https://evil.example", "//evil.example", "/\\evil.example", "\\/evil.example",
			"/\t/evil.example", "/\n/evil.example", "javascript:alert(1)", "evil.example", "@evil.example", " //evil.example",
			"/%5cevil.example\r\nX: y", "///evil.example", "/a//evil.example", "http:/evil.example", "/" + strings.Repeat("a", 3000)} {
			s.Anonymous().Post("/login", "username", "ada", "password", webtest.Password, "next", next).WantRedirect(303, "/")
		}
		s.Anonymous().Get("/login?next=//evil.example").Want(200).HasNo(`[name="next"]`)
	})
	t.Run("a member is sent on", func(t *testing.T) {
		ada := s.Anonymous()
		ada.Post("/login", "username", "ada", "password", webtest.Password).Want(303)
		ada.Get("/login?next=/new").WantRedirect(303, "/new")
		ada.Get("/login?next=//evil.example").WantRedirect(303, "/")
	})
}

func TestSession(t *testing.T) {
	t.Run("is new at each log-in", func(t *testing.T) {
		v := webtest.NewSite(t).SignUp("ada")
		before := v.Cookies["inkfeed"]
		v.Post("/login", "username", "ada", "password", webtest.Password).Want(303)
		if v.Cookies["inkfeed"] == before {
			t.Error("the same cookie")
		}
	})
	t.Run("keeps nothing of one planted before", func(t *testing.T) {
		s := webtest.NewSite(t)
		mallory := s.SignUp("mallory")
		s.SignUp("ada")
		victim := s.Anonymous()
		victim.Cookies["inkfeed"] = mallory.Cookies["inkfeed"]
		victim.Post("/login", "username", "ada", "password", webtest.Password).Want(303)
		victim.Get("/").Has("header .me", "@ada")
		mallory.Get("/").Has(`header a[href="/login"]`, "Log in") // hers was in that browser, and has ended
	})
	t.Run("ends", func(t *testing.T) {
		v := webtest.NewSite(t).SignUp("ada")
		a := v.Post("/logout").WantRedirect(303, "/")
		if got := a.Header.Get("Clear-Site-Data"); got != `"cache"` {
			t.Errorf("Clear-Site-Data is %q", got)
		}
		if c := a.Cookies()[0]; c.MaxAge >= 0 || c.Value == "" && c.Path != "/" {
			t.Errorf("cookie %v", c)
		}
		v.Get("/settings").WantRedirect(303, "/login?next=%2Fsettings")
	})
	t.Run("is in a cookie that scripts and other sites do not get", func(t *testing.T) {
		s := webtest.NewSite(t)
		c := s.Anonymous().Post("/signup", "username", "ada", "password", webtest.Password).Cookie("inkfeed")
		if c.Name != "inkfeed" || !c.HttpOnly || c.SameSite != http.SameSiteLaxMode || c.Path != "/" || c.Secure ||
			c.MaxAge != int((30*24*time.Hour).Seconds()) {
			t.Errorf("cookie %v", c)
		}
		behind := s.Anonymous()
		behind.Header.Set("X-Forwarded-Proto", "https")
		c = behind.Post("/login", "username", "ada", "password", webtest.Password).Cookie("__Host-inkfeed")
		if c.Name != "__Host-inkfeed" || !c.Secure || c.Path != "/" || c.Domain != "" || !c.HttpOnly {
			t.Errorf("behind TLS the cookie is %v", c)
		}
		behind.Get("/settings").Want(200)
		behind.Cookies["inkfeed"] = behind.Cookies["__Host-inkfeed"]
		delete(behind.Cookies, "__Host-inkfeed")
		behind.Get("/settings").Want(303) // a plain cookie can be planted by whoever is on the line
	})
	t.Run("a cookie that is broken signs nobody in", func(t *testing.T) {
		s := webtest.NewSite(t)
		v := s.SignUp("ada")
		good := v.Cookies["inkfeed"]
		flipped := []byte(good)
		flipped[len(flipped)/2] ^= 1
		for _, cookie := range []string{"", "x", string(flipped), good[:len(good)-4], good + "AAAA", strings.Repeat("A", 4000)} {
			v.Cookies["inkfeed"] = cookie
			v.Get("/").Want(200).Has(`header a[href="/login"]`, "Log in")
		}
	})
	t.Run("of a user who is gone signs nobody in", func(t *testing.T) {
		s := webtest.NewSite(t)
		v := s.SignUp("ada")
		s.Data.Must(s.Data.Store.Users.Delete(s.Data.Context(), v.User.ID))
		v.Get("/").Want(200).Has(`header a[href="/login"]`, "Log in")
	})
	t.Run("survives a new key while the old one is kept, and no longer", func(t *testing.T) {
		old := webtest.NewSite(t)
		v := old.SignUp("ada")
		for name, c := range map[string]struct {
			keys [][]byte
			in   bool
		}{
			"kept":    {[][]byte{webtest.KeyTwo, webtest.KeyOne}, true},
			"dropped": {[][]byte{webtest.KeyTwo}, false},
		} {
			moved := *v
			moved.Site = webtest.NewSiteOn(t, old.Data, c.keys...)
			if in := moved.Get("/").Page().Find("header .me").Length() == 1; in != c.in {
				t.Errorf("%s: signed in is %t", name, in)
			}
		}
	})
}

func TestPasswordsAsTheyAreReallyStored(t *testing.T) {
	data := webtest.NewDatabase(t)
	c := webtest.Config(data, &bytes.Buffer{}, webtest.KeyOne)
	c.Passwords = nil // the default
	handler, err := web.New(c)
	if err != nil {
		t.Fatal(err)
	}
	s := &webtest.Site{T: t, Data: data, Handler: handler}
	v := s.SignUp("ada")
	if hash := data.Credentials(v.User.ID).PasswordHash; !strings.HasPrefix(hash, "$argon2id$v=19$m=19456,t=2,p=1$") {
		t.Errorf("stored as %q", hash)
	}
	s.Anonymous().Post("/login", "username", "ada", "password", webtest.Password).Want(303)
}

func TestALoginThatMustWaitTooLongIsToldSo(t *testing.T) {
	s := webtest.NewSite(t)
	s.SignUp("ada")
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	r := webtest.NewForm("/login", "username", "ada", "password", webtest.Password).WithContext(ctx)
	if w := s.Serve(r); w.Code != 503 || !strings.Contains(w.Body.String(), "<form") {
		t.Errorf("status %d", w.Code)
	}
}
