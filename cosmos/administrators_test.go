package cosmos

import (
	"slices"
	"sync"
	"testing"
	"time"

	"inkfeed/cosmos/client"
	"inkfeed/cosmos/schema"
	"inkfeed/domain"
)

var hashed = domain.Credentials{PasswordHash: "hash"}

func newPerson(t *testing.T, name string) domain.User {
	t.Helper()
	user, err := domain.NewUser(name, time.Now())
	if err != nil {
		t.Fatal(err)
	}
	return user
}

func mustSignUp(t *testing.T, store *Store, name string) domain.User {
	t.Helper()
	user, err := store.Accounts.SignUp(t.Context(), newPerson(t, name), hashed)
	if err != nil {
		t.Fatal(err)
	}
	return user
}

func wantRoles(t *testing.T, store *Store, want map[string]domain.Role) {
	t.Helper()
	for name, role := range want {
		user, err := store.Users.AccountByName(t.Context(), name)
		if err != nil {
			t.Fatal(err)
		}
		if user.Role != role || user.Unsettled {
			t.Errorf("%s is %s (unsettled: %t), want %s", name, user.Role, user.Unsettled, role)
		}
	}
}

func TestOnlyTheFirstAccountBecomesAdministrator(t *testing.T) {
	t.Run("becomes the administrator, later accounts do not", func(t *testing.T) {
		store := newStore(t, direct)
		if first := mustSignUp(t, store, "ada"); first.Role != domain.RoleAdministrator {
			t.Errorf("signed up as %+v", first)
		}
		mustSignUp(t, store, "ben")
		wantRoles(t, store, map[string]domain.Role{"ada": domain.RoleAdministrator, "ben": domain.RoleAuthor})
		if there, err := store.Administrators.HasAny(t.Context()); !there || err != nil {
			t.Errorf("there is an administrator: %t, %v", there, err)
		}
	})
	t.Run("exactly one of many concurrent sign-ups on two instances becomes administrator", func(t *testing.T) {
		store := newStore(t, direct)
		c := store.Container(schema.UsersContainer)
		users := &Users{c}
		other := &Accounts{c, users, &Usernames{c, users}, &Administrators{c, users}}
		var group sync.WaitGroup
		names := []string{"ada", "ben", "cleo", "dan", "eve", "finn"}
		for i, name := range names {
			user, accounts := newPerson(t, name), []*Accounts{store.Accounts, other}[i%2]
			group.Go(func() {
				if _, err := accounts.SignUp(t.Context(), user, hashed); err != nil {
					t.Error(err)
				}
			})
		}
		group.Wait()
		administrators := 0
		for _, name := range names {
			user, err := store.Users.AccountByName(t.Context(), name)
			if err != nil {
				t.Fatal(err)
			}
			if user.Unsettled {
				t.Errorf("%s is unsettled", name)
			}
			if user.Role == domain.RoleAdministrator {
				administrators++
			}
		}
		if administrators != 1 {
			t.Errorf("%d administrators", administrators)
		}
	})
	t.Run("the worker grants the role after a crash that followed the creation of the account", func(t *testing.T) {
		store := newStore(t, direct)
		user := newPerson(t, "ada")
		if err := store.Accounts.create(t.Context(), user, hashed, administrationClaimed); err != nil {
			t.Fatal(err)
		}
		for range 2 {
			if err := store.Administrators.Settle(t.Context(), user.ID); err != nil {
				t.Fatal(err)
			}
		}
		wantRoles(t, store, map[string]domain.Role{"ada": domain.RoleAdministrator})
	})
	t.Run("an administrator can make a crashed sign-up an administrator, and then resign", func(t *testing.T) {
		store := newStore(t, direct)
		ada, crashed := mustSignUp(t, store, "ada"), newPerson(t, "ben")
		if err := store.Accounts.create(t.Context(), crashed, hashed, administrationClaimed); err != nil {
			t.Fatal(err)
		}
		for _, change := range []struct {
			userID string
			role   domain.Role
		}{{crashed.ID, domain.RoleAdministrator}, {ada.ID, domain.RoleAuthor}} {
			if _, err := store.Accounts.SetRole(t.Context(), change.userID, change.role); err != nil {
				t.Fatal(err)
			}
		}
		wantRoles(t, store, map[string]domain.Role{"ada": domain.RoleAuthor, "ben": domain.RoleAdministrator})
	})
	t.Run("the next user gets the role if the worker has not settled the crashed sign-up", func(t *testing.T) {
		store := newStore(t, direct)
		crashed := newPerson(t, "ada")
		if err := store.Accounts.create(t.Context(), crashed, hashed, administrationClaimed); err != nil {
			t.Fatal(err)
		}
		mustSignUp(t, store, "ben")
		if err := store.Administrators.Settle(t.Context(), crashed.ID); err != nil {
			t.Fatal(err)
		}
		wantRoles(t, store, map[string]domain.Role{"ada": domain.RoleAuthor, "ben": domain.RoleAdministrator})
	})
	t.Run("a crash after the list was created leaves the role to the crashed sign-up", func(t *testing.T) {
		store := newStore(t, direct)
		crashed := newPerson(t, "ada")
		if err := store.Accounts.create(t.Context(), crashed, hashed, administrationClaimed); err != nil {
			t.Fatal(err)
		}
		if err := store.Container(schema.UsersContainer).Create(t.Context(), schema.AdministratorsID,
			administratorsItem{ID: schema.AdministratorsID, Type: schema.TypeAdministrators,
				UserID: schema.AdministratorsID, OwnerID: crashed.ID, List: []administrator{{UserID: crashed.ID}},
				Version: 1}); err != nil {
			t.Fatal(err)
		}
		mustSignUp(t, store, "ben")
		if err := store.Administrators.Settle(t.Context(), crashed.ID); err != nil {
			t.Fatal(err)
		}
		wantRoles(t, store, map[string]domain.Role{"ada": domain.RoleAdministrator, "ben": domain.RoleAuthor})
	})
	t.Run("becomes an author if there are users from before roles existed", func(t *testing.T) {
		store := newStore(t, direct)
		old := newPerson(t, "old")
		if err := store.Accounts.Create(t.Context(), old, "hash"); err != nil {
			t.Fatal(err)
		}
		mustSignUp(t, store, "ada")
		mustSignUp(t, store, "ben")
		wantRoles(t, store, map[string]domain.Role{"old": domain.RoleAuthor, "ada": domain.RoleAuthor,
			"ben": domain.RoleAuthor})
		if there, err := store.Administrators.HasAny(t.Context()); there || err != nil {
			t.Errorf("there is an administrator: %t, %v", there, err)
		}
		if _, err := store.Accounts.SetRole(t.Context(), old.ID, domain.RoleAdministrator); err != nil {
			t.Fatal(err)
		}
		wantRoles(t, store, map[string]domain.Role{"old": domain.RoleAdministrator})
	})
	t.Run("accounts of the sample data do not count as first", func(t *testing.T) {
		store := newStore(t, direct)
		sample := newPerson(t, "sample")
		sample.Sample = true
		if err := store.Accounts.Create(t.Context(), sample, "hash"); err != nil {
			t.Fatal(err)
		}
		mustSignUp(t, store, "ada")
		wantRoles(t, store, map[string]domain.Role{"sample": domain.RoleAuthor, "ada": domain.RoleAdministrator})
	})
}

// The process that demotes an administrator can die after it has marked the entry in the list as resigning and before
// it changes the user. Such an administrator counts again after ReservationTime.
func TestUnfinishedResignationEndsAfterItsTime(t *testing.T) {
	store := newStore(t, direct)
	ada, ben := mustSignUp(t, store, "ada"), mustSignUp(t, store, "ben")
	if _, err := store.Accounts.SetRole(t.Context(), ben.ID, domain.RoleAdministrator); err != nil {
		t.Fatal(err)
	}
	if err := store.Administrators.resign(t.Context(), ada.ID); err != nil {
		t.Fatal(err)
	}
	if _, err := store.Accounts.SetRole(t.Context(), ben.ID, domain.RoleAuthor); !domain.Is(err, domain.Conflict) {
		t.Fatalf("demoting the other administrator at once: %v, want a conflict", err)
	}
	list, err := client.Read[administratorsItem](t.Context(), store.Container(schema.UsersContainer),
		schema.AdministratorsID, schema.AdministratorsID)
	if err != nil {
		t.Fatal(err)
	}
	for i := range list.List {
		if list.List[i].Resigning != nil {
			list.List[i].Resigning = schema.Optional(time.Now().Add(-ReservationTime - time.Minute))
		}
	}
	if err := store.Container(schema.UsersContainer).Upsert(t.Context(), schema.AdministratorsID, list); err != nil {
		t.Fatal(err)
	}
	if _, err := store.Accounts.SetRole(t.Context(), ben.ID, domain.RoleAuthor); err != nil {
		t.Fatalf("demoting the other administrator after ReservationTime: %v", err)
	}
	wantRoles(t, store, map[string]domain.Role{"ada": domain.RoleAdministrator, "ben": domain.RoleAuthor})
	if _, err := store.Accounts.SetRole(t.Context(), ada.ID, domain.RoleAuthor); !domain.Is(err, domain.Conflict) {
		t.Fatalf("demoting the last administrator: %v, want a conflict", err)
	}
}

func TestAdministratorsOmitsThoseWhoResign(t *testing.T) {
	store := newStore(t, direct)
	var users []domain.User
	for _, name := range []string{"ada", "ben", "cai", "dee", "eve", "fay"} {
		user := mustSignUp(t, store, name)
		if _, err := store.Accounts.SetRole(t.Context(), user.ID, domain.RoleAdministrator); err != nil {
			t.Fatal(err)
		}
		users = append(users, user)
	}
	for _, leaver := range users[:3] {
		if err := store.Administrators.resign(t.Context(), leaver.ID); err != nil {
			t.Fatal(err)
		}
	}
	for range 2 { // with recent and with stale resignations
		names, err := store.Administrators.Names(t.Context())
		if want := []string{"dee", "eve", "fay"}; err != nil || !slices.Equal(names, want) {
			t.Errorf("the administrators are %v, %v, want %v", names, err, want)
		}
		list, err := store.Administrators.read(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		for i := range list.List {
			if list.List[i].Resigning != nil {
				list.List[i].Resigning = schema.Optional(time.Now().Add(-ReservationTime - time.Minute))
			}
		}
		if err := store.Container(schema.UsersContainer).Upsert(t.Context(), schema.AdministratorsID,
			list); err != nil {
			t.Fatal(err)
		}
	}
}

func TestLastUserIsDeletedWithoutAnotherAdministrator(t *testing.T) {
	store := newStore(t, direct)
	ada, ben := mustSignUp(t, store, "ada"), mustSignUp(t, store, "ben")
	if err := store.AccountDeletions.Delete(t.Context(), ada.ID); !domain.Is(err, domain.Conflict) {
		t.Fatalf("deleting the administrator beside another user: %v, want a conflict", err)
	}
	for _, user := range []domain.User{ben, ada} {
		mustDelete(t, store, user)
		if _, err := store.Users.ByID(t.Context(), user.ID); !domain.Is(err, domain.NotFound) {
			t.Errorf("reading the deleted user %s: %v, want not found", user.Username, err)
		}
	}
}

func mustDelete(t *testing.T, store *Store, user domain.User) {
	t.Helper()
	if err := store.AccountDeletions.Delete(t.Context(), user.ID); err != nil {
		t.Fatal(err)
	}
}

func mustErase(t *testing.T, store *Store, user domain.User) {
	t.Helper()
	for range 2 {
		if err := store.AccountDeletions.FinishErasure(t.Context(), user.ID); err != nil {
			t.Fatal(err)
		}
	}
}

func TestFirstSignUpAfterTheLastUserLeft(t *testing.T) {
	t.Run("the next sign-up becomes administrator once the deletion is complete", func(t *testing.T) {
		store := newStore(t, direct)
		ada := mustSignUp(t, store, "ada")
		mustDelete(t, store, ada)
		mustErase(t, store, ada)
		if next := mustSignUp(t, store, "ben"); next.Role != domain.RoleAdministrator {
			t.Errorf("signed up as %+v", next)
		}
		mustSignUp(t, store, "cleo")
		wantRoles(t, store, map[string]domain.Role{"ben": domain.RoleAdministrator, "cleo": domain.RoleAuthor})
	})
	t.Run("completing the deletion settles exactly one of the users who signed up meanwhile", func(t *testing.T) {
		store := newStore(t, direct)
		ada := mustSignUp(t, store, "ada")
		mustDelete(t, store, ada)
		for _, name := range []string{"ben", "cleo"} {
			if user := mustSignUp(t, store, name); user.Role != domain.RoleAuthor || !user.Unsettled {
				t.Errorf("signed up as %+v", user)
			}
		}
		mustErase(t, store, ada)
		administrators := 0
		for _, name := range []string{"ben", "cleo"} {
			user, err := store.Users.AccountByName(t.Context(), name)
			if err != nil || user.Unsettled {
				t.Errorf("%s is unsettled: %t, %v", name, user.Unsettled, err)
			}
			if user.Role == domain.RoleAdministrator {
				administrators++
			}
		}
		if administrators != 1 {
			t.Errorf("%d administrators", administrators)
		}
	})
	t.Run("a crash before the deletion leaves the role to its owner", func(t *testing.T) {
		store := newStore(t, direct)
		ada := mustSignUp(t, store, "ada")
		if err := store.Administrators.resignAsLast(t.Context(), ada.ID); err != nil {
			t.Fatal(err)
		}
		ben := mustSignUp(t, store, "ben") // his claim stays unsettled
		list, err := client.Read[administratorsItem](t.Context(), store.Container(schema.UsersContainer),
			schema.AdministratorsID, schema.AdministratorsID)
		if err != nil {
			t.Fatal(err)
		}
		list.List[0].Resigning = schema.Optional(time.Now().Add(-ReservationTime - time.Minute))
		if err := store.Container(schema.UsersContainer).Upsert(t.Context(), schema.AdministratorsID,
			list); err != nil {
			t.Fatal(err)
		}
		if err := store.Administrators.Settle(t.Context(), ben.ID); err != nil {
			t.Fatal(err)
		}
		wantRoles(t, store, map[string]domain.Role{"ada": domain.RoleAdministrator, "ben": domain.RoleAuthor})
		if err := store.AccountDeletions.Delete(t.Context(), ada.ID); !domain.Is(err, domain.Conflict) {
			t.Errorf("deleting ada beside ben: %v, want a conflict", err)
		}
	})
	t.Run("cancelling the resignation settles a user who signed up meanwhile as an author", func(t *testing.T) {
		store := newStore(t, direct)
		ada := mustSignUp(t, store, "ada")
		if err := store.Administrators.resignAsLast(t.Context(), ada.ID); err != nil {
			t.Fatal(err)
		}
		mustSignUp(t, store, "ben")
		if err := store.Administrators.cancelResignation(t.Context(), ada.ID); err != nil {
			t.Fatal(err)
		}
		wantRoles(t, store, map[string]domain.Role{"ada": domain.RoleAdministrator, "ben": domain.RoleAuthor})
	})
	t.Run("the next sign-up becomes administrator of a site that had none", func(t *testing.T) {
		store := newStore(t, direct)
		old := newPerson(t, "old")
		if err := store.Accounts.Create(t.Context(), old, "hash"); err != nil {
			t.Fatal(err)
		}
		ada := mustSignUp(t, store, "ada")
		for _, user := range []domain.User{old, ada} {
			mustDelete(t, store, user)
			mustErase(t, store, user)
		}
		mustSignUp(t, store, "ben")
		wantRoles(t, store, map[string]domain.Role{"ben": domain.RoleAdministrator})
	})
	t.Run("there is one administrator after sign-ups that race with the deletion", func(t *testing.T) {
		for range 10 {
			store := newStore(t, direct)
			ada := mustSignUp(t, store, "ada")
			var group sync.WaitGroup
			var left error
			group.Go(func() {
				if left = store.AccountDeletions.Delete(t.Context(), ada.ID); left == nil {
					left = store.AccountDeletions.FinishErasure(t.Context(), ada.ID)
				}
			})
			names := []string{"ben", "cleo"}
			for _, name := range names {
				user := newPerson(t, name)
				group.Go(func() {
					if _, err := store.Accounts.SignUp(t.Context(), user, hashed); err != nil {
						t.Error(err)
					}
				})
			}
			group.Wait()
			if left == nil {
				names = append(names, "dan")
				mustSignUp(t, store, "dan") // becomes administrator unless ben or cleo did
			} else if domain.Is(left, domain.Conflict) {
				names = append(names, "ada")
			} else {
				t.Fatal(left)
			}
			administrators := 0
			for _, name := range names {
				user, err := store.Users.AccountByName(t.Context(), name)
				if err != nil || user.Unsettled {
					t.Errorf("%s is unsettled: %t, %v", name, user.Unsettled, err)
				}
				if user.Role == domain.RoleAdministrator {
					administrators++
				}
			}
			if administrators != 1 {
				t.Errorf("%d administrators, want 1; deleting ada: %v", administrators, left)
			}
		}
	})
}

func TestScheduledDeletionOfAnAdministrator(t *testing.T) {
	schedule := func(t *testing.T, store *Store, user domain.User) (domain.ScheduledItem, error) {
		t.Helper()
		at := domain.Timestamp(time.Now().Add(time.Hour))
		_, err := store.AccountDeletions.ScheduleDeletion(t.Context(), user.ID, at)
		return domain.ScheduledItem{UserID: user.ID, At: at}, err
	}
	mustSchedule := func(t *testing.T, store *Store, user domain.User) domain.ScheduledItem {
		t.Helper()
		scheduled, err := schedule(t, store, user)
		if err != nil {
			t.Fatal(err)
		}
		return scheduled
	}
	t.Run("is refused at once without another administrator", func(t *testing.T) {
		store := newStore(t, direct)
		ada, ben := mustSignUp(t, store, "ada"), mustSignUp(t, store, "ben")
		if _, err := schedule(t, store, ada); !domain.Is(err, domain.Conflict) {
			t.Fatalf("scheduling beside an author: %v, want a conflict", err)
		}
		if _, err := store.Accounts.SetRole(t.Context(), ben.ID, domain.RoleAdministrator); err != nil {
			t.Fatal(err)
		}
		mustSchedule(t, store, ben)
		if _, err := schedule(t, store, ada); !domain.Is(err, domain.Conflict) {
			t.Fatalf("scheduling beside an administrator whose deletion is scheduled: %v, want a conflict", err)
		}
		if err := store.AccountDeletions.CancelDeletion(t.Context(), ben.ID); err != nil {
			t.Fatal(err)
		}
		mustSchedule(t, store, ada)
		wantRoles(t, store, map[string]domain.Role{"ada": domain.RoleAdministrator, "ben": domain.RoleAdministrator})
	})
	t.Run("is accepted beside an administrator whose mark of resigning was left by a crash", func(t *testing.T) {
		store := newStore(t, direct)
		mustSignUp(t, store, "ada")
		ben := mustSignUp(t, store, "ben")
		if _, err := store.Accounts.SetRole(t.Context(), ben.ID, domain.RoleAdministrator); err != nil {
			t.Fatal(err)
		}
		list, err := store.Administrators.read(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		list.List[0].Resigning = schema.Optional(time.Now().Add(-ReservationTime - time.Minute)) // ada's
		if err := store.Container(schema.UsersContainer).Upsert(t.Context(), schema.AdministratorsID,
			list); err != nil {
			t.Fatal(err)
		}
		mustSchedule(t, store, ben)
		wantRoles(t, store, map[string]domain.Role{"ada": domain.RoleAdministrator})
	})
	t.Run("is refused at its time if the others have lost the role meanwhile", func(t *testing.T) {
		store := newStore(t, direct)
		ada, ben := mustSignUp(t, store, "ada"), mustSignUp(t, store, "ben")
		if _, err := store.Accounts.SetRole(t.Context(), ben.ID, domain.RoleAdministrator); err != nil {
			t.Fatal(err)
		}
		scheduled := mustSchedule(t, store, ada)
		if _, err := store.Accounts.SetRole(t.Context(), ben.ID, domain.RoleAuthor); err != nil {
			t.Fatal(err) // ada still administers the site
		}
		if err := store.AccountDeletions.DeleteScheduled(t.Context(), scheduled); !domain.Is(err, domain.Conflict) {
			t.Fatalf("the scheduled deletion: %v, want a conflict", err)
		}
		wantRoles(t, store, map[string]domain.Role{"ada": domain.RoleAdministrator})
	})
	t.Run("keeps the role if the deletion is cancelled at the last moment", func(t *testing.T) {
		store := newStore(t, direct)
		ada, ben := mustSignUp(t, store, "ada"), mustSignUp(t, store, "ben")
		if _, err := store.Accounts.SetRole(t.Context(), ben.ID, domain.RoleAdministrator); err != nil {
			t.Fatal(err)
		}
		scheduled := mustSchedule(t, store, ada)
		// The worker is about to delete the account.
		if err := store.Administrators.resign(t.Context(), ada.ID); err != nil {
			t.Fatal(err)
		}
		if err := store.AccountDeletions.CancelDeletion(t.Context(), ada.ID); err != nil {
			t.Fatal(err)
		}
		deleted, err := store.AccountDeletions.deleteIf(t.Context(), ada.ID, ifDeletionScheduledFor(scheduled.At))
		if deleted ||
			err != nil {
			t.Fatalf("the cancelled deletion was carried out: %t, %v", deleted, err)
		}
		if err := store.Administrators.cancelResignation(t.Context(), ada.ID); err != nil {
			t.Fatal(err)
		}
		if _, err := store.Accounts.SetRole(t.Context(), ben.ID, domain.RoleAuthor); err != nil {
			t.Errorf("demoting ben, although ada is an administrator again: %v", err)
		}
	})
	t.Run("is refused beside a user who signed up meanwhile and carried out for the only user", func(t *testing.T) {
		store := newStore(t, direct)
		ada := mustSignUp(t, store, "ada")
		scheduled := mustSchedule(t, store, ada)
		ben := mustSignUp(t, store, "ben")
		if err := store.AccountDeletions.DeleteScheduled(t.Context(), scheduled); !domain.Is(err, domain.Conflict) {
			t.Fatalf("deleting ada beside ben: %v, want a conflict", err)
		}
		mustDelete(t, store, ben)
		if err := store.AccountDeletions.DeleteScheduled(t.Context(), scheduled); err != nil {
			t.Fatal(err)
		}
		mustErase(t, store, ada)
		mustSignUp(t, store, "cleo")
		wantRoles(t, store, map[string]domain.Role{"cleo": domain.RoleAdministrator})
	})
}
