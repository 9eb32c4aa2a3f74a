package main

import (
	"bufio"
	"bytes"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"
)

// try sends a form and returns where it redirects, or "" when there was no
// answer or another one: the server may be gone.
func (v *visitor) try(path string, fields url.Values) string {
	req, err := http.NewRequestWithContext(v.t.Context(), http.MethodPost, v.base+path, strings.NewReader(fields.Encode()))
	if err != nil {
		return ""
	}
	req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	resp, err := v.http.Do(req)
	if err != nil {
		return ""
	}
	resp.Body.Close()
	if resp.StatusCode != http.StatusSeeOther {
		return ""
	}
	return resp.Header.Get("Location")
}

// What a server answered before it was killed is there when it is back, and
// what it was in the middle of is whole or not there at all.
func TestAKilledServerLosesNothingItAcknowledged(t *testing.T) {
	env := map[string]string{"INKFEED_DATA": t.TempDir()}
	posts, comments := make(map[string]bool), make(map[string]string)
	for round := range 3 {
		cmd := program(t, env, "--addr", "127.0.0.1:0")
		var log bytes.Buffer
		cmd.Stderr = &log
		stdout, err := cmd.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		line, err := bufio.NewReader(stdout).ReadString('\n')
		if err != nil {
			t.Fatalf("%v: %s", err, log.String())
		}
		base := strings.TrimSuffix(printedAddress.FindString(line), "/")

		var mu sync.Mutex
		var group sync.WaitGroup
		enough := make(chan struct{})
		acknowledged := 0
		for i := range 4 {
			v := newVisitor(t, base)
			v.signUp(fmt.Sprintf("user%d-%d", round, i))
			v.http.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
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
		if err := cmd.Process.Kill(); err != nil { // SIGKILL, in the middle of it
			t.Fatal(err)
		}
		cmd.Wait()
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
