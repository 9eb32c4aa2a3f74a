package settings_test

import (
	"archive/zip"
	"bytes"
	"encoding/base64"
	"encoding/json"
	"errors"
	"io/fs"
	"math/rand/v2"
	"net/http"
	"strings"
	"testing"
	"time"

	"inkfeed/domain"
	"inkfeed/domain/portable"
	"inkfeed/domain/portable/formats"
	"inkfeed/web/webtest"
)

// exported downloads the visitor's export and reads it as an import would.
func exported(t *testing.T, v *webtest.Visitor) *portable.Blog {
	t.Helper()
	a := v.Get("/settings/export").Want(200)
	if got := a.Header.Get("Content-Type"); got != "application/zip" {
		t.Errorf("the content type is %s", got)
	}
	if got := a.Header.Get("Content-Disposition"); !strings.Contains(got, "attachment") ||
		!strings.Contains(got, v.User.Username) {
		t.Errorf("the content disposition is %s", got)
	}
	z, err := zip.NewReader(bytes.NewReader([]byte(a.Body)), int64(len(a.Body)))
	if err != nil {
		t.Fatal(err)
	}
	blog, err := formats.Read([]fs.FS{z}, time.Now())
	if err != nil {
		t.Fatal(err)
	}
	return blog
}

// incompressible returns a text of about the given size that compression does not shrink.
func incompressible(size int) string {
	text := make([]byte, size*3/4)
	_, _ = rand.NewChaCha8([32]byte{}).Read(text)
	return base64.StdEncoding.EncodeToString(text)
}

func TestExportingAccountData(t *testing.T) {
	s := webtest.NewSite(t)
	ada, ben := s.SignUp("ada"), s.SignUp("ben")
	p := ada.CreatePost("Mine: a \"title\"", "Some *text*\n\n")
	theirs := ben.CreatePost("Not mine", "text")
	ben.CreateComments(p, "not mine either")
	ada.CreateComments(theirs, "my comment")
	ada.Post("/posts/" + theirs.ID + "/like").Want(303)
	s.Data.Must(s.Data.Store.Imports.Put(t.Context(),
		domain.Import{UserID: ada.User.ID, PostID: p.ID, Paths: []string{"/old"}}))

	t.Run("contains everything that the user wrote, and nothing else", func(t *testing.T) {
		blog := exported(t, ada)
		if len(blog.Posts) != 1 || blog.Posts[0].ID != p.ID || blog.Posts[0].Title != p.Title ||
			blog.Posts[0].Content != p.Content {
			t.Errorf("the posts are %+v", blog.Posts)
		}
		if got := blog.Posts[0].Paths; len(got) != 1 || got[0] != "/old" {
			t.Errorf("the former addresses are %v", got)
		}
		if c := blog.Rest.Comments; len(c) != 1 || c[0].Content != "my comment" || c[0].PostID != theirs.ID {
			t.Errorf("the comments are %+v", c)
		}
		if l := blog.Rest.Likes; len(l) != 1 || l[0].PostID != theirs.ID {
			t.Errorf("the likes are %+v", l)
		}
		if p := blog.Rest.Profile; p.Username != "ada" || p.LastActive != domain.ActiveDayOf(time.Now()) {
			t.Errorf("the profile is %+v", blog.Rest.Profile)
		}
	})
	t.Run("contains the names of whom and what the user follows", func(t *testing.T) {
		ada.Post("/@ben/follow").Want(303)
		ada.Post("/tags/go/follow").Want(303)
		a := []byte(ada.Get("/settings/export").Want(200).Body)
		z, err := zip.NewReader(bytes.NewReader(a), int64(len(a)))
		if err != nil {
			t.Fatal(err)
		}
		var written struct{ Follows []portable.Follow }
		b, err := fs.ReadFile(z, "inkfeed.json")
		if err := errors.Join(err, json.Unmarshal(b, &written)); err != nil {
			t.Fatal(err)
		}
		if f := written.Follows; len(f) != 2 || f[0].Tag != "go" || f[1].Username != "ben" {
			t.Errorf("it has the follows %+v", f)
		}
	})
	t.Run("contains drafts and unpublished changes", func(t *testing.T) {
		idea := domain.Draft{
			PostID:   domain.NewID(),
			AuthorID: ada.User.ID,
			Title:    "An idea",
			Content:  "x",
			Tags:     "a, b",
		}
		change := domain.DraftOf(p, time.Now())
		change.Title = "A better title"
		for _, d := range []domain.Draft{idea, change} {
			if _, err := s.Data.Store.Drafts.Save(t.Context(), d); err != nil {
				t.Fatal(err)
			}
		}
		blog := exported(t, ada)
		found := map[string]portable.Post{}
		for _, p := range blog.Posts {
			found[p.ID] = p
		}
		if d := found[idea.PostID]; d.Status != portable.Draft || d.Title != "An idea" ||
			strings.Join(d.Tags, "|") != "a|b" {
			t.Errorf("the draft is %+v", d)
		}
		if e := found[p.ID].PendingEdit; e == nil || e.Title != "A better title" || found[p.ID].Title != p.Title {
			t.Errorf("the change is %+v", e)
		}
	})
	t.Run("contains changes of who can see a post and when", func(t *testing.T) {
		withdrawn := ada.CreatePost("Withdrawn", "text")
		s.ChangePost(withdrawn.ID, func(p *domain.Post) { p.Status = domain.Unlisted })
		if _, err := s.Data.Store.Drafts.Unpublish(t.Context(), ada.User.ID, withdrawn.ID); err != nil {
			t.Fatal(err)
		}
		hidden, timed := ada.CreatePost("To be hidden", "text"), ada.CreatePost("Timed", "text")
		change := domain.DraftOf(hidden, time.Now())
		change.Status = domain.Unlisted
		for _, d := range []domain.Draft{change, domain.DraftOf(timed, time.Now())} {
			if _, err := s.Data.Store.Drafts.Save(t.Context(), d); err != nil {
				t.Fatal(err)
			}
		}
		at := domain.Timestamp(time.Now().AddDate(0, 0, 7))
		if _, err := s.Data.Store.Drafts.Schedule(t.Context(), ada.User.ID, timed.ID, 1, at); err != nil {
			t.Fatal(err)
		}
		edits := map[string]portable.PendingEdit{}
		for _, p := range exported(t, ada).Posts {
			if p.PendingEdit != nil {
				edits[p.ID] = *p.PendingEdit
			}
		}
		if e := edits[withdrawn.ID]; e.Status != portable.Unlisted {
			t.Errorf("the draft of an unpublished unlisted post is %+v", e)
		}
		if e := edits[hidden.ID]; e.Status != portable.Unlisted {
			t.Errorf("the change of only the status is %+v", e)
		}
		if e := edits[timed.ID]; e.Status != portable.Published || !e.Publish.Equal(at) {
			t.Errorf("the change of only the time is %+v", e)
		}
	})
	t.Run("contains which posts have closed comments", func(t *testing.T) {
		quiet := ada.CreatePost("Quiet", "text")
		if _, err := s.Data.Store.Posts.CloseComments(t.Context(), quiet.ID, ada.User.ID, true); err != nil {
			t.Fatal(err)
		}
		for _, p := range exported(t, ada).Posts {
			if p.CommentsClosed != (p.ID == quiet.ID) {
				t.Errorf("comments closed on %q: %v", p.Title, p.CommentsClosed)
			}
		}
	})
	t.Run("contains what the user has muted", func(t *testing.T) {
		s := webtest.NewSite(t)
		ada := s.SignUp("ada")
		ada.Post("/tags/go/mute").Want(http.StatusSeeOther)
		zipped := ada.Get("/settings/export").Want(http.StatusOK).Body
		archive, err := zip.NewReader(strings.NewReader(zipped), int64(len(zipped)))
		if err != nil {
			t.Fatal(err)
		}
		document, err := fs.ReadFile(archive, "inkfeed.json")
		if err != nil || !bytes.Contains(document, []byte(`"mutes":[{"kind":"tag","id":"go","date":"20`)) {
			t.Errorf("the export is %s, %v", document, err)
		}
	})
	t.Run("is offered in the settings", func(t *testing.T) {
		ada.Get("/settings").Want(200).Has(`a[href="/settings/export"]`, "Download")
	})
	t.Run("requires a log-in and returns afterwards", func(t *testing.T) {
		s.Anonymous().Get("/settings/export").WantRedirect(303, "/login?next=%2Fsettings%2Fexport")
	})
	t.Run("is not cached", func(t *testing.T) {
		if got := ada.Get("/settings/export").Header.Get("Cache-Control"); !strings.Contains(got, "no-store") {
			t.Errorf("Cache-Control is %q", got)
		}
	})
	t.Run("fails with 503 if it cannot begin", func(t *testing.T) {
		s.Data.Fail("Export.Paths")
		defer s.Data.Recover("Export.Paths")
		ada.Get("/settings/export").Want(503)
	})
	t.Run("fails with 503 before anything was sent", func(t *testing.T) {
		s.Data.Fail("Export.Comments")
		defer s.Data.Recover("Export.Comments")
		a := ada.Get("/settings/export").Want(503).Has("h1", "Temporarily unavailable")
		if a.Header.Get("Content-Disposition") != "" {
			t.Error("the error page is a download")
		}
	})
	t.Run("aborts the connection if it fails in the middle", func(t *testing.T) {
		for range 3 {
			ada.CreatePost("A long one", incompressible(80_000))
		}
		s.Data.Fail("Export.Comments")
		defer s.Data.Recover("Export.Comments")
		defer func() {
			if v := recover(); v != http.ErrAbortHandler {
				t.Errorf("the handler panics with %v", v)
			}
		}()
		ada.Get("/settings/export")
		t.Error("the export ends as if it were complete")
	})
}
