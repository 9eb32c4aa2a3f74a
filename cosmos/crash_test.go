package cosmos

import (
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/Azure/azure-sdk-for-go/sdk/azcore/policy"

	"inkfeed/cosmos/client"
	"inkfeed/cosmos/schema"
	"inkfeed/cosmos/verify"
	"inkfeed/domain"
	"inkfeed/domain/markdown"
)

// cutOff is a transport that passes a number of writes on and refuses later ones, as if the process had crashed. It
// answers them with 403, which is never retried.
type cutOff struct {
	policy.Transporter
	left atomic.Int64
}

func (c *cutOff) Do(r *http.Request) (*http.Response, error) {
	if !client.IsRead(r) && client.ContainerOf(r.URL.Path) != "" && c.left.Add(-1) < 0 {
		return forbidden(r), nil
	}
	return c.Transporter.Do(r)
}

// forbidden returns the answer 403, which is never retried.
func forbidden(r *http.Request) *http.Response {
	body := io.NopCloser(strings.NewReader(`{"code":"Forbidden","message":"cut off"}`))
	return &http.Response{StatusCode: http.StatusForbidden, Status: "403 Forbidden", Request: r,
		Header: http.Header{}, Body: body}
}

func newCutOff(t *testing.T) (*Store, *cutOff) {
	t.Helper()
	transport := &cutOff{}
	transport.left.Store(1 << 40)
	return newStore(t, func(engine policy.Transporter) policy.Transporter {
		transport.Transporter = engine
		return transport
	}), transport
}

// A sign-up or rename can stop after any write. The users projector and another attempt by the user then lead to a
// consistent state.
func TestInterruptedSignUpOrRenameIsFinishedOrUndone(t *testing.T) {
	markdown := markdown.New()
	sound := func(t *testing.T, s *Store) {
		t.Helper()
		err := s.Users.EachAccount(t.Context(),
			func(u domain.User) error { return s.AccountRows.Put(t.Context(), u) })
		if err != nil {
			t.Fatal(err)
		}
		_, err = verify.Verify(t.Context(), s.Database, markdown, func(int) {},
			func(v verify.Violation) { t.Errorf("violation: %s", v) })
		if err != nil {
			t.Fatal(err)
		}
	}
	t.Run("repeating a reservation restores its full time to live", func(t *testing.T) {
		store, _ := newCutOff(t)
		user := domain.NewUserID(nil)
		if err := store.Usernames.reserve(t.Context(), user, "ada", ""); err != nil {
			t.Fatal(err)
		}
		if err := store.Usernames.setTTL(t.Context(), reservations(user, "ada")[0], 7); err != nil {
			t.Fatal(err)
		}
		if err := store.Usernames.reserve(t.Context(), user, "ada", ""); err != nil {
			t.Fatal(err)
		}
		item, err := client.Read[usernameItem](t.Context(), store.Container(schema.UsersContainer), "ada", "ada")
		if err != nil || item.TTL != int(ReservationTime.Seconds()) {
			t.Errorf("%d seconds, %v", item.TTL, err)
		}
	})
	for after := range int64(6) {
		t.Run(fmt.Sprintf("sign-up after %d writes", after), func(t *testing.T) {
			store, transport := newCutOff(t)
			user, err := domain.NewUser("ada", time.Now())
			if err != nil {
				t.Fatal(err)
			}
			transport.left.Store(after)
			err = store.Accounts.Create(t.Context(), user, "hash")
			transport.left.Store(1 << 40)
			if written := after >= 3; (err == nil) != written {
				t.Errorf("error %v after %d writes: the user is written by the third", err, after)
			}
			if err == nil {
				if own, err := store.Usernames.ConfirmName(t.Context(), user); !own || err != nil {
					t.Errorf("confirmed: %t, %v", own, err)
				}
			}
			sound(t, store)
			if err := store.Accounts.Create(t.Context(), user, "hash"); err != nil {
				t.Errorf("the second attempt: %v", err)
			}
			sound(t, store)
		})
		t.Run(fmt.Sprintf("rename after %d writes", after), func(t *testing.T) {
			store, transport := newCutOff(t)
			user, err := domain.NewUser("ada", time.Now())
			if err == nil {
				err = store.Accounts.Create(t.Context(), user, "hash")
			}
			if err != nil {
				t.Fatal(err)
			}
			transport.left.Store(after)
			renamed, err := store.Usernames.Rename(t.Context(), user.ID, "lovelace")
			transport.left.Store(1 << 40)
			if written := after >= 3; (err == nil) != written {
				t.Errorf("error %v after %d writes: the user is renamed by the third", err, after)
			}
			for range 2 { // by the projector and by the user's second attempt
				if err == nil {
					if own, err := store.Usernames.ConfirmName(t.Context(), renamed); !own || err != nil {
						t.Errorf("confirmed: %t, %v", own, err)
					}
					if err := store.Users.MarkPropagated(t.Context(), user.ID, renamed.NameVersion); err != nil {
						t.Error(err)
					}
				}
				sound(t, store)
				renamed, err = store.Usernames.Rename(t.Context(), user.ID, "lovelace")
				if err != nil || renamed.NameVersion != 2 {
					t.Errorf("the second attempt: %+v, %v", renamed, err)
				}
			}
		})
	}
}
