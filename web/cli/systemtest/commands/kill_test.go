package commands

import (
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"inkfeed/web/cli/systemtest/harness"
)

// TestKilledServerLosesNoAcknowledgedWrite kills a server while visitors write; make check repeats that three times.
// After a restart everything that the server acknowledged exists, and every other write is either complete or absent.
func TestKilledServerLosesNoAcknowledgedWrite(t *testing.T) {
	t.Parallel()
	env := map[string]string{"INKFEED_DATA": t.TempDir()}
	rounds, writes := 1, 40
	if harness.IsExhaustive() {
		rounds, writes = 3, 100
	}
	posts, comments := make(map[string]bool), make(map[string]string)
	for round := range rounds {
		var log harness.Logs
		server := harness.Spawn(t, env, &log, "--addr", "127.0.0.1:0")
		var mu sync.Mutex
		var group sync.WaitGroup
		enough := make(chan struct{})
		acknowledged := 0
		for i := range 4 {
			v := harness.NewVisitor(t, server.Address)
			v.SignUp(fmt.Sprintf("user%d-%d", round, i))
			group.Go(func() {
				for n := 0; ; n++ {
					post := v.TryForm("/posts", url.Values{"title": {fmt.Sprint("Post ", n)}, "content": {"text"}})
					if post == "" {
						return
					}
					id := strings.Split(post, "/")[2]
					v.TryForm("/posts/"+id+"/like", nil)
					comment := v.TryForm("/posts/"+id+"/comments", url.Values{"content": {"Hello"}})
					if n == 5 {
						v.TryForm("/settings/username", url.Values{"username": {fmt.Sprintf("renamed%d-%d", round, i)}})
					}
					mu.Lock()
					posts[post] = true
					if _, fragment, ok := strings.Cut(comment, "#"); ok {
						comments[fragment] = post
					}
					if acknowledged++; acknowledged == writes {
						close(enough)
					}
					mu.Unlock()
				}
			})
		}
		select {
		case <-enough:
		case <-time.After(time.Minute):
			t.Errorf("round %d: only %d posts in a minute: %s", round, acknowledged, log.String())
		}
		if err := server.Kill(); err != nil {
			t.Fatal(err)
		}
		group.Wait()
	}

	base, stop := harness.Serve(t, env, "--addr", "127.0.0.1:0")
	reader := harness.NewVisitor(t, base)
	for path := range posts {
		if p := reader.Get(path); p.Status != http.StatusOK {
			t.Fatalf("%s was published, but has status %d", path, p.Status)
		}
	}
	for id, path := range comments {
		if reader.Get(path).Find("#"+id).Length() != 1 {
			t.Fatalf("comment %s on %s was published, but is missing", id, path)
		}
	}
	stop()
	harness.Verify(t, env, "--wait")
}
