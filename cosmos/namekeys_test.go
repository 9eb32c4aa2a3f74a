package cosmos

import (
	"fmt"
	"testing"
	"time"

	"inkfeed/cosmos/client"
	"inkfeed/cosmos/schema"
	"inkfeed/domain"
)

const formerKey = "i\u0307pek" // of İpek in releases that told i and İ apart

// asBefore makes a user as a release before the present keys did: only the first key is reserved.
func asBefore(t *testing.T, store *Store, name, key string) domain.User {
	t.Helper()
	u := mustUser(t, store, name)
	if err := store.Container(schema.UsersContainer).Delete(t.Context(), key, key); err != nil {
		t.Fatal(err)
	}
	return u
}

func finds(t *testing.T, store *Store, want map[string]domain.User) {
	t.Helper()
	for typed, user := range want {
		if got, err := store.Users.AccountByName(t.Context(), typed); got.ID != user.ID {
			t.Errorf("%s leads to %s (%s), error %v; want %s", typed, got.Username, got.ID, err, user.Username)
		}
	}
}

func isTaken(t *testing.T, store *Store, name string) {
	t.Helper()
	u, err := domain.NewUser(name, time.Now())
	if err != nil {
		t.Fatal(err)
	}
	if err := store.Accounts.Create(t.Context(), u, "hash"); !domain.Is(err, domain.Invalid) {
		t.Errorf("%s is not taken, error %v", name, err)
	}
	if err := store.Usernames.CheckAvailable(t.Context(), name); !domain.Is(err, domain.Invalid) {
		t.Errorf("%s is available, error %v", name, err)
	}
}

func confirms(t *testing.T, store *Store, users ...domain.User) {
	t.Helper()
	for _, u := range users {
		if own, err := store.Usernames.ConfirmName(t.Context(), u); !own || err != nil {
			t.Errorf("%s loses the name, error %v", u.Username, err)
		}
	}
}

// reserved returns the id of the user who owns a key, or "".
func reserved(t *testing.T, store *Store, key string) string {
	t.Helper()
	item, err := client.Read[usernameItem](t.Context(), store.Container(schema.UsersContainer), key, key)
	if err != nil && !client.Missing(err) {
		t.Fatal(err)
	}
	return item.OwnerID
}

func TestAUserLogsInWithAnyOfTheFourIs(t *testing.T) {
	store := newStore(t, direct)
	user := mustUser(t, store, "İpek")
	finds(t, store, map[string]domain.User{"İpek": user, "ipek": user, "IPEK": user, "ıpek": user, "İPEK": user})
	for _, name := range []string{"ipek", "IPEK", "İPEK", "ıpek"} {
		isTaken(t, store, name)
	}
	if owner := reserved(t, store, formerKey); owner != user.ID {
		t.Errorf("an earlier release finds %q under its key", owner)
	}
}

func TestARefusedSignUpFreesBothKeys(t *testing.T) {
	store := newStore(t, direct)
	user := mustUser(t, store, "ipek")
	isTaken(t, store, "İpek")
	if owner := reserved(t, store, formerKey); owner != "" {
		t.Errorf("%s has the key of a refused sign-up", owner)
	}
	finds(t, store, map[string]domain.User{"İpek": user, "ipek": user})
}

func TestAnEarlierNameGetsItsPresentKey(t *testing.T) {
	store := newStore(t, direct)
	user := asBefore(t, store, "İpek", "ipek")
	finds(t, store, map[string]domain.User{"İpek": user, "İPEK": user})
	confirms(t, store, user)
	finds(t, store, map[string]domain.User{"İpek": user, "ipek": user, "ıpek": user})
	isTaken(t, store, "ipek")
}

func TestEarlierNamesWithOneKeyKeepTheirOwners(t *testing.T) {
	store := newStore(t, direct)
	dotted := asBefore(t, store, "İpek", "ipek")
	plain := mustUser(t, store, "ipek")
	owners := map[string]domain.User{"İpek": dotted, "İPEK": dotted, "ipek": plain, "Ipek": plain, "ıpek": plain}
	finds(t, store, owners)
	confirms(t, store, dotted, plain, dotted)
	finds(t, store, owners)
	for _, name := range []string{"İpek", "ipek", "ıpek"} {
		isTaken(t, store, name)
	}
	renamed, err := store.Usernames.Rename(t.Context(), dotted.ID, "İPEK")
	if err != nil || renamed.Username != "İPEK" {
		t.Errorf("a change of case is refused: %+v, %v", renamed, err)
	}
	for _, name := range []string{"ipek", "ıpek"} {
		if _, err := store.Usernames.Rename(t.Context(), dotted.ID, name); !domain.Is(err, domain.Invalid) {
			t.Errorf("the user takes %s from its owner, error %v", name, err)
		}
	}
	finds(t, store, owners)
}

func TestADeletedAccountFreesBothKeys(t *testing.T) {
	store := newStore(t, direct)
	user := mustUser(t, store, "İpek")
	if err := store.AccountDeletions.Delete(t.Context(), user.ID); err != nil {
		t.Fatal(err)
	}
	if err := store.AccountDeletions.FinishErasure(t.Context(), user.ID); err != nil {
		t.Fatal(err)
	}
	mustUser(t, store, "ipek")
	if owner := reserved(t, store, formerKey); owner != "" {
		t.Errorf("%s still has the key", owner)
	}
}

func TestFormerNamesAreCountedOnceEach(t *testing.T) {
	store := newStore(t, direct)
	user := mustUser(t, store, "İpek")
	rename := func(name string) error {
		_, err := store.Usernames.Rename(t.Context(), user.ID, name)
		return err
	}
	for n := range 2 * domain.MaxFormerNames { // to each name twice
		if err := rename(fmt.Sprint("İpek", n%(domain.MaxFormerNames-1))); err != nil {
			t.Fatalf("rename %d: %v", n+1, err)
		}
	}
	if err := rename("İpekçi"); err != nil {
		t.Errorf("the last former name is refused: %v", err)
	}
	if err := rename("İpekli"); !domain.Is(err, domain.Invalid) {
		t.Errorf("a name too many is accepted, error %v", err)
	}
	if err := rename("ipek3"); err != nil {
		t.Errorf("a return to a former name is refused: %v", err)
	}
}
