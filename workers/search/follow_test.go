package search_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"inkfeed/cosmos/feeds"
	"inkfeed/domain"
	"inkfeed/workers/tailer"
)

func TestIndexFollowsChanges(t *testing.T) {
	first := post("first draft", "alpha", "one")
	first.CommentCount = 1

	t.Run("an edit replaces title, text and tags", func(t *testing.T) {
		w := newWorld(t)
		w.write(first)
		p := first
		p.Version, p.Title, p.Content, p.Tags, p.Edited = 2, "second", "beta", "two", p.Created.Add(time.Hour)
		w.write(p)
		w.finds("alpha")
		w.finds("tag:one")
		w.finds("beta tag:two", "second")
	})
	t.Run("a new username is found with the author's posts", func(t *testing.T) {
		w := newWorld(t)
		w.write(first)
		p := first
		p.Version, p.AuthorName = 2, "Lovelace"
		w.write(p)
		w.finds("@ada")
		w.finds("@lovelace alpha", "first draft")
	})
	t.Run("a new display name replaces the old one", func(t *testing.T) {
		w := newWorld(t)
		w.write(first)
		for i, name := range []string{"Augusta", "Countess", ""} {
			p := first
			p.Version, p.AuthorDisplayName = 2+i, name
			w.write(p)
			for _, other := range []string{"augusta", "countess"} {
				if strings.EqualFold(other, name) {
					w.finds(other, "first draft")
				} else {
					w.finds(other)
				}
			}
			if got := w.search("alpha").Posts.Items[0].AuthorDisplayName; got != name {
				t.Errorf("%q is shown, want %q", got, name)
			}
		}
	})
	t.Run("a new avatar replaces the old one", func(t *testing.T) {
		w := newWorld(t)
		w.write(first)
		for i, avatar := range []string{"one.jpg", "two.jpg", ""} {
			p := first
			p.Version, p.AuthorAvatar = 2+i, avatar
			w.write(p)
			if got := w.search("alpha").Posts.Items[0].AuthorAvatar; got != avatar {
				t.Errorf("%q is shown, want %q", got, avatar)
			}
		}
	})
	t.Run("an unlisted, unpublished or deleted post is removed, and returns with a newer version", func(t *testing.T) {
		for _, gone := range []func(*domain.Post){
			func(p *domain.Post) { p.Status = domain.Unlisted },
			func(p *domain.Post) { p.Status = domain.Unpublished },
			func(p *domain.Post) { p.Title, p.Content, p.Tags, p.Deleted = "", "", "", time.Now() },
		} {
			w := newWorld(t)
			w.write(first)
			p := first
			p.Version = 3
			gone(&p)
			w.write(p)
			w.finds("alpha")
			if tags, _ := w.Tags(t.Context(), "", 10); len(tags) != 0 {
				t.Errorf("tags %v", tags)
			}
			if posts, _ := w.Posts(t.Context(), 1, 10); len(posts) != 0 {
				t.Errorf("listed %v", posts)
			}
			late := first
			late.Version = 2
			w.write(late, first) // the feed repeats older versions
			w.finds("alpha")
			w.reopen()
			w.write(late)
			w.finds("alpha")
			late.Version = 4
			w.write(late)
			w.finds("alpha", "first draft")
		}
	})
	t.Run("a post that is imported again is listed once the marker of its deletion has expired", func(t *testing.T) {
		for age, found := range map[time.Duration][]string{
			domain.MarkerTime - time.Hour: nil, // an older page of the feed may have the post
			domain.MarkerTime + time.Hour: {"first draft"},
		} {
			w := newWorld(t)
			w.write(first)
			deleted := first
			deleted.Version, deleted.Deleted = 5, time.Now().Add(-age)
			w.write(deleted)
			w.write(first) // its id follows from the imported text
			w.finds("alpha", found...)
		}
	})
	t.Run("an older version does not list a post that is not listed", func(t *testing.T) {
		w := newWorld(t)
		p := first
		p.Version, p.Status = 5, domain.Unlisted
		w.write(p, first)
		w.finds("alpha")
	})
	t.Run("an older version changes nothing, in the same page or after likes", func(t *testing.T) {
		w := newWorld(t)
		newer, liked, old := first, first, first
		newer.Version, newer.Content = 3, "gamma"
		liked.Version, liked.Content, liked.LikeCount = 7, "gamma", 4
		old.Version, old.Content = 5, "alpha" // a state in between
		w.write(newer, first)
		w.write(liked)
		w.write(old)
		w.finds("alpha")
		w.finds("gamma", "first draft")
		if hit := w.search("gamma").Posts.Items[0]; hit.LikeCount != 4 || hit.CommentCount != 1 || hit.Version != 7 {
			t.Errorf("hit %+v", hit.Summary)
		}
	})
	t.Run("changes of comments and likes are ignored", func(t *testing.T) {
		w := newWorld(t)
		w.write(first)
		changes, mark := w.page()
		changes = append(changes,
			feeds.Change[feeds.PostChange]{Value: feeds.PostChange{Comment: &domain.Comment{Content: "delta"}}},
			feeds.Change[feeds.PostChange]{Value: feeds.PostChange{Like: &domain.Like{Username: "delta"}}})
		if err := w.Follow(t.Context(), changes, mark); err != nil {
			t.Fatal(err)
		}
		w.finds("delta")
		w.finds("alpha", "first draft")
	})
	t.Run("a page that fails stores neither its posts nor its mark", func(t *testing.T) {
		w := newWorld(t)
		w.write(post("kept", "epsilon"))
		ctx, cancel := context.WithCancel(t.Context())
		changes, mark := w.page(post("lost one", "zeta"), post("lost two", "zeta"))
		w.Index.Close() // like a crash
		w.open()
		_, before, _ := w.Marks(t.Context())
		cancel()
		if err := w.Follow(ctx, changes, mark); err == nil {
			t.Fatal("a page is followed after its context ended")
		}
		w.finds("zeta")
		if _, after, _ := w.Marks(t.Context()); !slices.Equal(before, after) {
			t.Errorf("marks %v, were %v", after, before)
		}
		if err := w.Follow(t.Context(), changes, mark); err != nil {
			t.Fatal(err)
		}
		w.finds("zeta", "lost one", "lost two")
	})
	t.Run("an unknown range makes the index start from the beginning", func(t *testing.T) {
		w := newWorld(t)
		changes, mark := w.page(first)
		mark.Range.MaxExclusive = "7F"
		if err := w.Follow(t.Context(), changes, mark); !errors.Is(err, tailer.ErrLost) {
			t.Errorf("error %v", err)
		}
		w.finds("alpha")
	})
	t.Run("many posts of one second are all indexed", func(t *testing.T) {
		w := newWorld(t)
		var all []domain.Post
		for i := range 1000 {
			p := post(fmt.Sprint("imported ", i), "eta")
			p.Created = time.Date(2012, 1, 1, 0, 0, 0, 0, time.UTC)
			all = append(all, p)
		}
		w.write(all...)
		if found := w.search("eta"); found.Total != 1000 {
			t.Errorf("%d of 1000", found.Total)
		}
	})
	t.Run("posts from before 1970 and without a date are indexed", func(t *testing.T) {
		w := newWorld(t)
		a, b := post("ancient", "theta"), post("undated", "theta")
		a.Created, b.Created = time.Date(1815, 12, 10, 0, 0, 0, 0, time.UTC), time.Time{}
		w.write(a, b)
		w.finds("theta", "ancient", "undated")
	})
}
