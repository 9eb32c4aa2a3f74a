package lists

import (
	"slices"
	"sync"
	"testing"

	"inkfeed/cosmos/cosmostest/fixture"
	"inkfeed/domain"
)

func (s *suite) front(t *testing.T) []domain.Summary {
	t.Helper()
	return fixture.All(t, func(page int) (domain.ListPage[domain.Summary], error) {
		return s.Feed.FrontPage(t.Context(), page)
	})
}

// wantFront compares the front page with the newest posts.
func (s *suite) wantFront(t *testing.T, ids []string) {
	t.Helper()
	var want []domain.Summary
	for _, id := range ids {
		if post, err := s.Posts.Get(t.Context(), id); err == nil && !post.Listed() {
			continue
		} else if err == nil {
			want = append(want, s.Markdown.Summarize(post))
		} else {
			fixture.WantKind(t, err, domain.NotFound)
		}
	}
	slices.SortFunc(want, domain.NewestFirst)
	want = want[:min(len(want), domain.FeedLimit)]
	if got := s.front(t); !slices.Equal(got, want) {
		t.Errorf("the feed has %d posts, the newest are %d\n got %v\nwant %v", len(got), len(want), got, want)
	}
}

// project copies the current posts to the feed.
func (s *suite) project(t *testing.T, ids ...string) {
	t.Helper()
	var changed []domain.Summary
	for _, id := range ids {
		changed = append(changed, s.Markdown.Summarize(fixture.Must[domain.Post](t)(s.Posts.Latest(t.Context(), id))))
	}
	fixture.Check(t, s.Feed.Apply(t.Context(), changed))
}

// projectChanged copies the posts that have changed since a version, as the change feed would.
func (s *suite) projectChanged(t *testing.T, versions map[string]int) {
	t.Helper()
	for {
		var changed []string
		for id, version := range versions {
			if latest := fixture.Must[domain.Post](t)(s.Posts.Latest(t.Context(), id)); latest.Version > version {
				changed = append(changed, id)
				versions[id] = latest.Version
			}
		}
		if len(changed) == 0 {
			return
		}
		s.project(t, changed...)
	}
}

// feed needs the feed for itself. Its posts are newer than those of all other tests.
func (s *suite) feed(t *testing.T) {
	author := s.MustUser(t)
	var ids []string
	versions := make(map[string]int)
	for i := range 250 {
		p := fixture.Must[domain.Post](t)(domain.NewPost(author, "Post", "Some *text*.",
			fixture.At(10_000+i/2))) // equal dates
		fixture.Check(t, s.Posts.Create(t.Context(), p))
		ids = append(ids, p.ID)
	}
	slices.Reverse(ids) // newest first, except for equal dates
	fixture.Run(t, "the feed is empty at first", func(t *testing.T) {
		if got := s.front(t); len(got) != 0 {
			t.Fatalf("%d posts", len(got))
		}
	})
	fixture.Run(t, "a post that is not the next newest does not enter, even if there is room", func(t *testing.T) {
		s.project(t, ids[110:150]...)
		if got := s.front(t); len(got) != 0 {
			t.Errorf("the feed has %d posts", len(got))
		}
	})
	fixture.Run(t, "the feed shows a post", func(t *testing.T) {
		s.project(t, ids[50])
		s.wantFront(t, ids[50:51])
	})
	fixture.Run(t, "concurrent additions keep the newest", func(t *testing.T) {
		s.project(t, ids[40:240]...)
		s.project(t, ids[:60]...)
		s.wantFront(t, ids)
	})
	fixture.Run(t, "an older post does not enter", func(t *testing.T) {
		s.project(t, ids[230:233]...)
		s.wantFront(t, ids)
	})
	fixture.Run(t, "a copy accepts newer versions only", func(t *testing.T) {
		old := s.Markdown.Summarize(fixture.Must[domain.Post](t)(s.Posts.Get(t.Context(), ids[3])))
		fixture.Must[domain.Post](t)(s.Posts.Like(t.Context(), domain.NewLike(author, ids[3], fixture.Epoch)))
		s.project(t, ids[3])
		fixture.Check(t, s.Feed.Apply(t.Context(), []domain.Summary{old}))
		s.wantFront(t, ids)
	})
	fixture.Run(t, "racing writers leave exactly the newest", func(t *testing.T) {
		var group sync.WaitGroup
		for range 8 {
			p := fixture.Must[domain.Post](t)(domain.NewPost(author, "Late", "Some *text*.",
				fixture.At(20_000+len(ids))))
			fixture.Check(t, s.Posts.Create(t.Context(), p))
			ids = append(ids, p.ID)
			group.Go(func() {
				if err := s.Feed.Apply(t.Context(), []domain.Summary{s.Markdown.Summarize(p)}); err != nil {
					t.Error(err)
				}
			})
		}
		group.Wait()
		s.wantFront(t, ids)
	})
	fixture.Run(t, "the feed is paged", func(t *testing.T) {
		last := fixture.Must[domain.ListPage[domain.Summary]](t)(s.Feed.FrontPage(t.Context(),
			domain.FeedLimit/domain.PostsPerPage))
		if len(last.Items) != domain.PostsPerPage || last.More {
			t.Errorf("the last page has %d posts, more %t", len(last.Items), last.More)
		}
		beyond := fixture.Must[domain.ListPage[domain.Summary]](t)(s.Feed.FrontPage(t.Context(), 6))
		if len(beyond.Items) != 0 || beyond.More {
			t.Errorf("beyond the end there are %d posts", len(beyond.Items))
		}
	})
	for _, id := range ids {
		versions[id] = fixture.Must[domain.Post](t)(s.Posts.Latest(t.Context(), id)).Version
	}
	newest := func() []string {
		var list []string
		for _, sum := range s.front(t) {
			list = append(list, sum.PostID)
		}
		return list
	}
	drop := func(t *testing.T, dropped ...string) {
		t.Helper()
		for _, id := range dropped {
			fixture.Check(t, s.Posts.Delete(t.Context(), id, author.ID))
		}
		s.projectChanged(t, versions)
	}
	fixture.Run(t, "the next newest post replaces a deleted one", func(t *testing.T) {
		drop(t, newest()[7])
		s.wantFront(t, ids)
	})
	fixture.Run(t, "deleting the newest, the oldest and many at once keeps the feed complete", func(t *testing.T) {
		now := newest()
		drop(t, now[0], now[99])
		s.wantFront(t, ids)
		drop(t, newest()[20:80]...)
		s.wantFront(t, ids)
	})
	fixture.Run(t, "a late worker does not restore a deleted post", func(t *testing.T) {
		victim := newest()[5]
		old := s.Markdown.Summarize(fixture.Must[domain.Post](t)(s.Posts.Get(t.Context(), victim)))
		never := fixture.Must[domain.Post](t)(domain.NewPost(author, "Never shown", "Text", fixture.At(30_000)))
		fixture.Check(t, s.Posts.Create(t.Context(), never))
		versions[never.ID] = never.Version
		drop(t, victim, never.ID)
		fixture.Check(t, s.Feed.Apply(t.Context(), []domain.Summary{old, s.Markdown.Summarize(never)}))
		s.wantFront(t, ids)
	})
	setStatus := func(t *testing.T, status domain.Status, changed ...string) {
		t.Helper()
		for _, id := range changed {
			fixture.Must[domain.Post](t)(s.Posts.SetStatus(t.Context(), id, author.ID, status))
		}
		s.projectChanged(t, versions)
	}
	fixture.Run(t, "an unlisted post is replaced and can come back", func(t *testing.T) {
		now := newest()
		victims := []string{now[0], now[50], now[99]}
		for _, status := range []domain.Status{domain.Unlisted, domain.Published, domain.Unpublished, domain.Unlisted,
			domain.Published} {
			setStatus(t, status, victims...)
			s.wantFront(t, ids)
		}
	})
	fixture.Run(t, "a late worker does not restore an unlisted post", func(t *testing.T) {
		victim := newest()[5]
		old := s.Markdown.Summarize(fixture.Must[domain.Post](t)(s.Posts.Get(t.Context(), victim)))
		setStatus(t, domain.Unlisted, victim)
		fixture.Check(t, s.Feed.Apply(t.Context(), []domain.Summary{old}))
		s.wantFront(t, ids)
		unlisted := s.Markdown.Summarize(fixture.Must[domain.Post](t)(s.Posts.Get(t.Context(), victim)))
		setStatus(t, domain.Published, victim)
		fixture.Check(t, s.Feed.Apply(t.Context(), []domain.Summary{old, unlisted}))
		s.wantFront(t, ids)
	})
	fixture.Run(t, "a post that was never listed does not enter", func(t *testing.T) {
		p := fixture.Must[domain.Post](t)(domain.NewPost(author, "Never listed", "Text", fixture.At(35_000)))
		p.Status = domain.Unlisted
		fixture.Check(t, s.Posts.Create(t.Context(), p))
		ids, versions[p.ID] = append(ids, p.ID), p.Version
		s.project(t, p.ID)
		s.wantFront(t, ids)
	})
	fixture.Run(t, "a feed whose posts were all deleted is empty and fills again", func(t *testing.T) {
		drop(t, ids...)
		s.wantFront(t, ids)
		p := fixture.Must[domain.Post](t)(domain.NewPost(author, "New", "Text", fixture.At(40_000)))
		fixture.Check(t, s.Posts.Create(t.Context(), p))
		s.project(t, p.ID)
		if got := newest(); !slices.Contains(got, p.ID) {
			t.Errorf("the feed is %v", got)
		}
	})
}
