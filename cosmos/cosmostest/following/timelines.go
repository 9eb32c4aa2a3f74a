package following

import (
	"context"
	"slices"
	"sync"
	"testing"
	"time"

	"inkfeed/cosmos/cosmostest/fixture"
	"inkfeed/domain"
)

// complete completes a follow.
func (s *suite) complete(t *testing.T, f domain.Follow) {
	t.Helper()
	for range 2 { // repeating it changes nothing
		fixture.Check(t, s.Follows.Complete(t.Context(), f))
	}
}

// recent returns a time in the life of a timeline, so many minutes after its beginning.
func recent(minute int) time.Time {
	return domain.Timestamp(time.Now()).Truncate(time.Hour).Add(-24*time.Hour + time.Duration(minute)*time.Minute)
}

// add adds a post by an author, which need not exist, to the timelines of readers.
func (s *suite) add(t *testing.T, author domain.User, minute int, readers ...domain.User) domain.TimelineEntry {
	t.Helper()
	var ids []string
	for _, r := range readers {
		ids = append(ids, r.ID)
	}
	e := domain.TimelineEntry{Source: domain.AuthorSource(author.ID), PostID: domain.NewID(), AuthorID: author.ID,
		Created: recent(minute)}
	for range 2 {
		fixture.Check(t, s.Follows.AddEntry(t.Context(), ids, e))
	}
	return e
}

// copied makes the copy of a post by an author, or of one with a tag.
func (s *suite) copied(t *testing.T, author domain.User, tag string, minute int) domain.Summary {
	t.Helper()
	p := fixture.Summary(author, minute, 1)
	p.Created, p.Tags = recent(minute), domain.Tags(tag)
	fixture.Check(t, s.UserCopies.ApplySummary(t.Context(), p))
	if tag != "" {
		fixture.Check(t, s.Tags.ApplySummary(t.Context(), tag, p))
	}
	return p
}

func (s *suite) wantTimeline(t *testing.T, user domain.User, want ...string) {
	t.Helper()
	var got []string
	timeline := fixture.Must[domain.Timeline](t)(s.Follows.Timeline(t.Context(), user.ID, "", 100))
	for _, e := range timeline.Entries {
		got = append(got, e.PostID)
	}
	if !slices.Equal(got, want) {
		t.Errorf("the timeline has %q, want %q", got, want)
	}
}

func (s *suite) completed(t *testing.T) {
	ctx := t.Context()
	author, tag := s.MustUser(t), domain.TagKey(domain.NewID())
	old := fixture.Summary(author, 0, 1)
	old.Created = time.Now().Add(-domain.TimelineTime - time.Hour)
	fixture.Check(t, s.UserCopies.ApplySummary(ctx, old))
	first, second := s.copied(t, author, "", 1), s.copied(t, author, tag, 2)
	t.Run("of an author and of a tag, each on its own", func(t *testing.T) {
		ada := s.MustUser(t)
		f := s.follow(t, ada, domain.AuthorSource(author.ID), 1)
		s.complete(t, f)
		s.wantTimeline(t, ada, second.PostID, first.PostID)
		byTag := s.follow(t, ada, domain.TagSource(tag), 2)
		s.complete(t, byTag)
		s.wantTimeline(t, ada, second.PostID, second.PostID, first.PostID)
		fixture.Check(t, s.Follows.Unfollow(ctx, ada.ID, f.Source))
		s.complete(t, f) // the change feed delivers what the follow was, but it has ended
		s.wantTimeline(t, ada, second.PostID)
		fixture.Check(t, s.Follows.Unfollow(ctx, ada.ID, byTag.Source))
		s.complete(t, byTag)
		s.wantTimeline(t, ada)
	})
	t.Run("and again if it begins again", func(t *testing.T) {
		ada := s.MustUser(t)
		f := s.follow(t, ada, domain.AuthorSource(author.ID), 1)
		fixture.Check(t, s.Follows.Unfollow(ctx, ada.ID, f.Source))
		s.complete(t, f)
		s.wantTimeline(t, ada)
		s.complete(t, s.follow(t, ada, f.Source, 2))
		s.wantTimeline(t, ada, second.PostID, first.PostID)
		s.wantFollow(t, ada, f.Source, true, 1, 1)
	})
}

func (s *suite) timelines(t *testing.T) {
	ctx := t.Context()
	t.Run("are read from any place, the newest posts first", func(t *testing.T) {
		ada, author := s.MustUser(t), s.MustUser(t)
		var want []string
		for minute := range 30 {
			want = append(want, s.add(t, author, minute/3, ada).PostID) // three have the same time
		}
		var got []domain.TimelineEntry
		for place := domain.Place(""); ; {
			part := fixture.Must[domain.Timeline](t)(s.Follows.Timeline(ctx, ada.ID, place, 7))
			if len(part.Entries) == 0 {
				break
			}
			got = append(got, part.Entries...)
			place = part.Entries[len(part.Entries)-1].Place()
		}
		if len(got) != len(want) || !slices.IsSortedFunc(got, func(a, b domain.TimelineEntry) int {
			return -compare(a.Place(), b.Place())
		}) {
			t.Errorf("%d entries of %d: %+v", len(got), len(want), got)
		}
	})
	t.Run("lose an entry whose reader has left", func(t *testing.T) {
		ada, bob, author := s.MustUser(t), s.MustUser(t), s.MustUser(t)
		e := s.add(t, author, 1, ada, bob)
		for range 2 {
			fixture.Check(t, s.Follows.RemoveEntry(ctx, []string{ada.ID}, e))
		}
		s.wantTimeline(t, ada)
		s.wantTimeline(t, bob, e.PostID)
	})
	t.Run("keep about the newest entries only", func(t *testing.T) {
		const step, most = 64, 2 * domain.MaxTimeline
		ada, author := s.MustUser(t), s.MustUser(t)
		first := s.add(t, author, 0, ada)
		var last domain.TimelineEntry
		for added := step; ; added += step {
			var adding sync.WaitGroup
			for range step {
				adding.Go(func() {
					fixture.Check(t, s.Follows.AddEntry(ctx, []string{ada.ID}, domain.TimelineEntry{
						Source: first.Source, PostID: domain.NewID(), AuthorID: author.ID, Created: recent(1)}))
				})
			}
			adding.Wait()
			last = s.add(t, author, 2, ada)
			if added < domain.MaxTimeline {
				continue
			}
			all := fixture.Must[domain.Timeline](t)(s.Follows.Timeline(ctx, ada.ID, "", most)).Entries
			trimmed := !slices.ContainsFunc(all, func(e domain.TimelineEntry) bool {
				return e.PostID == first.PostID
			})
			if len(all) < domain.MaxTimeline || len(all) >= most || all[0].Created != last.Created {
				t.Fatalf("%d entries, the first from %s", len(all), all[0].Created)
			}
			if trimmed {
				return
			}
		}
	})
	t.Run("cost one query of at most 8 RU for a page, whatever their length", func(t *testing.T) {
		ada := s.MustUser(t)
		for range 10 {
			author := s.MustUser(t)
			for minute := range 10 {
				s.add(t, author, minute, ada)
			}
		}
		cost := s.Cost(t, func(ctx context.Context) error {
			_, err := s.Follows.Timeline(ctx, ada.ID, "", domain.TimelinePerPage+1)
			return err
		})
		if cost.Requests() != 1 || cost.Charge() > 8 {
			t.Errorf("%d requests, %.2f RU", cost.Requests(), cost.Charge())
		}
		t.Logf("a page: %.2f RU", cost.Charge())
		entry := domain.TimelineEntry{Source: domain.AuthorSource(ada.ID), PostID: domain.NewID(), AuthorID: ada.ID,
			Created: recent(1)}
		cost = s.Cost(t, func(ctx context.Context) error {
			return s.Follows.AddEntry(ctx, []string{domain.NewUserID(nil)}, entry)
		})
		t.Logf("an entry: %.2f RU", cost.Charge())
	})
}

func compare(a, b domain.Place) int {
	switch {
	case a < b:
		return -1
	case a > b:
		return 1
	}
	return 0
}

func (s *suite) merged(t *testing.T) {
	ctx := t.Context()
	author, other := s.MustUser(t), s.MustUser(t)
	source := domain.AuthorSource(author.ID)
	ada, bob := s.MustUser(t), s.MustUser(t)
	s.complete(t, s.follow(t, ada, source, 1))
	fixture.Check(t, s.Follows.Merge(ctx, source))
	for range 2 {
		fixture.Check(t, s.Follows.AddEntry(ctx, []string{ada.ID}, domain.TimelineEntry{Source: source}))
	}
	later := s.follow(t, bob, source, 2) // a new follower
	s.complete(t, later)
	for _, reader := range []domain.User{ada, bob} {
		s.add(t, other, 2, reader)
		first := fixture.Must[domain.Timeline](t)(s.Follows.Timeline(ctx, reader.ID, "", 10))
		if !slices.Equal(first.Merged, []domain.Source{source}) || len(first.Entries) != 1 {
			t.Errorf("the timeline begins with %+v", first)
		}
		next := fixture.Must[domain.Timeline](t)(s.Follows.Timeline(ctx, reader.ID, first.Entries[0].Place(), 10))
		if len(next.Merged) > 0 {
			t.Errorf("a later page has %+v", next)
		}
		all := fixture.Must[[]domain.Source](t)(s.Follows.Merged(ctx, reader.ID))
		if !slices.Equal(all, []domain.Source{source}) {
			t.Errorf("merged are %v", all)
		}
	}
	fixture.Check(t, s.Follows.Unfollow(ctx, bob.ID, source))
	s.complete(t, later)
	if all := fixture.Must[[]domain.Source](t)(s.Follows.Merged(ctx, bob.ID)); len(all) > 0 {
		t.Errorf("merged are %v after the end of the follow", all)
	}
}
