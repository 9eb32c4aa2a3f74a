package cosmos

import (
	"fmt"
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

// mortal is a transport whose process dies at a call, if dying is set. It passes earlier calls on and carries the last
// one out, or not.
type mortal struct {
	policy.Transporter
	dying   bool
	left    int // calls before the last one
	carries bool
}

func (m *mortal) Do(r *http.Request) (*http.Response, error) {
	// The SDK reads the account in the background, so only requests for items may read the fields.
	if !strings.Contains(r.URL.Path, "/docs") || !m.dying {
		return m.Transporter.Do(r)
	}
	if m.left--; m.left >= 0 {
		return m.Transporter.Do(r)
	}
	if m.left == -1 && m.carries {
		resp, err := m.Transporter.Do(r)
		if err != nil {
			return nil, err
		}
		resp.Body.Close()
	}
	return &http.Response{StatusCode: http.StatusForbidden, Request: r, Header: http.Header{},
		// 403 is never retried
		Body: io.NopCloser(strings.NewReader(`{"code":"Forbidden","message":"dead"}`))}, nil
}

// A sign-up can die at any call. Until the reservation expires, its invitation for one user is used up. Afterwards it
// has admitted exactly one user in total.
func TestCrashedSignUpCostsItsInvitationNoUse(t *testing.T) {
	var process mortal
	through := func(engine policy.Transporter) policy.Transporter {
		process.Transporter = engine
		return &process
	}
	inTimeThrough(t, through, func(t *testing.T, store *Store) {
		ctx := t.Context()
		maker := mustUser(t, store, "maker")
		if _, err := store.Accounts.SetRole(ctx, maker.ID, domain.RoleAdministrator); err != nil {
			t.Fatal(err)
		}
		uses := func(code string) int {
			item, err := client.Read[invitationItem](ctx, store.Container(schema.ModerationContainer),
				schema.InvitationQueue, code)
			if err != nil {
				t.Fatal(err)
			}
			return item.Uses
		}
		names := 0
		signUp := func(code string) (userID string, err error) {
			names++
			u, err := domain.NewUser(fmt.Sprint("user", names), time.Now())
			if err == nil {
				err = store.Invitations.Use(ctx, code, u.ID)
			}
			if err == nil {
				err = store.Accounts.Create(ctx, u, "hash")
			}
			if err == nil {
				err = store.Invitations.Settle(ctx, code, u.ID)
			}
			return u.ID, err
		}
		for call, alive := 0, false; !alive; call++ {
			for _, carries := range []bool{false, true} {
				what := fmt.Sprintf("dying at call %d, which is carried out: %t:", call, carries)
				i, err := domain.NewInvitation(maker, 1, 1, "", time.Now())
				if err == nil {
					err = store.Invitations.Create(ctx, i)
				}
				if err != nil {
					t.Fatal(err)
				}
				process.dying, process.left, process.carries = true, call, carries
				first, err := signUp(i.Code)
				process.dying = false
				if err == nil && process.left >= 0 {
					alive = true
				}
				_, err = store.Users.ByID(ctx, first)
				made := err == nil
				taken := uses(i.Code)
				if made && taken != 1 {
					t.Errorf("%s the account exists, but the invitation has %d uses", what, taken)
				}
				if taken == 1 {
					if _, err := signUp(i.Code); !domain.Is(err, domain.Invalid) {
						t.Errorf("%s another sign-up at once: %v, want a used invitation", what, err)
					}
				}
				time.Sleep(ReservationTime + time.Second)
				if _, err = signUp(i.Code); made && !domain.Is(err, domain.Invalid) || !made && err != nil {
					t.Errorf("%s account created: %t, another sign-up later: %v", what, made, err)
				}
				if _, err = signUp(i.Code); !domain.Is(err, domain.Invalid) {
					t.Errorf("%s one sign-up too many: %v, want a used invitation", what, err)
				}
				if n := uses(i.Code); n != 1 {
					t.Errorf("%s the invitation has %d uses, want 1", what, n)
				}
				left, err := client.Query[invitationUseItem](ctx, store.Container(schema.ModerationContainer),
					schema.InvitationQueue, `SELECT * FROM c WHERE c.type = 'invitation-use'`, nil)
				for _, use := range left {
					if use.UserID != "" || use.TTL != int(useTime.Seconds()) {
						t.Errorf("%s the use is stored as %+v", what, use)
					}
				}
				if err != nil {
					t.Error(err)
				}
			}
			if call == 50 {
				t.Fatal("a sign-up takes more than 50 calls")
			}
		}
	})
}
