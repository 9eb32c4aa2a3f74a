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

	"inkfeed/domain"
)

// journal records what projectors ask of the storage.
type journal struct {
	mu    sync.Mutex
	lines []string
	names map[string]string
	own   bool
	fail  error
}

func (j *journal) log(format string, args ...any) error {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.lines = append(j.lines, fmt.Sprintf(format, args...))
	return j.fail
}

func (j *journal) ApplySummary(_ context.Context, s domain.Summary) error {
	return j.log("users copy of %s version %d likes %d", s.PostID, s.Version, s.LikeCount)
}

func (j *journal) Names(_ context.Context, ids []string) (map[string]string, error) {
	return j.names, nil
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

func (j *journal) ConfirmName(_ context.Context, u domain.User) (bool, error) {
	return j.own, j.log("confirm %s", u.Username)
}

func (j *journal) MarkSpread(_ context.Context, userID string, version int) error {
	return j.log("spread of %s is at %d", userID, version)
}

func (j *journal) SpreadName(_ context.Context, userID, username string) (int, error) {
	return 0, j.log("spread %s to %s", username, userID)
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
		p := &PostsProjector{Users: j, Feed: j, Posts: j, Markdown: domain.NewMarkdown()}
		return p.Project(t.Context(), changes)
	}
	t.Run("writes each copy once a page, in its newest version", func(t *testing.T) {
		j := &journal{names: map[string]string{"u1": "ada"}}
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
		j := &journal{names: map[string]string{"u1": "ada"}}
		if err := project(j, domain.PostChange{Comment: &domain.Comment{ID: "c", PostID: "p", AuthorID: "u1", AuthorName: "ada"}}); err != nil {
			t.Fatal(err)
		}
		j.is(t)
	})
	t.Run("corrects a name that was old when it was written", func(t *testing.T) {
		j := &journal{names: map[string]string{"u1": "lovelace", "u2": "grace"}}
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
	t.Run("a failed spreading is not marked", func(t *testing.T) {
		j := &journal{own: true, fail: errors.New("throttled")}
		if err := project(j, domain.User{ID: "u", Username: "bab", NameVersion: 2, SpreadVersion: 1}); err == nil {
			t.Error("no error")
		}
		j.is(t, "confirm bab")
	})
}
