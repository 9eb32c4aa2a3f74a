package account_test

import (
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"inkfeed/domain"
	"inkfeed/web/webtest"
)

func TestTheSecondStepOfALogIn(t *testing.T) {
	s := webtest.NewSite(t)
	a := s.SignUp("ada").EnableAuthenticator()
	t.Run("accepts a code of the app once and redirects to the requested page", func(t *testing.T) {
		v := s.HalfSignedIn("ada")
		page := v.Get("/login/second?next=%2Fnew").Want(200).Has(`#code[autocomplete="one-time-code"]`, "")
		code := a.Code(t, 0)
		v.Post("/login/second", "code", code[:3]+" "+code[3:], "next", page.Value("next")).WantRedirect(303, "/new")
		v.Get("/new").Want(200)
		if v.Cookies["inkfeed-login"] != "" {
			t.Error("the browser still has the cookie of the first step")
		}
		again := s.HalfSignedIn("ada")
		again.Post("/login/second", "code", code, "next", "/new").Want(422).HasFieldError("code", "was already used").
			Has(`[name="next"][value="/new"]`, "")
		again.Get("/new").Want(303)
	})
	t.Run("accepts a recovery code once", func(t *testing.T) {
		v := s.HalfSignedIn("ada")
		v.Post("/login/second", "code", strings.ToUpper(a.Codes[0])).WantRedirect(303, "/")
		v.Get("/settings/security").Want(200).Has("main", "9 recovery codes left")
		s.HalfSignedIn("ada").Post("/login/second", "code", a.Codes[0]).Want(422).
			HasFieldError("code", "was already used")
	})
	t.Run("accepts a code once if it is sent several times at once", func(t *testing.T) {
		for _, code := range []string{a.Code(t, 1), a.Codes[1]} {
			var in atomic.Int32
			var group sync.WaitGroup
			for range 8 {
				v := s.HalfSignedIn("ada")
				group.Go(func() {
					if v.Post("/login/second", "code", code).StatusCode == http.StatusSeeOther {
						in.Add(1)
					}
				})
			}
			group.Wait()
			if in.Load() != 1 {
				t.Errorf("%d log-ins succeeded, want 1", in.Load())
			}
		}
	})
	t.Run("accepts one code for each first step", func(t *testing.T) {
		v := s.HalfSignedIn("ada")
		twice := *v
		twice.Cookies = map[string]string{"inkfeed-login": v.Cookies["inkfeed-login"]}
		v.Post("/login/second", "code", a.Codes[2]).Want(303)
		twice.Post("/login/second", "code", a.Codes[3]).Want(403).Has(`[role="alert"]`, "log in again")
		twice.Get("/new").Want(303)
	})
	t.Run("ends after five wrong codes", func(t *testing.T) {
		v := s.HalfSignedIn("ada")
		for range 5 {
			v.Post("/login/second", "code", "000000").Want(422)
		}
		copied := *v
		copied.Cookies = map[string]string{"inkfeed-login": v.Cookies["inkfeed-login"]}
		v.Post("/login/second", "code", a.Codes[4], "next", "/new").Want(403).Has("h1", "Log in").
			Has(`main form[action="/login"] [name="next"][value="/new"]`, "")
		copied.Post("/login/second", "code", a.Codes[4]).Want(403)
		s.HalfSignedIn("ada").Post("/login/second", "code", a.Codes[4]).Want(303) // the code is still unused
	})
	t.Run("requires the first step", func(t *testing.T) {
		s.Anonymous().Get("/login/second?next=/new").WantRedirect(303, "/login?next=%2Fnew")
		s.Anonymous().Post("/login/second", "code", a.Codes[5]).Want(403)
		forger := s.Anonymous()
		forger.Cookies["inkfeed-login"] = "x"
		forger.Post("/login/second", "code", a.Codes[5]).Want(403)
	})
	t.Run("expires after ten minutes", func(t *testing.T) {
		v := s.HalfSignedIn("ada")
		s.Data.ExpireSecrets(domain.SecretLogin, 10*time.Minute)
		v.Post("/login/second", "code", a.Codes[5]).Want(403).Has(`[role="alert"]`, "took too long")
	})
	t.Run("does not follow a wrong password", func(t *testing.T) {
		v := s.Anonymous()
		v.Post("/login", "username", "ada", "password", "wrong password").Want(422).
			HasFieldError("password", "Wrong username or password")
		if len(v.Cookies) != 0 {
			t.Error("the browser has a cookie")
		}
	})
	t.Run("has a cookie that scripts and other sites cannot read", func(t *testing.T) {
		v := s.Anonymous()
		v.Header.Set("X-Forwarded-Proto", "https")
		var cookie http.Cookie
		for _, set := range v.Post("/login", "username", "ada", "password", webtest.Password).Want(303).Cookies() {
			if strings.HasSuffix(set.Name, "login") {
				cookie = *set
			}
		}
		if cookie.Name != "__Host-inkfeed-login" || !cookie.HttpOnly || !cookie.Secure ||
			cookie.SameSite != http.SameSiteLaxMode || cookie.MaxAge != 600 {
			t.Errorf("the cookie is %+v", cookie)
		}
	})
	t.Run("reports a failure and accepts another attempt", func(t *testing.T) {
		v := s.HalfSignedIn("ada")
		for _, method := range []string{"Secrets.Try", "Credentials.Get", "Credentials.Set"} {
			s.Data.Fail(method)
			v.Post("/login/second", "code", a.Codes[6]).Want(503)
			s.Data.Recover(method)
		}
		v.Post("/login/second", "code", a.Codes[6]).Want(303)
	})
}
