package stories

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"inkfeed/domain"
	"inkfeed/web/cli/systemtest/harness"
)

// Deleting by plain forms, from a comment to the account, until nothing is left.
func TestDeletionStory(t *testing.T) {
	env := map[string]string{"INKFEED_DATA": t.TempDir()}
	base, stop := harness.Serve(t, env, "--addr", "127.0.0.1:0")
	ada, bob, anyone := harness.NewVisitor(t, base), harness.NewVisitor(t, base), harness.NewVisitor(t, base)
	ada.SignUp("ada")
	bob.SignUp("bob")
	text := func(path string) string { return harness.Text(anyone.Get(path).Find("main")) }
	id := func(p harness.Page) string { return strings.Split(p.URL.Path, "/")[2] }

	oldest := id(ada.Publish("The very first", "text"))
	var posts []string
	for n := range domain.FeedLimit {
		posts = append(posts, id(ada.Publish(fmt.Sprint("Number ", n), "text")))
	}
	harness.Eventually(t, "the oldest has left the feed", func() bool {
		on := allPages(anyone, "/")
		return strings.Contains(on, "Number 99") && !strings.Contains(on, "The very first")
	})

	t.Run("a comment", func(t *testing.T) {
		path := "/posts/" + posts[0]
		c := bob.Post(path+"/comments", "content", "I regret this")
		comment := strings.TrimPrefix(c.URL.Fragment, "comment-")
		if p := ada.Post(path + "/comments/" + comment + "/delete"); p.Status != http.StatusForbidden {
			t.Errorf("the author of the post may: status %d", p.Status)
		}
		if p := bob.Get(path + "/comments/" + comment + "/delete"); p.Find("main form").Length() != 1 {
			t.Errorf("it does not ask: %s", harness.Text(p.Find("main")))
		}
		if p := bob.Post(path + "/comments/" + comment + "/delete"); p.Status != http.StatusOK {
			t.Errorf("status %d: %s", p.Status, harness.Text(p.Find("main")))
		}
		if got := text(path); strings.Contains(got, "regret") || !strings.Contains(got, "0 comments") {
			t.Errorf("it is still there: %s", got)
		}
	})
	t.Run("a post, which makes room for the one that was displaced", func(t *testing.T) {
		bob.Post("/posts/"+posts[50]+"/comments", "content", "Hello")
		bob.Post("/posts/" + posts[50] + "/like")
		if p := bob.Post("/posts/" + posts[50] + "/delete"); p.Status != http.StatusForbidden {
			t.Errorf("anybody may: status %d", p.Status)
		}
		if p := ada.Post("/posts/" + posts[50] + "/delete"); p.Status != http.StatusOK || p.URL.Path != "/@ada" {
			t.Errorf("status %d at %s: %s", p.Status, p.URL, harness.Text(p.Find("main")))
		}
		if p := anyone.Get("/posts/" + posts[50]); p.Status != http.StatusNotFound {
			t.Errorf("it is still there: status %d", p.Status)
		}
		for _, path := range []string{"/", "/@ada"} {
			harness.Eventually(t, path+" forgets it", func() bool { return !strings.Contains(allPages(anyone, path), "Number 50") })
		}
		harness.Eventually(t, "the feed has the oldest", func() bool { return strings.Contains(allPages(anyone, "/"), "The very first") })
	})
	t.Run("an account", func(t *testing.T) {
		bobs := bob.Publish("By bob", "text").URL.Path
		bob.Post("/posts/"+oldest+"/comments", "content", "Hello")
		bob.Post("/posts/" + oldest + "/like")
		bob.Post("/settings/username", "username", "robert")
		elsewhere := harness.NewVisitor(t, base)
		elsewhere.Post("/login", "username", "robert", "password", "correct horse")
		if p := bob.Post("/settings/delete", "password", "wrong"); p.Status != http.StatusUnprocessableEntity {
			t.Errorf("with a wrong password: status %d", p.Status)
		}
		if p := bob.Post("/settings/delete", "password", "correct horse"); p.Status != http.StatusOK {
			t.Fatalf("status %d: %s", p.Status, harness.Text(p.Find("main")))
		}
		if p := elsewhere.Get("/settings"); p.URL.Path != "/login" {
			t.Errorf("a session lives on, at %s", p.URL)
		}
		if p := harness.NewVisitor(t, base).Post("/login", "username", "robert", "password", "correct horse"); p.Status != http.StatusUnprocessableEntity {
			t.Errorf("logging in: status %d", p.Status)
		}
		for _, path := range []string{"/@bob", "/@robert"} {
			if p := anyone.Get(path); p.Status != http.StatusNotFound {
				t.Errorf("%s: status %d", path, p.Status)
			}
		}
		harness.Eventually(t, "what was written goes", func() bool {
			return anyone.Get(bobs).Status == http.StatusNotFound && strings.Contains(text("/posts/"+oldest), "0 comments") &&
				!strings.Contains(text("/posts/"+oldest+"/likes"), "robert") && !strings.Contains(allPages(anyone, "/"), "By bob")
		})
		harness.Eventually(t, "the names are free", func() bool {
			return harness.NewVisitor(t, base).Post("/signup", "username", "bob", "password", "correct horse").Status == http.StatusOK
		})
		harness.NewVisitor(t, base).SignUp("robert")
	})
	stop()
	harness.Verify(t, env, "--wait")
}

// allPages is the text of a list with all its further pages.
func allPages(v *harness.Visitor, path string) string {
	var all strings.Builder
	for next := path; next != ""; {
		p := v.Get(next)
		all.WriteString(harness.Text(p.Find("main")))
		next = p.Find(`a[rel="next"]`).AttrOr("href", "")
		if strings.HasPrefix(next, "?") {
			next = path + next
		}
	}
	return all.String()
}
