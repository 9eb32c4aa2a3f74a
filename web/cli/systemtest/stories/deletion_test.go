package stories

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"inkfeed/domain"
	"inkfeed/web/cli/systemtest/harness"
)

// TestDeletionRemovesCommentsPostsAndAccounts deletes a comment, a post and an account with plain forms.
func TestDeletionRemovesCommentsPostsAndAccounts(t *testing.T) {
	t.Parallel()
	env := harness.NewBlog(t)
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
	harness.Eventually(t, "the oldest post has left the feed", func() bool {
		feed := allPages(anyone, "/")
		return strings.Contains(feed, "Number 99") && !strings.Contains(feed, "The very first")
	})

	t.Run("deletes a comment for its author only", func(t *testing.T) {
		path := "/posts/" + posts[0]
		c := bob.Post(path+"/comments", "content", "I regret this")
		comment := strings.TrimPrefix(c.URL.Fragment, "comment-")
		if p := ada.Post(path + "/comments/" + comment + "/delete"); p.Status != http.StatusForbidden {
			t.Errorf("the author of the post deletes a reader's comment: status %d", p.Status)
		}
		if p := bob.Get(path + "/comments/" + comment + "/delete"); p.Find("main form").Length() != 1 {
			t.Errorf("the page does not ask for confirmation: %s", harness.Text(p.Find("main")))
		}
		if p := bob.Post(path + "/comments/" + comment + "/delete"); p.Status != http.StatusOK {
			t.Errorf("deleting the comment: status %d: %s", p.Status, harness.Text(p.Find("main")))
		}
		if got := text(path); strings.Contains(got, "regret") || !strings.Contains(got, "0 comments") {
			t.Errorf("the page still shows the comment: %s", got)
		}
	})
	t.Run("deletes a post, and the feed shows the next older one", func(t *testing.T) {
		bob.Post("/posts/"+posts[50]+"/comments", "content", "Hello")
		bob.Post("/posts/" + posts[50] + "/like")
		if p := bob.Post("/posts/" + posts[50] + "/delete"); p.Status != http.StatusForbidden {
			t.Errorf("another user deletes the post: status %d", p.Status)
		}
		if p := ada.Post("/posts/" + posts[50] + "/delete"); p.Status != http.StatusOK || p.URL.Path != "/@ada" {
			t.Errorf("deleting the post: status %d at %s: %s", p.Status, p.URL, harness.Text(p.Find("main")))
		}
		if p := anyone.Get("/posts/" + posts[50]); p.Status != http.StatusNotFound {
			t.Errorf("the deleted post has status %d", p.Status)
		}
		for _, path := range []string{"/", "/@ada"} {
			harness.Eventually(t, path+" no longer lists the post", func() bool {
				return !strings.Contains(allPages(anyone, path), "Number 50")
			})
		}
		harness.Eventually(t, "the feed lists the oldest post", func() bool {
			return strings.Contains(allPages(anyone, "/"), "The very first")
		})
	})
	t.Run("deletes an account with everything it wrote", func(t *testing.T) {
		bobs := bob.Publish("By bob", "text").URL.Path
		bob.Post("/posts/"+oldest+"/comments", "content", "Hello")
		bob.Post("/posts/" + oldest + "/like")
		bob.Post("/settings/username", "username", "robert")
		elsewhere := harness.NewVisitor(t, base)
		elsewhere.Post("/login", "username", "robert", "password", "correct horse")
		if p := bob.Post("/settings/delete", "password", "wrong"); p.Status != http.StatusUnprocessableEntity {
			t.Errorf("deleting the account with a wrong password: status %d", p.Status)
		}
		if p := bob.Post("/settings/delete", "password", "correct horse"); p.Status != http.StatusOK {
			t.Fatalf("deleting the account: status %d: %s", p.Status, harness.Text(p.Find("main")))
		}
		if p := elsewhere.Get("/settings"); p.URL.Path != "/login" {
			t.Errorf("another session is still logged in, at %s", p.URL)
		}
		p := harness.NewVisitor(t, base).Post("/login", "username", "robert", "password", "correct horse")
		if p.Status != http.StatusUnprocessableEntity {
			t.Errorf("logging in to the deleted account: status %d", p.Status)
		}
		for _, path := range []string{"/@bob", "/@robert"} {
			if p := anyone.Get(path); p.Status != http.StatusNotFound {
				t.Errorf("the profile %s of the deleted account: status %d", path, p.Status)
			}
		}
		harness.Eventually(t, "the post, the comment and the like are gone", func() bool {
			return anyone.Get(bobs).Status == http.StatusNotFound &&
				strings.Contains(text("/posts/"+oldest), "0 comments") &&
				!strings.Contains(text("/posts/"+oldest+"/likes"), "robert") &&
				!strings.Contains(allPages(anyone, "/"), "By bob")
		})
		harness.Eventually(t, "the usernames are available", func() bool {
			p := harness.NewVisitor(t, base).Post("/signup", "username", "bob", "password", "correct horse")
			return p.Status == http.StatusOK
		})
		harness.NewVisitor(t, base).SignUp("robert")
	})
	stop()
	harness.Verify(t, env, "--wait")
}

// allPages returns the text of all pages of a list.
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
