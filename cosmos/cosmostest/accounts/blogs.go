package accounts

import (
	"slices"
	"sync"
	"testing"

	"inkfeed/cosmos/cosmostest/fixture"
	"inkfeed/domain"
)

// blogs tests what a user's page shows besides the profile: its header and the pinned posts.
func (s *suite) blogs(t *testing.T) {
	user, other := s.MustUser(t), s.MustUser(t)
	read := func(t *testing.T) domain.User {
		t.Helper()
		return fixture.Must[domain.User](t)(s.Users.ByID(t.Context(), user.ID))
	}
	fixture.Run(t, "a header is one of the user's pictures", func(t *testing.T) {
		header := domain.Cover{Image: s.MustImage(t, user, 1).Name, Alt: "A wheel"}
		fixture.Check(t, s.Profiles.SetHeader(t.Context(), user.ID, header))
		incomplete := fixture.AnImage(user, 2)
		fixture.Must[domain.Image](t)(s.Images.Begin(t.Context(), incomplete))
		for _, name := range []domain.ImageName{fixture.AnImage(user, 1).Name, s.MustImage(t, other, 1).Name,
			incomplete.Name} {
			fixture.WantKind(t, s.Profiles.SetHeader(t.Context(), user.ID, domain.Cover{Image: name}), domain.Invalid)
		}
		if got := read(t).Header; got != header {
			t.Errorf("the header is %+v", got)
		}
		fixture.Check(t, s.Profiles.SetHeader(t.Context(), user.ID, domain.Cover{}))
		if got := read(t).Header; got != (domain.Cover{}) {
			t.Errorf("the removed header is %+v", got)
		}
	})
	fixture.Run(t, "deleting the picture removes the header, and no other", func(t *testing.T) {
		shown, idle := s.MustImage(t, user, 1).Name, s.MustImage(t, user, 2).Name
		fixture.Check(t, s.Profiles.SetHeader(t.Context(), user.ID, domain.Cover{Image: shown}))
		fixture.Check(t, s.Images.Delete(t.Context(), user.ID, idle))
		if got := read(t).Header.Image; got != shown {
			t.Errorf("the header is %s", got)
		}
		fixture.Check(t, s.Images.Delete(t.Context(), user.ID, shown))
		if got := read(t).Header; got.Exists() {
			t.Errorf("the header is %+v", got)
		}
	})
	fixture.Run(t, "a header that is chosen while its picture is deleted exists or is refused", func(t *testing.T) {
		for range 10 {
			name := s.MustImage(t, user, 1).Name
			var group sync.WaitGroup
			group.Go(func() {
				err := s.Profiles.SetHeader(t.Context(), user.ID, domain.Cover{Image: name})
				if err != nil && !domain.Is(err, domain.Invalid) {
					t.Error(err)
				}
			})
			group.Go(func() { fixture.Check(t, s.Images.Delete(t.Context(), user.ID, name)) })
			group.Wait()
			if got := read(t).Header; got.Exists() {
				t.Fatalf("the header %s is deleted", got.Image)
			}
		}
	})
	pins := []string{domain.NewID(), domain.NewID(), domain.NewID()}
	fixture.Run(t, "pinned posts are at most three, the last one first", func(t *testing.T) {
		for _, id := range append(pins, pins[0]) {
			fixture.Check(t, s.Profiles.Pin(t.Context(), user.ID, id, nil))
		}
		fixture.WantKind(t, s.Profiles.Pin(t.Context(), user.ID, domain.NewID(), nil), domain.Conflict)
		if got := read(t).Pinned(); !slices.Equal(got, []string{pins[2], pins[1], pins[0]}) {
			t.Errorf("pinned are %q", got)
		}
	})
	fixture.Run(t, "a pinned post takes the place of those that are gone", func(t *testing.T) {
		id := domain.NewID()
		fixture.Check(t, s.Profiles.Pin(t.Context(), user.ID, id, pins[1:]))
		fixture.Check(t, s.Profiles.Unpin(t.Context(), user.ID, pins[0]))
		fixture.Check(t, s.Profiles.Unpin(t.Context(), user.ID, pins[0]))
		if got := read(t).Pinned(); !slices.Equal(got, []string{id}) {
			t.Errorf("pinned are %q", got)
		}
	})
	fixture.Run(t, "a deleted account has neither", func(t *testing.T) {
		fixture.Check(t, s.AccountDeletions.Delete(t.Context(), user.ID))
		fixture.WantKind(t, s.Profiles.Pin(t.Context(), user.ID, domain.NewID(), nil), domain.NotFound)
		fixture.WantKind(t, s.Profiles.SetHeader(t.Context(), user.ID, domain.Cover{}), domain.NotFound)
	})
}
