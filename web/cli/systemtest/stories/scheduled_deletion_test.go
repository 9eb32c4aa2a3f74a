package stories

import (
	"archive/zip"
	"bytes"
	"io"
	"net/http"
	"strings"
	"testing"

	"inkfeed/web/cli/systemtest/harness"
)

// Leaving with time to think again, on two servers, one of which is stopped, and started
// again when the time is over.
func TestScheduledDeletionStory(t *testing.T) {
	t.Parallel()
	env := harness.OnEngine(t, "--ranges", "2")
	base, stop := harness.Serve(t, env, "--addr", "127.0.0.1:0", "--deletion-grace", "14d")
	ada, bob, anyone := harness.NewVisitor(t, base), harness.NewVisitor(t, base), harness.NewVisitor(t, base)
	ada.SignUp("ada") // who administers the site
	bob.SignUp("bob")
	post := bob.Publish("By bob", "precious").URL.Path
	adas := "/posts/" + strings.Split(ada.Publish("By ada", "text").URL.Path, "/")[2]
	if p := bob.Post(adas+"/comments", "content", "Hello"); p.Status != http.StatusOK {
		t.Fatalf("commenting: status %d", p.Status)
	}

	t.Run("the last administrator may not, while others are there", func(t *testing.T) {
		p := ada.Post("/settings/delete", "password", "correct horse")
		if said := harness.Text(p.Find(`main [role="alert"]`)); p.Status != http.StatusConflict || !strings.Contains(said, "no other administrator") {
			t.Errorf("status %d: %s", p.Status, said)
		}
	})
	t.Run("the export is offered first, and has what goes", func(t *testing.T) {
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
				t.Errorf("it lacks %q", part)
			}
		}
	})
	t.Run("asked for and taken back, all is as it was", func(t *testing.T) {
		p := bob.Post("/settings/delete", "password", "correct horse")
		if p.Status != http.StatusOK || !strings.Contains(harness.Text(p.Find("main h1")), "will be deleted") {
			t.Fatalf("status %d: %s", p.Status, harness.Text(p.Find("main")))
		}
		if got := harness.Text(bob.Get("/").Find("aside.deletion-notice")); !strings.Contains(got, "will be deleted on") {
			t.Errorf("the front page says %q", got)
		}
		if p := anyone.Get(post); p.Status != http.StatusOK {
			t.Errorf("the post: status %d", p.Status)
		}
		bob.Post("/settings/delete/cancel")
		if bob.Get("/").Find("aside.deletion-notice").Length() != 0 {
			t.Error("it still says so")
		}
	})
	stop()

	t.Run("goes at its time, also when nobody was there", func(t *testing.T) {
		base, stop := harness.Serve(t, env, "--addr", "127.0.0.1:0", "--deletion-grace", "1s")
		bob := harness.NewVisitor(t, base)
		bob.Post("/login", "username", "bob", "password", "correct horse")
		if p := bob.Post("/settings/delete", "password", "correct horse"); p.Status != http.StatusOK && p.Status != http.StatusSeeOther {
			t.Fatalf("status %d: %s", p.Status, harness.Text(p.Find("main")))
		}
		stop()
		var bases []string
		for range 2 {
			base, _ := harness.Serve(t, env, "--addr", "127.0.0.1:0")
			bases = append(bases, base)
		}
		anyone := harness.NewVisitor(t, bases[0])
		harness.Eventually(t, "the account is gone", func() bool { return anyone.Get("/@bob").Status == http.StatusNotFound })
		harness.Eventually(t, "and what it wrote", func() bool {
			return anyone.Get(post).Status == http.StatusNotFound && strings.Contains(harness.Text(anyone.Get(adas).Find("main")), "0 comments")
		})
		if p := anyone.Post("/login", "username", "bob", "password", "correct horse"); p.Status != http.StatusUnprocessableEntity {
			t.Errorf("logging in: status %d", p.Status)
		}
		harness.Eventually(t, "the name is free", func() bool {
			return harness.NewVisitor(t, bases[1]).Post("/signup", "username", "bob", "password", "correct horse").Status == http.StatusOK
		})
	})
	harness.Verify(t, env, "--wait")
}
