package cli

import (
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

var mailedLink = regexp.MustCompile(`http://127\.0\.0\.1:\d+(/(?:reset|verify-email)/\S+)`)

// mailed waits for a mail about something in the outbox, and returns the path of its link.
func mailed(t *testing.T, data, subject string) (link string) {
	t.Helper()
	eventually(t, "a mail about "+subject, func() bool {
		files, _ := filepath.Glob(filepath.Join(data, "outbox", "*.eml"))
		for _, file := range files {
			text, _ := os.ReadFile(file)
			if found := mailedLink.FindSubmatch(text); found != nil && strings.Contains(string(text), "Subject: "+subject) {
				link = string(found[1])
			}
		}
		return link != ""
	})
	return link
}

func TestALostPasswordStory(t *testing.T) {
	env := onEngine(t)
	env["INKFEED_DATA"] = t.TempDir()
	elsewhere := maps.Clone(env)
	elsewhere["INKFEED_DATA"] = t.TempDir()
	one, _ := serving(t, env, "--addr", "127.0.0.1:0")
	two, _ := serving(t, elsewhere, "--addr", "127.0.0.1:0")
	signedIn := func(v *visitor) bool { return v.get("/").Find("header .me").Length() == 1 }

	ada := newVisitor(t, one)
	p := ada.post("/signup", "username", "ada-l", "password", "correct horse", "email", "ada@example.org")
	if p.url.Path != "/settings/email" || !strings.Contains(words(p.Selection), "can't send email yet") {
		t.Fatalf("the sign-up leads to %s: %s", p.url, words(p.Selection))
	}
	if p := ada.post(mailed(t, env["INKFEED_DATA"], "Verify")); !strings.Contains(words(p.Selection), "is now the email address of your account") {
		t.Fatalf("verifying: %s", words(p.Selection))
	}
	ada.base = two // the same browser, by the other server
	if !signedIn(ada) {
		t.Fatal("the other server does not know the session")
	}
	stranger := newVisitor(t, one)
	stranger.post("/reset", "account", "ADA@example.org")
	if p := stranger.post(mailed(t, env["INKFEED_DATA"], "Reset your password"), "password", "battery staple"); !strings.Contains(words(p.Selection), "Password changed") {
		t.Fatalf("resetting: %s", words(p.Selection))
	}
	eventually(t, "the session ends at the other server", func() bool { return !signedIn(ada) })
	if p := ada.post("/login", "username", "ada-l", "password", "correct horse"); p.status != 422 {
		t.Errorf("the old password: status %d", p.status)
	}
	if ada.post("/login", "username", "ada-l", "password", "battery staple"); !signedIn(ada) {
		t.Error("the new password does not log in")
	}
	verified(t, env)
}
