package cli

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"inkfeed/domain"
)

// Deleting by plain forms, from a comment to the account, until nothing is left.
func TestDeletionStory(t *testing.T) {
	env := map[string]string{"INKFEED_DATA": t.TempDir()}
	base, stop := serving(t, env, "--addr", "127.0.0.1:0")
	ada, bob, anyone := newVisitor(t, base), newVisitor(t, base), newVisitor(t, base)
	ada.signUp("ada")
	bob.signUp("bob")
	text := func(path string) string { return words(anyone.get(path).Find("main")) }
	id := func(p page) string { return strings.Split(p.url.Path, "/")[2] }

	oldest := id(ada.publish("The very first", "text"))
	var posts []string
	for n := range domain.FeedLimit {
		posts = append(posts, id(ada.publish(fmt.Sprint("Number ", n), "text")))
	}
	eventually(t, "the oldest has left the feed", func() bool {
		on := allPages(anyone, "/")
		return strings.Contains(on, "Number 99") && !strings.Contains(on, "The very first")
	})

	t.Run("a comment", func(t *testing.T) {
		path := "/posts/" + posts[0]
		c := bob.post(path+"/comments", "content", "I regret this")
		comment := strings.TrimPrefix(c.url.Fragment, "comment-")
		if p := ada.post(path + "/comments/" + comment + "/delete"); p.status != http.StatusForbidden {
			t.Errorf("the author of the post may: status %d", p.status)
		}
		if p := bob.get(path + "/comments/" + comment + "/delete"); p.Find("main form").Length() != 1 {
			t.Errorf("it does not ask: %s", words(p.Find("main")))
		}
		if p := bob.post(path + "/comments/" + comment + "/delete"); p.status != http.StatusOK {
			t.Errorf("status %d: %s", p.status, words(p.Find("main")))
		}
		if got := text(path); strings.Contains(got, "regret") || !strings.Contains(got, "0 comments") {
			t.Errorf("it is still there: %s", got)
		}
	})
	t.Run("a post, which makes room for the one that was displaced", func(t *testing.T) {
		bob.post("/posts/"+posts[50]+"/comments", "content", "Hello")
		bob.post("/posts/" + posts[50] + "/like")
		if p := bob.post("/posts/" + posts[50] + "/delete"); p.status != http.StatusForbidden {
			t.Errorf("anybody may: status %d", p.status)
		}
		if p := ada.post("/posts/" + posts[50] + "/delete"); p.status != http.StatusOK || p.url.Path != "/@ada" {
			t.Errorf("status %d at %s: %s", p.status, p.url, words(p.Find("main")))
		}
		if p := anyone.get("/posts/" + posts[50]); p.status != http.StatusNotFound {
			t.Errorf("it is still there: status %d", p.status)
		}
		for _, path := range []string{"/", "/@ada"} {
			eventually(t, path+" forgets it", func() bool { return !strings.Contains(allPages(anyone, path), "Number 50") })
		}
		eventually(t, "the feed has the oldest", func() bool { return strings.Contains(allPages(anyone, "/"), "The very first") })
	})
	t.Run("an account", func(t *testing.T) {
		bobs := bob.publish("By bob", "text").url.Path
		bob.post("/posts/"+oldest+"/comments", "content", "Hello")
		bob.post("/posts/" + oldest + "/like")
		bob.post("/settings/username", "username", "robert")
		elsewhere := newVisitor(t, base)
		elsewhere.post("/login", "username", "robert", "password", "correct horse")
		if p := bob.post("/settings/delete", "password", "wrong"); p.status != http.StatusUnprocessableEntity {
			t.Errorf("with a wrong password: status %d", p.status)
		}
		if p := bob.post("/settings/delete", "password", "correct horse"); p.status != http.StatusOK {
			t.Fatalf("status %d: %s", p.status, words(p.Find("main")))
		}
		if p := elsewhere.get("/settings"); p.url.Path != "/login" {
			t.Errorf("a session lives on, at %s", p.url)
		}
		if p := newVisitor(t, base).post("/login", "username", "robert", "password", "correct horse"); p.status != http.StatusUnprocessableEntity {
			t.Errorf("logging in: status %d", p.status)
		}
		for _, path := range []string{"/@bob", "/@robert"} {
			if p := anyone.get(path); p.status != http.StatusNotFound {
				t.Errorf("%s: status %d", path, p.status)
			}
		}
		eventually(t, "what was written goes", func() bool {
			return anyone.get(bobs).status == http.StatusNotFound && strings.Contains(text("/posts/"+oldest), "0 comments") &&
				!strings.Contains(text("/posts/"+oldest+"/likes"), "robert") && !strings.Contains(allPages(anyone, "/"), "By bob")
		})
		eventually(t, "the names are free", func() bool {
			return newVisitor(t, base).post("/signup", "username", "bob", "password", "correct horse").status == http.StatusOK
		})
		newVisitor(t, base).signUp("robert")
	})
	stop()
	verified(t, env, "--wait")
}

// allPages is the text of a list with all its further pages.
func allPages(v *visitor, path string) string {
	var all strings.Builder
	for next := path; next != ""; {
		p := v.get(next)
		all.WriteString(words(p.Find("main")))
		next = p.Find(`a[rel="next"]`).AttrOr("href", "")
		if strings.HasPrefix(next, "?") {
			next = path + next
		}
	}
	return all.String()
}
