package web_test

import (
	"strings"
	"testing"
	"time"

	"inkfeed/domain"
)

// aDraft writes a draft of v's straight into the store.
func (v *visitor) aDraft(title, content, tags string) domain.Draft {
	v.t.Helper()
	d, err := v.data.store.Drafts.Save(v.data.ctx(), domain.Draft{PostID: domain.NewID(), AuthorID: v.user.ID,
		Title: title, Content: content, Tags: tags})
	if err != nil {
		v.t.Fatal(err)
	}
	return d
}

// draft reads a draft of v's, if there is one.
func draft(v *visitor, postID string) (d domain.Draft, there bool) {
	v.t.Helper()
	d, err := v.data.store.Drafts.Get(v.data.ctx(), v.user.ID, postID)
	if domain.Is(err, domain.NotFound) {
		return d, false
	}
	v.data.must(err)
	return d, true
}

// drafts reads the newest drafts of v's.
func drafts(v *visitor) []domain.Draft {
	v.t.Helper()
	page, err := v.data.store.Drafts.List(v.data.ctx(), v.user.ID, 1)
	v.data.must(err)
	return page.Items
}

// changeDraft changes the stored item of a draft.
func (d *database) changeDraft(v *visitor, postID string, change func(item map[string]any)) {
	d.t.Helper()
	for _, draft := range d.all("users", "draft") {
		if draft["userId"] == v.user.ID && draft["postId"] == postID {
			d.change("users", v.user.ID, draft["id"].(string), change)
			return
		}
	}
	d.t.Fatalf("%s has no draft of the post %s", v.user.Username, postID)
}

// rewrite publishes another text of a post behind the back of the site.
func (d *database) rewrite(author *visitor, postID, title, content string) error {
	edit, err := domain.NewEdit(postID, d.post(postID).Revision, title, content, time.Now())
	if err == nil {
		_, err = d.store.Posts.Edit(d.ctx(), edit, author.user.ID)
	}
	return err
}

func text(d domain.Draft) string { return d.Title + "|" + d.Content + "|" + d.Tags }

// sent is a form as the page has it, with some fields filled in otherwise.
func sent(a *answer, fields ...string) []string {
	all := []string{"post", a.Value("post"), "revision", a.Value("revision"), "version", a.Value("version"),
		"title", a.Value("title"), "content", a.Value("content"), "tags", a.Value("tags")}
	return append(all, fields...)
}

func TestDrafting(t *testing.T) {
	s := newSite(t)
	ada, ben := s.member("ada"), s.member("ben")
	t.Run("saves what breaks the rules of posts, and opens it again as typed", func(t *testing.T) {
		form := ada.get("/new").want(200)
		id := form.Value("post")
		a := ada.post("/posts", sent(form, "do", "save", "content", "\nHalf a\r\nsentence ", "tags", "a,, b")...)
		a.wantRedirect(303, "/posts/"+id+"/edit?done=save")
		a = ada.get(a.Header.Get("Location")).want(200).has(`.done[role="status"]`, "Draft saved").has("h1", "Edit draft")
		if a.Value("content") != "\nHalf a\nsentence " || a.Value("tags") != "a,, b" || a.Value("version") != "1" || a.Value("post") != id {
			t.Errorf("the form holds %q, %q at version %s", a.Value("content"), a.Value("tags"), a.Value("version"))
		}
		ada.get("/posts/" + id).want(404)
		ben.get("/posts/" + id + "/edit").want(404)
		t.Run("and publishes it later as that very post", func(t *testing.T) {
			to := ada.post("/posts", sent(a, "do", "publish", "title", "Whole")...).wantRedirect(303, "/posts/"+id+"/whole").Header.Get("Location")
			ben.get(to).want(200).has("h1", "Whole")
			if _, there := draft(ada, id); there {
				t.Error("the draft is still there")
			}
			if got := s.data.post(id).Tags; got != "a,b" {
				t.Errorf("the tags are %q", got)
			}
		})
	})
	t.Run("Enter in a field of one line saves, and does not publish", func(t *testing.T) {
		first := ada.get("/new").page().Find("#editor button:not([type=button]), #editor [type=submit]").First()
		if first.AttrOr("value", "") != "save" {
			t.Error("the default button of the form does not save")
		}
	})
	t.Run("changes of a post stay a draft until they are published", func(t *testing.T) {
		p := ada.aPost("A title", "The text")
		path := "/posts/" + p.ID
		ada.post(path, sent(ada.get(path+"/edit"), "do", "save", "content", "Other text")...).want(303)
		ben.get(p.Path()).has(".post .prose", "The text")
		a := ada.get(path+"/edit").want(200).has(".post-status", "aren't published yet").has(`main form button[value="publish"]`, "Publish changes")
		if a.Value("content") != "Other text" || a.Value("revision") != "1" {
			t.Errorf("the form holds %q", a.Value("content"))
		}
		ada.post(path, sent(a, "do", "publish")...).wantRedirect(303, p.Path())
		ben.get(p.Path()).has(".post .prose", "Other text")
	})
	t.Run("an unlisted post is in no list", func(t *testing.T) {
		to := ada.post("/posts", "title", "Hush", "content", "text", "status", "unlisted").want(303).Header.Get("Location")
		ben.get(to).want(200)
		if strings.Contains(ben.get("/").body, "Hush") {
			t.Error("it is on the front page")
		}
		ada.get(strings.TrimSuffix(to, "/hush")+"/edit").has(`[name="status"][value="unlisted"][checked]`, "")
	})
	t.Run("too long for a draft is said beside the field, and comes back", func(t *testing.T) {
		long := strings.Repeat("x", domain.MaxDraftContent+1)
		a := ada.post("/posts", "do", "save", "content", long).want(422).complains("content", "too long")
		if a.Value("content") != long {
			t.Error("what was typed is lost")
		}
	})
	t.Run("a session that ended, and a busy store, lose nothing", func(t *testing.T) {
		id := domain.NewID()
		fields := []string{"post", id, "version", "0", "do", "save", "title", "T", "content", "precious", "tags", "sea",
			"status", "unlisted", "publishDate", "2030-01-01T10:00", "zone", "Europe/Paris"}
		s.data.fail("Drafts.Save")
		defer s.data.recover("Drafts.Save")
		for _, a := range []*answer{ada.forgotten().post("/posts", fields...).want(401), ada.post("/posts", fields...).want(503)} {
			for name, want := range map[string]string{"post": id, "title": "T", "content": "precious", "tags": "sea",
				"publishDate": "2030-01-01T10:00", "zone": "Europe/Paris"} {
				if got := a.Value(name); got != want {
					t.Errorf("%s: %s holds %q", a.what, name, got)
				}
			}
			a.has(`[name="status"][value="unlisted"][checked]`, "")
		}
	})
	t.Run("a preview without JavaScript shows the post above the form", func(t *testing.T) {
		a := ada.post("/posts", "do", "preview", "title", "A title", "content", "Some *text*", "tags", "sea").want(200)
		a.has(".previewed .prose em", "text").has(".previewed .title", "A title")
		if a.Value("content") != "Some *text*" || a.Value("tags") != "sea" {
			t.Error("what was typed is lost")
		}
		if len(drafts(ada)) != 0 {
			t.Errorf("%d drafts", len(drafts(ada)))
		}
	})
	t.Run("who comes back to a form that was never saved gets its post again", func(t *testing.T) {
		id := domain.NewID()
		if got := ada.get("/new?post=" + id).want(200).Value("post"); got != id {
			t.Errorf("the form is of %s", got)
		}
		if got := ada.get("/new?post=%3Cb%3E").want(200).Value("post"); !domain.IsID(got) {
			t.Errorf("the form is of %s", got)
		}
		s.stranger().get("/new?post="+id).wantRedirect(303, "/login?next=%2Fnew%3Fpost%3D"+id)
	})
}

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}
