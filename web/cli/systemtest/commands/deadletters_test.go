package commands

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"inkfeed/web/cli"
	"inkfeed/web/cli/systemtest/harness"
)

// TestDeadLettersAreListedAndRetried makes real dead letters: posts whose titles are numbers, which cannot be decoded.
func TestDeadLettersAreListedAndRetried(t *testing.T) {
	t.Parallel()
	env := map[string]string{"INKFEED_DATA": t.TempDir()}
	harness.RunCommand(t, env, "seed", "--users", "3")
	list := func(t *testing.T) string {
		t.Helper()
		return harness.RunCommand(t, env, "deadletters", "list")
	}
	if out := list(t); out != "There are no dead letters.\n" {
		t.Fatalf("the list without dead letters is: %s", out)
	}

	var intact []harness.Item
	harness.Tamper(t, env, func(d *harness.Database) {
		intact = d.Find("posts", "c.type = 'post'")[:3]
		for _, post := range intact {
			d.Put("posts", post.With("title", 7))
		}
	})
	base, stop := harness.Serve(t, env, "--addr", "127.0.0.1:0") // its workers read the damaged posts
	v := harness.NewVisitor(t, base)
	v.SignUp("ada") // other changes are projected
	path := v.Publish("After the damage", "text").URL.Path
	harness.Eventually(t, "the post after the damaged ones is on the front page", func() bool {
		return strings.Contains(harness.Text(v.Get("/").Find("main")), "After the damage")
	})
	stop()
	ops := harness.FreeAddr(t)
	base, stop = harness.Serve(t, env, "--addr", "127.0.0.1:0", "--ops-addr", ops)
	for address, want := range map[string]string{base: "ok\n", "http://" + ops: "ok\ndead letters: 3\n"} {
		if p := harness.NewVisitor(t, address).Get("/readyz"); p.Status != http.StatusOK || p.Text() != want {
			t.Errorf("%s/readyz: status %d: %q, want %q", address, p.Status, p.Text(), want)
		}
	}
	if p := harness.NewVisitor(t, base).Get(path); p.Status != http.StatusOK {
		t.Errorf("the intact post has status %d", p.Status)
	}
	stop()

	ids := make([]string, len(intact))
	for i, post := range intact {
		ids[i] = fmt.Sprintf("posts/%s/%s", post["postId"], post["id"])
	}
	out := list(t)
	for _, id := range ids {
		if !strings.Contains(out, id) {
			t.Errorf("the list lacks %s:\n%s", id, out)
		}
	}
	if lines := strings.Split(strings.TrimSpace(out), "\n"); len(lines) != 4 || !strings.Contains(lines[1], "title") {
		t.Errorf("the list is:\n%s", out)
	}

	t.Run("no dead letter contains the text of its item", func(t *testing.T) {
		harness.Tamper(t, env, func(d *harness.Database) {
			for _, letter := range d.Find("deadletters", "c.type = 'dead-letter'") {
				if body, ok := letter["body"]; ok {
					t.Errorf("a dead letter contains %v", body)
				}
				d.Put("deadletters", letter.With("body", intact[0])) // as earlier releases wrote it
			}
		})
	})
	t.Run("retry refuses all if one ID is unknown", func(t *testing.T) {
		_, err := harness.Try(t, env, "deadletters", "retry", ids[0], "posts/none/none")
		if err == nil || !strings.Contains(err.Error(), "posts/none/none") {
			t.Errorf("retry with an unknown ID: error %v", err)
		}
	})
	t.Run("retry keeps a damaged item and prints the reason", func(t *testing.T) {
		var stdout, stderr harness.Logs
		getenv := func(name string) string { return env[name] }
		err := cli.Run(t.Context(), []string{"deadletters", "retry", ids[0]}, getenv, &stdout, &stderr)
		if err == nil || !strings.Contains(stderr.String(), ids[0]) || !strings.Contains(stderr.String(), "title") ||
			!strings.Contains(stdout.String(), "0 of 1") {
			t.Errorf("retry of a damaged item: error %v: %s%s", err, stdout.String(), stderr.String())
		}
		if out := list(t); !strings.Contains(out, ids[0]) {
			t.Errorf("the list lacks the item after the retry: %s", out)
		}
	})
	t.Run("retry projects a repaired item and keeps the others", func(t *testing.T) {
		harness.Tamper(t, env, func(d *harness.Database) {
			d.Put("posts", intact[0].With("likeCount", 99).With("version", 99))
		})
		if out := harness.RunCommand(t, env, "deadletters", "retry", ids[0]); !strings.Contains(out, "1 of 1") {
			t.Errorf("retry prints: %s", out)
		}
		harness.Tamper(t, env, func(d *harness.Database) {
			copies := d.Find("users", fmt.Sprintf("c.type = 'post' AND c.id = '%s'", intact[0]["id"]))
			if len(copies) != 1 || copies[0]["likeCount"] != 99.0 {
				t.Errorf("the copies of the post are %v", copies)
			}
		})
		if out := list(t); strings.Contains(out, ids[0]) || !strings.Contains(out, ids[1]) {
			t.Errorf("the list after the retry is:\n%s", out)
		}
	})
	t.Run("retry --all projects repaired items and forgets deleted ones", func(t *testing.T) {
		harness.Tamper(t, env, func(d *harness.Database) {
			d.Put("posts", intact[0])
			d.Put("posts", intact[1])
			d.Delete("posts", intact[2])
		})
		if out := harness.RunCommand(t, env, "deadletters", "retry", "--all"); !strings.Contains(out, "2 of 2") {
			t.Errorf("retry prints: %s", out)
		}
		if out := list(t); !strings.Contains(out, "no dead letters") {
			t.Errorf("the list after the retry is:\n%s", out)
		}
	})
}

func TestRetriedCommentsNotifyTheAuthorOfThePost(t *testing.T) {
	t.Parallel()
	env := map[string]string{"INKFEED_DATA": t.TempDir()}
	base, stop := harness.Serve(t, env, "--addr", "127.0.0.1:0")
	ada, ben := harness.NewVisitor(t, base), harness.NewVisitor(t, base)
	ada.SignUp("ada")
	ben.SignUp("ben")
	post := ada.Publish("A title", "text").URL.Path
	ben.Post("/posts/"+strings.Split(post, "/")[2]+"/comments", "content", "A comment")
	notifications := func(d *harness.Database) []harness.Item { return d.Find("users", "c.type = 'notification'") }
	stop()
	var comment harness.Item
	harness.Tamper(t, env, func(d *harness.Database) {
		for _, n := range notifications(d) {
			d.Delete("users", n)
		}
		comment = d.Find("posts", "c.type = 'comment'")[0]
		d.Put("posts", comment.With("content", 7))
	})
	ops := harness.FreeAddr(t)
	_, stop = harness.Serve(t, env, "--addr", "127.0.0.1:0", "--ops-addr", ops)
	harness.Eventually(t, "the comment is a dead letter", func() bool {
		return strings.Contains(harness.NewVisitor(t, "http://"+ops).Get("/readyz").Text(), "dead letters: 1")
	})
	stop()
	harness.Tamper(t, env, func(d *harness.Database) { d.Put("posts", comment) })
	harness.RunCommand(t, env, "deadletters", "retry", "--all")
	harness.Tamper(t, env, func(d *harness.Database) {
		if n := len(notifications(d)); n != 1 {
			t.Errorf("there are %d notifications, want 1", n)
		}
	})
}
