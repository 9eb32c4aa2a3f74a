package cli

import (
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"

	"github.com/PuerkitoBio/goquery"
)

// The main story over plain HTTP: what a browser without JavaScript sends.
func TestStory(t *testing.T) {
	base := blog(t)
	ada, bob, anyone := newVisitor(t, base), newVisitor(t, base), newVisitor(t, base)

	if front := words(anyone.get("/").Find("main")); !strings.Contains(front, "No posts yet") || strings.Contains(front, "seed") ||
		anyone.get("/").Find(`main a[href^="/signup"]`).Length() == 0 {
		t.Errorf("an empty blog says: %s", front)
	}
	ada.signUp("ada")
	bob.signUp("bob")
	post := ada.publish("Über Hunde & Katzen", "# Hello\n\nSome *text* <script>alert(1)</script>").url.Path

	if p := bob.post(post[:strings.LastIndex(post, "/")]+"/comments", "content", "Nice **post**"); p.status != http.StatusOK ||
		p.Find("strong").Length() == 0 || !strings.HasPrefix(p.url.Fragment, "comment-") ||
		p.Find("#"+p.url.Fragment).Length() != 1 {
		t.Fatalf("after commenting: status %d at %s: %s", p.status, p.url, words(p.Find("main")))
	}
	id := strings.Split(post, "/")[2]
	for range 2 { // a double click
		if p := bob.post("/posts/" + id + "/like"); p.status != http.StatusOK {
			t.Fatalf("after liking: status %d", p.status)
		}
	}
	if got := words(anyone.get("/posts/" + id + "/likes").Find("main")); strings.Count(got, "bob") != 1 {
		t.Errorf("who likes it: %s", got)
	}

	summary := func(v *visitor, path string) string {
		return words(v.get(path).Find("article").FilterFunction(func(_ int, s *goquery.Selection) bool {
			return strings.Contains(s.Text(), "Über Hunde & Katzen")
		}))
	}
	for _, path := range []string{"/", "/@ada"} {
		eventually(t, path+" shows the counts", func() bool {
			s := summary(anyone, path)
			return strings.Contains(s, "1 comment") && strings.Contains(s, "1 like") && strings.Contains(s, "Some text <script>alert(1)</script>")
		})
	}

	if p := ada.post("/settings/username", "username", "lovelace"); p.status != http.StatusOK {
		t.Fatalf("rename: status %d: %s", p.status, words(p.Find("main")))
	}
	if p := bob.post("/settings/username", "username", "robert"); p.status != http.StatusOK {
		t.Fatalf("rename: status %d: %s", p.status, words(p.Find("main")))
	}
	for path, name := range map[string]string{"/": "lovelace", "/@lovelace": "lovelace", post: "lovelace",
		post + "?": "robert", "/posts/" + id + "/likes": "robert"} {
		eventually(t, path+" shows "+name, func() bool {
			text := words(anyone.get(path).Find("main"))
			return strings.Contains(text, name) && !strings.Contains(text, "@ada") && !strings.Contains(text, "@bob")
		})
	}
	if p := anyone.get("/@ada"); p.url.Path != "/@lovelace" {
		t.Errorf("the old address leads to %s", p.url)
	}
	if p := newVisitor(t, base).post("/signup", "username", "ada", "password", "correct horse"); p.status != http.StatusUnprocessableEntity ||
		!strings.Contains(words(p.Find("main")), "taken") {
		t.Errorf("the old name: status %d: %s", p.status, words(p.Find("main")))
	}
}

func TestARaceForAUsernameHasOneWinner(t *testing.T) {
	base := blog(t)
	var group sync.WaitGroup
	statuses := make([]int, 6)
	for i := range statuses {
		v := newVisitor(t, base)
		v.http.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
		group.Go(func() { statuses[i] = v.post("/signup", "username", "ada", "password", "correct horse").status })
	}
	group.Wait()
	counts := map[int]int{}
	for _, s := range statuses {
		counts[s]++
	}
	if counts[http.StatusSeeOther] != 1 || counts[http.StatusUnprocessableEntity] != 5 {
		t.Errorf("statuses %v", counts)
	}
}

func TestCopiesAreRightAfterManyWritersAndARestart(t *testing.T) {
	env := map[string]string{"INKFEED_DATA": t.TempDir()}
	base, stop := serving(t, env, "--addr", "127.0.0.1:0")
	var group sync.WaitGroup
	authors := make([]*visitor, 3)
	for i := range authors {
		authors[i] = newVisitor(t, base)
		group.Go(func() { authors[i].signUp(fmt.Sprint("user", i)) })
	}
	group.Wait()
	first := authors[0].publish("The first", "text").url.Path
	id := strings.Split(first, "/")[2]
	for i, v := range authors {
		group.Go(func() {
			for n := range 45 { // more than the feed holds
				v.publish(fmt.Sprintf("Post %d of %d", n, i), "text")
				v.post("/posts/" + id + "/like")
				v.post("/posts/"+id+"/comments", "content", "again")
				if n%2 == i%2 {
					v.post("/posts/" + id + "/unlike")
				}
				if n == 20 {
					v.post("/settings/username", "username", fmt.Sprint("renamed", i))
				}
			}
		})
	}
	group.Wait()
	stop() // the workers may be in the middle of it
	verified(t, env, "--wait")
	verified(t, env)

	base, _ = serving(t, env, "--addr", "127.0.0.1:0")
	if p := newVisitor(t, base).get("/posts/" + id); p.status != http.StatusOK ||
		!strings.Contains(words(p.Find("main")), "135 comments") {
		t.Errorf("after the restart: status %d: %s", p.status, words(p.Find("main h2")))
	}
}
