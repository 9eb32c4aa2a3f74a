package cosmos

import (
	"context"
	"io"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/Azure/azure-sdk-for-go/sdk/azcore/policy"

	"inkfeed/cosmos/client"
	"inkfeed/cosmos/schema"
	"inkfeed/domain"
)

// refusing is a transport that answers requests for items like a replica that is behind the session token, with 404 and
// substatus 1002. It passes the first requests on and refuses the next ones; pass and refuse are their numbers.
type refusing struct {
	policy.Transporter
	pass, refuse atomic.Int64
	refused      atomic.Int64
	readsOnly    atomic.Bool
}

func (r *refusing) Do(request *http.Request) (*http.Response, error) {
	if client.ContainerOf(request.URL.Path) == "" || r.readsOnly.Load() && request.Method != http.MethodGet ||
		r.pass.Add(-1) >= 0 ||
		r.refuse.Add(-1) < 0 {
		return r.Transporter.Do(request)
	}
	if r.refused.Add(1) > 10_000 {
		panic("the store repeats a request without end")
	}
	return &http.Response{StatusCode: http.StatusNotFound, Status: "404 Not Found", Request: request,
		Header: http.Header{"X-Ms-Substatus": {client.SubstatusReadSessionNotAvailable}},
		Body: io.NopCloser(
			strings.NewReader(
				`{"code":"NotFound","message":"The read session is not available for the input session token."}`,
			),
		)}, nil
}

const noEnd = 1 << 40

// after lets the next requests pass and refuses the ones that follow.
func (r *refusing) after(pass, refuse int64) {
	r.pass.Store(pass)
	r.refuse.Store(refuse)
	r.refused.Store(0)
}

// withRefusals runs a test in a synctest bubble on a store with a refusing transport.
func withRefusals(t *testing.T, test func(t *testing.T, store *Store, replica *refusing)) {
	replica := &refusing{}
	inTimeThrough(t, func(engine policy.Transporter) policy.Transporter {
		replica.Transporter = engine
		return replica
	}, func(t *testing.T, store *Store) { test(t, store, replica) })
}

func TestFreeingANameWaitsForAReplicaThatIsBehind(t *testing.T) {
	withRefusals(t, func(t *testing.T, store *Store, replica *refusing) {
		ada := mustUser(t, store, "ada")
		replica.after(0, noEnd)
		if err := client.Translate(freeReservation(t.Context(), store.Usernames.c, "ada", ada.ID)); !domain.Is(err,
			domain.Unavailable) {
			t.Errorf("error %v while the replica stays behind, want unavailable", err)
		}
		replica.after(0, 0)
		if _, err := client.Read[usernameItem](t.Context(), store.Container(schema.UsersContainer), "ada",
			"ada"); err != nil {
			t.Errorf("the name was freed: %v", err)
		}
		replica.after(0, 5)
		if err := freeReservation(t.Context(), store.Usernames.c, "ada", ada.ID); err != nil {
			t.Errorf("error %v although the replica catches up", err)
		}
		replica.after(0, 0)
		if _, err := client.Read[usernameItem](t.Context(), store.Container(schema.UsersContainer), "ada",
			"ada"); !client.Missing(err) {
			t.Errorf("the name was not freed: %v", err)
		}
	})
}

func TestConfirmingANameWaitsForAReplicaThatIsBehind(t *testing.T) {
	withRefusals(t, func(t *testing.T, store *Store, replica *refusing) {
		ada := mustUser(t, store, "ada")
		replica.readsOnly.Store(true) // writes reach the reservation
		replica.after(0, noEnd)
		if own, err := store.Usernames.ConfirmName(t.Context(), ada); !domain.Is(err, domain.Unavailable) {
			t.Errorf("confirmed %t, error %v while the replica stays behind, want unavailable", own, err)
		}
		replica.after(0, 5)
		if own, err := store.Usernames.ConfirmName(t.Context(), ada); !own || err != nil {
			t.Errorf("confirmed %t, error %v although the replica catches up", own, err)
		}
	})
}

func TestConfirmingAMissingNameGivesUp(t *testing.T) {
	withRefusals(t, func(t *testing.T, store *Store, replica *refusing) {
		ada := mustUser(t, store, "ada")
		began := time.Now()
		gone := &vanished{Transporter: replica.Transporter}
		replica.Transporter = gone
		gone.on.Store(true)
		if own, err := store.Usernames.ConfirmName(t.Context(), ada); !domain.Is(err, domain.Unavailable) {
			t.Errorf("confirmed %t, error %v, want unavailable", own, err)
		}
		gone.on.Store(false)
		if n := gone.reads.Load(); n > client.RewriteAttempts || time.Since(began) == 0 {
			t.Errorf("%d reads in %v", n, time.Since(began))
		}
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		gone.on.Store(true)
		if _, err := store.Usernames.ConfirmName(ctx, ada); err == nil {
			t.Error("no error after the context ended")
		}
		gone.on.Store(false)
	})
}

// vanished is a transport that answers reads of items with 404 while it is on.
type vanished struct {
	policy.Transporter
	on    atomic.Bool
	reads atomic.Int64
}

func (v *vanished) Do(r *http.Request) (*http.Response, error) {
	if !v.on.Load() || r.Method != http.MethodGet || client.ContainerOf(r.URL.Path) == "" {
		return v.Transporter.Do(r)
	}
	v.reads.Add(1)
	return &http.Response{StatusCode: http.StatusNotFound, Status: "404 Not Found", Request: r, Header: http.Header{},
		Body: io.NopCloser(strings.NewReader(`{"code":"NotFound","message":"Resource not found."}`))}, nil
}
