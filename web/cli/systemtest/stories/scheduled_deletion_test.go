package stories

import (
	"archive/zip"
	"bytes"
	"io"
	"maps"
	"net/http"
	"strings"
	"testing"

	"inkfeed/web/cli/systemtest/harness"
)

// TestAccountIsDeletedAfterItsGracePeriod requests the deletion of an account, cancels it, and requests it again. No
// server runs at the end of the grace period; two servers start afterwards.
func TestAccountIsDeletedAfterItsGracePeriod(t *testing.T) {
	t.Parallel()
	env := harness.NewAccount(t, "--ranges", "2")
	maps.Copy(env, harness.QuickLeases) // leases that a stopped server still owns expire soon
	base, stop := harness.Serve(t, env, "--addr", "127.0.0.1:0", "--deletion-grace", "14d")
	ada, bob, anyone := harness.NewVisitor(t, base), harness.NewVisitor(t, base), harness.NewVisitor(t, base)
	ada.SignUp("ada") // the first user is an administrator
	bob.SignUp("bob")
	post := bob.Publish("By bob", "precious").URL.Path
	adas := "/posts/" + strings.Split(ada.Publish("By ada", "text").URL.Path, "/")[2]
	if p := bob.Post(adas+"/comments", "content", "Hello"); p.Status != http.StatusOK {
		t.Fatalf("commenting: status %d", p.Status)
	}

	t.Run("refuses the last administrator while there are other users", func(t *testing.T) {
		p := ada.Post("/settings/delete", "password", "correct horse")
		alert := harness.Text(p.Find(`main [role="alert"]`))
		if p.Status != http.StatusConflict || !strings.Contains(alert, "no other administrator") {
			t.Errorf("the last administrator requests the deletion: status %d: %s", p.Status, alert)
		}
	})
	t.Run("offers an export of everything that would be deleted", func(t *testing.T) {
		href, _ := bob.Get("/settings/delete").Find("main a[download]").Attr("href")
		resp, err := bob.HTTP.Get(base + href)
		if err != nil {
			t.Fatal(err)
		}
		defer resp.Body.Close()
		body, err := io.ReadAll(resp.Body)
		if err != nil {
			t.Fatal(err)
		}
		z, err := zip.NewReader(bytes.NewReader(body), int64(len(body)))
		if err != nil {
			t.Fatal(err)
		}
		var all strings.Builder
		for _, f := range z.File {
			r, err := f.Open()
			if err != nil {
				t.Fatal(err)
			}
			if _, err := io.Copy(&all, r); err != nil {
				t.Fatal(err)
			}
			r.Close()
		}
		for _, part := range []string{"By bob", "precious", "Hello"} {
			if !strings.Contains(all.String(), part) {
				t.Errorf("the export lacks %q", part)
			}
		}
	})
	t.Run("changes nothing if it is canceled", func(t *testing.T) {
		p := bob.Post("/settings/delete", "password", "correct horse")
		if p.Status != http.StatusOK || !strings.Contains(harness.Text(p.Find("main h1")), "will be deleted") {
			t.Fatalf("requesting the deletion: status %d: %s", p.Status, harness.Text(p.Find("main")))
		}
		notice := harness.Text(bob.Get("/").Find("aside.deletion-notice"))
		if !strings.Contains(notice, "will be deleted on") {
			t.Errorf("the notice on the front page says %q", notice)
		}
		if p := anyone.Get(post); p.Status != http.StatusOK {
			t.Errorf("the post before the deletion: status %d", p.Status)
		}
		bob.Post("/settings/delete/cancel")
		if bob.Get("/").Find("aside.deletion-notice").Length() != 0 {
			t.Error("the front page still shows the notice after the deletion was canceled")
		}
	})
	stop()

	t.Run("happens when servers start, if none ran at its time", func(t *testing.T) {
		base, stop := harness.Serve(t, env, "--addr", "127.0.0.1:0", "--deletion-grace", "1s")
		bob := harness.NewVisitor(t, base)
		bob.Post("/login", "username", "bob", "password", "correct horse")
		p := bob.Post("/settings/delete", "password", "correct horse")
		if p.Status != http.StatusOK && p.Status != http.StatusSeeOther {
			t.Fatalf("requesting the deletion: status %d: %s", p.Status, harness.Text(p.Find("main")))
		}
		stop()
		var bases []string
		for range 2 {
			base, _ := harness.Serve(t, env, "--addr", "127.0.0.1:0")
			bases = append(bases, base)
		}
		anyone := harness.NewVisitor(t, bases[0])
		harness.Eventually(t, "the account is deleted", func() bool {
			return anyone.Get("/@bob").Status == http.StatusNotFound
		})
		harness.Eventually(t, "the post and the comment are deleted", func() bool {
			return anyone.Get(post).Status == http.StatusNotFound &&
				strings.Contains(harness.Text(anyone.Get(adas).Find("main")), "0 comments")
		})
		p = anyone.Post("/login", "username", "bob", "password", "correct horse")
		if p.Status != http.StatusUnprocessableEntity {
			t.Errorf("logging in to the deleted account: status %d", p.Status)
		}
		harness.Eventually(t, "the username is available", func() bool {
			p := harness.NewVisitor(t, bases[1]).Post("/signup", "username", "bob", "password", "correct horse")
			return p.Status == http.StatusOK
		})
	})
	harness.Verify(t, env, "--wait")
}
