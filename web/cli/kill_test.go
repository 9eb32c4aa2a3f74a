package cli

import (
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"
)

// What a server answered before it was killed is there when it is back, and
// what it was in the middle of is whole or not there at all.
func TestAKilledServerLosesNothingItAcknowledged(t *testing.T) {
	env := map[string]string{"INKFEED_DATA": t.TempDir()}
	posts, comments := make(map[string]bool), make(map[string]string)
	for round := range 3 {
		var log logs
		server := spawn(t, env, &log, "--addr", "127.0.0.1:0")
		var mu sync.Mutex
		var group sync.WaitGroup
		enough := make(chan struct{})
		acknowledged := 0
		for i := range 4 {
			v := newVisitor(t, server.address)
			v.signUp(fmt.Sprintf("user%d-%d", round, i))
			group.Go(func() {
				for n := 0; ; n++ {
					post := v.try("/posts", url.Values{"title": {fmt.Sprint("Post ", n)}, "content": {"text"}})
					if post == "" {
						return
					}
					id := strings.Split(post, "/")[2]
					v.try("/posts/"+id+"/like", nil)
					comment := v.try("/posts/"+id+"/comments", url.Values{"content": {"Hello"}})
					if n == 5 {
						v.try("/settings/username", url.Values{"username": {fmt.Sprintf("renamed%d-%d", round, i)}})
					}
					mu.Lock()
					posts[post] = true
					if _, fragment, ok := strings.Cut(comment, "#"); ok {
						comments[fragment] = post
					}
					if acknowledged++; acknowledged == 100 {
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
		if err := server.kill(); err != nil {
			t.Fatal(err)
		}
		group.Wait()
	}

	base, stop := serving(t, env, "--addr", "127.0.0.1:0")
	reader := newVisitor(t, base)
	for path := range posts {
		if p := reader.get(path); p.status != http.StatusOK {
			t.Fatalf("%s was published: status %d", path, p.status)
		}
	}
	for id, path := range comments {
		if reader.get(path).Find("#"+id).Length() != 1 {
			t.Fatalf("%s of %s was published and is not there", id, path)
		}
	}
	stop()
	verified(t, env, "--wait")
}
