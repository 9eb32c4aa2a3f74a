package cosmos

import (
	"net/http"
	"testing"
	"time"

	"github.com/Azure/azure-sdk-for-go/sdk/azcore/policy"

	"inkfeed/domain"
)

// batchLoser is a transport that loses the answer to the next transactional batch.
type batchLoser struct {
	flaky
	armed bool
}

func (l *batchLoser) Do(r *http.Request) (*http.Response, error) {
	if l.armed && r.Header.Get("X-Ms-Cosmos-Is-Batch-Request") != "" {
		l.armed = false
		l.countdown.Store(1)
	}
	return l.flaky.Do(r)
}

// A call whose answer is lost is repeated. Its first attempt has stored the change with the deliveries, so the second
// must add none.
func TestDeliveriesOfAChangeAreStoredOnceAlthoughAnswersAreLost(t *testing.T) {
	for name, status := range map[string]int{"a broken connection": 0, "503": http.StatusServiceUnavailable} {
		t.Run(name, func(t *testing.T) {
			transport := &batchLoser{flaky: flaky{status: status, carryOut: true}}
			s := newStore(t, func(engine policy.Transporter) policy.Transporter {
				transport.Transporter = engine
				return transport
			})
			user, err := domain.NewUser("ada", time.Now())
			if err == nil {
				err = s.Accounts.Create(t.Context(), user, "hash")
			}
			if err != nil {
				t.Fatal(err)
			}
			read := func() domain.Credentials {
				c, err := s.Credentials.Get(t.Context(), user.ID)
				if err != nil {
					t.Fatal(err)
				}
				return c
			}
			at := domain.Timestamp(time.Now().Add(time.Hour))
			for i, change := range []func(domain.Delivery) error{
				func(d domain.Delivery) error {
					c := read()
					c.PasswordHash = "another"
					return second(s.Credentials.Set(t.Context(), c, d))
				},
				func(d domain.Delivery) error {
					return second(s.EmailAddresses.Verify(t.Context(), read(), "ada@example.org", d))
				},
				func(d domain.Delivery) error { return second(s.EmailAddresses.Remove(t.Context(), read(), d)) },
				func(d domain.Delivery) error {
					return second(s.AccountDeletions.ScheduleDeletion(t.Context(), user.ID, at, d))
				},
				func(d domain.Delivery) error { return s.AccountDeletions.CancelDeletion(t.Context(), user.ID, d) },
				func(d domain.Delivery) error {
					return second(s.AccountDeletions.ScheduleDeletion(t.Context(), user.ID, at, d))
				},
				func(d domain.Delivery) error {
					return second(s.AccountDeletions.AbandonDeletion(t.Context(), domain.ScheduledItem{UserID: user.ID,
						At: at}, "No reason.", d))
				},
			} {
				transport.armed = true
				now := time.Now()
				if err := change(domain.Delivery{ID: domain.NewID(), Destination: domain.UrgentMail,
					Kind: domain.DeliverMail, UserID: user.ID, Created: now, Expires: now.Add(time.Hour)}); err != nil {
					t.Errorf("change %d: %v", i, err)
				}
				list, err := s.Deliveries.Outgoing(t.Context(), now.Add(time.Minute))
				if err != nil || len(list) != i+1 || transport.armed {
					t.Errorf("change %d: %d deliveries are stored, error %v", i, len(list), err)
				}
			}
		})
	}
}
