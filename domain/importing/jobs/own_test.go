package jobs_test

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"inkfeed/domain"
	"inkfeed/domain/importing/jobs"
	"inkfeed/domain/portable"
)

// Ids in exports.
const (
	openID    = "abcdefghijkmnpqrstuvwxyz23"
	otherID   = "bbcdefghijkmnpqrstuvwxyz23"
	commentID = "cbcdefghijkmnpqrstuvwxyz23"
	answerID  = "dbcdefghijkmnpqrstuvwxyz23"
)

// ownExport returns Inkfeed's export of two posts, of which the second has a status, two comments of their author on
// the second post, one on the first, and a like and a bookmark of the first.
func ownExport(t *testing.T, status portable.Status) map[string]string {
	t.Helper()
	at := time.Date(2024, 1, 2, 3, 4, 5, 0, time.UTC)
	comment := func(id, postID, parentID string, minutes int) portable.Comment {
		return portable.Comment{ID: id, PostID: postID, Post: "/posts/" + postID, ParentID: parentID,
			Content: "A comment.", Created: at.Add(time.Duration(minutes) * time.Minute)}
	}
	reaction := []portable.Reaction{{PostID: openID, Post: "/posts/" + openID, Created: at}}
	document, err := json.Marshal(map[string]any{"format": "inkfeed", "version": 1,
		"profile": portable.Profile{UserID: "u." + openID, Username: "ada", DisplayName: "Ada Lovelace",
			Bio: "I write.", BlogTitle: "Notes"},
		"comments": []portable.Comment{comment(commentID, otherID, "", 1), comment(answerID, otherID, commentID, 2),
			comment("ebcdefghijkmnpqrstuvwxyz23", openID, "", 3)},
		"likes": reaction, "bookmarks": reaction})
	if err != nil {
		t.Fatal(err)
	}
	post := func(id, title string, status portable.Status) string {
		return fmt.Sprintf("---\nid: %s\ntitle: %s\nstatus: %s\ndate: 2024-01-01T00:00:00Z\n---\nWords.\n", id, title,
			status)
	}
	return map[string]string{"inkfeed.json": string(document),
		"posts/open.md":  post(openID, "Open", portable.Published),
		"posts/other.md": post(otherID, "Other", status)}
}

func TestCommentThatCannotBeAddedIsReportedAndLeftOut(t *testing.T) {
	for _, c := range []struct {
		name   string
		status portable.Status
		before func(w *world) // what happens on the site before the import is repeated
		says   string
	}{
		{"to an unpublished post", portable.Unpublished, nil, "readers cannot see the post"},
		{"to a post with closed comments", portable.Published, func(w *world) {
			_, err := w.store.Posts.CloseComments(w.Context(), otherID, w.ada.ID, true)
			w.must(err)
		}, "Comments are closed."},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := newWorld(t)
			export := ownExport(t, c.status)
			if c.before != nil {
				posts := ownExport(t, c.status)
				posts["inkfeed.json"] = `{"format": "inkfeed", "version": 1}`
				w.imported(zipped(t, posts))
				c.before(w)
			}
			result := w.imported(zipped(t, export)).Result
			if result.Comments != 1 {
				t.Errorf("%d comments were imported, want 1", result.Comments)
			}
			var notes []string
			for _, n := range result.Notes {
				notes = append(notes, n.Text.String())
			}
			if all := strings.Join(notes, "\n"); !strings.Contains(all, c.says) ||
				!strings.Contains(all, "the comment that it answers is not here") {
				t.Errorf("the notes are %q", notes)
			}
			if _, err := w.store.Posts.BookmarkOf(t.Context(), openID, w.ada.ID); err != nil {
				t.Errorf("the bookmark: %v", err)
			}
			if p := w.post("Open"); p.CommentCount != 1 || p.LikeCount != 1 {
				t.Errorf("the open post has %d comments and %d likes, want 1 and 1", p.CommentCount, p.LikeCount)
			}
			if p, err := w.store.Posts.Latest(t.Context(), otherID); err != nil || p.CommentCount != 0 {
				t.Errorf("the other post has %d comments, %v, want none", p.CommentCount, err)
			}
		})
	}
}

func TestExportWithPicturesAloneIsImported(t *testing.T) {
	w := newWorld(t)
	j := w.imported(zipped(t, map[string]string{
		"inkfeed.json": `{"format": "inkfeed", "version": 1, "posts": [],
			"images": [{"file": "images/square.png"}]}`,
		"images/square.png": blog(t)["content/posts/one/square.png"],
	}))
	images, err := w.store.Images.All(t.Context(), w.ada.ID)
	w.must(err)
	if j.Result.Pictures != 1 || len(images) != 1 {
		t.Errorf("the result is %+v, the pictures are %+v", j.Result, images)
	}
}

func TestProfileThatIsChangedDuringAnImportIsKept(t *testing.T) {
	w := newWorld(t)
	w.upload("blog.zip", zipped(t, ownExport(t, portable.Published)))
	w.work(w.runner(w.store))
	w.change(domain.ImportRunning)
	var once sync.Once
	edit := func() {
		once.Do(func() {
			w.must(w.store.Profiles.SetProfile(t.Context(), w.ada.ID,
				domain.Profile{Bio: "Mine.", WritingLanguage: "de"}))
			_, err := w.store.Profiles.SetDisplayName(t.Context(), w.ada.ID, "Countess")
			w.must(err)
		})
	}
	w.work(w.runner(w.store, func(c *jobs.Config) { c.Posts = creating{c.Posts, edit} }))
	w.wantState(domain.ImportDone)
	user, err := w.store.Users.ByID(t.Context(), w.ada.ID)
	w.must(err)
	if want := (domain.Profile{Bio: "Mine.", BlogTitle: "Notes", WritingLanguage: "de"}); user.Profile != want {
		t.Errorf("the profile is %+v, want %+v", user.Profile, want)
	}
	if user.DisplayName != "Countess" {
		t.Errorf("the display name is %q, want %q", user.DisplayName, "Countess")
	}
}

// creating calls a function before it creates a post.
type creating struct {
	jobs.Posts
	before func()
}

func (c creating) Create(ctx context.Context, p domain.Post) error {
	c.before()
	return c.Posts.Create(ctx, p)
}
