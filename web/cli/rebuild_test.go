package cli

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"inkfeed/domain"
	"inkfeed/web/cli/config"
)

// damages are ways to break what projecting keeps right, none of which shows as a
// change of a source. Each takes its own of the posts, which are the newest first.
var damages = map[string]struct {
	projector string // that mends it, besides all
	do        func(d *tamper, posts []item)
}{
	"a copy that says something else": {"posts", func(d *tamper, posts []item) {
		d.put("users", d.copyOf(posts[0]).with("title", "Something else").with("likeCount", 1000))
	}},
	"a copy that claims a version to come": {"posts", func(d *tamper, posts []item) {
		d.put("users", d.copyOf(posts[1]).with("version", 1_000_000))
	}},
	"a copy of another date": {"posts", func(d *tamper, posts []item) {
		d.put("users", d.copyOf(posts[2]).with("creationDate", "2001-01-01T00:00:00.000Z"))
	}},
	"a copy that nobody can read": {"posts", func(d *tamper, posts []item) {
		d.put("users", d.copyOf(posts[14]).with("commentCount", "some").with("creationDate", 7))
	}},
	"a copy that is missing": {"posts", func(d *tamper, posts []item) {
		d.delete("users", d.copyOf(posts[3]))
	}},
	"a copy without a post": {"posts", func(d *tamper, posts []item) {
		id := domain.NewID()
		d.put("users", d.copyOf(posts[4]).with("id", id).with("postId", id))
	}},
	"a copy with another user": {"posts", func(d *tamper, posts []item) {
		d.put("users", d.copyOf(posts[5]).with("userId", otherAuthor(posts, posts[5])))
	}},
	"a copy that says that the post is deleted": {"posts", func(d *tamper, posts []item) {
		d.put("users", d.copyOf(posts[6]).with("type", "deleted-post").with("deletionDate", "2026-01-01T00:00:00.000Z").with("ttl", 3600))
	}},
	"a name that is not reserved": {"users", func(d *tamper, posts []item) {
		d.delete("users", d.find("users", "c.type = 'username'")[0])
	}},
	"a reservation that would expire": {"users", func(d *tamper, posts []item) {
		d.put("users", d.find("users", "c.type = 'username'")[1].with("ttl", 1000))
	}},
	"names of before a rename that counts as spread": {"posts users", func(d *tamper, posts []item) {
		d.put("users", d.only("users", fmt.Sprintf("c.type = 'user' AND c.id = '%s'", posts[7]["userId"])).with("username", "renamed"))
	}},
	"a row of the feed that says something else": {"posts", func(d *tamper, posts []item) {
		d.put("feed", d.rowOf(posts[8]).with("title", "Something else"))
	}},
	"a row of the feed that claims a version to come": {"posts", func(d *tamper, posts []item) {
		d.put("feed", d.rowOf(posts[9]).with("version", 1_000_000))
	}},
	"a row of the feed of another date": {"posts", func(d *tamper, posts []item) {
		d.put("feed", d.rowOf(posts[10]).with("creationDate", "2001-01-01T00:00:00.000Z"))
	}},
	"rows of the feed that are missing, the newest too": {"posts", func(d *tamper, posts []item) {
		d.delete("feed", d.rowOf(posts[11]))
		d.delete("feed", d.rowOf(posts[12]))
	}},
	"rows of the feed without a post, the newest too": {"posts", func(d *tamper, posts []item) {
		for _, date := range []string{"2099-01-01T00:00:00.000Z", posts[20]["creationDate"].(string)} {
			id := domain.NewID()
			d.put("feed", d.rowOf(posts[13]).with("id", id).with("postId", id).with("creationDate", date))
		}
	}},
	"rows of the feed that are too old for it": {"posts", func(d *tamper, posts []item) {
		for _, post := range posts[domain.FeedLimit+3 : domain.FeedLimit+5] {
			d.put("feed", d.copyOf(post))
		}
	}},
	"a feed with older posts instead of newer": {"posts", func(d *tamper, posts []item) {
		d.delete("feed", d.rowOf(posts[50]))
		d.put("feed", d.copyOf(posts[domain.FeedLimit+7]))
	}},
}

// copyOf is a post's copy in its author's partition, rowOf that in the feed.
func (d *tamper) copyOf(post item) item {
	d.t.Helper()
	return d.only("users", fmt.Sprintf("c.id = '%s' AND c.userId = '%s'", post["id"], post["userId"]))
}

func (d *tamper) rowOf(post item) item {
	d.t.Helper()
	return d.only("feed", fmt.Sprintf("c.id = '%s'", post["id"]))
}

func (d *tamper) only(container, condition string) item {
	d.t.Helper()
	found := d.find(container, condition)
	if len(found) != 1 {
		d.t.Fatalf("%d items in %s of %s", len(found), container, condition)
	}
	return found[0]
}

func otherAuthor(posts []item, post item) any {
	for _, other := range posts {
		if other["userId"] != post["userId"] {
			return other["userId"]
		}
	}
	return nil
}

// posts lists all posts, the newest first.
func (d *tamper) posts() []item {
	d.t.Helper()
	posts := d.find("posts", "c.type = 'post'")
	slices.SortFunc(posts, func(a, b item) int {
		return cmp.Or(cmp.Compare(b["creationDate"].(string), a["creationDate"].(string)), cmp.Compare(b["id"].(string), a["id"].(string)))
	})
	if len(posts) < domain.FeedLimit+10 {
		d.t.Fatalf("only %d posts", len(posts))
	}
	return posts
}

func TestRebuildMendsWhatProjectingDoesNotSee(t *testing.T) {
	for _, projector := range []string{"users", "posts", "all"} {
		t.Run(projector, func(t *testing.T) {
			env := map[string]string{"INKFEED_DATA": t.TempDir()}
			runCommand(t, env, "seed", "--users", "5")
			wrong := 0
			for _, name := range slices.Sorted(maps.Keys(damages)) {
				damage := damages[name]
				if projector != "all" && !strings.Contains(damage.projector, projector) {
					continue
				}
				tampering(t, env, func(d *tamper) { damage.do(d, d.posts()) })
				if projector != "all" && wrong > 0 {
					continue // that each one is seen is tried where all are
				}
				out, _ := start(t, env, "verify", "--wait") // projecting does not mend it
				if now := strings.Count(out, "\n"); now <= wrong {
					t.Errorf("%s: verify finds no more than before:\n%s", name, out)
				} else {
					wrong = now
				}
			}
			if out := runCommand(t, env, "rebuild", "--projector", projector); !strings.Contains(out, "Rebuilt "+projector) {
				t.Errorf("says: %s", out)
			}
			verified(t, env)
			tampering(t, env, func(d *tamper) {
				if left := d.find("leases", "STARTSWITH(c.processor, 'rebuild')"); len(left) > 0 {
					t.Errorf("it leaves leases: %v", left)
				}
			})
		})
	}
}

// servedEngine serves an engine, and returns what makes other commands go there.
func servedEngine(t *testing.T) (env map[string]string, d *tamper) {
	t.Helper()
	env = onEngine(t, "--ranges", "2")
	maps.Copy(env, quickLeases)
	return env, newTamper(t, env["COSMOS_ENDPOINT"], env["COSMOS_KEY"], config.InsecureTransport())
}

func TestRebuildBesideAServerThatIsWrittenTo(t *testing.T) {
	env, d := servedEngine(t)
	runCommand(t, env, "seed", "--users", "5")
	posts := d.posts()
	for _, damage := range damages {
		damage.do(d, posts)
	}
	base, _ := serving(t, env, "--addr", "127.0.0.1:0")
	id := posts[0]["id"].(string)
	writing, stop := context.WithCancel(t.Context())
	var writers sync.WaitGroup
	for i := range 3 {
		v := newVisitor(t, base)
		v.signUp(fmt.Sprint("user", i))
		writers.Go(func() {
			for n := 0; writing.Err() == nil; n++ {
				v.publish(fmt.Sprintf("Post %d of %d", n, i), "text")
				v.post("/posts/"+id+"/comments", "content", "Hello")
				v.post("/posts/" + id + "/like")
				v.post("/posts/" + id + "/unlike")
				v.post("/settings/username", "username", fmt.Sprintf("user%d-%d", i, n))
			}
		})
	}
	out := runCommand(t, env, "rebuild")
	stop()
	writers.Wait()
	if !strings.Contains(out, "Rebuilt all") {
		t.Errorf("says: %s", out)
	}
	verified(t, env, "--wait")
}

func TestAnInterruptedRebuildLeavesNothingBehind(t *testing.T) {
	env, d := servedEngine(t)
	runCommand(t, env, "seed", "--users", "12") // so many that a rebuild takes its time
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error)
	go func() {
		ended <- run(ctx, []string{"rebuild"}, func(name string) string { return env[name] }, &logs{}, &logs{})
	}()
	ofRebuild := "c.processor = 'rebuild.posts'"
	eventually(t, "a rebuild is under way", func() bool { return len(d.find("leases", ofRebuild+" AND c.owner != ''")) > 0 })
	_, err := start(t, env, "rebuild", "--projector", "posts")
	if err == nil || !strings.Contains(err.Error(), "one is running on") {
		t.Errorf("a second one: error %v", err)
	}
	cancel()
	if err := <-ended; err == nil {
		t.Error("it was not interrupted: no error")
	}
	if left := d.find("leases", ofRebuild); len(left) > 0 {
		t.Errorf("leases are left: %v", left)
	}
	verified(t, env, "--wait")
}

func TestRebuildAfterOneThatWasKilled(t *testing.T) {
	env := map[string]string{"INKFEED_DATA": t.TempDir()}
	runCommand(t, env, "seed", "--users", "1")
	leave := func(owner string, renewed time.Time) {
		tampering(t, env, func(d *tamper) {
			d.put("leases", item{"id": "rebuild.posts..-FF", "type": "lease", "processor": "rebuild.posts", "minInclusive": "",
				"maxExclusive": "FF", "owner": owner, "renewed": renewed.UTC().Format(time.RFC3339), "continuation": "of another time"})
		})
	}
	t.Run("while it may be running, says where", func(t *testing.T) {
		leave("another-host-7", time.Now().Add(-20*time.Second))
		_, err := start(t, env, "rebuild", "--projector", "posts")
		if err == nil || !strings.Contains(err.Error(), "another-host-7") || !strings.Contains(err.Error(), "if it was killed, wait for ") {
			t.Errorf("error %v", err)
		}
	})
	t.Run("goes by the expiration that it is given", func(t *testing.T) {
		leave("another-host-7", time.Now().Add(-20*time.Second))
		runCommand(t, env, "rebuild", "--lease-expiration", "15s", "--lease-renew", "5s", "--lease-acquire", "5s")
		verified(t, env)
	})
	t.Run("begins anew when nobody has the leases", func(t *testing.T) {
		leave("", time.Now())
		runCommand(t, env, "rebuild")
		verified(t, env)
	})
}

// What a rebuild cannot project waits where all that cannot be projected does.
func TestARebuildFilesDeadLetters(t *testing.T) {
	env := map[string]string{"INKFEED_DATA": t.TempDir()}
	runCommand(t, env, "seed", "--users", "1")
	var poisoned item
	tampering(t, env, func(d *tamper) {
		poisoned = d.find("posts", "c.type = 'post'")[0]
		d.put("posts", poisoned.with("title", 7))
	})
	_, err := start(t, env, "rebuild")
	if err == nil || !strings.Contains(err.Error(), "1 item could not be projected") || !strings.Contains(err.Error(), "deadletters list") {
		t.Errorf("error %v", err)
	}
	if out := runCommand(t, env, "deadletters", "list"); strings.Count(out, "\n") != 2 || !strings.Contains(out, "posts/"+poisoned["id"].(string)) {
		t.Errorf("list says:\n%s", out)
	}
	tampering(t, env, func(d *tamper) { d.put("posts", poisoned) })
	runCommand(t, env, "deadletters", "retry", "--all")
}
