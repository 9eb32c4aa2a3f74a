package accounts

import (
	"strings"
	"sync"
	"testing"
	"time"

	"inkfeed/cosmos/cosmostest/fixture"
	"inkfeed/domain"
	"inkfeed/domain/siteinfo"
)

func (s *suite) users(t *testing.T) {
	fixture.Run(t, "a user is found by id, and by name in any case", func(t *testing.T) {
		user := s.MustUser(t)
		if got := fixture.Must[domain.User](t)(s.Users.ByID(t.Context(), user.ID)); got != user {
			t.Errorf("got %+v, want %+v", got, user)
		}
		if got := fixture.Must[domain.User](t)(s.Users.ByName(t.Context(),
			strings.ToUpper(user.Username))); got != user {
			t.Errorf("got %+v, want %+v", got, user)
		}
		if hash := fixture.Must[string](t)(s.Credentials.PasswordHash(t.Context(),
			user.ID)); hash != "hash of "+user.Username {
			t.Errorf("hash %q", hash)
		}
	})
	fixture.Run(t, "an unknown user is not found", func(t *testing.T) {
		for _, id := range []string{domain.NewUserID(nil), "", "..", "credentials", "nobody"} {
			_, err := s.Users.ByID(t.Context(), id)
			fixture.WantKind(t, err, domain.NotFound)
		}
		for _, name := range []string{fixture.FreshName(), "", "..", "a b", "../../x", domain.NewUserID(nil)} {
			_, err := s.Users.ByName(t.Context(), name)
			fixture.WantKind(t, err, domain.NotFound)
		}
	})
	fixture.Run(t, "a taken name is rejected in any case", func(t *testing.T) {
		user := s.MustUser(t)
		other := fixture.Must[domain.User](t)(domain.NewUser(strings.ToUpper(user.Username), fixture.Epoch))
		fixture.WantKind(t, s.Accounts.Create(t.Context(), other, ""), domain.Invalid)
		_, err := s.Users.ByID(t.Context(), other.ID)
		fixture.WantKind(t, err, domain.NotFound)
	})
	fixture.Run(t, "creating the same user again changes nothing", func(t *testing.T) {
		user := s.MustUser(t)
		fixture.Check(t, s.Accounts.Create(t.Context(), user, "another hash"))
		if hash := fixture.Must[string](t)(s.Credentials.PasswordHash(t.Context(),
			user.ID)); hash != "hash of "+user.Username {
			t.Errorf("hash %q", hash)
		}
	})
	fixture.Run(t, "a rename keeps the old name as an address", func(t *testing.T) {
		user, name := s.MustUser(t), fixture.FreshName()
		renamed := fixture.Must[domain.User](t)(s.Usernames.Rename(t.Context(), user.ID, name))
		if renamed.Username != name || renamed.NameVersion != 2 || renamed.PropagatedVersion != 1 {
			t.Errorf("renamed to %+v", renamed)
		}
		for _, by := range []string{user.Username, name} {
			if got := fixture.Must[domain.User](t)(s.Users.ByName(t.Context(), by)); got != renamed {
				t.Errorf("by %s: %+v, want %+v", by, got, renamed)
			}
		}
		other := fixture.Must[domain.User](t)(domain.NewUser(user.Username, fixture.Epoch))
		fixture.WantKind(t, s.Accounts.Create(t.Context(), other, ""), domain.Invalid)
		back := fixture.Must[domain.User](t)(s.Usernames.Rename(t.Context(), user.ID, user.Username))
		if back.Username != user.Username || back.NameVersion != 3 {
			t.Errorf("renamed back to %+v", back)
		}
	})
	fixture.Run(t, "a user with many former names can only return to one of them", func(t *testing.T) {
		user := s.MustUser(t)
		present := user.Username
		for range domain.MaxFormerNames {
			present = fixture.FreshName()
			fixture.Must[domain.User](t)(s.Usernames.Rename(t.Context(), user.ID, present))
		}
		another := fixture.FreshName()
		for _, name := range []string{user.Username, present} {
			_, err := s.Usernames.Rename(t.Context(), user.ID, another)
			fixture.WantKind(t, err, domain.Invalid)
			fixture.Must[domain.User](t)(s.Usernames.Rename(t.Context(), user.ID, name))
		}
		fixture.Must[domain.User](t)(s.Usernames.Rename(t.Context(), s.MustUser(t).ID, another)) // it is not reserved
	})
	fixture.Run(t, "a rename can change only the case", func(t *testing.T) {
		user := s.MustUser(t)
		upper := strings.ToUpper(user.Username)
		if got := fixture.Must[domain.User](t)(s.Usernames.Rename(t.Context(), user.ID, upper)); got.Username != upper {
			t.Errorf("renamed to %+v", got)
		}
	})
	fixture.Run(t, "a rename to the same name writes nothing", func(t *testing.T) {
		user := s.MustUser(t)
		if got := fixture.Must[domain.User](t)(s.Usernames.Rename(t.Context(), user.ID, user.Username)); got != user {
			t.Errorf("the user is %+v", got)
		}
	})
	fixture.Run(t, "a rename to a taken or invalid name is rejected", func(t *testing.T) {
		user, other := s.MustUser(t), s.MustUser(t)
		for _, name := range []string{other.Username, "a b", ""} {
			_, err := s.Usernames.Rename(t.Context(), user.ID, name)
			fixture.WantKind(t, err, domain.Invalid)
		}
		if got := fixture.Must[domain.User](t)(s.Users.ByID(t.Context(), user.ID)); got != user {
			t.Errorf("the user is now %+v", got)
		}
	})
	fixture.Run(t, "each change of the display name is propagated", func(t *testing.T) {
		user := s.MustUser(t)
		for i, name := range []string{"Ada Lovelace", "東京 太郎", "東京 太郎", ""} {
			got := fixture.Must[domain.User](t)(s.Profiles.SetDisplayName(t.Context(), user.ID, name))
			want := user
			want.DisplayName, want.NameVersion = name, []int{2, 3, 3, 4}[i]
			if now := fixture.Must[domain.User](t)(s.Users.ByID(t.Context(), user.ID)); got != want || now != want {
				t.Errorf("setting the display name %q returned %+v, the user is %+v, want %+v", name, got, now, want)
			}
		}
		_, err := s.Profiles.SetDisplayName(t.Context(), domain.NewUserID(nil), "Nobody")
		fixture.WantKind(t, err, domain.NotFound)
	})
	fixture.Run(t, "a concurrent rename and display name both take effect", func(t *testing.T) {
		user, name := s.MustUser(t), fixture.FreshName()
		var group sync.WaitGroup
		group.Go(func() { fixture.Must[domain.User](t)(s.Profiles.SetDisplayName(t.Context(), user.ID, "Both")) })
		var renamed error
		group.Go(func() { _, renamed = s.Usernames.Rename(t.Context(), user.ID, name) })
		group.Wait()
		if renamed != nil { // a conflict asks for a retry
			fixture.WantKind(t, renamed, domain.Conflict)
			fixture.Must[domain.User](t)(s.Usernames.Rename(t.Context(), user.ID, name))
		}
		if got := fixture.Must[domain.User](t)(s.Users.ByID(t.Context(), user.ID)); got.Username != name ||
			got.DisplayName != "Both" || got.NameVersion != 3 {
			t.Errorf("user %+v", got)
		}
	})
	fixture.Run(t, "an author's current names can be read", func(t *testing.T) {
		user := s.MustUser(t)
		fixture.Must[domain.User](t)(s.Profiles.SetDisplayName(t.Context(), user.ID, "Ada"))
		got := fixture.Must[map[string]domain.Author](t)(s.Users.Authors(t.Context(), []string{user.ID}))
		if want := (domain.Author{Name: user.Username, DisplayName: "Ada"}); got[user.ID] != want {
			t.Errorf("got %+v, want %+v", got[user.ID], want)
		}
	})
	fixture.Run(t, "a sign-up interrupted by a crash is completed", func(t *testing.T) {
		user := s.MustUser(t)
		missing := fixture.Must[domain.User](t)(domain.NewUser(fixture.FreshName(), fixture.Epoch))
		for _, u := range []domain.User{user, missing, missing} {
			if own := fixture.Must[bool](t)(s.Usernames.ConfirmName(t.Context(), u)); !own {
				t.Errorf("%s does not own the name", u.Username)
			}
		}
		thief := domain.User{ID: domain.NewUserID(nil), Username: user.Username}
		if own := fixture.Must[bool](t)(s.Usernames.ConfirmName(t.Context(), thief)); own {
			t.Error("another user owns the name")
		}
	})
	fixture.Run(t, "current names can be read for many users at once", func(t *testing.T) {
		want := map[string]string{}
		ids := []string{domain.NewUserID(nil)}
		for range 3 {
			u := s.MustUser(t)
			want[u.ID] = u.Username
			ids = append(ids, u.ID)
		}
		for range 120 {
			ids = append(ids, domain.NewUserID(nil))
		}
		got := fixture.Must[map[string]domain.Author](t)(s.Users.Authors(t.Context(), ids))
		if len(got) != len(want) {
			t.Errorf("got %v, want %v", got, want)
		}
		for id, name := range want {
			if got[id] != (domain.Author{Name: name}) {
				t.Errorf("%s is %+v, want %q", id, got[id], name)
			}
		}
	})
}

func (s *suite) profiles(t *testing.T) {
	user := s.MustUser(t)
	avatar := func(created time.Time, complete bool) domain.ImageName {
		image := fixture.AnImage(user, 0)
		image.Avatar, image.Created = true, domain.Timestamp(created)
		fixture.Must[domain.Image](t)(s.Images.Begin(t.Context(), image))
		if complete {
			fixture.Check(t, s.Images.Complete(t.Context(), user.ID, image.Name))
		}
		return image.Name
	}
	fixture.Run(t, "a profile is read as written", func(t *testing.T) {
		profile := domain.Profile{Bio: "I *write*.", BlogTitle: "Notes", WritingLanguage: "de",
			Links: [domain.MaxProfileLinks]siteinfo.Link{{Label: "Code", Address: "https://code.example"}}}
		fixture.Check(t, s.Profiles.SetProfile(t.Context(), user.ID, profile))
		fixture.Check(t, s.Profiles.SetLanguage(t.Context(), user.ID, "cs"))
		fixture.Check(t, s.Profiles.SetAvatar(t.Context(), user.ID, avatar(time.Now(), true).String()))
		user = fixture.Must[domain.User](t)(s.Users.ByID(t.Context(), user.ID))
		if user.Profile != profile || user.Avatar == "" || user.Language != "cs" {
			t.Errorf("the user is %+v", user)
		}
	})
	fixture.Run(t, "a change of the avatar is propagated like one of the name", func(t *testing.T) {
		for want, name := range []string{"", avatar(time.Now(), true).String()} {
			fixture.Check(t, s.Profiles.SetAvatar(t.Context(), user.ID, name))
			got := fixture.Must[domain.User](t)(s.Users.ByID(t.Context(), user.ID))
			if got.NameVersion != user.NameVersion+want+1 || got.PropagatedVersion != user.PropagatedVersion {
				t.Errorf("version %d, propagated %d", got.NameVersion, got.PropagatedVersion)
			}
			as := fixture.Must[map[string]domain.Author](t)(s.Users.Authors(t.Context(), []string{user.ID}))
			if as[user.ID].Avatar != name {
				t.Errorf("the author is %+v, want the avatar %q", as[user.ID], name)
			}
		}
	})
	fixture.Run(t, "the same avatar again changes nothing", func(t *testing.T) {
		name := avatar(time.Now(), true).String()
		for _, name := range []string{name, ""} {
			fixture.Check(t, s.Profiles.SetAvatar(t.Context(), user.ID, name))
			want := fixture.Must[domain.User](t)(s.Users.ByID(t.Context(), user.ID))
			fixture.Check(t, s.Profiles.SetAvatar(t.Context(), user.ID, name))
			got := fixture.Must[domain.User](t)(s.Users.ByID(t.Context(), user.ID))
			if got.NameVersion != want.NameVersion || got.Avatar != name {
				t.Errorf("%q is version %d, want %d", got.Avatar, got.NameVersion, want.NameVersion)
			}
		}
	})
	fixture.Run(t, "the avatar that posts still show is kept", func(t *testing.T) {
		former, current := avatar(time.Now(), true), avatar(time.Now(), true)
		fixture.Check(t, s.Profiles.SetAvatar(t.Context(), user.ID, current.String()))
		fixture.Must[time.Duration](t)(s.Images.DeleteOldAvatars(t.Context(), user.ID, former.String()))
		for _, name := range []domain.ImageName{former, current} {
			fixture.Must[domain.Image](t)(s.Images.Get(t.Context(), user.ID, name))
		}
	})
	fixture.Run(t, "a profile can be cleared", func(t *testing.T) {
		fixture.Check(t, s.Profiles.SetProfile(t.Context(), user.ID, domain.Profile{}))
		fixture.Check(t, s.Profiles.SetAvatar(t.Context(), user.ID, ""))
		got := fixture.Must[domain.User](t)(s.Users.ByID(t.Context(), user.ID))
		if got.Profile != (domain.Profile{}) || got.Avatar != "" {
			t.Errorf("the profile is %+v", got)
		}
	})
	fixture.Run(t, "a profile keeps one avatar", func(t *testing.T) {
		now := time.Now()
		former, kept := avatar(now, true), avatar(now, true)
		broken, coming := avatar(now.Add(-2*time.Hour), false), avatar(now, false)
		plain := s.MustImage(t, user, 1).Name
		fixture.Check(t, s.Profiles.SetAvatar(t.Context(), user.ID, kept.String()))
		fixture.Must[time.Duration](t)(s.Images.DeleteOldAvatars(t.Context(), user.ID, ""))
		for name, want := range map[domain.ImageName]bool{former: false, broken: false, kept: true, coming: true,
			plain: true} {
			if _, err := s.Images.Get(t.Context(), user.ID, name); (err == nil) != want {
				t.Errorf("error %v, want there: %v", err, want)
			}
		}
		fixture.Check(t, s.Profiles.SetAvatar(t.Context(), user.ID, ""))
		fixture.Must[time.Duration](t)(s.Images.DeleteOldAvatars(t.Context(), user.ID, ""))
		if _, err := s.Images.Get(t.Context(), user.ID, kept); !domain.Is(err, domain.NotFound) {
			t.Errorf("error %v", err)
		}
	})
	fixture.Run(t, "a missing, incomplete or ordinary picture cannot be the avatar", func(t *testing.T) {
		for _, name := range []domain.ImageName{fixture.AnImage(user, 1).Name, avatar(time.Now(), false),
			s.MustImage(t, user, 1).Name} {
			fixture.WantKind(t, s.Profiles.SetAvatar(t.Context(), user.ID, name.String()), domain.Conflict)
		}
	})
	fixture.Run(t, "of two avatars chosen at once one is shown and exists", func(t *testing.T) {
		for range 10 {
			chosen := []domain.ImageName{avatar(time.Now(), true), avatar(time.Now(), true), avatar(time.Now(), true)}
			var group sync.WaitGroup
			for i := range chosen {
				group.Go(func() {
					set := s.Profiles.SetAvatar(t.Context(), user.ID, chosen[i].String())
					_, kept := s.Images.DeleteOldAvatars(t.Context(), user.ID, "")
					if set != nil && !domain.Is(set, domain.Conflict) || kept != nil {
						t.Error(set, kept)
					}
				})
			}
			group.Wait()
			shown := fixture.Must[domain.User](t)(s.Users.ByID(t.Context(), user.ID)).Avatar
			name, _ := domain.ParseImageName(shown)
			if image, err := s.Images.Get(t.Context(), user.ID, name); err != nil || image.Incomplete ||
				s.Files.Gone(name) {
				t.Fatalf("%s is shown: %+v, error %v", shown, image, err)
			}
		}
	})
	fixture.Run(t, "the profile of a deleted account cannot be changed", func(t *testing.T) {
		fixture.Check(t, s.AccountDeletions.Delete(t.Context(), user.ID))
		fixture.WantKind(t, s.Profiles.SetProfile(t.Context(), user.ID, domain.Profile{Bio: "Back"}), domain.NotFound)
		fixture.WantKind(t, s.Profiles.SetAvatar(t.Context(), user.ID, "a.png"), domain.NotFound)
	})
}
