package cli

import (
	"net/http"
	"strings"
	"testing"
	"time"
)

// A link by somebody new, on two servers: nobody but its author and moderators comes upon it
// anywhere, until one of those has approved it.
func TestLinksOfNewAccountsStory(t *testing.T) {
	env := onEngine(t)
	env["INKFEED_DATA"] = t.TempDir()
	elsewhere := with(env, "INKFEED_DATA", t.TempDir())
	one, _ := serving(t, env, "--addr", "127.0.0.1:0")
	two, _ := serving(t, elsewhere, "--addr", "127.0.0.1:0", "--schedule-poll", "100ms")
	admin, bob, anyone := newVisitor(t, one), newVisitor(t, two), newVisitor(t, two)
	admin.signUp("quinn") // who is the first, and so an administrator
	bob.signUp("bob")
	hosts := strings.Split(admin.publish("My favourite sites", "See https://example.org/").url.Path, "/")[2]
	on := "/posts/" + hosts

	const link = "Zanzibar: https://spam.example/"
	said := bob.post(on+"/comments", "content", link)
	if text := words(said.Find("#" + said.url.Fragment)); said.status != http.StatusOK || !strings.Contains(text, "In review") {
		t.Fatalf("after commenting: status %d at %s: %s", said.status, said.url, text)
	}
	post := bob.post("/posts", "title", "Zanzibar", "content", link, "tags", "islands")
	if post.status != http.StatusOK || !strings.Contains(words(post.Find(".held")), "n review") {
		t.Fatalf("after publishing: status %d: %s", post.status, words(post.Find("main")))
	}
	comment := "#" + said.url.Fragment
	// The comment, like the posts, is to come by the change feed of the post, and then nowhere.
	eventually(t, "moderators find both", func() bool { return admin.get("/moderation/held").Find(".queue > li").Length() == 2 })
	lists := []string{"/", "/@bob", "/tags/islands", "/feed.atom", "/@bob/feed.atom"}
	shows := func(path string) bool {
		html, _ := anyone.get(path).Html()
		return strings.Contains(strings.ToLower(html), "zanzibar")
	}
	for _, path := range append(lists, "/feed.json", "/sitemap.xml", on) {
		if shows(path) {
			t.Errorf("%s shows what waits", path)
		}
	}
	if found := anyone.found("zanzibar"); len(found) > 0 {
		t.Errorf("a search finds %q", found)
	}
	if p := anyone.get(post.url.Path); p.status != http.StatusNotFound {
		t.Errorf("the post that waits: status %d", p.status)
	}
	if n := words(anyone.get(on).Find("#Page-comments-title")); n != "0 comments" {
		t.Errorf("counted are %s", n)
	}
	verified(t, env, "--wait")

	t.Run("what publishes itself waits, too", func(t *testing.T) {
		for ahead := 2 * time.Second; ; ahead *= 2 { // until it is taken in time
			at := time.Now().UTC().Add(ahead).Format("2006-01-02T15:04:05")
			if p := bob.post("/posts", "title", "Pemba", "content", link, "do", "schedule", "publishDate", at, "zone", "UTC"); p.status == http.StatusOK {
				break
			}
		}
		eventually(t, "moderators find it", func() bool { return strings.Contains(words(admin.get("/moderation/held").Selection), "Pemba") })
		if len(anyone.found("pemba")) > 0 || strings.Contains(words(anyone.get("/").Selection), "Pemba") {
			t.Error("others find it, too")
		}
	})
	id := strings.Split(post.url.Path, "/")[2]
	if p := admin.post("/posts/"+id+"/moderate", "do", "approve", "version", "0", "text", "1"); p.status != http.StatusOK {
		t.Fatalf("approving the post: status %d: %s", p.status, words(p.Find("main")))
	}
	admin.post(on+"/comments/"+strings.TrimPrefix(said.url.Fragment, "comment-")+"/moderate", "do", "approve", "seen", "review", "text", "unedited")
	eventually(t, "approved at one server, the comment is there at the other", func() bool {
		p := anyone.get(on)
		return p.Find(comment+` a[href="https://spam.example/"]`).Length() == 1 && words(p.Find("#Page-comments-title")) == "1 comment"
	})
	anyone.eventuallyFinds("zanzibar", "Zanzibar")
	for _, path := range lists {
		eventually(t, path+" shows the post", func() bool { return shows(path) })
	}
	eventually(t, "one waits still", func() bool { return admin.get("/moderation/held").Find(".queue > li").Length() == 1 })
	// Approved once, nothing of bob's waits any more.
	if p := bob.publish("Unguja", link); p.Find(".held").Length() > 0 || anyone.get(p.url.Path).status != http.StatusOK {
		t.Error("the next post waits, too")
	}
	verified(t, env, "--wait")
}
