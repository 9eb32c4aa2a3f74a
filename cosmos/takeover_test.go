package cosmos

import (
	"bytes"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/Azure/azure-sdk-for-go/sdk/azcore/policy"

	"inkfeed/cosmos/client"
	"inkfeed/cosmos/schema"
	"inkfeed/domain"
)

// stalling is the transport of a worker that stalls before a request. It calls meanwhile before the first request that
// at selects.
type stalling struct {
	policy.Transporter
	at        func(*http.Request) bool
	meanwhile func()
}

func (s *stalling) Do(r *http.Request) (*http.Response, error) {
	if s.at != nil && s.at(r) {
		s.at = nil
		s.meanwhile()
	}
	return s.Transporter.Do(r)
}

func newStalling(t *testing.T) (*Store, *stalling) {
	t.Helper()
	transport := &stalling{}
	return newStore(t, func(engine policy.Transporter) policy.Transporter {
		transport.Transporter = engine
		return transport
	}), transport
}

// requestFor returns a function that selects the requests for an item with the given method.
func requestFor(method, id string) func(*http.Request) bool {
	return func(r *http.Request) bool { return r.Method == method && strings.HasSuffix(r.URL.Path, "/docs/"+id) }
}

// deletionOf recognises a batch that deletes an item.
func deletionOf(id string) func(*http.Request) bool {
	return func(r *http.Request) bool {
		if r.Header.Get("x-ms-cosmos-is-batch-request") == "" {
			return false
		}
		sent, err := io.ReadAll(r.Body)
		r.Body = io.NopCloser(bytes.NewReader(sent))
		return err == nil && bytes.Contains(sent, []byte(`"operationType":"Delete"`)) &&
			bytes.Contains(sent, []byte(id))
	}
}

func creation(container string) func(*http.Request) bool {
	return func(r *http.Request) bool {
		return r.Method == http.MethodPost && strings.HasSuffix(r.URL.Path, "/colls/"+container+"/docs") &&
			r.Header.Get("x-ms-documentdb-isquery") == "" && r.Header.Get("x-ms-cosmos-is-batch-request") == ""
	}
}

func TestStalledWorkerDuringADeletion(t *testing.T) {
	noError := func(t *testing.T, err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	owner := func(t *testing.T, store *Store, name string) (usernameItem, bool) {
		t.Helper()
		item, err := client.Read[usernameItem](t.Context(), store.Container(schema.UsersContainer), name, name)
		if client.StatusOf(err) == http.StatusNotFound {
			return item, false
		}
		noError(t, err)
		return item, true
	}
	t.Run("does not free a name that another user has taken meanwhile", func(t *testing.T) {
		store, transport := newStalling(t)
		gone := mustUser(t, store, "ada")
		noError(t, store.AccountDeletions.Delete(t.Context(), gone.ID))
		var heir domain.User
		transport.at = func(r *http.Request) bool { // the last moment before the name is freed
			return requestFor(http.MethodGet, "ada")(r) || requestFor(http.MethodDelete, "ada")(r)
		}
		transport.meanwhile = func() {
			noError(t, store.AccountDeletions.FinishErasure(t.Context(), gone.ID)) // by another worker
			heir = mustUser(t, store, "ada")
		}
		noError(t, store.AccountDeletions.FinishErasure(t.Context(), gone.ID))
		if item, ok := owner(t, store, "ada"); heir.ID == "" || !ok || item.OwnerID != heir.ID ||
			item.TTL != schema.Forever {
			t.Errorf("the name is %+v, want that of %s", item, heir.ID)
		}
	})
	t.Run("does not free a name that another user takes at the same moment", func(t *testing.T) {
		store, transport := newStalling(t)
		gone := mustUser(t, store, "ada")
		noError(t, store.AccountDeletions.Delete(t.Context(), gone.ID))
		var heir domain.User
		transport.at = requestFor(http.MethodDelete, "ada")
		transport.meanwhile = func() {
			noError(t, store.AccountDeletions.FinishErasure(t.Context(), gone.ID))
			heir = mustUser(t, store, "ada")
		}
		noError(t, store.AccountDeletions.FinishErasure(t.Context(), gone.ID))
		if item, ok := owner(t, store, "ada"); heir.ID == "" || !ok || item.OwnerID != heir.ID {
			t.Errorf("the name is %+v, want that of %s", item, heir.ID)
		}
	})
	t.Run("does not reserve the name again when the answer to the reservation is lost", func(t *testing.T) {
		lost := &flaky{status: http.StatusServiceUnavailable, carryOut: true}
		var store *Store
		transport := &stalling{}
		store = newStore(t, func(engine policy.Transporter) policy.Transporter {
			lost.Transporter = engine
			transport.Transporter = engine
			return transport
		})
		stale := mustUser(t, store, "ada")
		noError(t, store.AccountDeletions.Delete(t.Context(), stale.ID))
		noError(t, store.AccountDeletions.FinishErasure(t.Context(), stale.ID))
		transport.at = creation(schema.UsersContainer)
		transport.meanwhile = func() {
			lost.countdown.Store(1) // only this request
			transport.Transporter = lost
		}
		_, err := store.Usernames.ConfirmName(t.Context(), stale)
		noError(t, err)
		if item, ok := owner(t, store, "ada"); ok {
			t.Errorf("the name of a deleted account is reserved: %+v", item)
		}
	})
	t.Run("does not reserve the name forever when it crashes after the reservation", func(t *testing.T) {
		store, transport := newCutOff(t)
		stale := mustUser(t, store, "ada")
		noError(t, store.AccountDeletions.Delete(t.Context(), stale.ID))
		noError(t, store.AccountDeletions.FinishErasure(t.Context(), stale.ID))
		transport.left.Store(1)
		if _, err := store.Usernames.ConfirmName(t.Context(), stale); err == nil {
			t.Fatal("ConfirmName succeeded, but should have been cut off")
		}
		transport.left.Store(1 << 40)
		if item, ok := owner(t, store, "ada"); ok && item.TTL == schema.Forever {
			t.Errorf("the name of a deleted account is reserved forever: %+v", item)
		}
	})
	t.Run("does not confirm a name that another user has just reserved", func(t *testing.T) {
		store, transport := newStalling(t)
		stale := mustUser(t, store, "ada")
		noError(t, store.Usernames.setTTL(t.Context(), reservations(stale.ID, "ada")[0],
			int(ReservationTime/time.Second))) // unconfirmed
		transport.at = requestFor(http.MethodPatch, "ada")
		transport.meanwhile = func() {
			noError(t, store.AccountDeletions.Delete(t.Context(), stale.ID))
			noError(t, store.AccountDeletions.FinishErasure(t.Context(), stale.ID))
			noError(t, store.Usernames.reserve(t.Context(), domain.NewUserID(nil), "ada", "")) // then it crashed
		}
		_, err := store.Usernames.ConfirmName(t.Context(), stale)
		noError(t, err)
		if item, ok := owner(t, store, "ada"); !ok || item.TTL == schema.Forever {
			t.Errorf("a name without a user is reserved forever: %+v", item)
		}
	})
}
