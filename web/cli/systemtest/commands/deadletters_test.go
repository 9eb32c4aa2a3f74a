package commands

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"inkfeed/web/cli"
	"inkfeed/web/cli/systemtest/harness"
)

// Real poison: a post whose title is a number cannot be decoded.
func TestDeadLetters(t *testing.T) {
	env := map[string]string{"INKFEED_DATA": t.TempDir()}
	harness.RunCommand(t, env, "seed", "--users", "3")
	list := func(t *testing.T) string {
		t.Helper()
		return harness.RunCommand(t, env, "deadletters", "list")
	}
	if out := list(t); out != "There are no dead letters.\n" {
		t.Fatalf("says: %s", out)
	}

	var sound []harness.Item
	harness.Tamper(t, env, func(d *harness.Database) {
		sound = d.Find("posts", "c.type = 'post'")[:3]
		for _, post := range sound {
			d.Put("posts", post.With("title", 7))
		}
	})
	base, stop := harness.Serve(t, env, "--addr", "127.0.0.1:0") // its workers come by the poison
	v := harness.NewVisitor(t, base)
	v.SignUp("ada") // the neighbours go on
	path := v.Publish("After the poison", "text").URL.Path
	harness.Eventually(t, "the post after the poison is on the front page", func() bool {
		return strings.Contains(harness.Text(v.Get("/").Find("main")), "After the poison")
	})
	stop()
	base, stop = harness.Serve(t, env, "--addr", "127.0.0.1:0")
	if p := harness.NewVisitor(t, base).Get("/readyz"); p.Status != http.StatusOK || !strings.Contains(p.Text(), "dead letters: 3") {
		t.Errorf("/readyz: status %d: %s", p.Status, p.Text())
	}
	if p := harness.NewVisitor(t, base).Get(path); p.Status != http.StatusOK {
		t.Errorf("the sound post: status %d", p.Status)
	}
	stop()

	ids := make([]string, len(sound))
	for i, post := range sound {
		ids[i] = fmt.Sprintf("posts/%s/%s", post["postId"], post["id"])
	}
	out := list(t)
	for _, id := range ids {
		if !strings.Contains(out, id) {
			t.Errorf("no %s in:\n%s", id, out)
		}
	}
	if lines := strings.Split(strings.TrimSpace(out), "\n"); len(lines) != 4 || !strings.Contains(lines[1], "title") {
		t.Errorf("list says:\n%s", out)
	}

	t.Run("nothing is tried when an ID is wrong", func(t *testing.T) {
		_, err := harness.Try(t, env, "deadletters", "retry", ids[0], "posts/none/none")
		if err == nil || !strings.Contains(err.Error(), "posts/none/none") {
			t.Errorf("error %v", err)
		}
	})
	t.Run("what is still poison stays, and says why", func(t *testing.T) {
		var stdout, stderr harness.Logs
		err := cli.Run(t.Context(), []string{"deadletters", "retry", ids[0]}, func(name string) string { return env[name] }, &stdout, &stderr)
		if err == nil || !strings.Contains(stderr.String(), ids[0]) || !strings.Contains(stderr.String(), "title") ||
			!strings.Contains(stdout.String(), "0 of 1") {
			t.Errorf("error %v: %s%s", err, stdout.String(), stderr.String())
		}
		if out := list(t); !strings.Contains(out, ids[0]) {
			t.Errorf("it is lost: %s", out)
		}
	})
	t.Run("a mended item is projected, the others stay", func(t *testing.T) {
		harness.Tamper(t, env, func(d *harness.Database) { d.Put("posts", sound[0].With("likeCount", 99).With("version", 99)) })
		if out := harness.RunCommand(t, env, "deadletters", "retry", ids[0]); !strings.Contains(out, "1 of 1") {
			t.Errorf("says: %s", out)
		}
		harness.Tamper(t, env, func(d *harness.Database) {
			copies := d.Find("users", fmt.Sprintf("c.type = 'post' AND c.id = '%s'", sound[0]["id"]))
			if len(copies) != 1 || copies[0]["likeCount"] != 99.0 {
				t.Errorf("copies are %v", copies)
			}
		})
		if out := list(t); strings.Contains(out, ids[0]) || !strings.Contains(out, ids[1]) {
			t.Errorf("then the list is:\n%s", out)
		}
	})
	t.Run("all of them: one mended, one gone", func(t *testing.T) {
		harness.Tamper(t, env, func(d *harness.Database) {
			d.Put("posts", sound[0])
			d.Put("posts", sound[1])
			d.Delete("posts", sound[2])
		})
		if out := harness.RunCommand(t, env, "deadletters", "retry", "--all"); !strings.Contains(out, "2 of 2") {
			t.Errorf("says: %s", out)
		}
		if out := list(t); !strings.Contains(out, "no dead letters") {
			t.Errorf("then the list is:\n%s", out)
		}
	})
}
