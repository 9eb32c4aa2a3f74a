package stories

import (
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"

	"github.com/PuerkitoBio/goquery"

	"inkfeed/web/cli/systemtest/harness"
)

// TestReadersSeePostsCommentsLikesAndRenames sends what a browser without JavaScript sends.
func TestReadersSeePostsCommentsLikesAndRenames(t *testing.T) {
	t.Parallel()
	t.Run("on the embedded engine", func(t *testing.T) { postCommentLikeAndRename(t, harness.ServeBlog(t)) })
	t.Run("on an account without its key", func(t *testing.T) {
		env := harness.WithoutKey(t)
		base, stop := harness.Serve(t, env, "--addr", "127.0.0.1:0")
		postCommentLikeAndRename(t, base)
		stop()
		harness.Verify(t, env, "--wait")
	})
}

func postCommentLikeAndRename(t *testing.T, base string) {
	t.Helper()
	ada, bob, anyone := harness.NewVisitor(t, base), harness.NewVisitor(t, base), harness.NewVisitor(t, base)

	front := harness.Text(anyone.Get("/").Find("main"))
	if !strings.Contains(front, "No posts yet") || strings.Contains(front, "seed") ||
		anyone.Get("/").Find(`main a[href^="/signup"]`).Length() == 0 {
		t.Errorf("the front page of an empty blog says: %s", front)
	}
	ada.SignUp("ada")
	bob.SignUp("bob")
	post := ada.Publish("Über Hunde & Katzen", "# Hello\n\nSome *text* <script>alert(1)</script>").URL.Path

	p := bob.Post(post[:strings.LastIndex(post, "/")]+"/comments", "content", "Nice **post**")
	if p.Status != http.StatusOK || p.Find("strong").Length() == 0 || !strings.HasPrefix(p.URL.Fragment, "comment-") ||
		p.Find("#"+p.URL.Fragment).Length() != 1 {
		t.Fatalf("after commenting: status %d at %s: %s", p.Status, p.URL, harness.Text(p.Find("main")))
	}
	id := strings.Split(post, "/")[2]
	for range 2 { // a double click
		if p := bob.Post("/posts/" + id + "/like"); p.Status != http.StatusOK {
			t.Fatalf("after liking: status %d", p.Status)
		}
	}
	if got := harness.Text(anyone.Get("/posts/" + id + "/likes").Find("main")); strings.Count(got, "bob") != 1 {
		t.Errorf("the page of users who like the post says: %s", got)
	}

	summary := func(v *harness.Visitor, path string) string {
		return harness.Text(v.Get(path).Find("article").FilterFunction(func(_ int, s *goquery.Selection) bool {
			return strings.Contains(s.Text(), "Über Hunde & Katzen")
		}))
	}
	for _, path := range []string{"/", "/@ada"} {
		harness.Eventually(t, path+" shows the counts", func() bool {
			s := summary(anyone, path)
			return strings.Contains(s, "1 comment") && strings.Contains(s, "1 like") &&
				strings.Contains(s, "Some text <script>alert(1)</script>")
		})
	}

	if p := ada.Post("/settings/username", "username", "lovelace"); p.Status != http.StatusOK {
		t.Fatalf("renaming ada: status %d: %s", p.Status, harness.Text(p.Find("main")))
	}
	if p := bob.Post("/settings/username", "username", "robert"); p.Status != http.StatusOK {
		t.Fatalf("renaming bob: status %d: %s", p.Status, harness.Text(p.Find("main")))
	}
	for path, name := range map[string]string{"/": "lovelace", "/@lovelace": "lovelace", post: "lovelace",
		post + "?": "robert", "/posts/" + id + "/likes": "robert"} {
		harness.Eventually(t, path+" shows "+name, func() bool {
			text := harness.Text(anyone.Get(path).Find("main"))
			return strings.Contains(text, name) && !strings.Contains(text, "@ada") && !strings.Contains(text, "@bob")
		})
	}
	if p := anyone.Get("/@ada"); p.URL.Path != "/@lovelace" {
		t.Errorf("the profile's former address leads to %s", p.URL)
	}
	p = harness.NewVisitor(t, base).Post("/signup", "username", "ada", "password", "correct horse")
	if p.Status != http.StatusUnprocessableEntity || !strings.Contains(harness.Text(p.Find("main")), "taken") {
		t.Errorf("signing up with a former username: status %d: %s", p.Status, harness.Text(p.Find("main")))
	}
}

func TestOneOfSeveralConcurrentSignUpsGetsTheUsername(t *testing.T) {
	t.Parallel()
	base := harness.ServeBlog(t)
	var group sync.WaitGroup
	statuses := make([]int, 6)
	for i := range statuses {
		v := harness.NewVisitor(t, base)
		v.HTTP.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
		group.Go(func() {
			// The server answers 503 while too many people sign up at once.
			for statuses[i] = http.StatusServiceUnavailable; statuses[i] == http.StatusServiceUnavailable; {
				statuses[i] = v.Post("/signup", "username", "ada", "password", "correct horse").Status
			}
		})
	}
	group.Wait()
	counts := map[int]int{}
	for _, s := range statuses {
		counts[s]++
	}
	if counts[http.StatusSeeOther] != 1 || counts[http.StatusUnprocessableEntity] != 5 {
		t.Errorf("numbers of responses by status: %v", counts)
	}
}

func TestCopiesAreCorrectAfterConcurrentWritesAndARestart(t *testing.T) {
	t.Parallel()
	env := harness.NewBlog(t)
	base, stop := harness.Serve(t, env, "--addr", "127.0.0.1:0")
	var group sync.WaitGroup
	authors := make([]*harness.Visitor, 3)
	for i := range authors {
		authors[i] = harness.NewVisitor(t, base)
		group.Go(func() { authors[i].SignUp(fmt.Sprint("user", i)) })
	}
	group.Wait()
	first := authors[0].Publish("The first", "text").URL.Path
	id := strings.Split(first, "/")[2]
	for i, v := range authors {
		group.Go(func() {
			for n := range 45 { // all authors together publish more posts than the feed holds
				v.Publish(fmt.Sprintf("Post %d of %d", n, i), "text")
				v.Post("/posts/" + id + "/like")
				v.Post("/posts/"+id+"/comments", "content", "again")
				if n%2 == i%2 {
					v.Post("/posts/" + id + "/unlike")
				}
				if n == 20 {
					v.Post("/settings/username", "username", fmt.Sprint("renamed", i))
				}
			}
		})
	}
	group.Wait()
	stop() // while the workers may still be projecting
	harness.Verify(t, env, "--wait")
	harness.Verify(t, env)

	base, _ = harness.Serve(t, env, "--addr", "127.0.0.1:0")
	if p := harness.NewVisitor(t, base).Get("/posts/" + id); p.Status != http.StatusOK ||
		!strings.Contains(harness.Text(p.Find("main")), "135 comments") {
		t.Errorf("after the restart: status %d: %s", p.Status, harness.Text(p.Find("main h2")))
	}
}
