package cli

import (
	"archive/zip"
	"bytes"
	"io"
	"net/http"
	"strings"
	"testing"
)

// Leaving with time to think again, on two servers, one of which is stopped, and started
// again when the time is over.
func TestLeavingStory(t *testing.T) {
	env := onEngine(t, "--ranges", "2")
	base, stop := serving(t, env, "--addr", "127.0.0.1:0", "--deletion-grace", "14d")
	ada, bob, anyone := newVisitor(t, base), newVisitor(t, base), newVisitor(t, base)
	ada.signUp("ada") // who administers the site
	bob.signUp("bob")
	post := bob.publish("By bob", "precious").url.Path
	adas := "/posts/" + strings.Split(ada.publish("By ada", "text").url.Path, "/")[2]
	if p := bob.post(adas+"/comments", "content", "Hello"); p.status != http.StatusOK {
		t.Fatalf("commenting: status %d", p.status)
	}

	t.Run("the last administrator may not, while others are there", func(t *testing.T) {
		p := ada.post("/settings/delete", "password", "correct horse")
		if said := words(p.Find(`main [role="alert"]`)); p.status != http.StatusConflict || !strings.Contains(said, "Nobody else administers") {
			t.Errorf("status %d: %s", p.status, said)
		}
	})
	t.Run("the export is offered first, and has what goes", func(t *testing.T) {
		href, _ := bob.get("/settings/delete").Find("main a[download]").Attr("href")
		resp, err := bob.http.Get(base + href)
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
		p := bob.post("/settings/delete", "password", "correct horse")
		if p.status != http.StatusOK || !strings.Contains(words(p.Find("main h1")), "will be deleted") {
			t.Fatalf("status %d: %s", p.status, words(p.Find("main")))
		}
		if got := words(bob.get("/").Find("aside.leaving")); !strings.Contains(got, "will be deleted on") {
			t.Errorf("the front page says %q", got)
		}
		if p := anyone.get(post); p.status != http.StatusOK {
			t.Errorf("the post: status %d", p.status)
		}
		bob.post("/settings/delete/cancel")
		if bob.get("/").Find("aside.leaving").Length() != 0 {
			t.Error("it still says so")
		}
	})
	stop()

	t.Run("goes at its time, also when nobody was there", func(t *testing.T) {
		base, stop := serving(t, env, "--addr", "127.0.0.1:0", "--deletion-grace", "1s")
		bob := newVisitor(t, base)
		bob.post("/login", "username", "bob", "password", "correct horse")
		if p := bob.post("/settings/delete", "password", "correct horse"); p.status != http.StatusOK && p.status != http.StatusSeeOther {
			t.Fatalf("status %d: %s", p.status, words(p.Find("main")))
		}
		stop()
		var bases []string
		for range 2 {
			base, _ := serving(t, env, "--addr", "127.0.0.1:0")
			bases = append(bases, base)
		}
		anyone := newVisitor(t, bases[0])
		eventually(t, "the account is gone", func() bool { return anyone.get("/@bob").status == http.StatusNotFound })
		eventually(t, "and what it wrote", func() bool {
			return anyone.get(post).status == http.StatusNotFound && strings.Contains(words(anyone.get(adas).Find("main")), "0 comments")
		})
		if p := anyone.post("/login", "username", "bob", "password", "correct horse"); p.status != http.StatusUnprocessableEntity {
			t.Errorf("logging in: status %d", p.status)
		}
		eventually(t, "the name is free", func() bool {
			return newVisitor(t, bases[1]).post("/signup", "username", "bob", "password", "correct horse").status == http.StatusOK
		})
	})
	verified(t, env, "--wait")
}
