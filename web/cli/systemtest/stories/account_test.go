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

// linkInMail waits until a mail with a subject is in the outbox, and returns the path of the link in it.
func linkInMail(t *testing.T, data, subject string) (link string) {
	t.Helper()
	harness.Eventually(t, "a mail about "+subject+" is in the outbox", func() bool {
		files, _ := filepath.Glob(filepath.Join(data, "outbox", "*.eml"))
		for _, file := range files {
			text, _ := os.ReadFile(file)
			if found := mailedLink.FindSubmatch(text); found != nil &&
				strings.Contains(string(text), "Subject: "+subject) {
				link = string(found[1])
			}
		}
		return link != ""
	})
	return link
}

func TestPasswordResetEndsSessionsOnAllServers(t *testing.T) {
	t.Parallel()
	env := harness.NewAccount(t)
	env["INKFEED_DATA"] = t.TempDir()
	elsewhere := maps.Clone(env)
	elsewhere["INKFEED_DATA"] = t.TempDir()
	one, _ := harness.Serve(t, env, "--addr", "127.0.0.1:0")
	two, _ := harness.Serve(t, elsewhere, "--addr", "127.0.0.1:0")
	signedIn := func(v *harness.Visitor) bool { return v.Get("/").Find("header .me").Length() == 1 }

	ada := harness.NewVisitor(t, one)
	p := ada.Post("/signup", "username", "ada-l", "password", "correct horse", "email", "ada@example.org")
	if p.URL.Path != "/admin/setup" {
		t.Fatalf("sign-up leads to %s", p.URL)
	}
	p = ada.Get("/settings/email")
	if !strings.Contains(harness.Text(p.Selection), "can't send email yet") {
		t.Fatalf("the email settings say: %s", harness.Text(p.Selection))
	}
	p = ada.Post(linkInMail(t, env["INKFEED_DATA"], "Verify"))
	if !strings.Contains(harness.Text(p.Selection), "is now the email address of your account") {
		t.Fatalf("the page after verifying the address says: %s", harness.Text(p.Selection))
	}
	ada.Base = two // the same browser on the other server
	if !signedIn(ada) {
		t.Fatal("the other server does not recognize the session")
	}
	stranger := harness.NewVisitor(t, one)
	stranger.Post("/reset", "account", "ADA@example.org")
	p = stranger.Post(linkInMail(t, env["INKFEED_DATA"], "Reset your password"), "password", "battery staple")
	if !strings.Contains(harness.Text(p.Selection), "Password changed") {
		t.Fatalf("the page after the reset says: %s", harness.Text(p.Selection))
	}
	harness.Eventually(t, "the session ends on the other server", func() bool { return !signedIn(ada) })
	if p := ada.Post("/login", "username", "ada-l", "password", "correct horse"); p.Status != 422 {
		t.Errorf("login with the old password: status %d", p.Status)
	}
	if ada.Post("/login", "username", "ada-l", "password", "battery staple"); !signedIn(ada) {
		t.Error("the new password does not log in")
	}
	harness.Verify(t, env)
}
