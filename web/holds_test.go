package web_test

import (
	"slices"
	"strings"
	"testing"

	"inkfeed/domain"
)

// hold holds a post, or a comment on it, behind the site's back.
func (s *site) hold(postID, commentID string, hold domain.Hold) {
	s.t.Helper()
	if commentID == "" {
		s.change(postID, func(p *domain.Post) { p.Held = hold })
		return
	}
	_, err := s.data.store.Posts.HoldComment(s.data.ctx(), postID, commentID, hold)
	s.data.must(err)
}

// suspend suspends a user, or ends that, and ends no session.
func (s *site) suspend(v *visitor, suspended bool) {
	s.t.Helper()
	s.data.changeUser(v.user.ID, func(item map[string]any) {
		item["nameVersion"] = item["nameVersion"].(float64) + 1 // so that it spreads
		if suspended {
			item["suspensionDate"] = v.user.Created.AddDate(1, 0, 0)
		} else {
			delete(item, "suspensionDate")
		}
	})
}

func TestAHiddenPost(t *testing.T) {
	s := newSite(t)
	ada, bob, mod := s.member("ada"), s.member("bob"), s.member("molly")
	s.give(mod, domain.RoleModerator)
	p := ada.aPost("A title", "Some text.")
	c := bob.comments(p, "Mine.")[0]
	path := "/posts/" + p.ID
	about := []string{p.Path(), path, path + "/comments", path + "/comments/" + c.ID, path + "/likes"}
	t.Run("is for all others as one that never was", func(t *testing.T) {
		s.hold(p.ID, "", domain.HeldByModerator)
		missing := s.stranger().get("/posts/" + domain.NewID()).want(404).page().Find("main").Text()
		for _, v := range []*visitor{s.stranger(), bob} {
			for _, address := range about {
				if got := v.get(address).want(404).page().Find("main").Text(); got != missing {
					t.Errorf("%s says %q, a missing one %q", address, got, missing)
				}
			}
		}
		s.stranger().get("/oembed?url=http%3A%2F%2Fexample.com" + p.Path()).want(404)
		for _, list := range []string{"/", "/@ada", "/feed.atom", "/@ada/feed.atom"} {
			if a := s.stranger().get(list).want(200); strings.Contains(a.body, "A title") {
				t.Errorf("%s has it", list)
			}
		}
		for _, action := range []string{"/like", "/bookmark"} {
			bob.post(path + action).want(404)
		}
		bob.post(path+"/comments", "content", "Hello").want(404).has("textarea", "Hello")
	})
	t.Run("is there for its author and moderators, who are told why", func(t *testing.T) {
		for _, v := range []*visitor{ada, mod} {
			v.get(p.Path()).want(200).has(".hold-notice", "A moderator hid this post").has(".post .prose", "Some text.").
				has(`meta[name="robots"][content="noindex"]`, "").hasNo("#Page-comment-form").hasNo("#Page-like-button")
			v.get(path+"/comments").want(200).has("#comment-"+c.ID, "Mine.")
			v.get(path + "/likes").want(200)
		}
		ada.get(path + "/edit").want(200)
		ada.get("/drafts/unlisted").want(200).has(".drafts .state.bad", "Hidden by a moderator")
		mod.get(path + "/edit").want(404)
	})
	t.Run("says that it waits for review", func(t *testing.T) {
		s.hold(p.ID, "", domain.HeldForReview)
		ada.get(p.Path()).want(200).has(".hold-notice", "n review")
		for _, list := range []string{"/drafts", "/drafts/unlisted"} {
			ada.get(list).want(200).has(".drafts .state", "In review").hasNo(".drafts .bad")
		}
		s.stranger().get(p.Path()).want(404)
	})
	t.Run("is there again when it is released", func(t *testing.T) {
		s.hold(p.ID, "", domain.NotHeld)
		s.stranger().get(p.Path()).want(200).hasNo(".hold-notice")
		s.stranger().get("/").has("article", "A title")
	})
}

func TestPostsOfASuspendedAuthor(t *testing.T) {
	s := newSite(t)
	ada, bob, mod := s.member("ada"), s.member("bob"), s.member("molly")
	s.give(mod, domain.RoleModerator)
	p := ada.aPost("A title", "Some text.")
	t.Run("are gone at once, whatever the workers have still to do", func(t *testing.T) {
		s.suspend(ada, true)
		for _, v := range []*visitor{s.stranger(), bob} {
			v.get(p.Path()).want(404)
			if location := v.get("/posts/" + p.ID).want(404).Header.Get("Location"); location != "" {
				t.Errorf("the address without the title leads to %s", location)
			}
		}
		mod.get(p.Path()).want(200).has(".hold-notice", "suspended")
		mod.get("/posts/"+p.ID).wantRedirect(301, p.Path())
	})
	t.Run("and back at once", func(t *testing.T) {
		s.suspend(ada, false)
		s.stranger().get(p.Path()).want(200).hasNo(".hold-notice")
	})
	t.Run("an author who cannot be looked up makes no post vanish", func(t *testing.T) {
		s.data.fail("Users.ByID")
		defer s.data.recover("Users.ByID")
		s.stranger().get(p.Path()).want(503)
	})
}

func TestHiddenComments(t *testing.T) {
	s := newSite(t)
	ada, bob, eve, mod := s.member("ada"), s.member("bob"), s.member("eve"), s.member("molly")
	s.give(mod, domain.RoleModerator)
	p := ada.aPost("A title", "Some text.")
	all := bob.comments(p, "Head.", "Alone.")
	head, alone := all[0], all[1]
	path := "/posts/" + p.ID
	at := func(c domain.Comment) string { return path + "/comments/" + c.ID }
	t.Run("the author of a post hides one, and the count follows", func(t *testing.T) {
		ada.get(p.Path()).has(`#comment-`+alone.ID+` form[action="`+at(alone)+`/hide"]`, "Hide")
		ada.post(at(alone)+"/hide").wantRedirect(303, p.Path()+"#comment-"+alone.ID)
		for _, v := range []*visitor{s.stranger(), eve} {
			v.get(p.Path()).has("#Page-comments h2", "1 comment").hasNo("#comment-" + alone.ID)
			v.get(at(alone)).want(404)
			v.htmx().get(at(alone)).want(404)
		}
	})
	t.Run("its author, that of the post, and moderators see it and why", func(t *testing.T) {
		for _, v := range []*visitor{ada, bob, mod} {
			v.get(p.Path()).has("#comment-"+alone.ID+" .hold-notice", "Hidden by the author of the post").has("#comment-"+alone.ID, "Alone.")
		}
		ada.get(p.Path()).has(`#comment-`+alone.ID+` form[action="`+at(alone)+`/show"]`, "Show")
	})
	t.Run("nobody answers it, and nobody gets to read it that way", func(t *testing.T) {
		eve.get(at(alone) + "/reply").want(404)
		a := eve.post(path+"/comments", "content", "", "parent", alone.ID)
		if a.want(409); strings.Contains(a.body, "Alone.") {
			t.Error("it is quoted")
		}
		eve.post(path+"/comments", "content", "An answer", "parent", alone.ID).want(409).has("textarea", "An answer")
	})
	t.Run("and shows it again, with htmx in place", func(t *testing.T) {
		ada.htmx().post(at(alone)+"/show").want(200).hasNo("h1").hasNo(".hold-notice").has(`hx-partial[hx-target="#Page-comments-title"]`, "2 comments")
		s.stranger().get(at(alone)).wantRedirect(302, p.Path()+"#comment-"+alone.ID)
	})
	t.Run("one with replies leaves a placeholder for others", func(t *testing.T) {
		eve.post(path+"/comments", "content", "A reply.", "parent", head.ID).want(303)
		s.hold(p.ID, head.ID, domain.HeldByModerator)
		s.stranger().get(p.Path()).has("#comment-"+head.ID+" > .comment", "Hidden comment").has("#replies-"+head.ID, "A reply.").
			hasNo(`#comment-` + head.ID + ` > .comment a[href="/@bob"]`)
		bob.get(p.Path()).has("#comment-"+head.ID+" .hold-notice", "Hidden by a moderator")
	})
	t.Run("what a moderator hid, the post's author neither sees nor shows", func(t *testing.T) {
		ada.get(p.Path()).has("#comment-"+head.ID+" > .comment", "Hidden comment")
		ada.post(at(head) + "/show").want(404)
		ada.post(at(head) + "/hide").want(404)
	})
	t.Run("a placeholder goes with the last reply that is seen", func(t *testing.T) {
		reply := repliesTo(s.data, head)[0]
		s.hold(p.ID, reply.ID, domain.HeldForReview)
		s.stranger().get(p.Path()).hasNo("#comment-"+head.ID).has("#Page-comments h2", "1 comment")
		eve.get(p.Path()).has("#comment-"+reply.ID+" .hold-notice", "In review").has("#comment-"+head.ID+" > .comment", "Hidden comment")
	})
}

// repliesTo reads the replies to a comment.
func repliesTo(d *database, c domain.Comment) []domain.Comment {
	d.t.Helper()
	return slices.DeleteFunc(d.comments(c.PostID), func(reply domain.Comment) bool { return reply.ParentID != c.ID })
}

func TestClosedComments(t *testing.T) {
	s := newSite(t)
	ada, bob := s.member("ada"), s.member("bob")
	p := ada.aPost("A title", "Some text.")
	bob.comments(p, "Before.")
	path := "/posts/" + p.ID
	t.Run("the author closes them, and those that are there stay", func(t *testing.T) {
		ada.get(p.Path()).has(`form[action="`+path+`/comments/close"]`, "Close comments")
		ada.post(path+"/comments/close").wantRedirect(303, p.Path()+"#Page-comments")
		a := bob.get(p.Path()).has("#Page-comments", "Comments are closed.").hasNo("#Page-comment-form").has("#Page-comment-list", "Before.")
		a.hasNo(`#Page-comment-list a[href$="/reply"]`)
		bob.get(path + "/comments").hasNo("#Page-comment-form")
	})
	t.Run("whoever was typing keeps the text", func(t *testing.T) {
		bob.post(path+"/comments", "content", "A long text").want(403).has("textarea", "A long text").has(`[role="alert"]`, "omments are closed")
		bob.htmx().post(path+"/comments", "content", "A long text").want(403).hasNo("h1").has("form textarea", "A long text").has(`[role="alert"]`, "omments are closed")
	})
	t.Run("nor changes of those that are there, and the text comes back", func(t *testing.T) {
		id := s.data.comments(p.ID)[0].ID
		for _, v := range []*visitor{bob, bob.htmx()} {
			v.post(path+"/comments/"+id+"/edit", "content", "By an edit", "began", "").want(403).
				has("textarea", "By an edit").has(`[role="alert"]`, "can't edit")
		}
	})
	t.Run("and opens them again", func(t *testing.T) {
		ada.post(path + "/comments/open").want(303)
		bob.post(path+"/comments", "content", "After").want(303)
	})
}

func TestBlocks(t *testing.T) {
	s := newSite(t)
	ada, bob := s.member("ada"), s.member("bob")
	p := ada.aPost("A title", "Some text.")
	c := bob.comments(p, "Before.")[0]
	path := "/posts/" + p.ID
	t.Run("there is a button at the comments of others on one's post, and on their pages", func(t *testing.T) {
		for _, address := range []string{p.Path(), "/@bob"} {
			ada.get(address).has(`form[action="/settings/blocks"] input[name="user"][value="`+bob.user.ID+`"]`, "")
		}
		bob.get(p.Path()).hasNo(`form[action="/settings/blocks"]`)
		ada.get("/@ada").hasNo(`form[action="/settings/blocks"]`)
	})
	t.Run("who is blocked neither comments, replies nor likes, and keeps the text", func(t *testing.T) {
		ada.post("/settings/blocks", "user", bob.user.ID).wantRedirect(303, "/settings/blocks?done=blocked")
		for _, parent := range []string{"", c.ID} {
			bob.post(path+"/comments", "content", "More", "parent", parent).want(403).has("textarea", "More").has(`[role="alert"]`, "You can't like or comment on posts by @ada")
		}
		bob.post(path+"/like").want(403).has("main", "You can't like or comment on posts by @ada")
		if len(s.data.comments(p.ID)) != 1 || len(s.data.all("posts", "like")) != 0 {
			t.Error("something came through")
		}
		ada.get(p.Path()).has("#comment-"+c.ID, "Before.")
	})
	t.Run("nor says something by an edit; deleting is possible", func(t *testing.T) {
		for _, v := range []*visitor{bob, bob.htmx()} {
			v.post(path+"/comments/"+c.ID+"/edit", "content", "By an edit", "began", "").want(403).
				has("textarea", "By an edit").has(`[role="alert"]`, "You can't like or comment on posts by @ada")
		}
		ada.get(p.Path()).has("#comment-"+c.ID, "Before.")
	})
	t.Run("but where others write as ever", func(t *testing.T) {
		q := s.member("eve").aPost("Another", "text")
		bob.post("/posts/"+q.ID+"/comments", "content", "Hello").want(303)
	})
	t.Run("the list lets them go again", func(t *testing.T) {
		ada.get("/settings/blocks?done=blocked").has(`[role="status"]`, "Blocked").has(".blocks", "@bob")
		ada.get("/@bob").has("main", "You blocked this person.")
		ada.post("/settings/blocks/remove", "user", bob.user.ID).want(303)
		ada.get("/settings/blocks").has("main", "You haven't blocked anyone.")
		bob.post(path + "/like").want(303)
	})
	t.Run("nobody blocks oneself, or nobody", func(t *testing.T) {
		ada.post("/settings/blocks", "user", ada.user.ID).want(422)
		ada.post("/settings/blocks", "user", domain.NewUserID(nil)).want(404)
	})
}
