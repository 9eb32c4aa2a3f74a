package web_test

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"inkfeed/domain"
)

func TestHome(t *testing.T) {
	t.Run("an empty blog invites to sign up, and does not tell readers how to run it", func(t *testing.T) {
		a := newSite(t).stranger().get("/").want(200)
		a.has("main h1", "No posts yet").has("main h1 + p", "Sign up to write the first post").has(`main a[href="/signup"]`, "Sign up").hasNo("main code")
	})
	t.Run("an empty blog invites a member to write", func(t *testing.T) {
		newSite(t).member("ada").get("/").want(200).has(`main a[href="/new"]`, "Write")
	})
	t.Run("shows what each post is", func(t *testing.T) {
		s := newSite(t)
		ada := s.member("ada")
		p := ada.aPost("A title", "Some *text*.")
		ada.comments(p, "one")
		a := s.stranger().get("/").want(200)
		a.has(`h2 a[href="`+p.Path()+`"]`, "A title")
		a.has(`article a[href="/@ada"]`, "@ada")
		a.has("article .text", "Some text.")
		a.has(`article time[datetime="2026-05-01T12:00:00Z"]`, "1 May 2026")
		a.has(`article a[href="`+p.Path()+`#Page-comments"]`, "1 comment")
		a.has(`article a[href="/posts/`+p.ID+`/likes"]`, "0 likes")
	})
	t.Run("pages lead to each other", func(t *testing.T) {
		s := newSite(t)
		ada := s.member("ada")
		for i := range domain.PostsPerPage*2 + 1 {
			ada.aPost(fmt.Sprintf("Post %d", i), "text")
		}
		first := s.stranger().get("/").want(200)
		if n := first.page().Find("article").Length(); n != domain.PostsPerPage {
			t.Errorf("%d posts on the first page", n)
		}
		first.has(`nav a[rel="next"][href="/?page=2"]`, "Older").hasNo(`a[rel="prev"]`)
		first.has(".posts li:first-child h2", "Post 40")
		s.stranger().get("/?page=2").want(200).
			has(`nav a[rel="prev"][href="/"]`, "Newer").has(`nav a[rel="next"][href="/?page=3"]`, "Older")
		s.stranger().get("/?page=3").want(200).hasNo(`a[rel="next"]`).has(`link[rel="canonical"][href="http://example.com/?page=3"]`, "")
		s.stranger().get("/?page=4").want(404)
	})
	t.Run("answers HEAD", func(t *testing.T) {
		newSite(t).stranger().send(http.MethodHead, "/", nil).want(200)
	})
}

func TestAPageThatIsNoneIsNotFound(t *testing.T) {
	s := newSite(t)
	p := s.member("ada").aPost("A title", "text")
	for _, list := range []string{"/", "/@ada", "/posts/" + p.ID + "/comments", "/posts/" + p.ID + "/likes"} {
		for _, number := range []string{"", "0", "-1", "x", "1.5", "+1", "01", "2", "99999999999999999999", "%00"} {
			s.stranger().get(list+"?page="+number).want(404).has("h1", "Not found")
		}
		s.stranger().get(list + "?page=1").want(200)
	}
}

func TestPost(t *testing.T) {
	s := newSite(t)
	ada := s.member("ada")
	ben := s.member("ben")
	p := ada.aPost("A title", "# Heading\n\nSome *text*.\n\n|a|\n|-|\n|b|")
	comments := ben.comments(p, "**first**", "second")

	t.Run("shows the post and its comments, oldest first", func(t *testing.T) {
		a := s.stranger().get(p.Path()).want(200)
		a.has("h1", "A title").has(".post .prose h2", "Heading").has(".post .prose em", "text")
		a.has(".scroll table td", "b")
		a.has("#Page-comments h2", "2 comments")
		a.has("#Page-comment-list li:first-child strong", "first").has("#comment-"+comments[1].ID, "second")
		a.has(`meta[name="description"][content="Some text."]`, "")
		a.has(`link[rel="canonical"][href="http://example.com`+p.Path()+`"]`, "")
		a.has("title", "A title · Inkfeed")
	})
	t.Run("dates the post, and each comment to the minute", func(t *testing.T) {
		a := s.stranger().get(p.Path()).want(200)
		a.has(`.post .meta time[datetime="2026-05-01T12:00:00Z"]`, "1 May 2026")
		a.has("#comment-"+comments[1].ID+` time[datetime="2026-05-01T12:02:00Z"][title$="UTC"]`, "1 May 2026, 12:02")
	})
	t.Run("says that it was edited, and when unless on its first day", func(t *testing.T) {
		q := ada.aPost("Edited", "text") // at 12:01
		for at, says := range map[time.Time]string{
			q.Created.Add(time.Hour):      "edited",
			q.Created.Add(24 * time.Hour): "edited 2 May 2026, 12:01 UTC",
		} {
			s.change(q.ID, func(q *domain.Post) { q.Edited = at })
			found := s.stranger().get(q.Path()).page().Find(".post .meta time").Last()
			if got := strings.Join(strings.Fields("edited "+strings.TrimPrefix(found.Text(), "edited")), " "); got != says || !strings.Contains(found.Parent().Text(), "edited") || found.AttrOr("datetime", "") != at.Format(time.RFC3339) {
				t.Errorf("at %s it says %q", at, got)
			}
		}
	})
	t.Run("a table scrolls in a box that begins on its side", func(t *testing.T) {
		s.stranger().get(p.Path()).has(`.scroll[dir="auto"] > table:not([dir])`, "b")
	})
	t.Run("offers a stranger to log in, and to come back", func(t *testing.T) {
		a := s.stranger().get(p.Path()).want(200)
		a.has(`.like a[href="/login?next=%2Fposts%2F`+p.ID+`"]`, "Log in")
		a.hasNo("#Page-comment-form").hasNo("#Page-like-button").hasNo(`.post a[href$="/edit"]`)
		if n := a.page().Find(`a[href^="/login?next="]`).Length(); n != 3 {
			t.Errorf("%d ways to log in", n)
		}
	})
	t.Run("offers a member to like and to comment", func(t *testing.T) {
		ben.get(p.Path()).want(200).has("#Page-comment-form", "Comment").hasNo(`.post a[href$="/edit"]`).
			has(`form[action="/posts/`+p.ID+`/like"] #Page-like-button[aria-pressed="false"]`, "Like")
	})
	t.Run("offers its author to edit it", func(t *testing.T) {
		ada.get(p.Path()).want(200).has(`a[href="/posts/`+p.ID+`/edit"]`, "Edit")
	})
	t.Run("redirects to its one address", func(t *testing.T) {
		for _, path := range []string{"/posts/" + p.ID, "/posts/" + p.ID + "/another", "/posts/" + p.ID + "/A-Title"} {
			a := s.stranger().get(path).wantRedirect(http.StatusMovedPermanently, p.Path())
			if got := a.Header.Get("Cache-Control"); !strings.Contains(got, "no-cache") {
				t.Errorf("%s may be remembered: %q", path, got)
			}
		}
	})
	t.Run("has an address in any script", func(t *testing.T) {
		cat := ada.aPost("吾輩は猫である", "text")
		a := s.stranger().get("/posts/" + cat.ID).want(301)
		to := a.Header.Get("Location")
		if strings.Trim(to, "abcdefghijklmnopqrstuvwxyzABCDEF0123456789%/-") != "" {
			t.Errorf("the address is not percent-encoded: %s", to)
		}
		s.stranger().get(to).want(200).has("h1", "吾輩は猫である")
		s.stranger().get(strings.ToLower(to)).want(200)
	})
	t.Run("is not taken for a page about it", func(t *testing.T) {
		for _, title := range []string{"Edit", "delete!", "Likes", "Comments", "Like", "Unlike"} {
			s.stranger().get(ada.aPost(title, "text").Path()).want(200).has(".post h1", title)
		}
	})
	t.Run("an unknown one is not found", func(t *testing.T) {
		for _, id := range []string{domain.NewID(), "x", "..", "%00"} {
			s.stranger().get("/posts/" + id).want(404)
			s.stranger().get("/posts/" + id + "/comments").want(404)
			s.stranger().get("/posts/" + id + "/likes").want(404)
		}
	})
}

func TestComments(t *testing.T) {
	s := newSite(t)
	ada := s.member("ada")
	p := ada.aPost("A title", "text")
	made := ada.comments(p, many(domain.CommentsPerPage*2+1)...)
	path := "/posts/" + p.ID + "/comments"

	t.Run("the post shows the first of them and leads on", func(t *testing.T) {
		a := s.stranger().get(p.Path()).want(200)
		if n := a.page().Find("#Page-comment-list > li").Length(); n != domain.CommentsPerPage {
			t.Errorf("%d comments", n)
		}
		a.has(`#Page-more[href="`+path+`?page=2"][data-hx-get="`+after(p, made[49], 2)+`"]`, "More comments")
	})
	t.Run("a further page is a page of its own", func(t *testing.T) {
		a := s.stranger().get(path + "?page=2").want(200)
		a.has("h1", "101 comments").has("#comment-"+made[50].ID, made[50].Content)
		a.has(`a[rel="prev"][href="`+path+`"]`, "Earlier").has(`a[rel="next"][href="`+path+`?page=3"]`, "Later")
		s.stranger().get(path + "?page=3").want(200).hasNo(`a[rel="next"]`)
		ada.get(path+"?page=3").want(200).has("#Page-comment-form", "Comment")
	})
	t.Run("htmx gets the next ones and what leads on", func(t *testing.T) {
		a := s.stranger().htmx().get(after(p, made[49], 2)).want(200).hasNo("h1").hasNo("main")
		if n := a.page().Find("li[id^=comment-]").Length(); n != domain.CommentsPerPage {
			t.Errorf("%d comments", n)
		}
		a.has(`hx-partial[hx-target="#Page-more-comments"] a[href="`+path+`?page=3"][data-hx-get="`+after(p, made[99], 3)+`"]`, "More")
		a.has(`li#comment-`+made[50].ID+`[tabindex="-1"][autofocus]`, "").has("[autofocus]", "")
		a.has(`hx-partial[hx-target="#Page-comment-status"]`, "50 more comments")
		s.stranger().get(p.Path()).has(`#Page-comment-status[role="status"]`, "").hasNo("[autofocus]")
		last := s.stranger().htmx().get(after(p, made[99], 3)).want(200)
		last.has(`hx-partial[hx-target="#Page-comment-status"]`, "1 more comment")
		last.hasNo("#Page-more").has(`hx-partial[hx-target="#Page-own-comments"]`, "")
	})
}

// after is where htmx finds what follows a comment.
func after(p domain.Post, c domain.Comment, page int) string {
	return fmt.Sprintf("/posts/%s/comments?%s", p.ID, url.Values{"page": {fmt.Sprint(page)}, "after": {c.Place()}}.Encode())
}

func TestLikes(t *testing.T) {
	s := newSite(t)
	ada := s.member("ada")
	p := ada.aPost("A title", "text")
	path := "/posts/" + p.ID + "/likes"
	t.Run("nobody yet", func(t *testing.T) {
		s.stranger().get(path).want(200).has("h1", "0 likes").has("main", "No likes yet")
	})
	t.Run("lists who likes a post, newest first", func(t *testing.T) {
		for i := range domain.LikesPerPage + 1 {
			u := domain.User{ID: domain.NewUserID(nil), Username: fmt.Sprintf("reader-%d", i)}
			_, err := s.data.store.Posts.Like(context.Background(), domain.NewLike(u, p.ID, p.Created.Add(time.Duration(i)*time.Second)))
			if err != nil {
				t.Fatal(err)
			}
		}
		a := s.stranger().get(path).want(200).has("h1", "101 likes")
		a.has(`.people li:first-child a[href="/@reader-100"]`, "@reader-100").has(`a[rel="next"]`, "Older")
		s.stranger().get(path+"?page=2").want(200).has(".people li", "@reader-0")
	})
}

func TestUser(t *testing.T) {
	s := newSite(t)
	ada := s.member("Ada-Lovelace")
	t.Run("without posts", func(t *testing.T) {
		s.stranger().get("/@Ada-Lovelace").want(200).has("h1", "@Ada-Lovelace").has("main", "hasn't published anything yet")
		ada.get("/@Ada-Lovelace").want(200).has(`main a[href="/new"]`, "Write your first post")
	})
	t.Run("with posts", func(t *testing.T) {
		p := ada.aPost("A title", "text")
		s.stranger().get("/@Ada-Lovelace").want(200).has(`article a[href="`+p.Path()+`"]`, "A title")
	})
	t.Run("another spelling leads to the right one", func(t *testing.T) {
		s.stranger().get("/@ada-lovelace").wantRedirect(301, "/@Ada-Lovelace")
		s.stranger().get("/@ADA-LOVELACE?page=3").wantRedirect(301, "/@Ada-Lovelace?page=3")
	})
	t.Run("a former name leads to the present one", func(t *testing.T) {
		ada.post("/settings/username", "username", "countess").want(303)
		s.stranger().get("/@ada-lovelace").wantRedirect(301, "/@countess")
	})
	t.Run("nobody", func(t *testing.T) {
		for _, name := range []string{"nobody", "a.b", "%2e%2e", "x%2Fy", "", ada.user.ID} {
			s.stranger().get("/@"+name).want(404).has("h1", "Not found")
		}
	})
}

func TestThePageOfAPostSaysHowLongItIs(t *testing.T) {
	s := newSite(t)
	ada, ben := s.member("ada"), s.member("ben")
	p := ada.aPost("A title", strings.Repeat("word ", 500)+"[^1]\n\n[^1]: A note.")
	ben.get(p.Path()).has(".post > header .meta", "2 min to read")
	ben.get(p.Path()).has(`meta[name="description"][content^="word word"]`, "").hasNo(`meta[name="description"][content*="note"]`)
}

func TestTheAuthorSeesThatAPostIsUnlisted(t *testing.T) {
	s := newSite(t)
	ada, ben := s.member("ada"), s.member("ben")
	p := ada.aPost("A title", "text")
	ada.get(p.Path()).hasNo(".unlisted")
	s.change(p.ID, func(p *domain.Post) { p.Status = domain.Unlisted })
	ada.get(p.Path()).has(".post > header .unlisted", "Unlisted")
	ben.get(p.Path()).want(200).hasNo(".unlisted")
}
