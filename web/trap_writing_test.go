package web_test

import (
	"net/http"
	"testing"
	"testing/synctest"
	"time"

	"inkfeed/domain"
)

func TestWritingIsForPeopleWhileAccountsAreNew(t *testing.T) {
	const least = 2 * time.Second
	type scene struct {
		*site
		ada, bob *visitor
		post     domain.Post
	}
	in := func(t *testing.T, name string, do func(t *testing.T, s scene)) {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := careful(t, least)
				join := func(name string) *visitor {
					v := s.stranger()
					stamp := v.get("/signup").Value("stamp")
					time.Sleep(least)
					v.post("/signup", "username", name, "password", password, "stamp", stamp).want(http.StatusSeeOther)
					v.user, _ = s.data.store.Users.ByName(t.Context(), name)
					return v
				}
				ada := join("ada")
				do(t, scene{s, ada, join("bob"), ada.aPost("A title", "Some text.")})
			})
		})
	}
	in(t, "a comment that comes too fast comes back, and passes then", func(t *testing.T, s scene) {
		path := "/posts/" + s.post.ID + "/comments"
		for _, v := range []*visitor{s.bob, s.bob.htmx()} {
			stamp := s.bob.get(s.post.Path()).has("#Page-comment-form .unseen", "Leave this field empty").Value("stamp")
			a := v.post(path, "content", "My text", "stamp", stamp).want(http.StatusUnprocessableEntity).
				has(`[role="alert"]`, "That was quick").has("#Page-comment-form textarea", "My text")
			if a.Value("stamp") != stamp {
				t.Error("one has to wait twice")
			}
			time.Sleep(least)
			v.post(path, "content", "My text", "stamp", stamp)
		}
		if n := len(s.data.comments(s.post.ID)); n != 2 {
			t.Errorf("%d comments", n)
		}
	})
	in(t, "what fills in a field that nobody sees is told, and so is a form from elsewhere", func(t *testing.T, s scene) {
		path := "/posts/" + s.post.ID + "/comments"
		stamp := s.bob.get(s.post.Path()).Value("stamp")
		time.Sleep(least)
		s.bob.post(path, "content", "My text", "stamp", stamp, "homepage", "https://spam.example").want(http.StatusUnprocessableEntity).has("textarea", "My text")
		a := s.bob.post(path, "content", "My text").want(http.StatusUnprocessableEntity).has("textarea", "My text")
		time.Sleep(least)
		s.bob.post(path, "content", "My text", "stamp", a.Value("stamp")).want(http.StatusSeeOther)
	})
	in(t, "a reply has it too, and a page that stays open for days is no trap", func(t *testing.T, s scene) {
		c := s.ada.comments(s.post, "A comment.")[0]
		stamp := s.bob.get("/posts/" + s.post.ID + "/comments/" + c.ID + "/reply").Value("stamp")
		time.Sleep(domain.NewAccountTime - time.Minute)
		s.bob.post("/posts/"+s.post.ID+"/comments", "content", "A reply", "parent", c.ID, "stamp", stamp).want(http.StatusSeeOther)
	})
	in(t, "a post is published, saved as fast as one likes", func(t *testing.T, s scene) {
		form := s.ada.get("/new").has("#editor .unseen", "Leave this field empty")
		fields := []string{"post", form.Value("post"), "revision", "0", "version", "0", "title", "Mine", "content", "A long text.", "stamp", form.Value("stamp")}
		a := s.ada.post("/posts", append(fields, "do", "publish")...).want(http.StatusUnprocessableEntity).
			has(`[role="alert"]`, "That was quick").has(`textarea[name="content"]`, "A long text.")
		if a.Value("stamp") != form.Value("stamp") || a.Value("title") != "Mine" {
			t.Errorf("back come %q of %q", a.Value("title"), a.Value("stamp"))
		}
		time.Sleep(least)
		s.ada.post("/posts", append(fields, "do", "publish")...).want(http.StatusSeeOther)
	})
	in(t, "who is new no more, or trusted, has no trap", func(t *testing.T, s scene) {
		s.vouch(s.bob)
		s.bob.get(s.post.Path()).hasNo(`[name="stamp"]`).hasNo(".unseen")
		s.bob.post("/posts/"+s.post.ID+"/comments", "content", "Fast", "homepage", "x").want(http.StatusSeeOther)
		time.Sleep(domain.NewAccountTime)
		s.ada.get("/new").hasNo(`[name="stamp"]`)
		s.ada.post("/posts/"+s.post.ID+"/comments", "content", "Fast").want(http.StatusSeeOther)
	})
	in(t, "a session that ended brings the form back, trap and all", func(t *testing.T, s scene) {
		s.stranger().post("/posts/"+s.post.ID+"/comments", "content", "My text").want(http.StatusUnauthorized).
			has("textarea", "My text").has(`#Page-comment-form .unseen`, "Leave this field empty")
	})
}
