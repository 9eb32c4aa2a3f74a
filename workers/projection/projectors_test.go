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

// journal records what projectors ask of the storage.
type journal struct {
	mu         sync.Mutex
	lines      []string
	authors    map[string]domain.Author
	own        bool
	more       bool // whether a step leaves something to do
	moreImages bool
	fail       error
	sources    map[string]domain.Post
	comments   map[string]domain.Comment

	bookmarks []domain.Bookmark
	shown     []string // what was noted on posts
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

func (j *journal) RewriteSummary(ctx context.Context, authorID, postID string, source func(context.Context) (domain.Summary, error)) error {
	s, err := source(ctx)
	if err != nil {
		return err
	}
	return j.log("rewrite %s of %s to version %d", postID, authorID, s.Version)
}

// tagJournal is the journal of the copies by tags.
type tagJournal struct{ *journal }

func (j tagJournal) ApplySummary(_ context.Context, key string, s domain.Summary) error {
	return j.log("tag %s hears of %s version %d", key, s.PostID, s.Version)
}

func (j tagJournal) RewriteSummary(ctx context.Context, key, postID string, source func(context.Context) (domain.Summary, error)) error {
	s, err := source(ctx)
	if err != nil {
		return err
	}
	return j.log("rewrite %s in tag %s to version %d", postID, key, s.Version)
}

func (j *journal) ClearStaleListings(_ context.Context, postID string, version int) error {
	return j.log("%s has left as of version %d", postID, version)
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
	return j.log("name %s of %s is %s", itemID, postID, called(as))
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

// noted is the journal of accounts that are to be deleted.
type noted struct{ *journal }

func (n noted) Put(_ context.Context, e domain.ScheduledItem) error {
	return n.log("%s leaves at %s", e.UserID, e.At.Format(time.TimeOnly))
}

func (j *journal) Again(_ context.Context, userID string) error { return j.log("again %s", userID) }

func (j *journal) ConfirmName(_ context.Context, u domain.User) (bool, error) {
	return j.own, j.log("confirm %s", u.Username)
}

func (j *journal) SettleAdministration(_ context.Context, userID string) error {
	return j.log("settle %s", userID)
}

func (j *journal) MarkPropagated(_ context.Context, userID string, version int) error {
	return j.log("spread of %s is at %d", userID, version)
}

func (j *journal) PropagateName(_ context.Context, userID string, as domain.Author) (int, bool, error) {
	return 0, j.more, j.log("spread %s to %s", called(as), userID)
}

func called(as domain.Author) string {
	if as.DisplayName == "" {
		return as.Name
	}
	return fmt.Sprintf("%s (%s)", as.Name, as.DisplayName)
}

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
		return domain.PostChange{Post: &domain.Post{ID: id, AuthorID: "u1", AuthorName: "ada", Version: version, LikeCount: version}}
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
	t.Run("writes each copy once a page, in its newest version", func(t *testing.T) {
		j := &journal{authors: names("u1", "ada")}
		var changes []domain.PostChange
		for i := range 1000 {
			changes = append(changes, post("p1", i+1),
				domain.PostChange{Like: &domain.Like{PostID: "p1", UserID: "u1", Username: "ada"}})
		}
		if err := project(j, append(changes, post("p2", 1), post("p1", 7))...); err != nil {
			t.Fatal(err)
		}
		j.is(t, "users copy of p1 version 1000 likes 1000", "users copy of p2 version 1 likes 1", "feed copies of p1 p2")
	})
	t.Run("comments and likes alone change no copy", func(t *testing.T) {
		j := &journal{authors: names("u1", "ada")}
		if err := project(j, domain.PostChange{Comment: &domain.Comment{ID: "c", PostID: "p", AuthorID: "u1", AuthorName: "ada"}}); err != nil {
			t.Fatal(err)
		}
		j.is(t)
	})
	t.Run("corrects a name that was old when it was written", func(t *testing.T) {
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
	t.Run("corrects a display name that was old when it was written", func(t *testing.T) {
		j := &journal{authors: map[string]domain.Author{"u1": {Name: "ada", DisplayName: "Ada L."}, "u2": {Name: "grace"}}}
		err := project(j,
			domain.PostChange{Comment: &domain.Comment{ID: "c1", PostID: "p1", AuthorID: "u1", AuthorName: "ada"}},
			domain.PostChange{Comment: &domain.Comment{ID: "c2", PostID: "p1", AuthorID: "u1", AuthorName: "ada", AuthorDisplayName: "Ada L."}},
			domain.PostChange{Comment: &domain.Comment{ID: "c3", PostID: "p1", AuthorID: "u2", AuthorName: "grace", AuthorDisplayName: "Hopper"}},
			domain.PostChange{Like: &domain.Like{PostID: "p1", UserID: "u1", Username: "ada"}})
		if err != nil {
			t.Fatal(err)
		}
		j.is(t, "name c1 of p1 is ada (Ada L.)", "name c3 of p1 is grace", "name like-u1 of p1 is ada (Ada L.)")
	})
	t.Run("what a deleted user wrote meanwhile is taken away", func(t *testing.T) {
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
			"users copy of p1 version 3 likes 3", "feed copies of p1") // until its marker comes
	})
	deleted := func(erased bool) domain.PostChange {
		return domain.PostChange{Post: &domain.Post{ID: "p1", AuthorID: "u1", Version: 9, Deleted: now, Erased: erased}}
	}
	t.Run("a deleted post leaves the copies, then its responses go, and it is done", func(t *testing.T) {
		j := &journal{}
		if err := project(j, deleted(false)); err != nil {
			t.Fatal(err)
		}
		j.is(t, "users tombstone of p1", "feed copies of p1", "erase responses of p1", "erase draft p1 of u1 of a deleted post: true", "finish erasure of p1")
		if last := j.lines[len(j.lines)-1]; last != "finish erasure of p1" {
			t.Errorf("the last step is %q", last)
		}
	})
	t.Run("it is not done while responses are left: the step brings it again", func(t *testing.T) {
		j := &journal{more: true}
		if err := project(j, deleted(false)); err != nil {
			t.Fatal(err)
		}
		j.is(t, "users tombstone of p1", "feed copies of p1", "erase responses of p1")
	})
	t.Run("one that is done needs nothing", func(t *testing.T) {
		j := &journal{}
		if err := project(j, deleted(true)); err != nil {
			t.Fatal(err)
		}
		j.is(t)
	})
	t.Run("an earlier state of a deleted post in the same page counts for nothing", func(t *testing.T) {
		j := &journal{authors: names("u1", "ada")}
		if err := project(j, deleted(false), post("p1", 8)); err != nil {
			t.Fatal(err)
		}
		j.is(t, "users tombstone of p1", "feed copies of p1", "erase responses of p1", "erase draft p1 of u1 of a deleted post: true", "finish erasure of p1")
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
		{"a listed post is listed by its tags", func(*domain.Post) {},
			[]string{"feed copies of p1", "tag go hears of p1 version 5", "tag c++ hears of p1 version 5"}},
		{"a tag it lost hears of it until it is gone from there", func(p *domain.Post) { p.FormerTags = "Rust,GO" },
			[]string{"feed copies of p1", "tag go hears of p1 version 5", "tag c++ hears of p1 version 5",
				"tag rust hears of p1 version 5", "p1 has left as of version 5"}},
		{"one that is withdrawn leaves feed and tags", func(p *domain.Post) { p.Status, p.Withdrawn = domain.Unlisted, true },
			[]string{"feed copies of p1", "tag go hears of p1 version 5", "tag c++ hears of p1 version 5", "p1 has left as of version 5"}},
		{"one that has left them concerns them no more", func(p *domain.Post) { p.Status = domain.Unpublished }, nil},
		{"but for tags that it lost at the same time", func(p *domain.Post) { p.Status, p.FormerTags = domain.Unlisted, "Rust" },
			[]string{"tag rust hears of p1 version 5", "p1 has left as of version 5"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			j := &journal{authors: names("u1", "ada")}
			if err := project(j, tagged(c.change)); err != nil {
				t.Fatal(err)
			}
			j.is(t, append(c.want, "users copy of p1 version 5 likes 5")...)
		})
	}
	t.Run("a deleted post leaves its tags before it is done", func(t *testing.T) {
		j := &journal{}
		marker := deleted(false)
		marker.Post.Tags, marker.Post.FormerTags = "Go", "Rust"
		if err := project(j, marker); err != nil {
			t.Fatal(err)
		}
		j.is(t, "users tombstone of p1", "tag go hears of p1 version 9", "tag rust hears of p1 version 9", "feed copies of p1",
			"erase responses of p1", "erase draft p1 of u1 of a deleted post: true", "finish erasure of p1")
	})
	t.Run("a failed write is not taken for done", func(t *testing.T) {
		j := &journal{authors: names("u1", "ada"), fail: errors.New("throttled")}
		if err := project(j, tagged(func(p *domain.Post) { p.FormerTags = "Rust" })); err == nil || slices.Contains(j.lines, "p1 has left as of version 5") {
			t.Errorf("%v, %v", err, j.lines)
		}
	})
	t.Run("a rebuild compares the tags' copies, too", func(t *testing.T) {
		j := &journal{authors: names("u1", "ada"), sources: map[string]domain.Post{"p1": {ID: "p1", AuthorID: "u1", Version: 12}}}
		if err := project(j, tagged(func(*domain.Post) {})); err != nil {
			t.Fatal(err)
		}
		j.is(t, "rewrite p1 of u1 to version 12", "rewrite p1 in tag go to version 12", "rewrite p1 in tag c++ to version 12", "feed copies of p1")
	})
	t.Run("a rebuild compares copies with their sources", func(t *testing.T) {
		j := &journal{authors: names("u1", "ada"), sources: map[string]domain.Post{"p1": {ID: "p1", AuthorID: "u1", Version: 12}}}
		if err := project(j, post("p1", 3)); err != nil {
			t.Fatal(err)
		}
		j.is(t, "rewrite p1 of u1 to version 12", "feed copies of p1")
	})
	t.Run("reports a failed write", func(t *testing.T) {
		j := &journal{fail: errors.New("throttled")}
		if err := project(j, post("p1", 1)); !errors.Is(err, j.fail) {
			t.Errorf("error %v", err)
		}
	})
}

func TestUsersProjector(t *testing.T) {
	project := func(j *journal, users ...domain.User) error {
		p := &UsersProjector{Users: j, Posts: j, Drafts: j, ScheduledPosts: j, ScheduledDeletions: noted{j}, Images: j, Logger: slog.New(slog.DiscardHandler)}
		var changes []domain.UserChange
		for _, u := range users {
			changes = append(changes, domain.UserChange{User: &u})
		}
		return p.Project(t.Context(), changes)
	}
	t.Run("a new user only has the name confirmed", func(t *testing.T) {
		j := &journal{own: true}
		if err := project(j, domain.User{ID: "u", Username: "ada", NameVersion: 1, PropagatedVersion: 1}); err != nil {
			t.Fatal(err)
		}
		j.is(t, "confirm ada")
	})
	t.Run("tells the list of administrators what it has yet to hear", func(t *testing.T) {
		j := &journal{own: true}
		if err := project(j, domain.User{ID: "u", Username: "ada", Unsettled: true, NameVersion: 1, PropagatedVersion: 1}); err != nil {
			t.Fatal(err)
		}
		j.is(t, "confirm ada", "settle u")
	})
	t.Run("an account that is to be deleted is in the schedule, should whoever was to note it have died", func(t *testing.T) {
		j := &journal{own: true}
		if err := project(j, domain.User{ID: "u", Username: "ada", ScheduledDeletion: time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC), NameVersion: 1, PropagatedVersion: 1}); err != nil {
			t.Fatal(err)
		}
		j.is(t, "confirm ada", "u leaves at 03:04:05")
		failing := &journal{own: true, fail: errors.New("throttled")}
		if err := project(failing, domain.User{ID: "u", Username: "ada", ScheduledDeletion: time.Now(), NameVersion: 1, PropagatedVersion: 1}); err == nil {
			t.Error("a failure is no error")
		}
	})
	t.Run("a rename is spread, then marked", func(t *testing.T) {
		j := &journal{own: true}
		if err := project(j, domain.User{ID: "u", Username: "bab", NameVersion: 2, PropagatedVersion: 1},
			domain.User{ID: "u", Username: "cab", NameVersion: 3, PropagatedVersion: 1}); err != nil {
			t.Fatal(err)
		}
		j.is(t, "confirm cab", "suspension of u is false", "spread cab to u", "spread of u is at 3")
	})
	t.Run("a display name is spread with the username", func(t *testing.T) {
		j := &journal{own: true}
		if err := project(j, domain.User{ID: "u", Username: "bab", DisplayName: "Charles", NameVersion: 2, PropagatedVersion: 1}); err != nil {
			t.Fatal(err)
		}
		j.is(t, "confirm bab", "suspension of u is false", "spread bab (Charles) to u", "spread of u is at 2")
	})
	t.Run("a suspension is spread with the name, whichever of the two it was", func(t *testing.T) {
		j := &journal{own: true}
		if err := project(j, domain.User{ID: "u", Username: "bab", NameVersion: 2, PropagatedVersion: 1, Suspended: time.Now()}); err != nil {
			t.Fatal(err)
		}
		j.is(t, "confirm bab", "suspension of u is true", "spread bab to u", "spread of u is at 2")
	})
	t.Run("a change that comes after the end of a suspension hides nothing any more", func(t *testing.T) {
		j := &journal{own: true, authors: map[string]domain.Author{"u": {Name: "bab"}}}
		if err := project(j, domain.User{ID: "u", Username: "bab", NameVersion: 2, PropagatedVersion: 1, Suspended: time.Now()}); err != nil {
			t.Fatal(err)
		}
		j.is(t, "confirm bab", "suspension of u is false", "spread bab to u", "spread of u is at 2")
	})
	t.Run("what is much is spread step by step", func(t *testing.T) {
		j := &journal{own: true, more: true}
		if err := project(j, domain.User{ID: "u", Username: "bab", NameVersion: 2, PropagatedVersion: 1}); err != nil {
			t.Fatal(err)
		}
		j.is(t, "confirm bab", "suspension of u is false", "again u")
	})
	now := time.Now()
	t.Run("of a deleted user all goes, and neither name nor rename is looked at", func(t *testing.T) {
		j := &journal{}
		if err := project(j, domain.User{ID: "u", Username: "bab", NameVersion: 2, PropagatedVersion: 1, Deleted: now}); err != nil {
			t.Fatal(err)
		}
		j.is(t, "erase what u wrote", "erase the pictures of u", "finish erasure of u")
	})
	t.Run("step by step when it is much", func(t *testing.T) {
		j := &journal{more: true}
		if err := project(j, domain.User{ID: "u", Deleted: now}); err != nil {
			t.Fatal(err)
		}
		j.is(t, "erase what u wrote", "again u")
	})
	t.Run("also when it is many pictures", func(t *testing.T) {
		j := &journal{moreImages: true}
		if err := project(j, domain.User{ID: "u", Deleted: now}); err != nil {
			t.Fatal(err)
		}
		j.is(t, "erase what u wrote", "erase the pictures of u", "again u")
	})
	t.Run("and once it is done, nothing", func(t *testing.T) {
		j := &journal{}
		if err := project(j, domain.User{ID: "u", Deleted: now, Erased: true}); err != nil {
			t.Fatal(err)
		}
		j.is(t)
	})
	t.Run("a draft that publishes itself is noted as it is last, any other is not", func(t *testing.T) {
		j := &journal{authors: map[string]domain.Author{"u": {Name: "ada"}, "v": {Name: "bob"}}}
		first := domain.Draft{PostID: "p1", AuthorID: "u", Version: 1, Publish: now.Add(time.Hour)}
		moved, new, another := first, first, first
		moved.Publish, new.PostID, new.Publish, another.AuthorID = now.Add(2*time.Hour), "p2", time.Time{}, "v"
		p := &UsersProjector{Users: j, Posts: j, Drafts: j, ScheduledPosts: j, ScheduledDeletions: noted{j}, Images: j, Logger: slog.New(slog.DiscardHandler)}
		if err := p.Project(t.Context(), []domain.UserChange{{Draft: &first}, {Draft: &moved}, {Draft: &new}, {Draft: &another}}); err != nil {
			t.Fatal(err)
		}
		j.is(t, "schedule p1 of u at "+moved.Publish.Format(time.TimeOnly), "schedule p1 of v at "+first.Publish.Format(time.TimeOnly))
	})
	t.Run("a draft of an account that is deleted goes", func(t *testing.T) {
		j := &journal{authors: map[string]domain.Author{"u": {Deleted: true}}}
		p := &UsersProjector{Users: j, Posts: j, Drafts: j, ScheduledPosts: j, ScheduledDeletions: noted{j}, Images: j, Logger: slog.New(slog.DiscardHandler)}
		late := domain.Draft{PostID: "p1", AuthorID: "u", Version: 1, Publish: now}
		if err := p.Project(t.Context(), []domain.UserChange{{Draft: &late}}); err != nil {
			t.Fatal(err)
		}
		j.is(t, "erase draft p1 of u")
	})
	t.Run("a failed spreading is not marked", func(t *testing.T) {
		j := &journal{own: true, fail: errors.New("throttled")}
		if err := project(j, domain.User{ID: "u", Username: "bab", NameVersion: 2, PropagatedVersion: 1}); err == nil {
			t.Error("no error")
		}
		j.is(t, "confirm bab")
	})
}
