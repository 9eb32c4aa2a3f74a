package workers

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
)

// journal records what projectors ask of the storage.
type journal struct {
	mu      sync.Mutex
	lines   []string
	authors map[string]domain.Author
	own     bool
	more    bool // whether a step leaves something to do
	fail    error
	sources map[string]domain.Post
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

func (j *journal) Latest(_ context.Context, postID string) (domain.Post, error) {
	return j.sources[postID], nil
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

func (j *journal) SetAuthorName(_ context.Context, postID, itemID, username string) error {
	return j.log("name %s of %s is %s", itemID, postID, username)
}

func (j *journal) Delete(_ context.Context, postID, authorID string) error {
	return j.log("delete post %s of %s", postID, authorID)
}

func (j *journal) DeleteComment(_ context.Context, postID, commentID, userID string) (domain.Post, error) {
	return domain.Post{}, errors.Join(j.log("delete comment %s of %s by %s", commentID, postID, userID),
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

func (j *journal) FinishErasure(_ context.Context, id string) error {
	return j.log("finish erasure of %s", id)
}

func (j *journal) Again(_ context.Context, userID string) error { return j.log("again %s", userID) }

func (j *journal) ConfirmName(_ context.Context, u domain.User) (bool, error) {
	return j.own, j.log("confirm %s", u.Username)
}

func (j *journal) MarkSpread(_ context.Context, userID string, version int) error {
	return j.log("spread of %s is at %d", userID, version)
}

func (j *journal) SpreadName(_ context.Context, userID, username string) (int, bool, error) {
	return 0, j.more, j.log("spread %s to %s", username, userID)
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
		p := &PostsProjector{Users: j, Feed: j, Posts: j, Markdown: domain.NewMarkdown(),
			Authorship: Authorship{Authors: j, Written: j}, Rewrite: j.sources != nil}
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
		j.is(t, "users tombstone of p1", "feed copies of p1", "erase responses of p1", "finish erasure of p1")
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
		j.is(t, "users tombstone of p1", "feed copies of p1", "erase responses of p1", "finish erasure of p1")
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
		p := &UsersProjector{Users: j, Posts: j, Logger: slog.New(slog.DiscardHandler)}
		var changes []domain.UserChange
		for _, u := range users {
			changes = append(changes, domain.UserChange{User: u})
		}
		return p.Project(t.Context(), changes)
	}
	t.Run("a new user only has the name confirmed", func(t *testing.T) {
		j := &journal{own: true}
		if err := project(j, domain.User{ID: "u", Username: "ada", NameVersion: 1, SpreadVersion: 1}); err != nil {
			t.Fatal(err)
		}
		j.is(t, "confirm ada")
	})
	t.Run("a rename is spread, then marked", func(t *testing.T) {
		j := &journal{own: true}
		if err := project(j, domain.User{ID: "u", Username: "bab", NameVersion: 2, SpreadVersion: 1},
			domain.User{ID: "u", Username: "cab", NameVersion: 3, SpreadVersion: 1}); err != nil {
			t.Fatal(err)
		}
		j.is(t, "confirm cab", "spread cab to u", "spread of u is at 3")
	})
	t.Run("a rename of many items is spread step by step", func(t *testing.T) {
		j := &journal{own: true, more: true}
		if err := project(j, domain.User{ID: "u", Username: "bab", NameVersion: 2, SpreadVersion: 1}); err != nil {
			t.Fatal(err)
		}
		j.is(t, "confirm bab", "spread bab to u", "again u")
	})
	now := time.Now()
	t.Run("of a deleted user all goes, and neither name nor rename is looked at", func(t *testing.T) {
		j := &journal{}
		if err := project(j, domain.User{ID: "u", Username: "bab", NameVersion: 2, SpreadVersion: 1, Deleted: now}); err != nil {
			t.Fatal(err)
		}
		j.is(t, "erase what u wrote", "finish erasure of u")
	})
	t.Run("step by step when it is much", func(t *testing.T) {
		j := &journal{more: true}
		if err := project(j, domain.User{ID: "u", Deleted: now}); err != nil {
			t.Fatal(err)
		}
		j.is(t, "erase what u wrote", "again u")
	})
	t.Run("and once it is done, nothing", func(t *testing.T) {
		j := &journal{}
		if err := project(j, domain.User{ID: "u", Deleted: now, Erased: true}); err != nil {
			t.Fatal(err)
		}
		j.is(t)
	})
	t.Run("a failed spreading is not marked", func(t *testing.T) {
		j := &journal{own: true, fail: errors.New("throttled")}
		if err := project(j, domain.User{ID: "u", Username: "bab", NameVersion: 2, SpreadVersion: 1}); err == nil {
			t.Error("no error")
		}
		j.is(t, "confirm bab")
	})
}
