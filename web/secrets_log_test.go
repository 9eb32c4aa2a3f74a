package web_test

import (
	"strings"
	"testing"

	"inkfeed/web/webtest"
)

// The site logs at all levels. The log must have no secrets and personal data of visitors, from forms, addresses,
// headers and cookies, whether the request succeeds, is rejected or fails.
func TestNoSecretIsLogged(t *testing.T) {
	s := webtest.NewSite(t)
	const marker = "S3cretMarker"
	secret := marker + " horse battery"
	v := s.Anonymous()
	v.Header.Set("User-Agent", marker)
	v.Header.Set("Referer", "http://example.com/"+marker)
	v.Header.Set("X-Request-Id", marker)
	v.Header.Set("X-Forwarded-For", "198.51.100.77")
	v.Post("/signup", "username", "ada", "password", secret).Want(303)
	cookies := []string{}
	for _, value := range v.Cookies {
		cookies = append(cookies, value)
	}
	v.Get("/settings?token=" + marker).Want(200)
	v.Get("/" + marker).Want(404)
	v.Post("/preview", "title", marker, "content", marker)
	v.Post("/settings/username", "username", marker+" no name")
	v.Post("/settings/delete", "password", secret+"x").Want(422)
	v.Post("/logout").Want(303)
	v.Post("/login", "username", "ada", "password", secret+"x").Want(422)
	v.Post("/login", "username", marker, "password", secret).Want(422)
	v.Post("/login?password="+marker, "username", "ada", "password", secret).Want(303)
	v.Cookies["inkfeed"] = marker
	v.Get("/settings")
	for _, method := range []string{"Users.AccountByName", "Credentials.Get", "Accounts.SignUp"} {
		s.Data.FailWith(method, webtest.StatusNotFound)
		v.WithoutSession().Post("/login", "username", "ada", "password", secret)
		v.WithoutSession().Post("/signup", "username", "bob", "password", secret)
		s.Data.Recover(method)
	}
	log := s.Log.String()
	if strings.Count(log, "msg=request") < 10 {
		t.Fatalf("the log is not complete:\n%s", log)
	}
	for _, found := range append(cookies, marker, "198.51.100.77", "$argon2id$") {
		if found != "" && strings.Contains(log, found) {
			t.Errorf("the log has %q:\n%s", found, log)
		}
	}
}
