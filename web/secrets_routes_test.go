package web_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"unicode"
)

// Whatever is done at whatever route: what lets somebody in is neither in the log nor in
// what moderators read of what was done.
func TestNoRouteLogsASecret(t *testing.T) {
	for route := range decisions {
		t.Run(route, func(t *testing.T) {
			for _, actor := range []string{"owner", "administrator", "anonymous"} {
				s := newScene(t, actor)
				secrets := []string{password, newPassword, "owner@example.org", "somebody@example.org", "$argon2id$",
					s.params["secret"], s.params["token"], s.params["link"], s.params["code"]}
				for _, cookie := range s.actor.cookies {
					secrets = append(secrets, cookie)
				}
				s.act(s.actor, route)
				for _, cookie := range s.actor.cookies { // new ones
					secrets = append(secrets, cookie)
				}
				for _, session := range s.data.sessions() {
					secrets = append(secrets, session.ID)
				}
				audited := fmt.Sprint(s.data.audited())
				for _, secret := range secrets {
					if secret == "" {
						continue
					}
					if strings.Contains(s.log.String(), secret) {
						t.Errorf("%s: the log has %q:\n%s", actor, secret, s.log)
					}
					if strings.Contains(audited, secret) {
						t.Errorf("%s: what was done has %q: %s", actor, secret, audited)
					}
				}
			}
		})
	}
}

// Second factors, on ways that end well and in complaints.
func TestNoSecondFactorIsLogged(t *testing.T) {
	s := newSite(t)
	ada := s.member("ada")
	app := ada.enrols()
	code := app.code(t, 0)
	half := s.half("ada")
	half.post("/login/second", "code", "918273").want(422)
	half.post("/login/second", "code", code).want(303)
	s.half("ada").post("/login/second", "code", app.codes[0]).want(303)
	s.half("ada").post("/login/second", "code", app.codes[0]).want(422)
	s.half("ada").post("/login/second", "passkey", `{"id":"S3cretMarker"}`)
	s.stranger().post("/login", "passkey", `{"id":"S3cretMarker"}`)
	ada.post("/passkeys/challenge", "for", "new").want(200)
	ada.post("/settings/security/passkeys/new", "passkey", `{"id":"S3cretMarker"}`)
	more := ada.post("/settings/security/recovery").want(200)
	secrets := append(app.codes, code, "918273", "S3cretMarker", app.secret, half.cookies["inkfeed-login"])
	for _, found := range more.page().Find(".codes code").EachIter() {
		secrets = append(secrets, found.Text())
	}
	for _, secret := range secrets {
		if secret != "" && strings.Contains(s.log.String(), secret) {
			t.Errorf("the log has %q:\n%s", secret, s.log)
		}
	}
	if len(secrets) < 20 {
		t.Errorf("only %d secrets were seen", len(secrets))
	}
}

// Whatever a visitor sends, it neither begins a line of the log nor reaches a terminal.
func TestNothingSentForgesALineOfTheLog(t *testing.T) {
	s := newSite(t)
	const evil = "x\r\nlevel=ERROR msg=forged \x1b[31mred\x1b[0m\u2028\u202e"
	v := s.stranger()
	for _, name := range []string{"User-Agent", "Referer", "X-Request-Id", "X-Forwarded-For", "HX-Current-URL", "Content-Encoding"} {
		v.header.Set(name, evil)
		v.post("/login", "username", evil, "password", evil)
		v.post("/signup", "username", evil, "password", evil, "invitation", evil, "email", evil)
		v.header.Del(name)
	}
	v.get("/" + strings.Repeat("%0d%0alevel=ERROR%20msg=forged%1b[31m", 3))
	v.get("/posts/%0d%0aforged%1b")
	s.data.activity = fmt.Sprintf("about %s", evil)
	s.data.fail("Users.ByName")
	v.get("/@somebody").want(http.StatusServiceUnavailable)
	lines := 0
	for line := range strings.Lines(s.log.String()) {
		lines++
		text := strings.TrimSuffix(line, "\n")
		if !strings.HasPrefix(line, "time=") || strings.ContainsFunc(text, unicode.IsControl) || strings.ContainsAny(text, "\u2028\u202e") {
			t.Errorf("a line is %q", line)
		}
	}
	if lines < 12 {
		t.Errorf("there are only %d lines", lines)
	}
}
