package projection

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"inkfeed/cosmos/feeds"
	"inkfeed/domain"
	"inkfeed/domain/markdown"
)

func (j *journal) ApplyBookmark(_ context.Context, s domain.BookmarkedPost) error {
	if !s.Deleted.IsZero() {
		return j.log("tombstone of %s's bookmark of %s", s.UserID, s.PostID)
	}
	return j.log("copy of %s's bookmark of %s version %d: %s", s.UserID, s.PostID, s.Post.Version, s.Post.Title)
}

func (j *journal) RewriteBookmark(ctx context.Context, userID, postID string, source savedSource) error {
	s, err := source(ctx)
	if err != nil {
		return err
	}
	return j.log("rewrite %s's bookmark of %s: deleted %t, version %d", userID, postID, !s.Deleted.IsZero(),
		s.Post.Version)
}

func (j *journal) BookmarkOf(_ context.Context, postID, userID string) (domain.Bookmark, error) {
	for _, b := range j.bookmarks {
		if b.PostID == postID && b.UserID == userID {
			return b, nil
		}
	}
	return domain.Bookmark{}, domain.NewError(domain.NotFound, "none")
}

// BookmarksAfter returns two bookmarks at a time.
func (j *journal) BookmarksAfter(_ context.Context, postID string,
	last domain.Bookmark) (list []domain.Bookmark, err error) {
	for _, b := range j.bookmarks {
		after := b.Created.After(last.Created) || b.Created.Equal(last.Created) && b.UserID > last.UserID
		if b.PostID == postID && after && len(list) < 2 {
			list = append(list, b)
		}
	}
	return list, nil
}

func (j *journal) Unbookmark(_ context.Context, postID, userID string) (domain.Bookmark, error) {
	return domain.Bookmark{}, j.log("remove the bookmark of %s by %s", postID, userID)
}

func (j *journal) SetBookmarked(_ context.Context, post domain.Post, bookmarked string) (bool, error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	if n := len(j.shown); j.overtaken || n > 0 && j.shown[n-1] != post.Bookmarked {
		return false, nil
	}
	j.shown = append(j.shown, bookmarked)
	return true, nil
}

func TestBookmarksReachTheirReaders(t *testing.T) {
	at := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	bookmark := func(user string, version int64, deleted bool) feeds.PostChange {
		b := domain.Bookmark{PostID: "p", UserID: user, Created: at, Version: version}
		if deleted {
			b.Deleted = at
		}
		return feeds.PostChange{Bookmark: &b}
	}
	post := domain.Post{ID: "p", AuthorID: "u1", AuthorName: "ada", Title: "Title", Version: 7}
	project := func(t *testing.T, j *journal, rewrite bool, changes ...feeds.PostChange) {
		t.Helper()
		p := &PostsProjector{UserCopies: j, Feed: j, Posts: j, Markdown: markdown.New(),
			AuthorCorrector: AuthorCorrector{Authors: j, Items: j}, Rewrite: rewrite}
		if err := p.Project(t.Context(), changes); err != nil {
			t.Fatal(err)
		}
	}
	with := func(p domain.Post) *journal { return &journal{sources: map[string]domain.Post{"p": p}} }

	t.Run("copies each bookmark in its latest state, with the present post", func(t *testing.T) {
		j := with(post)
		project(t, j, false, bookmark("u2", 1, false), bookmark("u3", 1, false), bookmark("u3", 2, true),
			bookmark("u2", 1, false))
		j.is(t, "copy of u2's bookmark of p version 7: Title", "tombstone of u3's bookmark of p")
	})
	t.Run("removes bookmarks of a deleted post", func(t *testing.T) {
		gone := post
		gone.Deleted = at
		j := with(gone)
		project(t, j, false, bookmark("u2", 1, false), bookmark("u3", 2, true))
		j.is(t, "remove the bookmark of p by u2", "tombstone of u3's bookmark of p")
	})
	t.Run("removes bookmarks of a deleted account", func(t *testing.T) {
		j := with(post)
		j.authors = map[string]domain.Author{"u2": {Name: "bob", Deleted: true}, "u3": {Name: "carol"}}
		project(t, j, false, bookmark("u2", 1, false), bookmark("u3", 1, false))
		j.is(t, "remove the bookmark of p by u2", "copy of u2's bookmark of p version 7: Title",
			"copy of u3's bookmark of p version 7: Title")
	})
	t.Run("reads the sources in a rebuild", func(t *testing.T) {
		j := with(post)
		j.bookmarks = []domain.Bookmark{*bookmark("u2", 3, false).Bookmark}
		project(t, j, true, bookmark("u2", 1, false), bookmark("u3", 1, false))
		j.is(t, "rewrite u2's bookmark of p: deleted false, version 7",
			"rewrite u3's bookmark of p: deleted true, version 0")
	})
}

func TestCopiesOfBookmarksFollowTheirPost(t *testing.T) {
	at := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	old := domain.Post{ID: "p", AuthorID: "u1", AuthorName: "ada", Title: "Old", Version: 3}
	old.Bookmarked = old.BookmarkDigest()
	readers := func(n int) (list []domain.Bookmark) {
		for i := range n { // two with each date
			list = append(list, domain.Bookmark{PostID: "p", UserID: fmt.Sprint("r", i),
				Created: at.Add(time.Duration(i/2) * time.Millisecond), Version: 1})
		}
		return list
	}
	// update projects the post until its progress is complete. It returns the number of steps.
	update := func(t *testing.T, j *journal, p domain.Post) (steps int) {
		t.Helper()
		for {
			j.shown = nil
			projector := &PostsProjector{UserCopies: j, Feed: j, Posts: j, Markdown: markdown.New(),
				AuthorCorrector: AuthorCorrector{Authors: j, Items: j}}
			if err := projector.projectBookmarks(t.Context(), []feeds.PostChange{{Post: &p}}); err != nil {
				t.Fatal(err)
			}
			if len(j.shown) == 0 {
				return steps
			}
			steps++
			p.Bookmarked = j.shown[len(j.shown)-1]
		}
	}
	t.Run("are not updated after a like", func(t *testing.T) {
		j := &journal{bookmarks: readers(1)}
		liked := old
		liked.LikeCount, liked.CommentCount, liked.Version = 1, 1, 5
		if steps := update(t, j, liked); steps != 0 {
			t.Errorf("%d steps", steps)
		}
		j.is(t)
	})
	t.Run("are updated after a change that failed halfway and was taken back", func(t *testing.T) {
		j := &journal{bookmarks: readers(1), fail: errors.New("no storage")}
		changed, back := old, old
		changed.Title, changed.Version, back.Version = "New", 4, 5
		projector := &PostsProjector{UserCopies: j, Posts: j, Markdown: markdown.New()}
		if err := projector.projectBookmarks(t.Context(), []feeds.PostChange{{Post: &changed}}); err == nil {
			t.Fatal("the projection did not fail")
		}
		if len(j.shown) > 0 {
			back.Bookmarked = j.shown[0]
		}
		j.fail, j.lines = nil, nil
		update(t, j, back)
		j.is(t, "copy of r0's bookmark of p version 5: Old")
	})
	t.Run("are updated after a change that a new bookmark showed and that was taken back", func(t *testing.T) {
		changed, back := old, old
		changed.Title, changed.Version, back.Version = "New", 4, 5
		j := &journal{bookmarks: readers(1), sources: map[string]domain.Post{"p": changed}}
		projector := &PostsProjector{UserCopies: j, Posts: j, Markdown: markdown.New()}
		bookmarked := []feeds.PostChange{{Bookmark: &j.bookmarks[0]}}
		if err := projector.projectBookmarks(t.Context(), bookmarked); err != nil {
			t.Fatal(err)
		}
		if len(j.shown) > 0 {
			back.Bookmarked = j.shown[0]
		}
		j.lines = nil
		update(t, j, back)
		j.is(t, "copy of r0's bookmark of p version 5: Old")
	})
	t.Run("are left to the instance that has recorded another state", func(t *testing.T) {
		changed := old
		changed.Title, changed.Version = "New", 4
		j := &journal{bookmarks: readers(1), overtaken: true}
		projector := &PostsProjector{UserCopies: j, Posts: j, Markdown: markdown.New()}
		if err := projector.projectBookmarks(t.Context(), []feeds.PostChange{{Post: &changed}}); err != nil {
			t.Fatal(err)
		}
		j.is(t)
	})
	t.Run("are not read for a post without bookmarks", func(t *testing.T) {
		j := &journal{bookmarks: readers(1)}
		p := old
		p.Title, p.Bookmarked = "New", ""
		update(t, j, p)
		j.is(t)
	})
	for name, change := range map[string]func(*domain.Post){
		"a title":   func(p *domain.Post) { p.Title = "New" },
		"a text":    func(p *domain.Post) { p.Title, p.Content = "New", "text" },
		"an author": func(p *domain.Post) { p.Title, p.AuthorName = "New", "lovelace" },
		"tags":      func(p *domain.Post) { p.Title, p.Tags = "New", "go" },
		"a change that is half propagated": func(p *domain.Post) {
			p.Title, p.Bookmarked = "New",
				"another~2026-03-01T12:00:00Z r0"
		},
	} {
		t.Run("are updated some at a time after a change of "+name, func(t *testing.T) {
			j := &journal{bookmarks: readers(5)}
			p := old
			p.Version = 4
			change(&p)
			if steps := update(t, j, p); steps != 4 { // two, two, one, none
				t.Errorf("%d steps", steps)
			}
			var want []string
			for i := range 5 {
				want = append(want, fmt.Sprintf("copy of r%d's bookmark of p version 4: New", i))
			}
			j.is(t, want...)
		})
	}
	t.Run("are updated from where the step before ended", func(t *testing.T) {
		j := &journal{bookmarks: readers(3)}
		p := old
		p.Title = "New"
		p.Bookmarked = p.BookmarkDigest() + "~2026-03-01T12:00:00Z r1"
		update(t, j, p)
		j.is(t, "copy of r2's bookmark of p version 3: New")
	})
}
