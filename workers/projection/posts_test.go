package projection

import (
	"context"
	"errors"
	"slices"
	"testing"
	"time"

	"inkfeed/cosmos/feeds"
	"inkfeed/domain"
	"inkfeed/domain/markdown"
)

// noThumbnails is a storage without thumbnails.
type noThumbnails struct{}

func (noThumbnails) KeepThumbnails(context.Context, string, string, ...string) error { return nil }

func TestPostsProjector(t *testing.T) {
	post := func(id string, version int) feeds.PostChange {
		return feeds.PostChange{Post: &domain.Post{ID: id, AuthorID: "u1", AuthorName: "ada", Version: version,
			LikeCount: version}}
	}
	project := func(j *journal, changes ...feeds.PostChange) error {
		p := &PostsProjector{UserCopies: j, Feed: j, Tags: tagJournal{j}, Posts: j, Drafts: j,
			Reviews: reviewJournal{j}, Thumbnails: noThumbnails{}, CommentRows: noRows{},
			Markdown: markdown.New(), AuthorCorrector: AuthorCorrector{Authors: j, Items: j}, Rewrite: j.sources != nil}
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
		var changes []feeds.PostChange
		for i := range 1000 {
			changes = append(changes, post("p1", i+1),
				feeds.PostChange{Like: &domain.Like{PostID: "p1", UserID: "u1", Username: "ada"}})
		}
		if err := project(j, append(changes, post("p2", 1), post("p1", 7))...); err != nil {
			t.Fatal(err)
		}
		j.is(t, "users copy of p1 version 1000 likes 1000", "users copy of p2 version 1 likes 1",
			"feed copies of p1 p2")
	})
	t.Run("changes no copy for comments and likes alone", func(t *testing.T) {
		j := &journal{authors: names("u1", "ada")}
		if err := project(j, feeds.PostChange{Comment: &domain.Comment{ID: "c", PostID: "p", AuthorID: "u1",
			AuthorName: "ada"}}); err != nil {
			t.Fatal(err)
		}
		j.is(t)
	})
	t.Run("corrects an outdated username", func(t *testing.T) {
		j := &journal{authors: names("u1", "lovelace", "u2", "grace")}
		err := project(j, post("p1", 1),
			feeds.PostChange{Comment: &domain.Comment{ID: "c1", PostID: "p1", AuthorID: "u1", AuthorName: "ada"}},
			feeds.PostChange{Comment: &domain.Comment{ID: "c2", PostID: "p1", AuthorID: "u2", AuthorName: "grace"}},
			feeds.PostChange{Like: &domain.Like{PostID: "p1", UserID: "u1", Username: "ada"}},
			feeds.PostChange{Like: &domain.Like{PostID: "p1", UserID: "gone", Username: "nobody"}})
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
			feeds.PostChange{Comment: &domain.Comment{ID: "c1", PostID: "p1", AuthorID: "u1", AuthorName: "ada"}},
			feeds.PostChange{Comment: &domain.Comment{ID: "c2", PostID: "p1", AuthorID: "u1", AuthorName: "ada",
				AuthorDisplayName: "Ada L."}},
			feeds.PostChange{Comment: &domain.Comment{ID: "c3", PostID: "p1", AuthorID: "u2", AuthorName: "grace",
				AuthorDisplayName: "Hopper"}},
			feeds.PostChange{Like: &domain.Like{PostID: "p1", UserID: "u1", Username: "ada"}})
		if err != nil {
			t.Fatal(err)
		}
		j.is(t, "name c1 of p1 is ada (Ada L.)", "name c3 of p1 is grace", "name like-u1 of p1 is ada (Ada L.)")
	})
	t.Run("corrects an outdated avatar", func(t *testing.T) {
		j := &journal{authors: map[string]domain.Author{"u1": {Name: "ada", Avatar: "/a.jpg"}, "u2": {Name: "grace"}}}
		err := project(j,
			feeds.PostChange{Comment: &domain.Comment{ID: "c1", PostID: "p1", AuthorID: "u1", AuthorName: "ada"}},
			feeds.PostChange{Comment: &domain.Comment{ID: "c2", PostID: "p1", AuthorID: "u1", AuthorName: "ada",
				AuthorAvatar: "/a.jpg"}},
			feeds.PostChange{Comment: &domain.Comment{ID: "c3", PostID: "p1", AuthorID: "u2", AuthorName: "grace",
				AuthorAvatar: "/g.jpg"}},
			feeds.PostChange{Like: &domain.Like{PostID: "p1", UserID: "u1", Username: "ada", Avatar: "/old.jpg"}})
		if err != nil {
			t.Fatal(err)
		}
		j.is(t, "name c1 of p1 is ada/a.jpg", "name c3 of p1 is grace", "name like-u1 of p1 is ada/a.jpg")
	})
	t.Run("deletes what a user wrote while the account was deleted", func(t *testing.T) {
		j := &journal{authors: map[string]domain.Author{"u1": {Name: "ada", Deleted: true}, "u2": {Name: "grace"}}}
		err := project(j,
			post("p1", 3),
			feeds.PostChange{Comment: &domain.Comment{ID: "c1", PostID: "p2", AuthorID: "u1", AuthorName: "ada"}},
			feeds.PostChange{Comment: &domain.Comment{ID: "c2", PostID: "p2", AuthorID: "u2", AuthorName: "grace"}},
			feeds.PostChange{Like: &domain.Like{PostID: "p2", UserID: "u1", Username: "ada"}})
		if err != nil {
			t.Fatal(err)
		}
		j.is(t, "delete post p1 of u1", "delete comment c1 of p2 by u1", "unlike p2 by u1",
			"users copy of p1 version 3 likes 3", "feed copies of p1") // until the marker of the deleted post comes
	})
	deleted := func(erased bool) feeds.PostChange {
		return feeds.PostChange{Post: &domain.Post{ID: "p1", AuthorID: "u1", Version: 9, Deleted: now, Erased: erased}}
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
	tagged := func(change func(*domain.Post)) feeds.PostChange {
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
		{"removes a withdrawn post from the keys of an earlier release", func(p *domain.Post) {
			p.Tags, p.Status, p.Withdrawn = "Işık,etc ...", domain.Unlisted, true
		},
			[]string{"feed copies of p1", "tag işik: p1 version 5", "tag işık: p1 version 5", "tag etc: p1 version 5",
				"tag etc-: p1 version 5", "clear stale listings of p1 at version 5"}},
		{"removes a former tag from its key of an earlier release", func(p *domain.Post) {
			p.Tags, p.FormerTags = "Istanbul", "İstanbul"
		},
			[]string{"feed copies of p1", "tag istanbul: p1 version 5", "tag i\u0307stanbul: p1 version 5",
				"clear stale listings of p1 at version 5"}},
		{"copies a listed post to the present keys only", func(p *domain.Post) { p.Tags = "Işık" },
			[]string{"feed copies of p1", "tag işik: p1 version 5"}},
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
