package projection

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"inkfeed/domain"
	"inkfeed/domain/markdown"
)

// journal is a storage that records the calls of projectors.
type journal struct {
	mu         sync.Mutex
	lines      []string
	authors    map[string]domain.Author
	own        bool
	more       bool // the result of steps that may leave more to do
	moreImages bool
	fail       error
	sources    map[string]domain.Post
	comments   map[string]domain.Comment

	bookmarks []domain.Bookmark
	shown     []string // the arguments of SetBookmarked
}

func (j *journal) log(format string, args ...any) error {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.lines = append(j.lines, fmt.Sprintf(format, args...))
	return j.fail
}

func (j *journal) ApplySummary(_ context.Context, s domain.Summary) error {
	if !s.Deleted.IsZero() {
		return j.log("users tombstone of %s", s.PostID)
	}
	return j.log("users copy of %s version %d likes %d", s.PostID, s.Version, s.LikeCount)
}

func (j *journal) RewriteSummary(ctx context.Context, authorID, postID string, source summarySource) error {
	s, err := source(ctx)
	if err != nil {
		return err
	}
	return j.log("rewrite %s of %s to version %d", postID, authorID, s.Version)
}

// tagJournal records calls for the copies by tags.
type tagJournal struct{ *journal }

func (j tagJournal) ApplySummary(_ context.Context, key string, s domain.Summary) error {
	return j.log("tag %s: %s version %d", key, s.PostID, s.Version)
}

func (j tagJournal) RewriteSummary(ctx context.Context, key, postID string, source summarySource) error {
	s, err := source(ctx)
	if err != nil {
		return err
	}
	return j.log("rewrite %s in tag %s to version %d", postID, key, s.Version)
}

func (j *journal) ClearStaleListings(_ context.Context, postID string, version int) error {
	return j.log("clear stale listings of %s at version %d", postID, version)
}

func (j *journal) Latest(_ context.Context, postID string) (domain.Post, error) {
	return j.sources[postID], nil
}

func (j *journal) Comment(_ context.Context, postID, commentID string) (domain.Comment, error) {
	c, ok := j.comments[commentID]
	if !ok {
		return domain.Comment{}, domain.Errorf(domain.NotFound, "")
	}
	return c, nil
}

func (j *journal) Authors(_ context.Context, ids []string) (map[string]domain.Author, error) {
	return j.authors, nil
}

func (j *journal) Apply(_ context.Context, changed []domain.Summary) error {
	var ids []string
	for _, s := range changed {
		ids = append(ids, s.PostID)
	}
	slices.Sort(ids)
	return j.log("feed copies of %s", strings.Join(ids, " "))
}

func (j *journal) SetAuthorName(_ context.Context, postID, itemID string, as domain.Author) error {
	return j.log("name %s of %s is %s", itemID, postID, formatAuthor(as))
}

func (j *journal) SetAuthorSuspended(_ context.Context, postID, itemID string, suspended bool) error {
	return j.log("author of %s of %s is suspended: %t", itemID, postID, suspended)
}

func (j *journal) PropagateSuspension(_ context.Context, userID string, suspended bool) (int, bool, error) {
	return 1, j.more, j.log("suspension of %s is %t", userID, suspended)
}

func (j *journal) Delete(_ context.Context, postID, authorID string) error {
	return j.log("delete post %s of %s", postID, authorID)
}

func (j *journal) DeleteComment(_ context.Context, postID, commentID, userID string) (domain.CommentRemoval, error) {
	return domain.CommentRemoval{}, errors.Join(j.log("delete comment %s of %s by %s", commentID, postID, userID),
		domain.Errorf(domain.NotFound, "gone already"))
}

func (j *journal) Unlike(_ context.Context, postID, userID string) (domain.Post, error) {
	return domain.Post{}, j.log("unlike %s by %s", postID, userID)
}

func (j *journal) EraseResponses(_ context.Context, postID string) (bool, error) {
	return j.more, j.log("erase responses of %s", postID)
}

func (j *journal) EraseAuthored(_ context.Context, userID string) (bool, error) {
	return j.more, j.log("erase what %s wrote", userID)
}

func (j *journal) EraseImages(_ context.Context, userID string) (bool, error) {
	return j.moreImages, j.log("erase the pictures of %s", userID)
}

func (j *journal) FinishErasure(_ context.Context, id string) error {
	return j.log("finish erasure of %s", id)
}

func (j *journal) Erase(_ context.Context, userID, postID string) error {
	return j.log("erase draft %s of %s", postID, userID)
}

func (j *journal) EraseOf(_ context.Context, deleted domain.Post) error {
	return j.log("erase draft %s of %s of a deleted post: %t", deleted.ID, deleted.AuthorID, !deleted.Deleted.IsZero())
}

func (j *journal) Put(_ context.Context, e domain.ScheduledItem) error {
	return j.log("schedule %s of %s at %s", e.PostID, e.UserID, e.At.Format(time.TimeOnly))
}

// deletionJournal records scheduled deletions of accounts.
type deletionJournal struct{ *journal }

func (j deletionJournal) Put(_ context.Context, e domain.ScheduledItem) error {
	return j.log("schedule the deletion of %s at %s", e.UserID, e.At.Format(time.TimeOnly))
}

func (j *journal) Touch(_ context.Context, userID string) error { return j.log("again %s", userID) }

func (j *journal) ConfirmName(_ context.Context, u domain.User) (bool, error) {
	return j.own, j.log("confirm %s", u.Username)
}

func (j *journal) SettleAdministration(_ context.Context, userID string) error {
	return j.log("settle %s", userID)
}

func (j *journal) MarkPropagated(_ context.Context, userID string, version int) error {
	return j.log("%s is propagated up to %d", userID, version)
}

func (j *journal) PropagateName(_ context.Context, userID string, as domain.Author) (int, bool, error) {
	return 0, j.more, j.log("propagate %s to the items of %s", formatAuthor(as), userID)
}

// formatAuthor returns a username, in parentheses the display name, and the avatar.
func formatAuthor(as domain.Author) string {
	if as.DisplayName == "" {
		return as.Name + as.Avatar
	}
	return fmt.Sprintf("%s (%s)%s", as.Name, as.DisplayName, as.Avatar)
}

// is fails unless the journal has recorded these calls, in any order.
func (j *journal) is(t *testing.T, want ...string) {
	t.Helper()
	got := slices.Sorted(slices.Values(j.lines))
	slices.Sort(want)
	if !slices.Equal(got, want) {
		t.Errorf("got\n  %s\nwant\n  %s", strings.Join(got, "\n  "), strings.Join(want, "\n  "))
	}
}

func TestPostsProjector(t *testing.T) {
	post := func(id string, version int) domain.PostChange {
		return domain.PostChange{Post: &domain.Post{ID: id, AuthorID: "u1", AuthorName: "ada", Version: version,
			LikeCount: version}}
	}
	project := func(j *journal, changes ...domain.PostChange) error {
		p := &PostsProjector{Users: j, Feed: j, Tags: tagJournal{j}, Posts: j, Drafts: j, Markdown: markdown.New(),
			AuthorCorrector: AuthorCorrector{Authors: j, Items: j}, Rewrite: j.sources != nil}
		return p.Project(t.Context(), changes)
	}
	names := func(list ...string) map[string]domain.Author {
		authors := make(map[string]domain.Author)
		for i := 0; i < len(list); i += 2 {
			authors[list[i]] = domain.Author{Name: list[i+1]}
		}
		return authors
	}
	now := time.Now()
	t.Run("writes each copy once for a page, in its newest version", func(t *testing.T) {
		j := &journal{authors: names("u1", "ada")}
		var changes []domain.PostChange
		for i := range 1000 {
			changes = append(changes, post("p1", i+1),
				domain.PostChange{Like: &domain.Like{PostID: "p1", UserID: "u1", Username: "ada"}})
		}
		if err := project(j, append(changes, post("p2", 1), post("p1", 7))...); err != nil {
			t.Fatal(err)
		}
		j.is(t, "users copy of p1 version 1000 likes 1000", "users copy of p2 version 1 likes 1",
			"feed copies of p1 p2")
	})
	t.Run("changes no copy for comments and likes alone", func(t *testing.T) {
		j := &journal{authors: names("u1", "ada")}
		if err := project(j, domain.PostChange{Comment: &domain.Comment{ID: "c", PostID: "p", AuthorID: "u1",
			AuthorName: "ada"}}); err != nil {
			t.Fatal(err)
		}
		j.is(t)
	})
	t.Run("corrects an outdated username", func(t *testing.T) {
		j := &journal{authors: names("u1", "lovelace", "u2", "grace")}
		err := project(j, post("p1", 1),
			domain.PostChange{Comment: &domain.Comment{ID: "c1", PostID: "p1", AuthorID: "u1", AuthorName: "ada"}},
			domain.PostChange{Comment: &domain.Comment{ID: "c2", PostID: "p1", AuthorID: "u2", AuthorName: "grace"}},
			domain.PostChange{Like: &domain.Like{PostID: "p1", UserID: "u1", Username: "ada"}},
			domain.PostChange{Like: &domain.Like{PostID: "p1", UserID: "gone", Username: "nobody"}})
		if err != nil {
			t.Fatal(err)
		}
		j.is(t, "name p1 of p1 is lovelace", "name c1 of p1 is lovelace", "name like-u1 of p1 is lovelace",
			"users copy of p1 version 1 likes 1", "feed copies of p1")
	})
	t.Run("corrects an outdated display name", func(t *testing.T) {
		j := &journal{authors: map[string]domain.Author{"u1": {Name: "ada", DisplayName: "Ada L."},
			"u2": {Name: "grace"}}}
		err := project(j,
			domain.PostChange{Comment: &domain.Comment{ID: "c1", PostID: "p1", AuthorID: "u1", AuthorName: "ada"}},
			domain.PostChange{Comment: &domain.Comment{ID: "c2", PostID: "p1", AuthorID: "u1", AuthorName: "ada",
				AuthorDisplayName: "Ada L."}},
			domain.PostChange{Comment: &domain.Comment{ID: "c3", PostID: "p1", AuthorID: "u2", AuthorName: "grace",
				AuthorDisplayName: "Hopper"}},
			domain.PostChange{Like: &domain.Like{PostID: "p1", UserID: "u1", Username: "ada"}})
		if err != nil {
			t.Fatal(err)
		}
		j.is(t, "name c1 of p1 is ada (Ada L.)", "name c3 of p1 is grace", "name like-u1 of p1 is ada (Ada L.)")
	})
	t.Run("corrects an outdated avatar", func(t *testing.T) {
		j := &journal{authors: map[string]domain.Author{"u1": {Name: "ada", Avatar: "/a.jpg"}, "u2": {Name: "grace"}}}
		err := project(j,
			domain.PostChange{Comment: &domain.Comment{ID: "c1", PostID: "p1", AuthorID: "u1", AuthorName: "ada"}},
			domain.PostChange{Comment: &domain.Comment{ID: "c2", PostID: "p1", AuthorID: "u1", AuthorName: "ada",
				AuthorAvatar: "/a.jpg"}},
			domain.PostChange{Comment: &domain.Comment{ID: "c3", PostID: "p1", AuthorID: "u2", AuthorName: "grace",
				AuthorAvatar: "/g.jpg"}},
			domain.PostChange{Like: &domain.Like{PostID: "p1", UserID: "u1", Username: "ada", Avatar: "/old.jpg"}})
		if err != nil {
			t.Fatal(err)
		}
		j.is(t, "name c1 of p1 is ada/a.jpg", "name c3 of p1 is grace", "name like-u1 of p1 is ada/a.jpg")
	})
	t.Run("deletes what a user wrote while the account was deleted", func(t *testing.T) {
		j := &journal{authors: map[string]domain.Author{"u1": {Name: "ada", Deleted: true}, "u2": {Name: "grace"}}}
		err := project(j,
			post("p1", 3),
			domain.PostChange{Comment: &domain.Comment{ID: "c1", PostID: "p2", AuthorID: "u1", AuthorName: "ada"}},
			domain.PostChange{Comment: &domain.Comment{ID: "c2", PostID: "p2", AuthorID: "u2", AuthorName: "grace"}},
			domain.PostChange{Like: &domain.Like{PostID: "p2", UserID: "u1", Username: "ada"}})
		if err != nil {
			t.Fatal(err)
		}
		j.is(t, "delete post p1 of u1", "delete comment c1 of p2 by u1", "unlike p2 by u1",
			"users copy of p1 version 3 likes 3", "feed copies of p1") // until the marker of the deleted post comes
	})
	deleted := func(erased bool) domain.PostChange {
		return domain.PostChange{Post: &domain.Post{ID: "p1", AuthorID: "u1", Version: 9, Deleted: now, Erased: erased}}
	}
	t.Run("deletes the copies of a deleted post, then its responses, and finishes", func(t *testing.T) {
		j := &journal{}
		if err := project(j, deleted(false)); err != nil {
			t.Fatal(err)
		}
		j.is(t, "users tombstone of p1", "feed copies of p1", "erase responses of p1",
			"erase draft p1 of u1 of a deleted post: true", "finish erasure of p1")
		if last := j.lines[len(j.lines)-1]; last != "finish erasure of p1" {
			t.Errorf("the last step is %q", last)
		}
	})
	t.Run("does not finish a deletion while responses are left", func(t *testing.T) {
		j := &journal{more: true}
		if err := project(j, deleted(false)); err != nil {
			t.Fatal(err)
		}
		j.is(t, "users tombstone of p1", "feed copies of p1", "erase responses of p1")
	})
	t.Run("does nothing for a finished deletion", func(t *testing.T) {
		j := &journal{}
		if err := project(j, deleted(true)); err != nil {
			t.Fatal(err)
		}
		j.is(t)
	})
	t.Run("ignores an earlier state of a deleted post in the same page", func(t *testing.T) {
		j := &journal{authors: names("u1", "ada")}
		if err := project(j, deleted(false), post("p1", 8)); err != nil {
			t.Fatal(err)
		}
		j.is(t, "users tombstone of p1", "feed copies of p1", "erase responses of p1",
			"erase draft p1 of u1 of a deleted post: true", "finish erasure of p1")
	})
	tagged := func(change func(*domain.Post)) domain.PostChange {
		c := post("p1", 5)
		c.Post.Tags = "Go,C++"
		change(c.Post)
		return c
	}
	for _, c := range []struct {
		name   string
		change func(*domain.Post)
		want   []string
	}{
		{"copies a listed post to its tags", func(*domain.Post) {},
			[]string{"feed copies of p1", "tag go: p1 version 5", "tag c++: p1 version 5"}},
		{"updates a former tag until its copy is deleted", func(p *domain.Post) { p.FormerTags = "Rust,GO" },
			[]string{"feed copies of p1", "tag go: p1 version 5", "tag c++: p1 version 5",
				"tag rust: p1 version 5", "clear stale listings of p1 at version 5"}},
		{"removes a withdrawn post from feed and tags", func(p *domain.Post) {
			p.Status, p.Withdrawn = domain.Unlisted,
				true
		},
			[]string{"feed copies of p1", "tag go: p1 version 5", "tag c++: p1 version 5",
				"clear stale listings of p1 at version 5"}},
		{"leaves feed and tags alone for a post that they no longer have",
			func(p *domain.Post) { p.Status = domain.Unpublished }, nil},
		{"updates former tags of an unlisted post", func(p *domain.Post) {
			p.Status, p.FormerTags = domain.Unlisted,
				"Rust"
		},
			[]string{"tag rust: p1 version 5", "clear stale listings of p1 at version 5"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			j := &journal{authors: names("u1", "ada")}
			if err := project(j, tagged(c.change)); err != nil {
				t.Fatal(err)
			}
			j.is(t, append(c.want, "users copy of p1 version 5 likes 5")...)
		})
	}
	t.Run("removes a deleted post from its tags before it finishes", func(t *testing.T) {
		j := &journal{}
		marker := deleted(false)
		marker.Post.Tags, marker.Post.FormerTags = "Go", "Rust"
		if err := project(j, marker); err != nil {
			t.Fatal(err)
		}
		j.is(t, "users tombstone of p1", "tag go: p1 version 9", "tag rust: p1 version 9", "feed copies of p1",
			"erase responses of p1", "erase draft p1 of u1 of a deleted post: true", "finish erasure of p1")
	})
	t.Run("keeps stale listings marked after a failed write", func(t *testing.T) {
		j := &journal{authors: names("u1", "ada"), fail: errors.New("throttled")}
		if err := project(j, tagged(func(p *domain.Post) { p.FormerTags = "Rust" })); err == nil ||
			slices.Contains(j.lines, "clear stale listings of p1 at version 5") {
			t.Errorf("%v, %v", err, j.lines)
		}
	})
	t.Run("compares the copies of tags with their sources in a rebuild", func(t *testing.T) {
		j := &journal{authors: names("u1", "ada"), sources: map[string]domain.Post{"p1": {ID: "p1", AuthorID: "u1",
			Version: 12}}}
		if err := project(j, tagged(func(*domain.Post) {})); err != nil {
			t.Fatal(err)
		}
		j.is(t, "rewrite p1 of u1 to version 12", "rewrite p1 in tag go to version 12",
			"rewrite p1 in tag c++ to version 12", "feed copies of p1")
	})
	t.Run("compares the copies of users with their sources in a rebuild", func(t *testing.T) {
		j := &journal{authors: names("u1", "ada"), sources: map[string]domain.Post{"p1": {ID: "p1", AuthorID: "u1",
			Version: 12}}}
		if err := project(j, post("p1", 3)); err != nil {
			t.Fatal(err)
		}
		j.is(t, "rewrite p1 of u1 to version 12", "feed copies of p1")
	})
	t.Run("returns the error of a failed write", func(t *testing.T) {
		j := &journal{fail: errors.New("throttled")}
		if err := project(j, post("p1", 1)); !errors.Is(err, j.fail) {
			t.Errorf("error %v", err)
		}
	})
}

// usersProjector returns a projector whose storage is the journal.
func usersProjector(j *journal) *UsersProjector {
	return &UsersProjector{Users: j, Posts: j, Drafts: j, ScheduledPosts: j, ScheduledDeletions: deletionJournal{j},
		Images: j, Logger: slog.New(slog.DiscardHandler)}
}

func TestUsersProjector(t *testing.T) {
	project := func(j *journal, users ...domain.User) error {
		p := usersProjector(j)
		var changes []domain.UserChange
		for _, u := range users {
			changes = append(changes, domain.UserChange{User: &u})
		}
		return p.Project(t.Context(), changes)
	}
	t.Run("only confirms the name of a new user", func(t *testing.T) {
		j := &journal{own: true}
		if err := project(j, domain.User{ID: "u", Username: "ada", NameVersion: 1, PropagatedVersion: 1}); err != nil {
			t.Fatal(err)
		}
		j.is(t, "confirm ada")
	})
	t.Run("settles a change that the list of administrators does not reflect", func(t *testing.T) {
		j := &journal{own: true}
		if err := project(j, domain.User{ID: "u", Username: "ada", Unsettled: true, NameVersion: 1,
			PropagatedVersion: 1}); err != nil {
			t.Fatal(err)
		}
		j.is(t, "confirm ada", "settle u")
	})
	t.Run("puts a scheduled deletion into the schedule", func(t *testing.T) {
		j := &journal{own: true}
		if err := project(j, domain.User{ID: "u", Username: "ada",
			ScheduledDeletion: time.Date(2026, 1, 2, 3, 4, 5, 0,
				time.UTC), NameVersion: 1, PropagatedVersion: 1}); err != nil {
			t.Fatal(err)
		}
		j.is(t, "confirm ada", "schedule the deletion of u at 03:04:05")
		failing := &journal{own: true, fail: errors.New("throttled")}
		if err := project(failing, domain.User{ID: "u", Username: "ada", ScheduledDeletion: time.Now(), NameVersion: 1,
			PropagatedVersion: 1}); err == nil {
			t.Error("no error after a failed write")
		}
	})
	t.Run("propagates a new username, then marks it as propagated", func(t *testing.T) {
		j := &journal{own: true}
		if err := project(j, domain.User{ID: "u", Username: "bab", NameVersion: 2, PropagatedVersion: 1},
			domain.User{ID: "u", Username: "cab", NameVersion: 3, PropagatedVersion: 1}); err != nil {
			t.Fatal(err)
		}
		j.is(t, "confirm cab", "suspension of u is false", "propagate cab to the items of u", "u is propagated up to 3")
	})
	t.Run("propagates a display name with the username", func(t *testing.T) {
		j := &journal{own: true}
		if err := project(j, domain.User{ID: "u", Username: "bab", DisplayName: "Charles", NameVersion: 2,
			PropagatedVersion: 1}); err != nil {
			t.Fatal(err)
		}
		j.is(t, "confirm bab", "suspension of u is false", "propagate bab (Charles) to the items of u",
			"u is propagated up to 2")
	})
	t.Run("propagates an avatar with the username", func(t *testing.T) {
		j := &journal{own: true}
		if err := project(j, domain.User{ID: "u", Username: "bab", Avatar: "/b.jpg", NameVersion: 2,
			PropagatedVersion: 1}); err != nil {
			t.Fatal(err)
		}
		j.is(t, "confirm bab", "suspension of u is false", "propagate bab/b.jpg to the items of u",
			"u is propagated up to 2")
	})
	t.Run("propagates a suspension with the name", func(t *testing.T) {
		j := &journal{own: true}
		if err := project(j, domain.User{ID: "u", Username: "bab", NameVersion: 2, PropagatedVersion: 1,
			Suspended: time.Now()}); err != nil {
			t.Fatal(err)
		}
		j.is(t, "confirm bab", "suspension of u is true", "propagate bab to the items of u", "u is propagated up to 2")
	})
	t.Run("hides nothing if the suspension has ended meanwhile", func(t *testing.T) {
		j := &journal{own: true, authors: map[string]domain.Author{"u": {Name: "bab"}}}
		if err := project(j, domain.User{ID: "u", Username: "bab", NameVersion: 2, PropagatedVersion: 1,
			Suspended: time.Now()}); err != nil {
			t.Fatal(err)
		}
		j.is(t, "confirm bab", "suspension of u is false", "propagate bab to the items of u", "u is propagated up to 2")
	})
	t.Run("propagates to many items step by step", func(t *testing.T) {
		j := &journal{own: true, more: true}
		if err := project(j, domain.User{ID: "u", Username: "bab", NameVersion: 2, PropagatedVersion: 1}); err != nil {
			t.Fatal(err)
		}
		j.is(t, "confirm bab", "suspension of u is false", "again u")
	})
	now := time.Now()
	t.Run("erases what a deleted user wrote, and ignores the name", func(t *testing.T) {
		j := &journal{}
		if err := project(j, domain.User{ID: "u", Username: "bab", NameVersion: 2, PropagatedVersion: 1,
			Deleted: now}); err != nil {
			t.Fatal(err)
		}
		j.is(t, "erase what u wrote", "erase the pictures of u", "finish erasure of u")
	})
	t.Run("erases many items step by step", func(t *testing.T) {
		j := &journal{more: true}
		if err := project(j, domain.User{ID: "u", Deleted: now}); err != nil {
			t.Fatal(err)
		}
		j.is(t, "erase what u wrote", "again u")
	})
	t.Run("erases many pictures step by step", func(t *testing.T) {
		j := &journal{moreImages: true}
		if err := project(j, domain.User{ID: "u", Deleted: now}); err != nil {
			t.Fatal(err)
		}
		j.is(t, "erase what u wrote", "erase the pictures of u", "again u")
	})
	t.Run("does nothing for an erased user", func(t *testing.T) {
		j := &journal{}
		if err := project(j, domain.User{ID: "u", Deleted: now, Erased: true}); err != nil {
			t.Fatal(err)
		}
		j.is(t)
	})
	t.Run("puts the latest time of a scheduled draft into the schedule, and no other draft", func(t *testing.T) {
		j := &journal{authors: map[string]domain.Author{"u": {Name: "ada"}, "v": {Name: "bob"}}}
		first := domain.Draft{PostID: "p1", AuthorID: "u", Version: 1, Publish: now.Add(time.Hour)}
		moved, new, another := first, first, first
		moved.Publish, new.PostID, new.Publish, another.AuthorID = now.Add(2*time.Hour), "p2", time.Time{}, "v"
		p := usersProjector(j)
		if err := p.Project(t.Context(), []domain.UserChange{{Draft: &first}, {Draft: &moved}, {Draft: &new},
			{Draft: &another}}); err != nil {
			t.Fatal(err)
		}
		j.is(t, "schedule p1 of u at "+moved.Publish.Format(time.TimeOnly),
			"schedule p1 of v at "+first.Publish.Format(time.TimeOnly))
	})
	t.Run("erases a draft of a deleted account", func(t *testing.T) {
		j := &journal{authors: map[string]domain.Author{"u": {Deleted: true}}}
		p := usersProjector(j)
		late := domain.Draft{PostID: "p1", AuthorID: "u", Version: 1, Publish: now}
		if err := p.Project(t.Context(), []domain.UserChange{{Draft: &late}}); err != nil {
			t.Fatal(err)
		}
		j.is(t, "erase draft p1 of u")
	})
	t.Run("does not mark a failed propagation as done", func(t *testing.T) {
		j := &journal{own: true, fail: errors.New("throttled")}
		if err := project(j, domain.User{ID: "u", Username: "bab", NameVersion: 2, PropagatedVersion: 1}); err == nil {
			t.Error("no error")
		}
		j.is(t, "confirm bab")
	})
}
