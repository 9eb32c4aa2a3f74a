package accounts

import (
	"sync"
	"testing"
	"time"

	"inkfeed/cosmos/cosmostest/fixture"
	"inkfeed/domain"
)

func (s *suite) accounts(t *testing.T) {
	fixture.Run(t, "only account administration finds a suspended user", func(t *testing.T) {
		user, at := s.MustUser(t), domain.Timestamp(time.Now())
		for _, now := range []time.Time{at, at, at.Add(time.Second)} { // retries, also by the person
			got := fixture.Must[domain.User](t)(s.Accounts.Suspend(t.Context(), user.ID, "Spam.", now))
			if !got.Suspended.Equal(at) || got.SuspendedFor != "Spam." || got.NameVersion != user.NameVersion+1 {
				t.Errorf("suspended as %+v", got)
			}
		}
		_, err := s.Users.ByID(t.Context(), user.ID)
		fixture.WantKind(t, err, domain.NotFound)
		_, err = s.Users.ByName(t.Context(), user.Username)
		fixture.WantKind(t, err, domain.NotFound)
		if got := fixture.Must[domain.User](t)(s.Users.AccountByName(t.Context(), user.Username)); got.ID != user.ID ||
			got.Suspended.IsZero() {
			t.Errorf("the account is %+v", got)
		}
		other := fixture.Must[domain.User](t)(domain.NewUser(user.Username, fixture.Epoch))
		fixture.WantKind(t, s.Accounts.Create(t.Context(), other, ""), domain.Invalid) // the user keeps the name
		if own := fixture.Must[bool](t)(s.Usernames.ConfirmName(t.Context(), user)); !own {
			t.Error("the suspended user does not own the name")
		}
		_, err = s.Accounts.Suspend(t.Context(), user.ID, "Again.", at.Add(time.Second))
		fixture.WantKind(t, err, domain.Conflict)
	})
	fixture.Run(t, "a restored user is unchanged, except for a pending propagation", func(t *testing.T) {
		user := s.MustUser(t)
		fixture.Must[domain.User](t)(s.Accounts.Suspend(t.Context(), user.ID, "A mistake.", fixture.At(1)))
		for range 2 {
			fixture.Must[domain.User](t)(s.Accounts.Restore(t.Context(), user.ID))
		}
		want := user
		want.NameVersion += 2
		want.SessionVersion++ // older sessions stay ended
		if got := fixture.Must[domain.User](t)(s.Users.ByID(t.Context(), user.ID)); got != want {
			t.Errorf("restored as %+v, want %+v", got, want)
		}
	})
	fixture.Run(t, "a role can be granted and removed", func(t *testing.T) {
		user := s.MustUser(t)
		for _, role := range []domain.Role{domain.RoleReader, domain.RoleReader, domain.RoleModerator,
			domain.RoleAuthor} {
			fixture.Must[domain.User](t)(s.Accounts.SetRole(t.Context(), user.ID, role))
			if got := fixture.Must[domain.User](t)(s.Users.ByID(t.Context(), user.ID)); got.Role != role {
				t.Errorf("the role is %q, want %q", got.Role, role)
			}
		}
		if got := fixture.Must[domain.User](t)(s.Users.ByID(t.Context(), user.ID)); got != user {
			t.Errorf("the user is %+v, want %+v", got, user)
		}
		_, err := s.Accounts.SetRole(t.Context(), domain.NewUserID(nil), domain.RoleReader)
		fixture.WantKind(t, err, domain.NotFound)
	})
	fixture.Run(t, "concurrent changes never remove the last administrator", func(t *testing.T) {
		const n = 4
		users := make([]domain.User, n)
		for i := range users {
			users[i] = fixture.Must[domain.User](t)(s.Accounts.SetRole(t.Context(), s.MustUser(t).ID,
				domain.RoleAdministrator))
		}
		var group sync.WaitGroup
		for i, user := range users {
			group.Go(func() {
				var err error
				switch i % 3 {
				case 0:
					_, err = s.Accounts.SetRole(t.Context(), user.ID, domain.RoleAuthor)
				case 1:
					_, err = s.Accounts.Suspend(t.Context(), user.ID, "Why not.", fixture.At(1))
				case 2:
					err = s.AccountDeletions.Delete(t.Context(), user.ID)
				}
				if err != nil && !domain.Is(err, domain.Conflict) {
					t.Error(err)
				}
			})
		}
		group.Wait()
		var left []domain.User
		for _, user := range users {
			if got, err := s.Users.ByID(t.Context(), user.ID); err == nil && got.Role.MayAdminister() {
				left = append(left, got)
			}
		}
		if len(left) != 1 {
			t.Fatalf("the remaining administrators are %+v", left)
		}
		_, err := s.Accounts.SetRole(t.Context(), left[0].ID, domain.RoleModerator)
		fixture.WantKind(t, err, domain.Conflict)
		_, err = s.Accounts.Suspend(t.Context(), left[0].ID, "Why not.", fixture.At(1))
		fixture.WantKind(t, err, domain.Conflict)
		fixture.WantKind(t, s.AccountDeletions.Delete(t.Context(), left[0].ID), domain.Conflict)
		// With a second moderator, the role can be removed.
		fixture.Must[domain.User](t)(s.Accounts.SetRole(t.Context(), s.MustUser(t).ID, domain.RoleAdministrator))
		fixture.Must[domain.User](t)(s.Accounts.SetRole(t.Context(), left[0].ID, domain.RoleModerator))
	})
	fixture.Run(t, "scheduled drafts of users who are suspended or became readers return to drafts",
		func(t *testing.T) {
			suspended, reader := s.MustUser(t), s.MustUser(t)
			_, one := s.MustSchedule(t, s.MustDraft(t, suspended, "Never"), fixture.Soon())
			_, two := s.MustSchedule(t, s.MustDraft(t, reader, "Never"), fixture.Soon())
			fixture.Must[domain.User](t)(s.Accounts.Suspend(t.Context(), suspended.ID, "Spam.", fixture.At(1)))
			fixture.Must[domain.User](t)(s.Accounts.SetRole(t.Context(), reader.ID, domain.RoleReader))
			for _, e := range []domain.ScheduledItem{one, two} {
				_, err := s.Drafts.PublishScheduled(t.Context(), e)
				fixture.WantKind(t, err, domain.Forbidden)
			}
		})
}

func (s *suite) invitations(t *testing.T) {
	creator := fixture.Must[domain.User](t)(s.Accounts.SetRole(t.Context(), s.MustUser(t).ID, domain.RoleAdministrator))
	invite := func(t *testing.T, uses int) domain.Invitation {
		t.Helper()
		i := fixture.Must[domain.Invitation](t)(domain.NewInvitation(creator, uses, 1, "For the choir", time.Now()))
		for range 2 {
			fixture.Check(t, s.Invitations.Create(t.Context(), i))
		}
		return i
	}
	uses := func(t *testing.T, code string) int {
		t.Helper()
		for _, i := range fixture.Must[[]domain.Invitation](t)(s.Invitations.List(t.Context())) {
			if i.Code == code {
				return i.Uses
			}
		}
		t.Fatalf("invitation %s is not listed", code)
		return 0
	}
	fixture.Run(t, "the list shows each invitation as created", func(t *testing.T) {
		i := invite(t, 3)
		if got := fixture.Must[[]domain.Invitation](t)(s.Invitations.List(t.Context())); len(got) == 0 || got[0] != i {
			t.Errorf("the list is %+v, want first %+v", got, i)
		}
		fixture.Check(t, s.Invitations.Check(t.Context(), i.Code))
	})
	fixture.Run(t, "an invitation keeps its role and address, and a user who has used it can be told both",
		func(t *testing.T) {
			i := fixture.Must[domain.Invitation](t)(domain.NewInvitation(creator, 1, 1, "", time.Now()))
			i = fixture.Must[domain.Invitation](t)(i.With("moderator", "ada@example.org"))
			fixture.Check(t, s.Invitations.Create(t.Context(), i))
			user := domain.NewUserID(nil)
			fixture.Check(t, s.Invitations.Use(t.Context(), i.Code, user))
			i.Uses = 1
			if got := fixture.Must[domain.Invitation](t)(s.Invitations.UsedBy(t.Context(), i.Code, user)); got != i {
				t.Errorf("got %+v, want %+v", got, i)
			}
			fixture.Check(t, s.Invitations.Revoke(t.Context(), i.Code))
		})
	fixture.Run(t, "concurrent sign-ups use an invitation at most as often as it allows", func(t *testing.T) {
		i := invite(t, 3)
		var group sync.WaitGroup
		var mu sync.Mutex
		in, refused := 0, 0
		for range 12 {
			group.Go(func() {
				err := s.Invitations.Use(t.Context(), i.Code, domain.NewUserID(nil))
				mu.Lock()
				defer mu.Unlock()
				switch {
				case err == nil:
					in++
				case domain.Is(err, domain.Invalid):
					refused++
				default:
					t.Error(err)
				}
			})
		}
		group.Wait()
		if in != 3 || refused != 9 || uses(t, i.Code) != 3 {
			t.Errorf("%d sign-ups succeeded, %d were refused, %d uses are counted", in, refused, uses(t, i.Code))
		}
		fixture.WantKind(t, s.Invitations.Check(t.Context(), i.Code), domain.Invalid)
	})
	fixture.Run(t, "an account takes one use and returns it once", func(t *testing.T) {
		i, user := invite(t, 2), domain.NewUserID(nil)
		for range 2 {
			fixture.Check(t, s.Invitations.Use(t.Context(), i.Code, user))
		}
		if n := uses(t, i.Code); n != 1 {
			t.Errorf("%d uses are counted", n)
		}
		for range 2 {
			fixture.Check(t, s.Invitations.GiveBack(t.Context(), i.Code, user))
		}
		if n := uses(t, i.Code); n != 0 {
			t.Errorf("%d uses are counted", n)
		}
	})
	fixture.Run(t, "the use of an existing account is not returned", func(t *testing.T) {
		i, user := invite(t, 1), s.MustUser(t)
		fixture.Check(t, s.Invitations.Use(t.Context(), i.Code, user.ID))
		fixture.Check(t, s.Invitations.GiveBack(t.Context(), i.Code, user.ID))
		fixture.WantKind(t, s.Invitations.Check(t.Context(), i.Code), domain.Invalid)
	})
	fixture.Run(t, "a settled use counts once and is not returned", func(t *testing.T) {
		i, user := invite(t, 2), s.MustUser(t)
		fixture.Check(t, s.Invitations.Settle(t.Context(), i.Code, user.ID)) // no place was taken
		fixture.Check(t, s.Invitations.Use(t.Context(), i.Code, user.ID))
		for range 2 {
			fixture.Check(t, s.Invitations.Settle(t.Context(), i.Code, user.ID))
		}
		fixture.Check(t, s.Invitations.Use(t.Context(), i.Code, user.ID))
		fixture.Check(t, s.Invitations.GiveBack(t.Context(), i.Code, user.ID))
		if n := uses(t, i.Code); n != 1 {
			t.Errorf("%d uses are counted", n)
		}
	})
	fixture.Run(t, "an invitation ends with the role or account of its creator", func(t *testing.T) {
		for name, end := range map[string]func(domain.User) error{
			"demoted": func(u domain.User) error {
				_, err := s.Accounts.SetRole(t.Context(), u.ID, domain.RoleModerator)
				return err
			},
			"suspended": func(u domain.User) error {
				_, err := s.Accounts.Suspend(t.Context(), u.ID, "Spam.", fixture.At(1))
				return err
			},
		} {
			maker := fixture.Must[domain.User](t)(s.Accounts.SetRole(t.Context(), s.MustUser(t).ID,
				domain.RoleAdministrator))
			i := fixture.Must[domain.Invitation](t)(domain.NewInvitation(maker, 1, 1, "", time.Now()))
			fixture.Check(t, s.Invitations.Create(t.Context(), i))
			fixture.Check(t, s.Invitations.Check(t.Context(), i.Code))
			fixture.Check(t, end(maker))
			for _, err := range []error{s.Invitations.Check(t.Context(), i.Code), s.Invitations.Use(t.Context(), i.Code,
				domain.NewUserID(nil))} {
				if !domain.Is(err, domain.Invalid) {
					t.Errorf("using the invitation of a user who is %s: %v", name, err)
				}
			}
		}
	})
	fixture.Run(t, "revoked, expired and unknown invitations are rejected", func(t *testing.T) {
		revoked := invite(t, 1)
		for range 2 {
			fixture.Check(t, s.Invitations.Revoke(t.Context(), revoked.Code))
		}
		old := fixture.Must[domain.Invitation](t)(domain.NewInvitation(creator, 1, 1, "", time.Now().AddDate(0, 0, -2)))
		fixture.Check(t, s.Invitations.Create(t.Context(), old))
		for _, code := range []string{revoked.Code, old.Code, domain.NewID(), "", "..", "settings"} {
			fixture.WantKind(t, s.Invitations.Check(t.Context(), code), domain.Invalid)
			fixture.WantKind(t, s.Invitations.Use(t.Context(), code, domain.NewUserID(nil)), domain.Invalid)
			fixture.Check(t, s.Invitations.GiveBack(t.Context(), code, domain.NewUserID(nil)))
		}
	})
}

func (s *suite) auditLog(t *testing.T) {
	actor, target := s.MustUser(t), s.MustUser(t)
	// A month in which no other test writes.
	month := time.Date(2019, 3, 1, 0, 0, 0, 0, time.UTC)
	var want []domain.AuditEntry
	for minute := range domain.AuditPerPage + 2 {
		e := domain.NewAuditEntry(actor, domain.AuditSuspend,
			month.Add(time.Duration(minute)*time.Minute)).About(target)
		e.Reason = "Spam."
		for range 2 {
			fixture.Check(t, s.Audit.Record(t.Context(), e))
		}
		want = append([]domain.AuditEntry{e}, want...)
	}
	other := domain.NewAuditEntry(domain.User{}, domain.AuditRole, month.AddDate(0, 1, 0)).About(target)
	fixture.Check(t, s.Audit.Record(t.Context(), other))
	got := fixture.All(t,
		func(page int) (domain.ListPage[domain.AuditEntry], error) {
			return s.Audit.List(t.Context(), month, page)
		})
	if len(got) != len(want) {
		t.Fatalf("%d entries, want %d", len(got), len(want))
	}
	for i := range got {
		if got[i] != want[i] {
			t.Fatalf("entry %d is %+v, want %+v", i, got[i], want[i])
		}
	}
}
