package lists

import (
	"context"
	"maps"
	"slices"
	"testing"
	"time"

	"inkfeed/cosmos/cosmostest/fixture"
	"inkfeed/domain"
)

func (s *suite) hidden(t *testing.T) {
	user, other := s.MustUser(t), s.MustUser(t)
	list := func(t *testing.T) []domain.Summary {
		return fixture.All(t, func(page int) (domain.ListPage[domain.Summary], error) {
			return s.UserCopies.UnlistedOf(t.Context(), user.ID, page)
		})
	}
	with := func(u domain.User, minutes int, status domain.Status) domain.Summary {
		sum := fixture.Summary(u, minutes, 1)
		sum.Status = status
		fixture.Check(t, s.UserCopies.ApplySummary(t.Context(), sum))
		return sum
	}
	var unlisted []domain.Summary
	for i := range domain.PostsPerPage + 2 {
		unlisted = append(unlisted, with(user, i%4, domain.Unlisted))
	}
	slices.SortFunc(unlisted, domain.NewestFirst)
	public, back := with(user, 1, domain.Published), with(user, 2, domain.Unpublished)
	with(other, 1, domain.Unlisted)
	fixture.Run(t, "unlisted posts are paged, newest first, and only those", func(t *testing.T) {
		if got := list(t); !slices.Equal(got, unlisted) {
			t.Errorf("got  %v\nwant %v", got, unlisted)
		}
	})
	fixture.Run(t, "hidden posts are paged, newest first, and only those", func(t *testing.T) {
		reader := s.MustUser(t)
		var hidden []domain.Summary
		for i := range domain.PostsPerPage + 2 {
			hidden = append(hidden, with(reader, i%4, domain.Hidden))
		}
		slices.SortFunc(hidden, domain.NewestFirst)
		with(reader, 1, domain.Unlisted)
		with(reader, 1, domain.Published)
		got := fixture.All(t, func(page int) (domain.ListPage[domain.Summary], error) {
			return s.UserCopies.HiddenOf(t.Context(), reader.ID, page)
		})
		if !slices.Equal(got, hidden) {
			t.Errorf("got  %v\nwant %v", got, hidden)
		}
		posts, drafts, err := s.Users.CountPosts(t.Context(), reader.ID)
		if want := len(hidden) + 2; err != nil || posts != want || drafts != 0 {
			t.Errorf("%d posts and %d drafts are counted, error %v; want %d posts", posts, drafts, err, want)
		}
	})
	fixture.Run(t, "posts in the trash are paged, the latest first, and leave it again", func(t *testing.T) {
		writer := s.MustUser(t)
		var trash []domain.Summary
		for i := range domain.PostsPerPage + 2 {
			sum := with(writer, i%4, domain.Published)
			sum.Status, sum.Trashed, sum.Version = domain.Trashed, fixture.At(100-i), 2
			fixture.Check(t, s.UserCopies.ApplySummary(t.Context(), sum))
			trash = append(trash, sum)
		}
		read := func(page int) (domain.ListPage[domain.Summary], error) {
			return s.UserCopies.Trash(t.Context(), writer.ID, page)
		}
		if got := fixture.All(t, read); !slices.Equal(got, trash) {
			t.Errorf("got  %v\nwant %v", got, trash)
		}
		last := &trash[len(trash)-1] // restored, and moved there again, before a worker came
		last.Trashed, last.Version = fixture.At(200), 4
		fixture.Check(t, s.UserCopies.ApplySummary(t.Context(), *last))
		back := trash[0]
		back.Status, back.Trashed, back.Version = domain.Published, time.Time{}, 3
		fixture.Check(t, s.UserCopies.ApplySummary(t.Context(), back))
		want := slices.Insert(trash[1:len(trash)-1:len(trash)-1], 0, *last)
		if got := fixture.All(t, read); !slices.Equal(got, want) {
			t.Errorf("got  %v\nwant %v", got, want)
		}
		if got := fixture.Must[domain.ListPage[domain.Summary]](t)(s.UserCopies.PostsOf(t.Context(), writer.ID,
			1)); !slices.Equal(got.Items, []domain.Summary{back}) {
			t.Errorf("listed are %v", got.Items)
		}
	})
	fixture.Run(t, "statuses are returned for the user's own posts", func(t *testing.T) {
		deleted := with(user, 3, domain.Published)
		deleted.Version, deleted.Deleted = 2, fixture.At(9)
		fixture.Check(t, s.UserCopies.ApplySummary(t.Context(), deleted))
		foreign := with(other, 5, domain.Published)
		want := map[string]domain.Status{unlisted[0].PostID: domain.Unlisted, public.PostID: domain.Published,
			back.PostID: domain.Unpublished}
		got, err := s.UserCopies.Statuses(t.Context(), user.ID,
			[]string{unlisted[0].PostID, public.PostID, back.PostID, deleted.PostID, foreign.PostID, domain.NewID()})
		if fixture.Check(t, err); !maps.Equal(got, want) {
			t.Errorf("got %v, want %v", got, want)
		}
	})
	fixture.Run(t, "an empty list of posts has no statuses", func(t *testing.T) {
		if got, err := s.UserCopies.Statuses(t.Context(), user.ID, nil); err != nil || len(got) != 0 {
			t.Errorf("got %v, %v", got, err)
		}
	})
	fixture.Run(t, "each list is one request", func(t *testing.T) {
		posts := []string{public.PostID, back.PostID}
		for name, run := range map[string]func(ctx context.Context) error{
			"unlisted": func(ctx context.Context) error {
				_, err := s.UserCopies.UnlistedOf(ctx, user.ID, 1)
				return err
			},
			"hidden": func(ctx context.Context) error {
				_, err := s.UserCopies.HiddenOf(ctx, user.ID, 1)
				return err
			},
			"trash": func(ctx context.Context) error {
				_, err := s.UserCopies.Trash(ctx, user.ID, 1)
				return err
			},
			"statuses": func(ctx context.Context) error {
				_, err := s.UserCopies.Statuses(ctx, user.ID, posts)
				return err
			},
		} {
			if usage := s.Cost(t, run); usage.Requests() != 1 || usage.Charge() > 17 {
				t.Errorf("%s takes %d requests and %.2f RU", name, usage.Requests(), usage.Charge())
			}
		}
	})
}
