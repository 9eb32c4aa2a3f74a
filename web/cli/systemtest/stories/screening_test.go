package stories

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"inkfeed/web/cli/systemtest/harness"
)

// TestLinksOfNewAccountsAreHeldUntilApproved publishes links from a new account, on two servers. Only their author and
// moderators find them before a moderator approves them.
func TestLinksOfNewAccountsAreHeldUntilApproved(t *testing.T) {
	t.Parallel()
	env := harness.NewAccount(t)
	env["INKFEED_DATA"] = t.TempDir()
	elsewhere := harness.With(env, "INKFEED_DATA", t.TempDir())
	one, _ := harness.Serve(t, env, "--addr", "127.0.0.1:0")
	two, _ := harness.Serve(t, elsewhere, "--addr", "127.0.0.1:0", "--schedule-poll", "100ms")
	admin, bob, anyone := harness.NewVisitor(t, one), harness.NewVisitor(t, two), harness.NewVisitor(t, two)
	admin.SignUp("quinn") // the first user is an administrator
	bob.SignUp("bob")
	hostID := strings.Split(admin.Publish("My favourite sites", "See https://example.org/").URL.Path, "/")[2]
	host := "/posts/" + hostID

	const link = "Zanzibar: https://spam.example/"
	commented := bob.Post(host+"/comments", "content", link)
	text := harness.Text(commented.Find("#" + commented.URL.Fragment))
	if commented.Status != http.StatusOK || !strings.Contains(text, "In review") {
		t.Fatalf("after commenting: status %d at %s: %s", commented.Status, commented.URL, text)
	}
	post := bob.Post("/posts", "title", "Zanzibar", "content", link, "tags", "islands")
	if post.Status != http.StatusOK || !strings.Contains(harness.Text(post.Find(".hold-notice")), "n review") {
		t.Fatalf("after publishing: status %d: %s", post.Status, harness.Text(post.Find("main")))
	}
	comment := "#" + commented.URL.Fragment
	// Wait until the changes are projected to the queue. The lists come from the same change feed.
	harness.Eventually(t, "moderators find the post and the comment", func() bool {
		return admin.Get("/moderation/held").Find(".queue > li").Length() == 2
	})
	lists := []string{"/", "/@bob", "/tags/islands", "/feed.atom", "/@bob/feed.atom"}
	shows := func(path string) bool {
		html, _ := anyone.Get(path).Html()
		return strings.Contains(strings.ToLower(html), "zanzibar")
	}
	for _, path := range append(lists, "/feed.json", "/sitemap.xml", host) {
		if shows(path) {
			t.Errorf("%s shows a held text", path)
		}
	}
	if found := found(anyone, "zanzibar"); len(found) > 0 {
		t.Errorf("a search finds the held texts %q", found)
	}
	if p := anyone.Get(post.URL.Path); p.Status != http.StatusNotFound {
		t.Errorf("the held post: status %d", p.Status)
	}
	if n := harness.Text(anyone.Get(host).Find("#Page-comments-title")); n != "0 comments" {
		t.Errorf("the page counts held comments: %s", n)
	}
	harness.Verify(t, env, "--wait")

	t.Run("holds scheduled posts, too", func(t *testing.T) {
		for ahead := 2 * time.Second; ; ahead *= 2 { // on a slow machine the time can be over when the form arrives
			at := time.Now().UTC().Add(ahead).Format("2006-01-02T15:04:05")
			p := bob.Post("/posts", "title", "Pemba", "content", link,
				"do", "schedule", "publishDate", at, "zone", "UTC")
			if p.Status == http.StatusOK {
				break
			}
		}
		harness.Eventually(t, "moderators find the scheduled post", func() bool {
			return strings.Contains(harness.Text(admin.Get("/moderation/held").Selection), "Pemba")
		})
		if len(found(anyone, "pemba")) > 0 || strings.Contains(harness.Text(anyone.Get("/").Selection), "Pemba") {
			t.Error("a search or the front page shows the held post")
		}
	})
	id := strings.Split(post.URL.Path, "/")[2]
	p := admin.Post("/posts/"+id+"/moderate", "do", "approve", "version", "0", "text", "1")
	if p.Status != http.StatusOK {
		t.Fatalf("approving the post: status %d: %s", p.Status, harness.Text(p.Find("main")))
	}
	admin.Post(host+"/comments/"+strings.TrimPrefix(commented.URL.Fragment, "comment-")+"/moderate",
		"do", "approve", "seen", "review", "text", "unedited")
	harness.Eventually(t, "the comment approved on one server is visible on the other", func() bool {
		p := anyone.Get(host)
		return p.Find(comment+` a[href="https://spam.example/"]`).Length() == 1 &&
			harness.Text(p.Find("#Page-comments-title")) == "1 comment"
	})
	eventuallyFinds(anyone, "zanzibar", "Zanzibar")
	for _, path := range lists {
		harness.Eventually(t, path+" shows the post", func() bool { return shows(path) })
	}
	harness.Eventually(t, "only the scheduled post is still held", func() bool {
		return admin.Get("/moderation/held").Find(".queue > li").Length() == 1
	})
	// After the first approval, texts of bob are no longer held.
	p = bob.Publish("Unguja", link)
	if p.Find(".hold-notice").Length() > 0 || anyone.Get(p.URL.Path).Status != http.StatusOK {
		t.Error("the next post of an approved author is held")
	}
	harness.Verify(t, env, "--wait")
}
