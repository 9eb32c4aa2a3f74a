package web_test

import (
	"strings"
	"testing"
)

// The log of these sites has all levels. Whatever a visitor sends that is a secret, or of
// a person, must not be in it: in forms, addresses, headers and cookies, on ways that end
// well, in complaints and in faults.
func TestNoSecretIsLogged(t *testing.T) {
	s := newSite(t)
	const marker = "S3cretMarker"
	secret := marker + " horse battery"
	v := s.stranger()
	v.header.Set("User-Agent", marker)
	v.header.Set("Referer", "http://example.com/"+marker)
	v.header.Set("X-Request-Id", marker)
	v.header.Set("X-Forwarded-For", "198.51.100.77")
	v.post("/signup", "username", "ada", "password", secret).want(303)
	cookies := []string{}
	for _, value := range v.cookies {
		cookies = append(cookies, value)
	}
	v.get("/settings?token=" + marker).want(200)
	v.get("/" + marker).want(404)
	v.post("/preview", "title", marker, "content", marker)
	v.post("/settings/username", "username", marker+" no name")
	v.post("/settings/delete", "password", secret+"x").want(422)
	v.post("/logout").want(303)
	v.post("/login", "username", "ada", "password", secret+"x").want(422)
	v.post("/login", "username", marker, "password", secret).want(422)
	v.post("/login?password="+marker, "username", "ada", "password", secret).want(303)
	v.cookies["inkfeed"] = marker
	v.get("/settings")
	for _, method := range []string{"Users.AccountByName", "Users.Credentials", "Users.SignUp"} {
		s.data.failWith(method, statusNotFound)
		v.forgotten().post("/login", "username", "ada", "password", secret)
		v.forgotten().post("/signup", "username", "bob", "password", secret)
		s.data.recover(method)
	}
	log := s.log.String()
	if strings.Count(log, "msg=request") < 10 {
		t.Fatalf("the log is not complete:\n%s", log)
	}
	for _, found := range append(cookies, marker, "198.51.100.77", "$argon2id$") {
		if found != "" && strings.Contains(log, found) {
			t.Errorf("the log has %q:\n%s", found, log)
		}
	}
}
