package commands

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
	"inkfeed/web/cli"
	"inkfeed/web/cli/config"
	"inkfeed/web/cli/systemtest/harness"
)

// damages are ways to damage copies and names without a change of their source, so that the projectors do not notice.
// Each damages posts of its own; the posts are ordered newest first.
var damages = map[string]struct {
	projector string // names of the projectors that repair the damage; "all" repairs each
	do        func(d *harness.Database, posts []harness.Item)
}{
	"a copy with another title": {"posts", func(d *harness.Database, posts []harness.Item) {
		d.Put("users", copyOf(d, posts[0]).With("title", "Something else").With("likeCount", 1000))
	}},
	"a copy with a future version": {"posts", func(d *harness.Database, posts []harness.Item) {
		d.Put("users", copyOf(d, posts[1]).With("version", 1_000_000))
	}},
	"a copy with another date": {"posts", func(d *harness.Database, posts []harness.Item) {
		d.Put("users", copyOf(d, posts[2]).With("creationDate", "2001-01-01T00:00:00.000Z"))
	}},
	"a copy that cannot be decoded": {"posts", func(d *harness.Database, posts []harness.Item) {
		d.Put("users", copyOf(d, posts[14]).With("commentCount", "some").With("creationDate", 7))
	}},
	"a missing copy": {"posts", func(d *harness.Database, posts []harness.Item) {
		d.Delete("users", copyOf(d, posts[3]))
	}},
	"a copy without a post": {"posts", func(d *harness.Database, posts []harness.Item) {
		id := domain.NewID()
		d.Put("users", copyOf(d, posts[4]).With("id", id).With("postId", id))
	}},
	"a copy in the partition of another user": {"posts", func(d *harness.Database, posts []harness.Item) {
		d.Put("users", copyOf(d, posts[5]).With("userId", otherAuthor(posts, posts[5])))
	}},
	"a copy of an existing post that is marked as deleted": {"posts", func(d *harness.Database, posts []harness.Item) {
		d.Put("users", copyOf(d, posts[6]).
			With("type", "deleted-post").With("deletionDate", "2026-01-01T00:00:00.000Z").With("ttl", 3600))
	}},
	"a missing reservation of a username": {"users", func(d *harness.Database, posts []harness.Item) {
		d.Delete("users", d.Find("users", "c.type = 'username'")[0])
	}},
	"a reservation that expires": {"users", func(d *harness.Database, posts []harness.Item) {
		d.Put("users", d.Find("users", "c.type = 'username'")[1].With("ttl", 1000))
	}},
	"former usernames after an unpropagated rename": {"posts users", func(d *harness.Database, posts []harness.Item) {
		user := onlyOne(d, "users", fmt.Sprintf("c.type = 'user' AND c.id = '%s'", posts[7]["userId"]))
		d.Put("users", user.With("username", "renamed"))
	}},
	"a row of the feed with another title": {"posts", func(d *harness.Database, posts []harness.Item) {
		d.Put("feed", rowOf(d, posts[8]).With("title", "Something else"))
	}},
	"a row of the feed with a future version": {"posts", func(d *harness.Database, posts []harness.Item) {
		d.Put("feed", rowOf(d, posts[9]).With("version", 1_000_000))
	}},
	"a row of the feed with another date": {"posts", func(d *harness.Database, posts []harness.Item) {
		d.Put("feed", rowOf(d, posts[10]).With("creationDate", "2001-01-01T00:00:00.000Z"))
	}},
	"missing rows of the feed, including the newest": {"posts", func(d *harness.Database, posts []harness.Item) {
		d.Delete("feed", rowOf(d, posts[11]))
		d.Delete("feed", rowOf(d, posts[12]))
	}},
	"rows of the feed without a post, including the newest": {"posts", func(d *harness.Database, posts []harness.Item) {
		for _, date := range []string{"2099-01-01T00:00:00.000Z", posts[20]["creationDate"].(string)} {
			id := domain.NewID()
			d.Put("feed", rowOf(d, posts[13]).With("id", id).With("postId", id).With("creationDate", date))
		}
	}},
	"rows of the feed that are older than its limit": {"posts", func(d *harness.Database, posts []harness.Item) {
		for _, post := range posts[domain.FeedLimit+3 : domain.FeedLimit+5] {
			d.Put("feed", copyOf(d, post))
		}
	}},
	"a feed with older posts instead of newer": {"posts", func(d *harness.Database, posts []harness.Item) {
		d.Delete("feed", rowOf(d, posts[50]))
		d.Put("feed", copyOf(d, posts[domain.FeedLimit+7]))
	}},
	"avatars that an earlier release has not copied": {"posts users", func(d *harness.Database, posts []harness.Item) {
		user := onlyOne(d, "users", fmt.Sprintf("c.type = 'user' AND c.id = '%s'", posts[15]["userId"]))
		for _, kind := range []string{"post", "comment", "like"} {
			if len(d.Find("posts", fmt.Sprintf("c.type = '%s' AND c.userId = '%s'", kind, user["id"]))) == 0 {
				d.T.Fatalf("the author has no %s", kind)
			}
		}
		name := domain.ImageName{Hash: "abcdefghijkmnpqrstuvwxyz23", Width: 5, Height: 5, Ext: domain.ExtPNG}.String()
		d.Put("users", harness.Item{"id": "image." + name, "type": "avatar", "userId": user["id"], "name": name,
			"alt": "", "bytes": 100, "creationDate": user["creationDate"]})
		count, _ := user["imageCount"].(float64) // absent if the user has no pictures
		bytes, _ := user["imageBytes"].(float64)
		d.Put("users", user.With("avatar", name).With("imageCount", count+1).With("imageBytes", bytes+100))
	}},
	"an entry of the review queue whose post is gone": {"posts", func(d *harness.Database, posts []harness.Item) {
		id := domain.NewID()
		d.Put("moderation", harness.Item{"id": id, "type": "review", "queue": "held", "postId": id,
			"userId": posts[16]["userId"], "creationDate": posts[16]["creationDate"]})
	}},
	"an entry of the review queue whose post does not wait": {"posts", func(d *harness.Database, posts []harness.Item) {
		d.Put("moderation", harness.Item{"id": posts[17]["id"], "type": "review", "queue": "held",
			"postId": posts[17]["id"], "userId": posts[17]["userId"], "creationDate": posts[17]["creationDate"]})
	}},
}

// copyOf returns the copy of a post in its author's partition.
func copyOf(d *harness.Database, post harness.Item) harness.Item {
	d.T.Helper()
	return onlyOne(d, "users", fmt.Sprintf("c.id = '%s' AND c.userId = '%s'", post["id"], post["userId"]))
}

// rowOf returns the copy of a post in the feed.
func rowOf(d *harness.Database, post harness.Item) harness.Item {
	d.T.Helper()
	return onlyOne(d, "feed", fmt.Sprintf("c.id = '%s'", post["id"]))
}

// onlyOne returns the one item that satisfies a condition.
func onlyOne(d *harness.Database, container, condition string) harness.Item {
	d.T.Helper()
	found := d.Find(container, condition)
	if len(found) != 1 {
		d.T.Fatalf("%d items in %s satisfy %s, want 1", len(found), container, condition)
	}
	return found[0]
}

// otherAuthor returns the ID of an author who has not written a post.
func otherAuthor(posts []harness.Item, post harness.Item) any {
	for _, other := range posts {
		if other["userId"] != post["userId"] {
			return other["userId"]
		}
	}
	return nil
}

// allPosts returns all posts, newest first.
func allPosts(d *harness.Database) []harness.Item {
	d.T.Helper()
	posts := d.Find("posts", "c.type = 'post'")
	slices.SortFunc(posts, func(a, b harness.Item) int {
		return cmp.Or(cmp.Compare(b["creationDate"].(string), a["creationDate"].(string)),
			cmp.Compare(b["id"].(string), a["id"].(string)))
	})
	if len(posts) < domain.FeedLimit+10 {
		d.T.Fatalf("the sample data has only %d posts", len(posts))
	}
	return posts
}

// damagesPerVerify is the number of damages between two runs of verify. Verify must find at least one violation for
// each. The exhaustive variant runs verify after each damage.
const damagesPerVerify = 6

func TestRebuildRepairsDamageThatProjectorsDoNotNotice(t *testing.T) {
	t.Parallel()
	for _, projector := range []string{"users", "posts", "all"} {
		t.Run(projector, func(t *testing.T) {
			if projector != "all" {
				harness.OnlyExhaustive(t)
			}
			env := map[string]string{"INKFEED_DATA": t.TempDir()}
			harness.RunCommand(t, env, "seed", "--users", "5")
			wrong := 0
			var unverified []string
			for i, name := range slices.Sorted(maps.Keys(damages)) {
				damage := damages[name]
				if projector != "all" && !strings.Contains(damage.projector, projector) {
					continue
				}
				harness.Tamper(t, env, func(d *harness.Database) { damage.do(d, allPosts(d)) })
				if projector != "all" && wrong > 0 {
					continue // the variant with all projectors checks that verify finds each damage
				}
				unverified = append(unverified, name)
				if !harness.IsExhaustive() && len(unverified) < damagesPerVerify && i < len(damages)-1 {
					continue
				}
				out, _ := harness.Try(t, env, "verify", "--wait") // the projectors do not repair the damage
				if now := strings.Count(out, "\n"); now < wrong+len(unverified) {
					t.Errorf("%q: verify found %d violations before and %d after:\n%s", unverified, wrong, now, out)
				} else {
					wrong = now
				}
				unverified = nil
			}
			out := harness.RunCommand(t, env, "rebuild", "--projector", projector)
			if !strings.Contains(out, "Rebuilt "+projector) {
				t.Errorf("rebuild prints: %s", out)
			}
			harness.Verify(t, env)
			harness.Tamper(t, env, func(d *harness.Database) {
				if left := d.Find("leases", "STARTSWITH(c.processor, 'rebuild')"); len(left) > 0 {
					t.Errorf("rebuild has left leases: %v", left)
				}
			})
		})
	}
}

// servedEngine serves an engine. It returns the environment with which other commands use the engine, and its
// database.
func servedEngine(t *testing.T) (env map[string]string, d *harness.Database) {
	t.Helper()
	env = harness.OnEngine(t, "--ranges", "2")
	maps.Copy(env, harness.QuickLeases)
	return env, harness.OpenDatabase(t, env["COSMOS_ENDPOINT"], env["COSMOS_KEY"], config.InsecureTransport())
}

func TestRebuildSucceedsWhileAServerWrites(t *testing.T) {
	t.Parallel()
	env, d := servedEngine(t)
	harness.RunCommand(t, env, "seed", "--users", "5")
	posts := allPosts(d)
	for _, damage := range damages {
		damage.do(d, posts)
	}
	base, _ := harness.Serve(t, env, "--addr", "127.0.0.1:0")
	id := posts[0]["id"].(string)
	writing, stop := context.WithCancel(t.Context())
	var writers sync.WaitGroup
	for i := range 3 {
		v := harness.NewVisitor(t, base)
		v.SignUp(fmt.Sprint("user", i))
		writers.Go(func() {
			for n := 0; writing.Err() == nil; n++ {
				v.Publish(fmt.Sprintf("Post %d of %d", n, i), "text")
				v.Post("/posts/"+id+"/comments", "content", "Hello")
				v.Post("/posts/" + id + "/like")
				v.Post("/posts/" + id + "/unlike")
				if n <= 16 && n&(n-1) == 0 { // an account has a budget for writing its new name to its texts
					v.Post("/settings/username", "username", fmt.Sprintf("user%d-%d", i, n))
				}
			}
		})
	}
	out := harness.RunCommand(t, env, "rebuild")
	stop()
	writers.Wait()
	if !strings.Contains(out, "Rebuilt all") {
		t.Errorf("rebuild prints: %s", out)
	}
	harness.Verify(t, env, "--wait")
}

func TestInterruptedRebuildLeavesNoLeases(t *testing.T) {
	t.Parallel()
	env, d := servedEngine(t)
	harness.RunCommand(t, env, "seed", "--users", "12") // enough to interrupt the rebuild
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error)
	go func() {
		getenv := func(name string) string { return env[name] }
		ended <- cli.Run(ctx, []string{"rebuild"}, getenv, &harness.Logs{}, &harness.Logs{})
	}()
	ofRebuild := "c.processor = 'rebuild.posts'"
	harness.Eventually(t, "the rebuild owns a lease", func() bool {
		return len(d.Find("leases", ofRebuild+" AND c.owner != ''")) > 0
	})
	_, err := harness.Try(t, env, "rebuild", "--projector", "posts")
	if err == nil || !strings.Contains(err.Error(), "one is running on") {
		t.Errorf("a second rebuild: error %v", err)
	}
	cancel()
	if err := <-ended; err == nil {
		t.Error("the interrupted rebuild returned no error")
	}
	if left := d.Find("leases", ofRebuild); len(left) > 0 {
		t.Errorf("the interrupted rebuild left leases: %v", left)
	}
	harness.Verify(t, env, "--wait")
}

func TestRebuildStartsOnceTheLeasesOfAKilledRebuildExpire(t *testing.T) {
	t.Parallel()
	env := map[string]string{"INKFEED_DATA": t.TempDir()}
	harness.RunCommand(t, env, "seed", "--users", "1")
	leaveLease := func(owner string, renewed time.Time) {
		harness.Tamper(t, env, func(d *harness.Database) {
			d.Put("leases", harness.Item{
				"id": "rebuild.posts..-FF", "type": "lease", "processor": "rebuild.posts",
				"minInclusive": "", "maxExclusive": "FF",
				"owner": owner, "renewed": renewed.UTC().Format(time.RFC3339), "continuation": "of another time",
			})
		})
	}
	t.Run("is refused while the other rebuild can be running, and names its host", func(t *testing.T) {
		leaveLease("another-host-7", time.Now().Add(-20*time.Second))
		_, err := harness.Try(t, env, "rebuild", "--projector", "posts")
		if err == nil || !strings.Contains(err.Error(), "another-host-7") ||
			!strings.Contains(err.Error(), "if it was killed, wait for ") {
			t.Errorf("rebuild beside unexpired leases: error %v", err)
		}
	})
	t.Run("starts after --lease-expiration", func(t *testing.T) {
		leaveLease("another-host-7", time.Now().Add(-20*time.Second))
		harness.RunCommand(t, env, "rebuild",
			"--lease-expiration", "15s", "--lease-renew", "5s", "--lease-acquire", "5s")
		harness.Verify(t, env)
	})
	t.Run("starts at once if the leases have no owner", func(t *testing.T) {
		leaveLease("", time.Now())
		harness.RunCommand(t, env, "rebuild")
		harness.Verify(t, env)
	})
}

// TestRebuildAddsDeadLetters holds that a rebuild adds a dead letter for an item that it cannot project.
func TestRebuildAddsDeadLetters(t *testing.T) {
	t.Parallel()
	env := map[string]string{"INKFEED_DATA": t.TempDir()}
	harness.RunCommand(t, env, "seed", "--users", "1")
	var damaged harness.Item
	harness.Tamper(t, env, func(d *harness.Database) {
		damaged = d.Find("posts", "c.type = 'post'")[0]
		d.Put("posts", damaged.With("title", 7))
	})
	_, err := harness.Try(t, env, "rebuild")
	if err == nil || !strings.Contains(err.Error(), "1 item could not be projected") ||
		!strings.Contains(err.Error(), "deadletters list") {
		t.Errorf("rebuild of a damaged post: error %v", err)
	}
	out := harness.RunCommand(t, env, "deadletters", "list")
	if strings.Count(out, "\n") != 2 || !strings.Contains(out, "posts/"+damaged["id"].(string)) {
		t.Errorf("the list of dead letters is:\n%s", out)
	}
	harness.Tamper(t, env, func(d *harness.Database) { d.Put("posts", damaged) })
	harness.RunCommand(t, env, "deadletters", "retry", "--all")
}
