package web_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"unicode"

	"inkfeed/web/webtest"
)

// No credential is in the log or in the audit log, whichever route receives it.
func TestNoRouteLogsASecret(t *testing.T) {
	for route := range decisions {
		t.Run(route, func(t *testing.T) {
			for _, actor := range []string{"owner", "administrator", "anonymous"} {
				s := newScene(t, actor)
				secrets := []string{
					webtest.Password, webtest.NewPassword, "owner@example.org", "somebody@example.org", "$argon2id$",
					s.params["secret"], s.params["token"], s.params["link"], s.params["code"],
					strings.TrimSuffix(s.params["feed"], ".atom"),
				}
				for _, cookie := range s.actor.Cookies {
					secrets = append(secrets, cookie)
				}
				s.act(s.actor, route)
				for _, cookie := range s.actor.Cookies { // new cookies
					secrets = append(secrets, cookie)
				}
				for _, session := range s.Data.Sessions() {
					secrets = append(secrets, session.ID)
				}
				audited := fmt.Sprint(s.Data.AuditLog())
				for _, secret := range secrets {
					if secret == "" {
						continue
					}
					if strings.Contains(s.Log.String(), secret) {
						t.Errorf("%s: the log has %q:\n%s", actor, secret, s.Log)
					}
					if strings.Contains(audited, secret) {
						t.Errorf("%s: the audit log has %q: %s", actor, secret, audited)
					}
				}
			}
		})
	}
}

// The test sends valid and invalid second factors.
func TestNoSecondFactorIsLogged(t *testing.T) {
	s := webtest.NewSite(t)
	ada := s.SignUp("ada")
	app := ada.EnableAuthenticator()
	code := app.Code(t, 0)
	half := s.HalfSignedIn("ada")
	half.Post("/login/second", "code", "918273").Want(422)
	half.Post("/login/second", "code", code).Want(303)
	s.HalfSignedIn("ada").Post("/login/second", "code", app.Codes[0]).Want(303)
	s.HalfSignedIn("ada").Post("/login/second", "code", app.Codes[0]).Want(422)
	s.HalfSignedIn("ada").Post("/login/second", "passkey", `{"id":"S3cretMarker"}`)
	s.Anonymous().Post("/login", "passkey", `{"id":"S3cretMarker"}`)
	ada.Post("/passkeys/challenge", "for", "new").Want(200)
	ada.Post("/settings/security/passkeys/new", "passkey", `{"id":"S3cretMarker"}`)
	more := ada.Post("/settings/security/recovery").Want(200)
	secrets := append(app.Codes, code, "918273", "S3cretMarker", app.Secret, half.Cookies["inkfeed-login"])
	for _, found := range more.Page().Find(".codes code").EachIter() {
		secrets = append(secrets, found.Text())
	}
	for _, secret := range secrets {
		if secret != "" && strings.Contains(s.Log.String(), secret) {
			t.Errorf("the log has %q:\n%s", secret, s.Log)
		}
	}
	if len(secrets) < 20 {
		t.Errorf("only %d secrets were tested", len(secrets))
	}
}

// Input never begins a line of the log and never has control characters there.
func TestInputNeverForgesALineOfTheLog(t *testing.T) {
	s := webtest.NewSite(t)
	const evil = "x\r\nlevel=ERROR msg=forged \x1b[31mred\x1b[0m\u2028\u202e"
	v := s.Anonymous()
	for _, name := range []string{
		"User-Agent", "Referer", "X-Request-Id", "X-Forwarded-For", "HX-Current-URL", "Content-Encoding",
	} {
		v.Header.Set(name, evil)
		v.Post("/login", "username", evil, "password", evil)
		v.Post("/signup", "username", evil, "password", evil, "invitation", evil, "email", evil)
		v.Header.Del(name)
	}
	v.Get("/" + strings.Repeat("%0d%0alevel=ERROR%20msg=forged%1b[31m", 3))
	v.Get("/posts/%0d%0aforged%1b")
	s.Data.Activity = fmt.Sprintf("about %s", evil)
	s.Data.Fail("Users.ByName")
	v.Get("/@somebody").Want(http.StatusServiceUnavailable)
	lines := 0
	for line := range strings.Lines(s.Log.String()) {
		lines++
		text := strings.TrimSuffix(line, "\n")
		if !strings.HasPrefix(line, "time=") || strings.ContainsFunc(text, unicode.IsControl) ||
			strings.ContainsAny(text, "\u2028\u202e") {
			t.Errorf("the log has the line %q", line)
		}
	}
	if lines < 12 {
		t.Errorf("the log has only %d lines", lines)
	}
}
