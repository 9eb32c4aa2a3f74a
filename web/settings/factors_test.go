package settings_test

import (
	"bytes"
	"encoding/base32"
	"image/png"
	"strings"
	"testing"

	"inkfeed/web/factor"
	"inkfeed/web/webtest"
)

func TestSettingUpAnAuthenticatorApp(t *testing.T) {
	t.Run("shows the secret as a QR code, as text and as a link", func(t *testing.T) {
		ada := webtest.NewSite(t).SignUp("ada")
		a := ada.Get("/settings/security/totp").Want(200)
		secret := strings.ReplaceAll(a.Page().Find("code.secret").Text(), " ", "")
		if raw, err := base32.StdEncoding.DecodeString(secret); err != nil || len(raw) != 20 {
			t.Errorf("the secret is %q", secret)
		}
		if !strings.Contains(a.Page().Find(`main a[href^="otpauth:"]`).AttrOr("href", ""), "secret="+secret) ||
			a.Header.Get("Cache-Control") != "no-store" {
			t.Error("the link is missing, or the page may be cached")
		}
		if a.Page().Find(".qr-code img").AttrOr("alt", "") == "" {
			t.Error("the QR code has no description")
		}
		src := a.Page().Find(".qr-code img").AttrOr("src", "")
		picture := ada.Get(src).Want(200)
		if _, err := png.Decode(bytes.NewReader([]byte(picture.Body))); err != nil ||
			picture.Header.Get("Cache-Control") != "no-store" {
			t.Errorf("error %v, or the picture may be cached", err)
		}
		ada.SignUp("ben").Get(src).Want(404)
		ada.Get(src[:len(src)-2] + "AA").Want(404)
		if strings.Contains(src, secret) || strings.Contains(ada.Log.String(), secret) {
			t.Error("the secret is in an address or in the log")
		}
	})
	t.Run("is complete once a valid code was entered", func(t *testing.T) {
		s := webtest.NewSite(t)
		ada := s.SignUp("ada")
		sealed := ada.Get("/settings/security/totp").Value("secret")
		for typed, message := range map[string]string{"": "Enter a code", "000000": "is wrong", "abc": "is wrong"} {
			a := ada.Post("/settings/security/totp", "secret", sealed, "code", typed).Want(422).
				HasFieldError("code", message)
			again := ada.Post("/settings/security/totp", "secret", a.Value("secret"))
			if a.Page().Find("code.secret").Text() != again.Page().Find("code.secret").Text() {
				t.Error("the secret has changed")
			}
		}
		s.Anonymous().Post("/login", "username", "ada", "password", webtest.Password).WantRedirect(303, "/")
		ada.EnableAuthenticator()
		s.HalfSignedIn("ada").Get("/new").WantRedirect(303, "/login?next=%2Fnew") // the second factor is missing
		ada.Get("/settings/security").Want(200).Has("#totp-title + p", "On.").Has("main", "10 recovery codes left")
		ada.Get("/settings/security/totp").WantRedirect(303, "/settings/security")
	})
	t.Run("rejects the secret of another user", func(t *testing.T) {
		s := webtest.NewSite(t)
		ada, ben := s.SignUp("ada"), s.SignUp("ben")
		page := ada.Get("/settings/security/totp")
		a := &webtest.Authenticator{Secret: strings.ReplaceAll(page.Page().Find("code.secret").Text(), " ", "")}
		ben.Post("/settings/security/totp", "secret", page.Value("secret"), "code", a.Code(t, 0)).
			WantRedirect(303, "/settings/security/totp")
		if len(s.Data.Credentials(ben.User.ID).TOTP) != 0 {
			t.Error("ben has an authenticator")
		}
	})
	t.Run("does not replace an authenticator", func(t *testing.T) {
		ada := webtest.NewSite(t).SignUp("ada")
		page := ada.Get("/settings/security/totp")
		first := ada.EnableAuthenticator()
		before := ada.Data.Credentials(ada.User.ID)
		a := &webtest.Authenticator{Secret: strings.ReplaceAll(page.Page().Find("code.secret").Text(), " ", "")}
		ada.Post("/settings/security/totp", "secret", page.Value("secret"), "code", a.Code(t, 0)).Want(409).
			Has(`[role="alert"]`, "already on")
		if now := ada.Data.Credentials(ada.User.ID); !bytes.Equal(now.TOTP, before.TOTP) || first.Secret == a.Secret {
			t.Error("the first authenticator was replaced")
		}
	})
	t.Run("shows recovery codes that work after a double click", func(t *testing.T) {
		ada := webtest.NewSite(t).SignUp("ada")
		page := ada.Get("/settings/security/totp")
		a := &webtest.Authenticator{Secret: strings.ReplaceAll(page.Page().Find("code.secret").Text(), " ", "")}
		fields := []string{"secret", page.Value("secret"), "code", a.Code(t, 0)}
		ada.Post("/settings/security/totp", fields...).Want(200)
		shown := ada.Post("/settings/security/totp", fields...).Want(200).Page().Find(".codes code")
		recovery := ada.Data.Credentials(ada.User.ID).Recovery
		if shown.Length() != 10 || recovery[0] != factor.RecoveryDigest(ada.User.ID, shown.First().Text()) {
			t.Errorf("%d codes are shown", shown.Length())
		}
	})
	t.Run("stores the secret encrypted, and the recovery codes as digests", func(t *testing.T) {
		ada := webtest.NewSite(t).SignUp("ada")
		a := ada.EnableAuthenticator()
		raw, _ := base32.StdEncoding.DecodeString(a.Secret)
		c := ada.Data.Credentials(ada.User.ID)
		if bytes.Contains(c.TOTP, raw) || len(c.Recovery) != 10 ||
			c.Recovery[0] != factor.RecoveryDigest(ada.User.ID, a.Codes[0]) {
			t.Errorf("the credentials are %+v", c)
		}
		for _, secret := range append(a.Codes, a.Secret, string(raw)) {
			if strings.Contains(ada.Log.String(), secret) {
				t.Error("a secret is in the log")
			}
		}
	})
	t.Run("survives a change of the site's key if a code is used while both keys are known", func(t *testing.T) {
		data := webtest.NewDatabase(t)
		former := webtest.NewSiteOn(t, data, webtest.KeyOne)
		a, late := former.SignUp("ada").EnableAuthenticator(), former.SignUp("ben").EnableAuthenticator()
		both := webtest.NewSiteOn(t, data, webtest.KeyTwo, webtest.KeyOne)
		later := webtest.NewSiteOn(t, data, webtest.KeyTwo)
		both.HalfSignedIn("ada").Post("/login/second", "code", a.Code(t, 0)).Want(303)
		later.HalfSignedIn("ada").Post("/login/second", "code", a.Code(t, 1)).Want(303)
		v := later.HalfSignedIn("ben")
		v.Post("/login/second", "code", late.Code(t, 0)).Want(422).HasFieldError("code", "Use a recovery code")
		v.Post("/login/second", "code", late.Codes[0]).Want(303)
	})
}

func TestTurningOffTwoStepVerification(t *testing.T) {
	s := webtest.NewSite(t)
	ada := s.SignUp("ada")
	a := ada.EnableAuthenticator()
	ada.Get("/settings/security/totp/delete").Want(200).Has("main form button", "Turn off")
	ada.Post("/settings/security/totp/delete").WantRedirect(303, "/settings/security?done=off")
	ada.Get("/settings/security?done=off").Has(`[role="status"]`, "Two-step verification is off")
	if c := s.Data.Credentials(ada.User.ID); len(c.TOTP)+len(c.Recovery) != 0 || c.TOTPStep != 0 {
		t.Errorf("the credentials are %+v", c)
	}
	s.Anonymous().Post("/login", "username", "ada", "password", webtest.Password).WantRedirect(303, "/")
	if again := ada.EnableAuthenticator(); again.Secret == a.Secret {
		t.Error("the new secret is the former one")
	}
}

func TestCreatingNewRecoveryCodes(t *testing.T) {
	s := webtest.NewSite(t)
	ada := s.SignUp("ada")
	a := ada.EnableAuthenticator()
	ada.Get("/settings/security/recovery").Want(200).Has("main form button", "Create new codes")
	page := ada.Post("/settings/security/recovery").Want(200)
	if page.Page().Find(".codes code").Length() != 10 || page.Header.Get("Cache-Control") != "no-store" {
		t.Error("there are not ten codes, or the page may be cached")
	}
	codes := page.Value("codes")
	s.HalfSignedIn("ada").Post("/login/second", "code", a.Codes[0]).Want(422)
	s.HalfSignedIn("ada").Post("/login/second", "code", strings.Fields(codes)[0]).Want(303)
	t.Run("offers the codes as a file to their owner only", func(t *testing.T) {
		rest := strings.Join(strings.Fields(codes)[1:], " ")
		file := ada.Post("/settings/security/recovery/text", "codes", rest).Want(200)
		if file.Header.Get("Content-Type") != "text/plain; charset=utf-8" ||
			!strings.HasPrefix(file.Header.Get("Content-Disposition"), "attachment") ||
			!strings.Contains(file.Body, strings.ReplaceAll(rest, " ", "\r\n")) ||
			!strings.Contains(file.Body, "@ada at http://example.com") {
			t.Errorf("%v\n%s", file.Header, file.Body)
		}
		for _, sent := range []string{codes, "<script>", a.Codes[1]} {
			ada.Post("/settings/security/recovery/text", "codes", sent).Want(409)
		}
		s.SignUp("ben").Post("/settings/security/recovery/text", "codes", rest).Want(409)
	})
}
