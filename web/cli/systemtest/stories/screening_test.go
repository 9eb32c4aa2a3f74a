package stories

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"inkfeed/web/cli/systemtest/harness"
)

// A link by somebody new, on two servers: nobody but its author and moderators comes upon it
// anywhere, until one of those has approved it.
func TestLinksOfNewAccountsStory(t *testing.T) {
	t.Parallel()
	env := harness.OnEngine(t)
	env["INKFEED_DATA"] = t.TempDir()
	elsewhere := harness.With(env, "INKFEED_DATA", t.TempDir())
	one, _ := harness.Serve(t, env, "--addr", "127.0.0.1:0")
	two, _ := harness.Serve(t, elsewhere, "--addr", "127.0.0.1:0", "--schedule-poll", "100ms")
	admin, bob, anyone := harness.NewVisitor(t, one), harness.NewVisitor(t, two), harness.NewVisitor(t, two)
	admin.SignUp("quinn") // who is the first, and so an administrator
	bob.SignUp("bob")
	hosts := strings.Split(admin.Publish("My favourite sites", "See https://example.org/").URL.Path, "/")[2]
	on := "/posts/" + hosts

	const link = "Zanzibar: https://spam.example/"
	said := bob.Post(on+"/comments", "content", link)
	if text := harness.Text(said.Find("#" + said.URL.Fragment)); said.Status != http.StatusOK || !strings.Contains(text, "In review") {
		t.Fatalf("after commenting: status %d at %s: %s", said.Status, said.URL, text)
	}
	post := bob.Post("/posts", "title", "Zanzibar", "content", link, "tags", "islands")
	if post.Status != http.StatusOK || !strings.Contains(harness.Text(post.Find(".hold-notice")), "n review") {
		t.Fatalf("after publishing: status %d: %s", post.Status, harness.Text(post.Find("main")))
	}
	comment := "#" + said.URL.Fragment
	// The comment, like the posts, is to come by the change feed of the post, and then nowhere.
	harness.Eventually(t, "moderators find both", func() bool { return admin.Get("/moderation/held").Find(".queue > li").Length() == 2 })
	lists := []string{"/", "/@bob", "/tags/islands", "/feed.atom", "/@bob/feed.atom"}
	shows := func(path string) bool {
		html, _ := anyone.Get(path).Html()
		return strings.Contains(strings.ToLower(html), "zanzibar")
	}
	for _, path := range append(lists, "/feed.json", "/sitemap.xml", on) {
		if shows(path) {
			t.Errorf("%s shows what waits", path)
		}
	}
	if found := found(anyone, "zanzibar"); len(found) > 0 {
		t.Errorf("a search finds %q", found)
	}
	if p := anyone.Get(post.URL.Path); p.Status != http.StatusNotFound {
		t.Errorf("the post that waits: status %d", p.Status)
	}
	if n := harness.Text(anyone.Get(on).Find("#Page-comments-title")); n != "0 comments" {
		t.Errorf("counted are %s", n)
	}
	harness.Verify(t, env, "--wait")

	t.Run("what publishes itself waits, too", func(t *testing.T) {
		for ahead := 2 * time.Second; ; ahead *= 2 { // until it is taken in time
			at := time.Now().UTC().Add(ahead).Format("2006-01-02T15:04:05")
			if p := bob.Post("/posts", "title", "Pemba", "content", link, "do", "schedule", "publishDate", at, "zone", "UTC"); p.Status == http.StatusOK {
				break
			}
		}
		harness.Eventually(t, "moderators find it", func() bool { return strings.Contains(harness.Text(admin.Get("/moderation/held").Selection), "Pemba") })
		if len(found(anyone, "pemba")) > 0 || strings.Contains(harness.Text(anyone.Get("/").Selection), "Pemba") {
			t.Error("others find it, too")
		}
	})
	id := strings.Split(post.URL.Path, "/")[2]
	if p := admin.Post("/posts/"+id+"/moderate", "do", "approve", "version", "0", "text", "1"); p.Status != http.StatusOK {
		t.Fatalf("approving the post: status %d: %s", p.Status, harness.Text(p.Find("main")))
	}
	admin.Post(on+"/comments/"+strings.TrimPrefix(said.URL.Fragment, "comment-")+"/moderate", "do", "approve", "seen", "review", "text", "unedited")
	harness.Eventually(t, "approved at one server, the comment is there at the other", func() bool {
		p := anyone.Get(on)
		return p.Find(comment+` a[href="https://spam.example/"]`).Length() == 1 && harness.Text(p.Find("#Page-comments-title")) == "1 comment"
	})
	eventuallyFinds(anyone, "zanzibar", "Zanzibar")
	for _, path := range lists {
		harness.Eventually(t, path+" shows the post", func() bool { return shows(path) })
	}
	harness.Eventually(t, "one waits still", func() bool { return admin.Get("/moderation/held").Find(".queue > li").Length() == 1 })
	// Approved once, nothing of bob's waits any more.
	if p := bob.Publish("Unguja", link); p.Find(".hold-notice").Length() > 0 || anyone.Get(p.URL.Path).Status != http.StatusOK {
		t.Error("the next post waits, too")
	}
	harness.Verify(t, env, "--wait")
}
