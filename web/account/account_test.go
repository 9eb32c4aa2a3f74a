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

func TestSigningUp(t *testing.T) {
	t.Run("signs the user in", func(t *testing.T) {
		ada := webtest.NewSite(t).SignUp("ada")
		ada.Get("/").Want(200).Has(`header a[href="/@ada"]`, "@ada").Has(`header form[action="/logout"]`, "Log out")
	})
	t.Run("shows each error beside its field and keeps the username", func(t *testing.T) {
		a := webtest.NewSite(t).Anonymous().Post("/signup", "username", "a b", "password", "short", "next", "/new").
			Want(422)
		a.HasFieldError("username", "Use letters").HasFieldError("password", "at least 8 characters")
		if a.Value("username") != "a b" || a.Value("next") != "/new" {
			t.Errorf("the form has %q, %q", a.Value("username"), a.Value("next"))
		}
		if !strings.Contains(a.Header.Get("Cache-Control"), "no-store") {
			t.Error("the form may be stored")
		}
	})
	t.Run("focuses the first field with an error", func(t *testing.T) {
		a := webtest.NewSite(t).Anonymous().Post("/signup", "username", "ada", "password", "short").Want(422)
		a.Has("#password[autofocus]", "").HasNo("#username[autofocus]")
	})
	t.Run("never shows a password again", func(t *testing.T) {
		a := webtest.NewSite(t).Anonymous().Post("/signup", "username", "", "password", "a secret that was typed").
			Want(422)
		if strings.Contains(a.Body, "a secret") {
			t.Error("the password is in the page")
		}
	})
	t.Run("refuses a taken username in any case", func(t *testing.T) {
		s := webtest.NewSite(t)
		s.SignUp("ada")
		s.Anonymous().Post("/signup", "username", "ADA", "password", webtest.Password).Want(422).
			HasFieldError("username", "is taken")
	})
	t.Run("redirects to the requested page", func(t *testing.T) {
		webtest.NewSite(t).Anonymous().Post("/signup", "username", "ada", "password", webtest.Password, "next", "/new").
			WantRedirect(303, "/new")
	})
	t.Run("explains that a username has no spaces", func(t *testing.T) {
		webtest.NewSite(t).Anonymous().Post("/signup", "username", "Ada Lovelace", "password", webtest.Password).
			Want(422).HasFieldError("username", "no spaces")
	})
	t.Run("tells the first user that they are the administrator", func(t *testing.T) {
		s := webtest.NewSiteOn(t, webtest.NewEmptyDatabase(t), webtest.KeyOne)
		ada := s.Anonymous()
		a := ada.Post("/signup", "username", "ada", "password", webtest.Password).
			WantRedirect(303, "/admin/setup")
		ada.Get(a.Header.Get("Location")).Want(200).Has("main", "you're the administrator")
		s.Anonymous().Post("/signup", "username", "ben", "password", webtest.Password).WantRedirect(303, "/welcome")
	})
	t.Run("leads the first user to the setup before anything else", func(t *testing.T) {
		s := webtest.NewSiteOn(t, webtest.NewEmptyDatabase(t), webtest.KeyOne)
		ada, ben := s.Anonymous(), s.Anonymous()
		ada.Post("/signup", "username", "ada", "password", webtest.Password, "email", "ada@example.org",
			"next", "/new").
			WantRedirect(303, "/admin/setup?asked=yes")
		ada.Get("/admin/setup?asked=yes").Want(200).Has("main", "you're the administrator").
			Has("main [role=status]", "verify your address")
		ben.Post("/signup", "username", "ben", "password", webtest.Password, "email", "ben@example.org").
			WantRedirect(303, "/welcome?asked=yes")
	})
	t.Run("promises the first user no email that the site cannot send", func(t *testing.T) {
		s := webtest.NewSiteOn(t, webtest.NewEmptyDatabase(t), webtest.KeyOne)
		s.Data.Mail.Away = true
		ada := s.Anonymous()
		ada.Post("/signup", "username", "ada", "password", webtest.Password, "email", "ada@example.org").
			WantRedirect(303, "/admin/setup")
		ada.Get("/settings/email").Want(200).Has("#awaited-title ~ p", "could not be sent").
			HasNo("p:contains('We sent a link')")
	})
	t.Run("redirects signed-in users", func(t *testing.T) {
		webtest.NewSite(t).SignUp("ada").Get("/signup").WantRedirect(303, "/")
	})
	t.Run("shows the form again after a conflict", func(t *testing.T) {
		s := webtest.NewSite(t)
		s.Data.FailWrites("Accounts.SignUp", webtest.StatusConflict)
		a := s.Anonymous().Post("/signup", "username", "ada", "password", webtest.Password).Want(409).
			Has(`[role="alert"]`, "just become available")
		if a.Value("username") != "ada" {
			t.Error("the typed username is lost")
		}
	})
	t.Run("shows the form again when storage fails", func(t *testing.T) {
		s := webtest.NewSite(t)
		s.Data.Fail("Accounts.SignUp")
		a := s.Anonymous().Post("/signup", "username", "ada", "password", webtest.Password).Want(503)
		if a.Header.Get("Retry-After") == "" || a.Value("username") != "ada" {
			t.Error("the username or the Retry-After header is missing")
		}
	})
}

func TestLoggingIn(t *testing.T) {
	s := webtest.NewSite(t)
	s.SignUp("ada")
	t.Run("accepts the username in any case", func(t *testing.T) {
		for _, name := range []string{"ada", "Ada", " ada "} {
			v := s.Anonymous()
			v.Post("/login", "username", name, "password", webtest.Password).WantRedirect(303, "/")
			v.Get("/settings").Want(200)
		}
	})
	t.Run("answers the same for an unknown name and a wrong password", func(t *testing.T) {
		var bodies []string
		for _, pair := range [][2]string{
			{"ada", "wrong password"}, {"nobody", webtest.Password}, {"no body!", webtest.Password},
			{"ada", "short"}, {"ada", strings.Repeat("x", 5000)},
		} {
			v := s.Anonymous()
			a := v.Post("/login", "username", pair[0], "password", pair[1]).Want(422)
			a.HasFieldError("password", "Wrong username or password")
			if a.Value("username") != pair[0] || a.Value("password") != "" || len(v.Cookies) != 0 {
				t.Errorf("%s: the form has %q, %q", pair[0], a.Value("username"), a.Value("password"))
			}
			bodies = append(bodies, strings.ReplaceAll(a.Body, pair[0], ""))
		}
		for _, body := range bodies[1:] {
			if body != bodies[0] {
				t.Error("the responses differ")
			}
		}
	})
	t.Run("does not hash a text that is too long for a password", func(t *testing.T) {
		before := s.Data.Calls("Users.AccountByName")
		s.Anonymous().Post("/login", "username", "ada", "password", strings.Repeat("x", 1<<20)).Want(422)
		if s.Data.Calls("Users.AccountByName") != before {
			t.Error("the account was read")
		}
	})
	t.Run("names missing fields", func(t *testing.T) {
		s.Anonymous().Post("/login").Want(422).HasFieldError("username", "Enter").HasFieldError("password", "Enter")
	})
	t.Run("redirects to the page that the visitor requested", func(t *testing.T) {
		next := s.Anonymous().Get("/new").Want(303).Header.Get("Location")
		a := s.Anonymous().Get(next).Want(200)
		if a.Value("next") != "/new" {
			t.Fatalf("the form redirects to %q", a.Value("next"))
		}
		s.Anonymous().Post("/login", "username", "ada", "password", webtest.Password, "next", a.Value("next")).
			WantRedirect(303, "/new")
		s.Anonymous().Post("/login", "username", "ada", "password", "wrong password", "next", "/new").Want(422).
			Has(`input[name="next"][value="/new"]`, "")
	})
	t.Run("percent-encodes the address of the redirect", func(t *testing.T) {
		s.Anonymous().Post("/login", "username", "ada", "password", webtest.Password, "next", "/posts/x/猫?a=b").
			WantRedirect(303, "/posts/x/%E7%8C%AB?a=b")
	})
	t.Run("never redirects to another site", func(t *testing.T) {
		for _, next := range []string{
			"https://evil.example", "//evil.example", "/\\evil.example", "\\/evil.example", "/\t/evil.example",
			"/\n/evil.example", "javascript:alert(1)", "evil.example", "@evil.example", " //evil.example",
			"/%5cevil.example\r\nX: y", "///evil.example", "/a//evil.example", "http:/evil.example",
			"/" + strings.Repeat("a", 3000),
		} {
			s.Anonymous().Post("/login", "username", "ada", "password", webtest.Password, "next", next).
				WantRedirect(303, "/")
		}
		s.Anonymous().Get("/login?next=//evil.example").Want(200).HasNo(`[name="next"]`)
	})
	t.Run("redirects signed-in users", func(t *testing.T) {
		ada := s.Anonymous()
		ada.Post("/login", "username", "ada", "password", webtest.Password).Want(303)
		ada.Get("/login?next=/new").WantRedirect(303, "/new")
		ada.Get("/login?next=//evil.example").WantRedirect(303, "/")
	})
}

func TestSessions(t *testing.T) {
	t.Run("get a new cookie at each log-in", func(t *testing.T) {
		v := webtest.NewSite(t).SignUp("ada")
		before := v.Cookies["inkfeed"]
		v.Post("/login", "username", "ada", "password", webtest.Password).Want(303)
		if v.Cookies["inkfeed"] == before {
			t.Error("the cookie is the same")
		}
	})
	t.Run("replace one that was planted in the browser", func(t *testing.T) {
		s := webtest.NewSite(t)
		mallory := s.SignUp("mallory")
		s.SignUp("ada")
		victim := s.Anonymous()
		victim.Cookies["inkfeed"] = mallory.Cookies["inkfeed"]
		victim.Post("/login", "username", "ada", "password", webtest.Password).Want(303)
		victim.Get("/").Has("header .me", "@ada")
		mallory.Get("/").Has(`header a[href="/login"]`, "Log in") // the log-in has ended the planted session
	})
	t.Run("end when the user logs out", func(t *testing.T) {
		v := webtest.NewSite(t).SignUp("ada")
		a := v.Post("/logout").WantRedirect(303, "/")
		if got := a.Header.Get("Clear-Site-Data"); got != `"cache"` {
			t.Errorf("Clear-Site-Data is %q", got)
		}
		if c := a.Cookies()[0]; c.MaxAge >= 0 || c.Value == "" && c.Path != "/" {
			t.Errorf("the cookie is %v", c)
		}
		v.Get("/settings").WantRedirect(303, "/login?next=%2Fsettings")
	})
	t.Run("are in a cookie that scripts and other sites cannot read", func(t *testing.T) {
		s := webtest.NewSite(t)
		c := s.Anonymous().Post("/signup", "username", "ada", "password", webtest.Password).Cookie("inkfeed")
		if c.Name != "inkfeed" || !c.HttpOnly || c.SameSite != http.SameSiteLaxMode || c.Path != "/" || c.Secure ||
			c.MaxAge != int((30*24*time.Hour).Seconds()) {
			t.Errorf("the cookie is %v", c)
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
		behind.Get("/settings").Want(303) // an attacker on the network could plant a plain cookie
	})
	t.Run("do not begin with a broken cookie", func(t *testing.T) {
		s := webtest.NewSite(t)
		v := s.SignUp("ada")
		good := v.Cookies["inkfeed"]
		flipped := []byte(good)
		flipped[len(flipped)/2] ^= 1
		for _, cookie := range []string{
			"", "x", string(flipped), good[:len(good)-4], good + "AAAA", strings.Repeat("A", 4000),
		} {
			v.Cookies["inkfeed"] = cookie
			v.Get("/").Want(200).Has(`header a[href="/login"]`, "Log in")
		}
	})
	t.Run("end when their user is deleted", func(t *testing.T) {
		s := webtest.NewSite(t)
		v := s.SignUp("ada")
		s.Data.Must(s.Data.Store.AccountDeletions.Delete(s.Data.Context(), v.User.ID))
		v.Get("/").Want(200).Has(`header a[href="/login"]`, "Log in")
	})
	t.Run("survive a change of the signing key only while the old key is known", func(t *testing.T) {
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

func TestPasswordsAreStoredAsArgon2idHashes(t *testing.T) {
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
		t.Errorf("the hash is %q", hash)
	}
	s.Anonymous().Post("/login", "username", "ada", "password", webtest.Password).Want(303)
}

func TestALogInThatWaitsTooLongShowsTheFormAgain(t *testing.T) {
	s := webtest.NewSite(t)
	s.SignUp("ada")
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	r := webtest.NewForm("/login", "username", "ada", "password", webtest.Password).WithContext(ctx)
	if w := s.Serve(r); w.Code != 503 || !strings.Contains(w.Body.String(), "<form") {
		t.Errorf("status %d", w.Code)
	}
}
