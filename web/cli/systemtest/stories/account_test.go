package stories

import (
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"inkfeed/web/cli/systemtest/harness"
)

var mailedLink = regexp.MustCompile(`http://127\.0\.0\.1:\d+(/(?:reset|verify-email)/\S+)`)

// mailed waits for a mail about something in the outbox, and returns the path of its link.
func mailed(t *testing.T, data, subject string) (link string) {
	t.Helper()
	harness.Eventually(t, "a mail about "+subject, func() bool {
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
	env := harness.OnEngine(t)
	env["INKFEED_DATA"] = t.TempDir()
	elsewhere := maps.Clone(env)
	elsewhere["INKFEED_DATA"] = t.TempDir()
	one, _ := harness.Serve(t, env, "--addr", "127.0.0.1:0")
	two, _ := harness.Serve(t, elsewhere, "--addr", "127.0.0.1:0")
	signedIn := func(v *harness.Visitor) bool { return v.Get("/").Find("header .me").Length() == 1 }

	ada := harness.NewVisitor(t, one)
	p := ada.Post("/signup", "username", "ada-l", "password", "correct horse", "email", "ada@example.org")
	if p.URL.Path != "/settings/email" || !strings.Contains(harness.Text(p.Selection), "can't send email yet") {
		t.Fatalf("the sign-up leads to %s: %s", p.URL, harness.Text(p.Selection))
	}
	if p := ada.Post(mailed(t, env["INKFEED_DATA"], "Verify")); !strings.Contains(harness.Text(p.Selection), "is now the email address of your account") {
		t.Fatalf("verifying: %s", harness.Text(p.Selection))
	}
	ada.Base = two // the same browser, by the other server
	if !signedIn(ada) {
		t.Fatal("the other server does not know the session")
	}
	stranger := harness.NewVisitor(t, one)
	stranger.Post("/reset", "account", "ADA@example.org")
	if p := stranger.Post(mailed(t, env["INKFEED_DATA"], "Reset your password"), "password", "battery staple"); !strings.Contains(harness.Text(p.Selection), "Password changed") {
		t.Fatalf("resetting: %s", harness.Text(p.Selection))
	}
	harness.Eventually(t, "the session ends at the other server", func() bool { return !signedIn(ada) })
	if p := ada.Post("/login", "username", "ada-l", "password", "correct horse"); p.Status != 422 {
		t.Errorf("the old password: status %d", p.Status)
	}
	if ada.Post("/login", "username", "ada-l", "password", "battery staple"); !signedIn(ada) {
		t.Error("the new password does not log in")
	}
	harness.Verify(t, env)
}
