package cli

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"inkfeed/domain"
)

// Real poison: a post whose title is a number cannot be decoded.
func TestDeadLetters(t *testing.T) {
	env := map[string]string{"INKFEED_DATA": t.TempDir()}
	runCommand(t, env, "seed", "--users", "3")
	list := func(t *testing.T) string {
		t.Helper()
		return runCommand(t, env, "deadletters", "list")
	}
	if out := list(t); out != "There are no dead letters.\n" {
		t.Fatalf("says: %s", out)
	}

	var sound []item
	tampering(t, env, func(d *tamper) {
		sound = d.find("posts", "c.type = 'post'")[:3]
		for _, post := range sound {
			d.put("posts", post.with("title", 7))
		}
	})
	base, stop := serving(t, env, "--addr", "127.0.0.1:0") // its workers come by the poison
	v := newVisitor(t, base)
	v.signUp("ada") // the neighbours go on
	path := v.publish("After the poison", "text").url.Path
	eventually(t, "the post after the poison is on the front page", func() bool {
		return strings.Contains(words(v.get("/").Find("main")), "After the poison")
	})
	stop()
	base, stop = serving(t, env, "--addr", "127.0.0.1:0")
	if p := newVisitor(t, base).get("/readyz"); p.status != http.StatusOK || !strings.Contains(p.Text(), "dead letters: 3") {
		t.Errorf("/readyz: status %d: %s", p.status, p.Text())
	}
	if p := newVisitor(t, base).get(path); p.status != http.StatusOK {
		t.Errorf("the sound post: status %d", p.status)
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
		_, err := start(t, env, "deadletters", "retry", ids[0], "posts/none/none")
		if err == nil || !strings.Contains(err.Error(), "posts/none/none") {
			t.Errorf("error %v", err)
		}
	})
	t.Run("what is still poison stays, and says why", func(t *testing.T) {
		var stdout, stderr logs
		err := run(t.Context(), []string{"deadletters", "retry", ids[0]}, func(name string) string { return env[name] }, &stdout, &stderr)
		if err == nil || !strings.Contains(stderr.String(), ids[0]) || !strings.Contains(stderr.String(), "title") ||
			!strings.Contains(stdout.String(), "0 of 1") {
			t.Errorf("error %v: %s%s", err, stdout.String(), stderr.String())
		}
		if out := list(t); !strings.Contains(out, ids[0]) {
			t.Errorf("it is lost: %s", out)
		}
	})
	t.Run("a mended item is projected, the others stay", func(t *testing.T) {
		tampering(t, env, func(d *tamper) { d.put("posts", sound[0].with("likeCount", 99).with("version", 99)) })
		if out := runCommand(t, env, "deadletters", "retry", ids[0]); !strings.Contains(out, "1 of 1") {
			t.Errorf("says: %s", out)
		}
		tampering(t, env, func(d *tamper) {
			copies := d.find("users", fmt.Sprintf("c.type = 'post' AND c.id = '%s'", sound[0]["id"]))
			if len(copies) != 1 || copies[0]["likeCount"] != 99.0 {
				t.Errorf("copies are %v", copies)
			}
		})
		if out := list(t); strings.Contains(out, ids[0]) || !strings.Contains(out, ids[1]) {
			t.Errorf("then the list is:\n%s", out)
		}
	})
	t.Run("all of them: one mended, one gone", func(t *testing.T) {
		tampering(t, env, func(d *tamper) {
			d.put("posts", sound[0])
			d.put("posts", sound[1])
			d.delete("posts", sound[2])
		})
		if out := runCommand(t, env, "deadletters", "retry", "--all"); !strings.Contains(out, "2 of 2") {
			t.Errorf("says: %s", out)
		}
		if out := list(t); !strings.Contains(out, "no dead letters") {
			t.Errorf("then the list is:\n%s", out)
		}
	})
}

func TestTheTableOfDeadLetters(t *testing.T) {
	var out logs
	letter := domain.DeadLetter{Processor: "posts", Item: domain.ItemRef{PartitionKey: "p1", ID: "c1"}, Attempts: 10,
		Error: "cannot:\n\tproject \x1b[31mthis " + strings.Repeat("again ", 100)}
	if err := writeLetters(&out, []domain.DeadLetter{letter}); err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSpace(out.String()), "\n")
	if len(lines) != 2 || !strings.HasPrefix(lines[1], "posts/p1/c1  0001-01-01 00:00:00  ") ||
		!strings.Contains(lines[1], "cannot: project [31mthis again") || len(lines[1]) > 300 {
		t.Errorf("one line a letter, without control characters, want:\n%q", lines)
	}
}
