package web_test

import (
	"bytes"
	"encoding/base32"
	"image/png"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/PuerkitoBio/goquery"
	"github.com/pquerna/otp/totp"

	"inkfeed/domain"
	"inkfeed/web/factor"
)

// keep gives a user a passkey behind the site's back, and says how its address ends.
func (s *site) keep(v *visitor, p domain.Passkey) string {
	s.data.setCredentials(v.user.ID, func(c *domain.Credentials) { c.Passkeys = append(c.Passkeys, p) })
	return domain.SecretDigest(p.ID)[:24]
}

// app is an authenticator app.
type app struct {
	secret string
	codes  []string // for recovery
}

// code is that of the time step so many steps from now. Each is good once.
func (a *app) code(t testing.TB, steps int) string {
	t.Helper()
	code, err := totp.GenerateCode(a.secret, time.Now().Add(time.Duration(steps)*30*time.Second))
	if err != nil {
		t.Fatal(err)
	}
	return code
}

// enrols sets up an app, with the code of the step before this one.
func (v *visitor) enrols() *app {
	v.t.Helper()
	page := v.get("/settings/security/totp").want(200)
	a := &app{secret: strings.ReplaceAll(page.page().Find("code.secret").Text(), " ", "")}
	done := v.post("/settings/security/totp", "secret", page.Value("secret"), "code", a.code(v.t, -1)).want(200)
	done.page().Find(".codes code").Each(func(_ int, code *goquery.Selection) { a.codes = append(a.codes, code.Text()) })
	if len(a.codes) != 10 {
		v.t.Fatalf("%d recovery codes", len(a.codes))
	}
	return a
}

// half logs in as far as the second step.
func (s *site) half(name string) *visitor {
	s.t.Helper()
	v := s.stranger()
	v.post("/login", "username", name, "password", password, "next", "/new").wantRedirect(303, "/login/second?next=%2Fnew")
	return v
}

func TestSettingUpAnAuthenticatorApp(t *testing.T) {
	t.Run("shows the secret to scan, to type and to open", func(t *testing.T) {
		ada := newSite(t).member("ada")
		a := ada.get("/settings/security/totp").want(200)
		secret := strings.ReplaceAll(a.page().Find("code.secret").Text(), " ", "")
		if raw, err := base32.StdEncoding.DecodeString(secret); err != nil || len(raw) != 20 {
			t.Errorf("the secret is %q", secret)
		}
		if !strings.Contains(a.page().Find(`main a[href^="otpauth:"]`).AttrOr("href", ""), "secret="+secret) || a.Header.Get("Cache-Control") != "no-store" {
			t.Error("there is nothing to open, or the page may be kept")
		}
		if a.page().Find(".qr-code img").AttrOr("alt", "") == "" {
			t.Error("the picture has no description")
		}
		src := a.page().Find(".qr-code img").AttrOr("src", "")
		picture := ada.get(src).want(200)
		if _, err := png.Decode(bytes.NewReader([]byte(picture.body))); err != nil || picture.Header.Get("Cache-Control") != "no-store" {
			t.Errorf("%v, or the picture may be kept", err)
		}
		ada.member("ben").get(src).want(404)
		ada.get(src[:len(src)-2] + "AA").want(404)
		if strings.Contains(src, secret) || strings.Contains(ada.log.String(), secret) {
			t.Error("the secret is in an address, or in the log")
		}
	})
	t.Run("counts once a code of it was sent", func(t *testing.T) {
		s := newSite(t)
		ada := s.member("ada")
		sealed := ada.get("/settings/security/totp").Value("secret")
		for typed, says := range map[string]string{"": "Enter a code", "000000": "is wrong", "abc": "is wrong"} {
			a := ada.post("/settings/security/totp", "secret", sealed, "code", typed).want(422).complains("code", says)
			if a.page().Find("code.secret").Text() != ada.post("/settings/security/totp", "secret", a.Value("secret")).page().Find("code.secret").Text() {
				t.Error("the secret has become another")
			}
		}
		s.stranger().post("/login", "username", "ada", "password", password).wantRedirect(303, "/")
		ada.enrols()
		s.half("ada").get("/new").wantRedirect(303, "/login?next=%2Fnew") // nobody is signed in
		ada.get("/settings/security").want(200).has("#totp-title + p", "On.").has("main", "10 recovery codes left")
		ada.get("/settings/security/totp").wantRedirect(303, "/settings/security")
	})
	t.Run("does not take the secret of another", func(t *testing.T) {
		s := newSite(t)
		ada, ben := s.member("ada"), s.member("ben")
		page := ada.get("/settings/security/totp")
		a := &app{secret: strings.ReplaceAll(page.page().Find("code.secret").Text(), " ", "")}
		ben.post("/settings/security/totp", "secret", page.Value("secret"), "code", a.code(t, 0)).wantRedirect(303, "/settings/security/totp")
		if len(s.data.credentials(ben.user.ID).TOTP) != 0 {
			t.Error("it was taken")
		}
	})
	t.Run("is not done over another that is there", func(t *testing.T) {
		ada := newSite(t).member("ada")
		page := ada.get("/settings/security/totp")
		first := ada.enrols()
		kept := ada.data.credentials(ada.user.ID)
		a := &app{secret: strings.ReplaceAll(page.page().Find("code.secret").Text(), " ", "")}
		ada.post("/settings/security/totp", "secret", page.Value("secret"), "code", a.code(t, 0)).want(409).has(`[role="alert"]`, "already on")
		if now := ada.data.credentials(ada.user.ID); !bytes.Equal(now.TOTP, kept.TOTP) || first.secret == a.secret {
			t.Error("the first app is gone")
		}
	})
	t.Run("keeps the secret sealed, and the recovery codes as digests", func(t *testing.T) {
		ada := newSite(t).member("ada")
		a := ada.enrols()
		raw, _ := base32.StdEncoding.DecodeString(a.secret)
		c := ada.data.credentials(ada.user.ID)
		if bytes.Contains(c.TOTP, raw) || len(c.Recovery) != 10 || c.Recovery[0] != factor.RecoveryDigest(ada.user.ID, a.codes[0]) {
			t.Errorf("kept is %+v", c)
		}
		for _, secret := range append(a.codes, a.secret, string(raw)) {
			if strings.Contains(ada.log.String(), secret) {
				t.Error("a secret is in the log")
			}
		}
	})
	t.Run("survives a new key of the site, once a code was used while the former one is known", func(t *testing.T) {
		data := newDatabase(t)
		former := newSiteOn(t, data, keyOne)
		a, late := former.member("ada").enrols(), former.member("ben").enrols()
		both, later := newSiteOn(t, data, keyTwo, keyOne), newSiteOn(t, data, keyTwo)
		both.half("ada").post("/login/second", "code", a.code(t, 0)).want(303)
		later.half("ada").post("/login/second", "code", a.code(t, 1)).want(303)
		v := later.half("ben")
		v.post("/login/second", "code", late.code(t, 0)).want(422).complains("code", "Use a recovery code")
		v.post("/login/second", "code", late.codes[0]).want(303)
	})
}

func TestTheSecondStepOfALogin(t *testing.T) {
	s := newSite(t)
	a := s.member("ada").enrols()
	t.Run("takes a code of the app, once, and leads on", func(t *testing.T) {
		v := s.half("ada")
		page := v.get("/login/second?next=%2Fnew").want(200).has(`#code[autocomplete="one-time-code"]`, "")
		code := a.code(t, 0)
		v.post("/login/second", "code", code[:3]+" "+code[3:], "next", page.Value("next")).wantRedirect(303, "/new")
		v.get("/new").want(200)
		if v.cookies["inkfeed-login"] != "" {
			t.Error("the waiting log-in stays in the browser")
		}
		again := s.half("ada")
		again.post("/login/second", "code", code, "next", "/new").want(422).complains("code", "was already used").has(`[name="next"][value="/new"]`, "")
		again.get("/new").want(303)
	})
	t.Run("takes a recovery code, once", func(t *testing.T) {
		v := s.half("ada")
		v.post("/login/second", "code", strings.ToUpper(a.codes[0])).wantRedirect(303, "/")
		v.get("/settings/security").want(200).has("main", "9 recovery codes left")
		s.half("ada").post("/login/second", "code", a.codes[0]).want(422).complains("code", "was already used")
	})
	t.Run("takes each code once, also of many at the same moment", func(t *testing.T) {
		for _, code := range []string{a.code(t, 1), a.codes[1]} {
			var in atomic.Int32
			var group sync.WaitGroup
			for range 8 {
				v := s.half("ada")
				group.Go(func() {
					if v.post("/login/second", "code", code).StatusCode == http.StatusSeeOther {
						in.Add(1)
					}
				})
			}
			group.Wait()
			if in.Load() != 1 {
				t.Errorf("%d are in", in.Load())
			}
		}
	})
	t.Run("lets one in by one log-in, however often its answer is sent", func(t *testing.T) {
		v := s.half("ada")
		twice := *v
		twice.cookies = map[string]string{"inkfeed-login": v.cookies["inkfeed-login"]}
		v.post("/login/second", "code", a.codes[2]).want(303)
		twice.post("/login/second", "code", a.codes[3]).want(403).has(`[role="alert"]`, "log in again")
		twice.get("/new").want(303)
	})
	t.Run("ends after five wrong codes", func(t *testing.T) {
		v := s.half("ada")
		for range 5 {
			v.post("/login/second", "code", "000000").want(422)
		}
		kept := *v
		kept.cookies = map[string]string{"inkfeed-login": v.cookies["inkfeed-login"]}
		v.post("/login/second", "code", a.codes[4], "next", "/new").want(403).has("h1", "Log in").has(`main form[action="/login"] [name="next"][value="/new"]`, "")
		kept.post("/login/second", "code", a.codes[4]).want(403)
		s.half("ada").post("/login/second", "code", a.codes[4]).want(303) // it was not used up
	})
	t.Run("is nobody's who has not logged in", func(t *testing.T) {
		s.stranger().get("/login/second?next=/new").wantRedirect(303, "/login?next=%2Fnew")
		s.stranger().post("/login/second", "code", a.codes[5]).want(403)
		forger := s.stranger()
		forger.cookies["inkfeed-login"] = "x"
		forger.post("/login/second", "code", a.codes[5]).want(403)
	})
	t.Run("waits ten minutes", func(t *testing.T) {
		v := s.half("ada")
		s.data.expireSecrets(domain.SecretLogin, 10*time.Minute)
		v.post("/login/second", "code", a.codes[5]).want(403).has(`[role="alert"]`, "took too long")
	})
	t.Run("is not asked of one whose password was wrong", func(t *testing.T) {
		v := s.stranger()
		v.post("/login", "username", "ada", "password", "wrong password").want(422).complains("password", "Wrong username or password")
		if len(v.cookies) != 0 {
			t.Error("there is a cookie")
		}
	})
	t.Run("has a cookie that only the site sees", func(t *testing.T) {
		v := s.stranger()
		v.header.Set("X-Forwarded-Proto", "https")
		var cookie http.Cookie
		for _, set := range v.post("/login", "username", "ada", "password", password).want(303).Cookies() {
			if strings.HasSuffix(set.Name, "login") {
				cookie = *set
			}
		}
		if cookie.Name != "__Host-inkfeed-login" || !cookie.HttpOnly || !cookie.Secure || cookie.SameSite != http.SameSiteLaxMode || cookie.MaxAge != 600 {
			t.Errorf("%+v", cookie)
		}
	})
	t.Run("says when the data cannot be reached, and lets one try again", func(t *testing.T) {
		v := s.half("ada")
		for _, method := range []string{"Secrets.Try", "Users.Credentials", "Users.SetCredentials"} {
			s.data.fail(method)
			v.post("/login/second", "code", a.codes[6]).want(503)
			s.data.recover(method)
		}
		v.post("/login/second", "code", a.codes[6]).want(303)
	})
}

func TestTurningCodesOff(t *testing.T) {
	s := newSite(t)
	ada := s.member("ada")
	a := ada.enrols()
	ada.get("/settings/security/totp/delete").want(200).has("main form button", "Turn off")
	ada.post("/settings/security/totp/delete").wantRedirect(303, "/settings/security?done=off")
	ada.get("/settings/security?done=off").has(`[role="status"]`, "Two-step verification is off")
	if c := s.data.credentials(ada.user.ID); len(c.TOTP)+len(c.Recovery) != 0 || c.TOTPStep != 0 {
		t.Errorf("left are %+v", c)
	}
	s.stranger().post("/login", "username", "ada", "password", password).wantRedirect(303, "/")
	if again := ada.enrols(); again.secret == a.secret {
		t.Error("the secret is the former one")
	}
}

func TestNewRecoveryCodes(t *testing.T) {
	s := newSite(t)
	ada := s.member("ada")
	a := ada.enrols()
	ada.get("/settings/security/recovery").want(200).has("main form button", "Create new codes")
	page := ada.post("/settings/security/recovery").want(200)
	if page.page().Find(".codes code").Length() != 10 || page.Header.Get("Cache-Control") != "no-store" {
		t.Error("there are not ten, or the page may be kept")
	}
	codes := page.Value("codes")
	s.half("ada").post("/login/second", "code", a.codes[0]).want(422)
	s.half("ada").post("/login/second", "code", strings.Fields(codes)[0]).want(303)
	t.Run("can be saved as a file, by who has them", func(t *testing.T) {
		rest := strings.Join(strings.Fields(codes)[1:], " ")
		file := ada.post("/settings/security/recovery/text", "codes", rest).want(200)
		if file.Header.Get("Content-Type") != "text/plain; charset=utf-8" || !strings.HasPrefix(file.Header.Get("Content-Disposition"), "attachment") ||
			!strings.Contains(file.body, strings.ReplaceAll(rest, " ", "\r\n")) || !strings.Contains(file.body, "@ada at http://example.com") {
			t.Errorf("%v\n%s", file.Header, file.body)
		}
		for _, sent := range []string{codes, "<script>", a.codes[1]} {
			ada.post("/settings/security/recovery/text", "codes", sent).want(409)
		}
		s.member("ben").post("/settings/security/recovery/text", "codes", rest).want(409)
	})
}

// halfAnHourLater is the same session, in which the user last proved to be one half an hour ago.
func halfAnHourLater(v *visitor) *visitor {
	for _, s := range v.data.sessions() {
		if s.UserID == v.user.ID {
			v.data.must(v.data.store.Sessions.Confirm(v.data.ctx(), s.UserID, s.ID, s.Confirmed.Add(-30*time.Minute)))
		}
	}
	return elsewhere(v)
}

// elsewhere is the same browser at another server, which remembers nothing.
func elsewhere(v *visitor) *visitor {
	at := *v
	at.site = newSiteOn(v.t, v.data, keyOne)
	return &at
}

func TestConfirming(t *testing.T) {
	t.Run("is asked for by what matters, some time after the log-in", func(t *testing.T) {
		s := newSite(t)
		ada := s.member("ada")
		ada.enrols()
		path := "/settings/security/passkeys/" + s.keep(ada, domain.Passkey{ID: "x"})
		ada = halfAnHourLater(ada)
		for _, to := range []string{"/settings/security/totp/delete", "/settings/security/recovery", "/settings/security/password",
			"/settings/security/passkeys/new", path, path + "/delete"} {
			want := "/confirm?next=" + strings.ReplaceAll(to, "/", "%2F")
			before := ada.data.content()
			ada.get(to).wantRedirect(303, want)
			ada.post(to, "name", "Another").wantRedirect(303, want)
			if ada.data.content() != before {
				t.Errorf("%s has changed something", to)
			}
		}
		ada.post("/passkeys/challenge", "for", "new").want(403)
		ada.get("/settings/security").want(200)
	})
	t.Run("is done with the password, and leads on", func(t *testing.T) {
		ada := halfAnHourLater(newSite(t).member("ada"))
		page := ada.get("/confirm?next=/settings/security/totp").want(200).hasNo(".passkey")
		ada.post("/confirm", "password", password, "next", page.Value("next")).wantRedirect(303, "/settings/security/totp")
		ada.get("/settings/security/totp").want(200)
		ada.get("/confirm?next=/new").wantRedirect(303, "/new") // it is done
	})
	t.Run("is not done with another password", func(t *testing.T) {
		ada := halfAnHourLater(newSite(t).member("ada"))
		for typed, says := range map[string]string{"": "Enter your password", "wrong password": "Wrong password", strings.Repeat("x", 5000): "Wrong password"} {
			a := ada.post("/confirm", "password", typed, "next", "/settings/security/totp").want(422).complains("password", says)
			if a.Value("password") != "" || a.Value("next") != "/settings/security/totp" {
				t.Error("the password is in the page, or the way is lost")
			}
		}
		ada.get("/settings/security/totp").want(303)
	})
	t.Run("leads nowhere else", func(t *testing.T) {
		ada := halfAnHourLater(newSite(t).member("ada"))
		ada.post("/confirm", "password", password, "next", "https://evil.example").wantRedirect(303, "/settings")
	})
	t.Run("says when it cannot be noted", func(t *testing.T) {
		ada := halfAnHourLater(newSite(t).member("ada"))
		ada.data.fail("Sessions.Confirm")
		ada.post("/confirm", "password", password).want(503)
	})
	t.Run("is for who is signed in", func(t *testing.T) {
		newSite(t).stranger().get("/confirm?next=/new").want(303)
	})
}
