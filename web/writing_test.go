package web_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"inkfeed/domain"
)

func TestWriting(t *testing.T) {
	s := newSite(t)
	ada := s.member("ada")
	t.Run("publishes and shows the post", func(t *testing.T) {
		ada.get("/new").want(200).has("main form[action='/posts'] button[name=do][value=publish]", "Publish").has("#content-hint", "HTML appears as plain text")
		to := ada.post("/posts", "title", "A title", "content", "Some *text*.").want(303).Header.Get("Location")
		ada.get(to).want(200).has("h1", "A title").has(".post em", "text")
	})
	t.Run("names each bad field and keeps what was typed", func(t *testing.T) {
		long := strings.Repeat("t", domain.MaxTitle+1)
		a := ada.post("/posts", "title", long, "content", " ").want(422)
		a.complains("title", "at most").complains("content", "cannot be empty")
		if a.Value("title") != long {
			t.Error("the title is lost")
		}
		a = ada.post("/posts", "title", "", "content", "\n<b>text</b>\r\n& more").want(422)
		if got := a.Value("content"); got != "\n<b>text</b>\n& more" {
			t.Errorf("the text has become %q", got)
		}
	})
	t.Run("a stranger is asked to log in first", func(t *testing.T) {
		s.stranger().get("/new").wantRedirect(303, "/login?next=%2Fnew")
	})
	t.Run("a session that ended loses nothing", func(t *testing.T) {
		a := ada.forgotten().post("/posts", "title", "A title", "content", "A long text").want(401)
		a.has(`[role="alert"]`, "Your session has expired").has(`[role="alert"] a[href="/login"][target="_blank"]`, "log in")
		if a.Value("title") != "A title" || a.Value("content") != "A long text" {
			t.Error("what was typed is lost")
		}
	})
	t.Run("a busy store loses nothing", func(t *testing.T) {
		for failure, status := range map[int]int{statusUnavailable: 503, http.StatusRequestEntityTooLarge: 413} {
			s.data.failWith("Posts.Create", failure)
			a := ada.post("/posts", "title", "A title", "content", "A long text").want(status)
			a.has(`[role="alert"]`, "")
			if a.Value("content") != "A long text" {
				t.Error("what was typed is lost")
			}
		}
		s.data.recover("Posts.Create")
	})
	t.Run("a double click publishes once, a changed text is shown beside the first", func(t *testing.T) {
		id := ada.get("/new").Value("post")
		publish := func(text string) *answer {
			return ada.post("/posts", "title", "Twice", "content", text, "post", id)
		}
		first := publish("text").want(303).Header.Get("Location")
		publish("text").wantRedirect(303, first)
		// Sent from a form that is gone back to, it is an edit that began too early.
		a := publish("other text").want(409).has("#mine-title + * + .version-text ins", "other").has(".saved pre", "text")
		if a.Value("content") != "other text" || a.Value("revision") != "1" || a.Value("post") != id {
			t.Error("the other text is lost")
		}
	})
	t.Run("what is in the address is no part of the form", func(t *testing.T) {
		ada.post("/posts?title=x&content=y").want(422)
	})
}

func TestEditing(t *testing.T) {
	s := newSite(t)
	ada, ben := s.member("ada"), s.member("ben")
	p := ada.aPost("A title", "The text")
	path := "/posts/" + p.ID
	t.Run("shows what is there, saves what is changed", func(t *testing.T) {
		a := ada.get(path + "/edit").want(200)
		if a.Value("title") != "A title" || a.Value("content") != "The text" || a.Value("revision") != "1" {
			t.Errorf("the form holds %q, %q, %q", a.Value("title"), a.Value("content"), a.Value("revision"))
		}
		to := ada.post(path, "title", "Another title", "content", "Another text", "revision", "1").
			wantRedirect(303, path+"/another-title").Header.Get("Location")
		ada.get(to).want(200).has("h1", "Another title").has(".post .meta", "edited")
	})
	t.Run("a conflict shows both versions and loses neither", func(t *testing.T) {
		a := ada.post(path, "title", "My title", "content", "My text", "revision", "1").want(409)
		a.has(`[role="alert"]`, "while you were writing").has(".saved", "Another title").has(".saved pre", "Another text")
		a.has("title", "This post has two versions").has("h1", "This post has two versions").has("button[value=theirs]", "Keep this version").has("#merge button[value=mine]", "Save combined version and publish")
		a.has(`[role="alert"][tabindex="-1"][autofocus] a[href="#saved-title"]`, "the other one").has("h2#saved-title", "Published version")
		if a.Value("title") != "My title" || a.Value("content") != "My text" || a.Value("revision") != "2" {
			t.Errorf("the form holds %q, %q, %q", a.Value("title"), a.Value("content"), a.Value("revision"))
		}
		ada.post(path, "title", "My title", "content", "My text", "revision", a.Value("revision")).wantRedirect(303, path+"/my-title")
	})
	t.Run("without a revision is a conflict", func(t *testing.T) {
		ada.post(path, "title", "T", "content", "C").want(409)
		ada.post(path, "title", "T", "content", "C", "revision", "x").want(409)
	})
	t.Run("names each bad field and keeps what was typed", func(t *testing.T) {
		a := ada.post(path, "title", " ", "content", "kept", "revision", "3").want(422).complains("title", "cannot be empty")
		if a.Value("content") != "kept" || a.Value("revision") != "3" {
			t.Error("what was typed is lost")
		}
	})
	t.Run("is for the author only", func(t *testing.T) {
		ben.get(path+"/edit").want(403).has("h1", "Not allowed")
		ben.post(path, "title", "Mine", "content", "now", "revision", "3").want(403)
		if got := s.data.post(p.ID).Title; got != "My title" {
			t.Errorf("the title is %q", got)
		}
	})
	t.Run("a stranger is asked to log in first", func(t *testing.T) {
		s.stranger().get(path+"/edit").wantRedirect(303, "/login?next=%2Fposts%2F"+p.ID+"%2Fedit")
	})
	t.Run("a session that ended loses nothing", func(t *testing.T) {
		a := ada.forgotten().post(path, "title", "T", "content", "kept", "revision", "3").want(401)
		a.has(`main form[action="`+path+`"]`, "").has(`[role="alert"]`, "session has expired")
		if a.Value("content") != "kept" || a.Value("revision") != "3" {
			t.Error("what was typed is lost")
		}
	})
	t.Run("an unknown post is not found", func(t *testing.T) {
		for _, id := range []string{domain.NewID(), "x"} {
			ada.get("/posts/" + id + "/edit").want(404)
			ada.post("/posts/"+id, "title", "T", "content", "C", "revision", "1").want(404)
		}
	})
}

func TestCommenting(t *testing.T) {
	s := newSite(t)
	ada, ben := s.member("ada"), s.member("ben")
	p := ada.aPost("A title", "text")
	path := "/posts/" + p.ID + "/comments"
	last := func() string {
		list := s.data.comments(p.ID)
		return list[len(list)-1].ID
	}
	t.Run("leads to the comment", func(t *testing.T) {
		a := ben.post(path, "content", "A *comment*").want(303)
		if got, want := a.Header.Get("Location"), p.Path()+"#comment-"+last(); got != want {
			t.Errorf("leads to %s, want %s", got, want)
		}
		ben.get(p.Path()).has("#comment-"+last()+" em", "comment")
	})
	t.Run("a double click comments once, with and without htmx", func(t *testing.T) {
		for name, who := range map[string]*visitor{"plain": ben, "htmx": ben.htmx()} {
			before := len(s.data.comments(p.ID))
			attempt := ben.get(p.Path()).Value("attempt")
			for range 2 {
				who.post(path, "content", "Twice", "attempt", attempt)
			}
			if n := len(s.data.comments(p.ID)) - before; n != 1 {
				t.Errorf("%s: %d comments", name, n)
			}
		}
		for _, c := range s.data.comments(p.ID)[1:] {
			_, err := s.data.store.Posts.DeleteComment(t.Context(), p.ID, c.ID, ben.user.ID)
			s.data.must(err)
		}
	})
	t.Run("leads to the page that the comment is on", func(t *testing.T) {
		ada.comments(p, many(domain.CommentsPerPage-2)...)
		ben.post(path, "content", "the fiftieth").wantRedirect(303, p.Path()+"#comment-"+last())
		list := s.data.comments(p.ID)
		list[len(list)-1].Created = list[len(list)-1].Created.Add(-time.Second) // the next may come in the same millisecond
		ben.post(path, "content", "the fifty-first").wantRedirect(303, path+"?page=2#comment-"+last())
	})
	t.Run("htmx gets the comment, the count and a fresh form", func(t *testing.T) {
		a := ben.htmx().post(path, "content", "A *third*").want(200).hasNo("h1").hasNo("main")
		a.has(`hx-partial[hx-target="#Page-own-comments"] #comment-`+last()+" em", "third")
		a.has(`hx-partial[hx-target="#Page-comments-title"]`, "52 comments")
		if a.Value("content") != "" {
			t.Error("the form is not fresh")
		}
	})
	t.Run("one that breaks a rule comes back", func(t *testing.T) {
		long := strings.Repeat("c", domain.MaxComment+1)
		for _, v := range []*visitor{ben, ben.htmx()} {
			a := v.post(path, "content", long).want(422).complains("content", "at most")
			if a.Value("content") != long {
				t.Error("what was typed is lost")
			}
		}
		ben.post(path, "content", " ").want(422).has("h1", "A title")
		ben.htmx().post(path, "content", " ").want(422).hasNo("h1")
	})
	t.Run("a session that ended loses nothing", func(t *testing.T) {
		for _, v := range []*visitor{ben.forgotten(), ben.forgotten().htmx()} {
			a := v.post(path, "content", "precious").want(401).has(`[role="alert"]`, "session has expired")
			if a.Value("content") != "precious" {
				t.Error("what was typed is lost")
			}
		}
	})
	t.Run("a busy store loses nothing", func(t *testing.T) {
		s.data.fail("Posts.AddComment")
		for _, v := range []*visitor{ben, ben.htmx()} {
			a := v.post(path, "content", "precious").want(503).has(`[role="alert"]`, "What you typed is safe")
			if a.Value("content") != "precious" || a.Header.Get("Retry-After") == "" {
				t.Error("what was typed is lost")
			}
		}
		s.data.recover("Posts.AddComment")
	})
	t.Run("an unknown post is not found", func(t *testing.T) {
		for _, id := range []string{domain.NewID(), "x"} {
			ben.post("/posts/"+id+"/comments", "content", "c").want(404)
		}
	})
}

func TestLiking(t *testing.T) {
	s := newSite(t)
	ada := s.member("ada")
	p := ada.aPost("A title", "text")
	path := "/posts/" + p.ID
	t.Run("without JavaScript leads back", func(t *testing.T) {
		ada.post(path+"/like").wantRedirect(303, p.Path()+"#Page-like")
		ada.get(p.Path()).has(`form[action="`+path+`/unlike"] [aria-pressed="true"]`, "Like").has("#Page-liked-by", "1 like")
		ada.post(path+"/unlike").wantRedirect(303, p.Path()+"#Page-like")
		ada.get(p.Path()).has(`form[action="`+path+`/like"] [aria-pressed="false"]`, "Like").has("#Page-liked-by", "No likes")
	})
	t.Run("leads back without another read of the post once it is done", func(t *testing.T) {
		before := -1
		s.data.before("Posts.Like", func() { before = s.data.calls("Posts.Get") })
		ada.post(path+"/like").wantRedirect(303, p.Path()+"#Page-like")
		if n := s.data.calls("Posts.Get"); n != before {
			t.Errorf("%d reads of posts before the like, %d at the end", before, n)
		}
	})
	t.Run("twice likes once", func(t *testing.T) {
		ada.post(path + "/like").want(303)
		ada.htmx().post(path+"/like").want(200).has("#Page-liked-by", "Liked by you")
	})
	t.Run("htmx gets the button and the count", func(t *testing.T) {
		ada.htmx().post(path+"/unlike").want(200).hasNo("h1").
			has(`#Page-like form[data-hx-post="`+path+`/like"] #Page-like-button[aria-pressed="false"]`, "Like").has("#Page-liked-by", "No likes")
	})
	t.Run("a stranger is asked to log in, and led back", func(t *testing.T) {
		to := "/login?next=%2Fposts%2F" + p.ID
		s.stranger().post(path+"/like").wantRedirect(303, to)
		a := s.stranger().htmx().post(path + "/like").want(401)
		if got := a.Header.Get("HX-Redirect"); got != to {
			t.Errorf("HX-Redirect is %q", got)
		}
		if s.data.post(p.ID).LikeCount != 0 {
			t.Error("it counts")
		}
	})
	t.Run("an unknown post is not found", func(t *testing.T) {
		for _, id := range []string{domain.NewID(), "x"} {
			ada.post("/posts/" + id + "/like").want(404)
			ada.htmx().post("/posts/" + id + "/unlike").want(404)
		}
	})
}
