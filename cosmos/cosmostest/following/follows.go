package following

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/Azure/azure-sdk-for-go/sdk/data/azcosmos"

	"inkfeed/cosmos/cosmostest/fixture"
	"inkfeed/cosmos/schema"
	"inkfeed/domain"
)

// wantFollow checks whether a user follows a source, and both counts.
func (s *suite) wantFollow(t *testing.T, user domain.User, source domain.Source, follows bool,
	following, followers int) {
	t.Helper()
	if got := fixture.Must[bool](t)(s.Follows.Has(t.Context(), user.ID, source)); got != follows {
		t.Errorf("follows: %t", got)
	}
	if got := fixture.Must[domain.User](t)(s.Users.ByID(t.Context(), user.ID)).Following; got != following {
		t.Errorf("the user follows %d, want %d", got, following)
	}
	got := fixture.Must[domain.Followers](t)(s.Follows.Followers(t.Context(), source))
	if got.Count != followers {
		t.Errorf("%d followers, want %d", got.Count, followers)
	}
}

func (s *suite) follow(t *testing.T, user domain.User, source domain.Source, minute int) domain.Follow {
	t.Helper()
	return fixture.Must[domain.Follow](t)(s.Follows.Follow(t.Context(), user.ID, source, fixture.At(minute)))
}

func (s *suite) follows(t *testing.T) {
	ctx := t.Context()
	for name, source := range map[string]domain.Source{
		"an author": domain.AuthorSource(s.MustUser(t).ID),
		"a tag":     domain.TagSource(domain.TagKey("c# and " + domain.NewID())),
	} {
		t.Run(name, func(t *testing.T) {
			ada, bob := s.MustUser(t), s.MustUser(t)
			first := s.follow(t, ada, source, 1)
			if again := s.follow(t, ada, source, 2); again != first {
				t.Errorf("the second time it is %+v", again)
			}
			s.follow(t, bob, source, 3)
			s.wantFollow(t, ada, source, true, 1, 2)
			for range 2 {
				fixture.Check(t, s.Follows.Unfollow(ctx, ada.ID, source))
				s.wantFollow(t, ada, source, false, 0, 1)
			}
			again := s.follow(t, ada, source, 4)
			if again.Version <= first.Version || !again.Created.Equal(fixture.At(4)) {
				t.Errorf("the follow that began again is %+v", again)
			}
			s.wantFollow(t, ada, source, true, 1, 2)
		})
	}
	t.Run("is refused for oneself, for deleted users and above the limit", func(t *testing.T) {
		ada, source := s.MustUser(t), domain.TagSource(domain.TagKey(domain.NewID()))
		_, err := s.Follows.Follow(ctx, ada.ID, domain.AuthorSource(ada.ID), time.Now())
		fixture.WantKind(t, err, domain.Invalid)
		_, err = s.Follows.Follow(ctx, domain.NewUserID(nil), source, time.Now())
		fixture.WantKind(t, err, domain.NotFound)
		var most azcosmos.PatchOperations
		most.AppendSet("/followingCount", domain.MaxFollows)
		fixture.Check(t, s.Container(schema.UsersContainer).Patch(ctx, ada.ID, ada.ID, most))
		_, err = s.Follows.Follow(ctx, ada.ID, source, time.Now())
		fixture.WantKind(t, err, domain.Conflict)
		s.wantFollow(t, ada, source, false, domain.MaxFollows, 0)
	})
	t.Run("is counted once although many requests meet", func(t *testing.T) {
		ada, source := s.MustUser(t), domain.AuthorSource(s.MustUser(t).ID)
		var all sync.WaitGroup
		for i := range 20 {
			all.Go(func() {
				var err error
				if i%2 == 0 {
					_, err = s.Follows.Follow(ctx, ada.ID, source, time.Now())
				} else {
					err = s.Follows.Unfollow(ctx, ada.ID, source)
				}
				if err != nil {
					t.Error(err)
				}
			})
		}
		all.Wait()
		s.follow(t, ada, source, 1)
		s.wantFollow(t, ada, source, true, 1, 1)
	})
	t.Run("choices about them are read as written", func(t *testing.T) {
		user := s.MustUser(t)
		for _, on := range []bool{true, false} {
			secret := map[bool]string{true: domain.NewID()}[on]
			fixture.Check(t, s.Profiles.SetPrefersFollowing(t.Context(), user.ID, on))
			fixture.Check(t, s.Profiles.SetHidesFollows(t.Context(), user.ID, on))
			fixture.Check(t, s.Profiles.SetFeedSecret(t.Context(), user.ID, secret))
			got := fixture.Must[domain.User](t)(s.Users.ByID(t.Context(), user.ID))
			if got.PrefersFollowing != on || got.HidesFollows != on || got.FeedSecret != secret {
				t.Errorf("the user is %+v", got)
			}
		}
	})
	t.Run("costs a point read to look up", func(t *testing.T) {
		ada, source := s.MustUser(t), domain.AuthorSource(s.MustUser(t).ID)
		s.follow(t, ada, source, 1)
		cost := s.Cost(t, func(ctx context.Context) error {
			_, err := s.Follows.Has(ctx, ada.ID, source)
			return err
		})
		if cost.Requests() != 1 || cost.Charge() > 1.1 {
			t.Errorf("%d requests, %.2f RU", cost.Requests(), cost.Charge())
		}
	})
}

func (s *suite) lists(t *testing.T) {
	ctx := t.Context()
	t.Run("show the latest first, with present names", func(t *testing.T) {
		ada, bob, eve := s.MustUser(t), s.MustUser(t), s.MustUser(t)
		tag := domain.TagSource(domain.TagKey(domain.NewID()))
		s.follow(t, ada, domain.AuthorSource(bob.ID), 1)
		s.follow(t, ada, tag, 2)
		s.follow(t, ada, domain.AuthorSource(eve.ID), 3)
		fixture.Check(t, s.Follows.Unfollow(ctx, ada.ID, domain.AuthorSource(eve.ID)))
		list := fixture.All(t, func(page int) (domain.ListPage[domain.Follow], error) {
			return s.Follows.List(ctx, ada.ID, page)
		})
		if len(list) != 2 || list[0].Source != tag || list[1].Person.Username != bob.Username {
			t.Errorf("%+v", list)
		}
		var visited []domain.Source
		fixture.Check(t, s.Follows.Each(ctx, ada.ID, func(f domain.Follow) error {
			visited = append(visited, f.Source)
			return nil
		}))
		if len(visited) != 2 || !slices.Contains(visited, tag) {
			t.Errorf("visited %v", visited)
		}
	})
	t.Run("have a page for each place, also if several began at the same time", func(t *testing.T) {
		source, want := domain.AuthorSource(s.MustUser(t).ID), map[string]bool{}
		for i := range domain.FollowsPerPage + 5 {
			user := s.MustUser(t)
			want[user.Username] = true
			s.follow(t, user, source, i/10)
		}
		var from domain.Place
		for pages := 1; ; pages++ {
			list, next, err := s.Follows.ListFollowers(ctx, source, from)
			fixture.Check(t, err)
			for _, f := range list {
				if !want[f.Person.Username] {
					t.Errorf("%s is unknown, or listed twice", f.Person.Username)
				}
				delete(want, f.Person.Username)
			}
			if from = next; next == "" {
				if pages != 2 {
					t.Errorf("%d pages", pages)
				}
				break
			}
		}
		if len(want) > 0 {
			t.Errorf("%d are missing", len(want))
		}
		ids, last, err := s.Follows.FollowersAfter(ctx, source, "", 20)
		fixture.Check(t, err)
		rest, end, err := s.Follows.FollowersAfter(ctx, source, last, 100)
		fixture.Check(t, err)
		none, _, err := s.Follows.FollowersAfter(ctx, source, end, 100)
		if fixture.Check(t, err); len(ids) != 20 || len(ids)+len(rest) != domain.FollowsPerPage+5 || len(none) != 0 {
			t.Errorf("%d, %d and %d followers", len(ids), len(rest), len(none))
		}
	})
	t.Run("list former followers by their places, and since a time", func(t *testing.T) {
		source := domain.AuthorSource(s.MustUser(t).ID)
		var users []domain.User
		for i := range 4 {
			users = append(users, s.MustUser(t))
			s.follow(t, users[i], source, i)
		}
		for _, u := range users[1:3] {
			fixture.Check(t, s.Follows.Unfollow(ctx, u.ID, source))
		}
		middle := domain.PlaceOf(fixture.At(1), users[1].ID)
		hourAgo := time.Now().Add(-time.Hour)
		for _, c := range []struct {
			after, to domain.Place
			since     time.Time
			want      []domain.User
		}{
			{"", "", hourAgo, users[1:3]}, {"", middle, hourAgo, users[1:2]}, {middle, "", hourAgo, users[2:3]},
			{"", "", time.Now().Add(time.Hour), nil},
		} {
			got, err := s.Follows.FormerBetween(ctx, source, c.after, c.to, c.since)
			var want []string
			for _, u := range c.want {
				want = append(want, u.ID)
			}
			slices.Sort(got)
			slices.Sort(want)
			if fixture.Check(t, err); !slices.Equal(got, want) {
				t.Errorf("after %q to %q since %s: %v, want %v", c.after, c.to, c.since, got, want)
			}
		}
	})
	t.Run("leave out the names of deleted and suspended people", func(t *testing.T) {
		ada, bob := s.MustUser(t), s.MustUser(t)
		s.follow(t, bob, domain.AuthorSource(ada.ID), 1)
		fixture.Check(t, s.AccountDeletions.Delete(ctx, bob.ID))
		list, _, err := s.Follows.ListFollowers(ctx, domain.AuthorSource(ada.ID), "")
		if fixture.Check(t, err); len(list) != 1 || list[0].Person != (domain.User{}) {
			t.Errorf("%+v", list)
		}
	})
}

// erased checks what the deletion of an account does to follows.
func (s *suite) erased(t *testing.T) {
	ctx := t.Context()
	ada, bob := s.MustUser(t), s.MustUser(t)
	var readers []domain.User
	for i := range 5 {
		reader := s.MustUser(t)
		readers = append(readers, reader)
		s.complete(t, s.follow(t, reader, domain.AuthorSource(ada.ID), i))
	}
	s.complete(t, s.follow(t, ada, domain.AuthorSource(bob.ID), 1))
	s.add(t, bob, 1, ada)
	fixture.Check(t, s.AccountDeletions.Delete(ctx, ada.ID))
	for steps := 1; ; steps++ {
		done, err := s.Follows.EraseFollows(ctx, ada.ID, 4)
		if fixture.Check(t, err); !done.More {
			if steps != 2 {
				t.Errorf("%d steps", steps)
			}
			break
		}
	}
	for _, reader := range readers {
		s.wantFollow(t, reader, domain.AuthorSource(ada.ID), false, 0, 0)
	}
	if got := fixture.Must[domain.Followers](t)(s.Follows.Followers(ctx, domain.AuthorSource(bob.ID))); got.Count != 0 {
		t.Errorf("%d followers", got.Count)
	}
	if got := fixture.Must[domain.Timeline](t)(s.Follows.Timeline(ctx, ada.ID, "", 10)); len(got.Entries) > 0 {
		t.Errorf("the timeline has %+v", got)
	}
}

func (s *suite) news(t *testing.T) {
	ctx, ada := t.Context(), s.MustUser(t)
	draft := s.MustDraft(t, ada, "New")
	post := fixture.Must[domain.Post](t)(s.Drafts.Publish(ctx, ada, draft, time.Now()))
	if !post.News {
		t.Error("a published draft is no news")
	}
	for range 2 {
		fixture.Check(t, s.Posts.MarkTold(ctx, post.ID, time.Now()))
		told := fixture.Must[domain.Post](t)(s.Posts.Get(ctx, post.ID))
		if told.News || told.Version != post.Version {
			t.Errorf("news %t, version %d after %d", told.News, told.Version, post.Version)
		}
	}
	d := domain.DraftOf(post, time.Now())
	d.Title = "Edited"
	if edited := fixture.Must[domain.Post](t)(s.Drafts.Publish(ctx, ada, d, time.Now())); edited.News {
		t.Error("an edit is news")
	}
	fixture.Must[domain.Draft](t)(s.Drafts.Unpublish(ctx, ada.ID, post.ID))
	again := fixture.Must[domain.Draft](t)(s.Drafts.Get(ctx, ada.ID, post.ID))
	if post := fixture.Must[domain.Post](t)(s.Drafts.Publish(ctx, ada, again, time.Now())); post.News {
		t.Error("a post that is published again is news")
	}
	if imported := s.MustPost(t, ada, 1); imported.News {
		t.Error("a post that is stored without a draft is news")
	}
	fixture.Check(t, s.Posts.MarkTold(ctx, fmt.Sprint("no-", domain.NewID()), time.Now()))
}
