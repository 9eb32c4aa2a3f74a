package projection

import (
	"context"
	"fmt"
	"testing"
	"time"

	"inkfeed/domain"
	"inkfeed/domain/markdown"
)

func (j *journal) ApplyBookmark(_ context.Context, s domain.Saved) error {
	if !s.Deleted.IsZero() {
		return j.log("%s no longer keeps %s", s.UserID, s.PostID)
	}
	return j.log("%s keeps %s version %d: %s", s.UserID, s.PostID, s.Post.Version, s.Post.Title)
}

func (j *journal) RewriteBookmark(ctx context.Context, userID, postID string, source func(context.Context) (domain.Saved, error)) error {
	s, err := source(ctx)
	if err != nil {
		return err
	}
	return j.log("rewrite what %s keeps of %s: deleted %t, version %d", userID, postID, !s.Deleted.IsZero(), s.Post.Version)
}

func (j *journal) BookmarkOf(_ context.Context, postID, userID string) (domain.Bookmark, error) {
	for _, b := range j.bookmarks {
		if b.PostID == postID && b.UserID == userID {
			return b, nil
		}
	}
	return domain.Bookmark{}, domain.Errorf(domain.NotFound, "none")
}

// BookmarksAfter gives two at a time.
func (j *journal) BookmarksAfter(_ context.Context, postID string, last domain.Bookmark) (list []domain.Bookmark, err error) {
	for _, b := range j.bookmarks {
		after := b.Created.After(last.Created) || b.Created.Equal(last.Created) && b.UserID > last.UserID
		if b.PostID == postID && after && len(list) < 2 {
			list = append(list, b)
		}
	}
	return list, nil
}

func (j *journal) Unbookmark(_ context.Context, postID, userID string) (domain.Bookmark, error) {
	return domain.Bookmark{}, j.log("take the bookmark of %s by %s back", postID, userID)
}

func (j *journal) MarkShown(_ context.Context, postID, bookmarked string) error {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.shown = append(j.shown, bookmarked)
	return nil
}

func TestBookmarksReachTheirReaders(t *testing.T) {
	at := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	bookmark := func(user string, version int64, deleted bool) domain.PostChange {
		b := domain.Bookmark{PostID: "p", UserID: user, Created: at, Version: version}
		if deleted {
			b.Deleted = at
		}
		return domain.PostChange{Bookmark: &b}
	}
	post := domain.Post{ID: "p", AuthorID: "u1", AuthorName: "ada", Title: "Title", Version: 7}
	project := func(t *testing.T, j *journal, rewrite bool, changes ...domain.PostChange) {
		t.Helper()
		p := &PostsProjector{Users: j, Feed: j, Posts: j, Markdown: markdown.New(),
			AuthorCorrector: AuthorCorrector{Authors: j, Items: j}, Rewrite: rewrite}
		if err := p.Project(t.Context(), changes); err != nil {
			t.Fatal(err)
		}
	}
	with := func(p domain.Post) *journal { return &journal{sources: map[string]domain.Post{"p": p}} }

	t.Run("each in its latest state, with the post as it is", func(t *testing.T) {
		j := with(post)
		project(t, j, false, bookmark("u2", 1, false), bookmark("u3", 1, false), bookmark("u3", 2, true), bookmark("u2", 1, false))
		j.is(t, "u2 keeps p version 7: Title", "u3 no longer keeps p")
	})
	t.Run("of a post that is deleted, or is not there, it is taken back", func(t *testing.T) {
		gone := post
		gone.Deleted = at
		j := with(gone)
		project(t, j, false, bookmark("u2", 1, false), bookmark("u3", 2, true))
		j.is(t, "take the bookmark of p by u2 back", "u3 no longer keeps p")
	})
	t.Run("that of a deleted account is taken back", func(t *testing.T) {
		j := with(post)
		j.authors = map[string]domain.Author{"u2": {Name: "bob", Deleted: true}, "u3": {Name: "carol"}}
		project(t, j, false, bookmark("u2", 1, false), bookmark("u3", 1, false))
		j.is(t, "take the bookmark of p by u2 back", "u2 keeps p version 7: Title", "u3 keeps p version 7: Title")
	})
	t.Run("a rebuild asks the sources", func(t *testing.T) {
		j := with(post)
		j.bookmarks = []domain.Bookmark{*bookmark("u2", 3, false).Bookmark}
		project(t, j, true, bookmark("u2", 1, false), bookmark("u3", 1, false))
		j.is(t, "rewrite what u2 keeps of p: deleted false, version 7", "rewrite what u3 keeps of p: deleted true, version 0")
	})
}

func TestReadersAreToldOfWhatAPostShows(t *testing.T) {
	at := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	old := domain.Post{ID: "p", AuthorID: "u1", AuthorName: "ada", Title: "Old", Version: 3}
	old.Bookmarked = old.Shown()
	readers := func(n int) (list []domain.Bookmark) {
		for i := range n { // two of each moment
			list = append(list, domain.Bookmark{PostID: "p", UserID: fmt.Sprint("r", i), Created: at.Add(time.Duration(i/2) * time.Millisecond), Version: 1})
		}
		return list
	}
	// tell projects the post until nothing is noted on it any more.
	tell := func(t *testing.T, j *journal, p domain.Post) (steps int) {
		t.Helper()
		for {
			j.shown = nil
			projector := &PostsProjector{Users: j, Feed: j, Posts: j, Markdown: markdown.New(), AuthorCorrector: AuthorCorrector{Authors: j, Items: j}}
			if err := projector.projectBookmarks(t.Context(), []domain.PostChange{{Post: &p}}); err != nil {
				t.Fatal(err)
			}
			if len(j.shown) == 0 {
				return steps
			}
			steps++
			p.Bookmarked = j.shown[0]
		}
	}
	t.Run("not of likes", func(t *testing.T) {
		j := &journal{bookmarks: readers(1)}
		liked := old
		liked.LikeCount, liked.CommentCount, liked.Version = 1, 1, 5
		if steps := tell(t, j, liked); steps != 0 {
			t.Errorf("%d steps", steps)
		}
		j.is(t)
	})
	t.Run("not of a post that nobody bookmarked", func(t *testing.T) {
		j := &journal{bookmarks: readers(1)}
		p := old
		p.Title, p.Bookmarked = "New", ""
		tell(t, j, p)
		j.is(t)
	})
	for name, change := range map[string]func(*domain.Post){
		"of a title":            func(p *domain.Post) { p.Title = "New" },
		"of a text":             func(p *domain.Post) { p.Title, p.Content = "New", "text" },
		"of an author":          func(p *domain.Post) { p.Title, p.AuthorName = "New", "lovelace" },
		"of tags":               func(p *domain.Post) { p.Title, p.Tags = "New", "go" },
		"of a change half told": func(p *domain.Post) { p.Title, p.Bookmarked = "New", "another~2026-03-01T12:00:00Z r0" },
	} {
		t.Run(name+", all of them, some at a time", func(t *testing.T) {
			j := &journal{bookmarks: readers(5)}
			p := old
			p.Version = 4
			change(&p)
			if steps := tell(t, j, p); steps != 4 { // two, two, one, and that this is all
				t.Errorf("%d steps", steps)
			}
			var want []string
			for i := range 5 {
				want = append(want, fmt.Sprintf("r%d keeps p version 4: New", i))
			}
			j.is(t, want...)
		})
	}
	t.Run("from where it was when the step before ended", func(t *testing.T) {
		j := &journal{bookmarks: readers(3)}
		p := old
		p.Title = "New"
		p.Bookmarked = p.Shown() + "~2026-03-01T12:00:00Z r1"
		tell(t, j, p)
		j.is(t, "r2 keeps p version 3: New")
	})
}
