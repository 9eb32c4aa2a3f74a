package cosmos

import (
	"net/http"
	"testing"
	"time"

	"github.com/Azure/azure-sdk-for-go/sdk/azcore/policy"

	"inkfeed/cosmos/client"
	"inkfeed/domain"
)

// overtaken is a transport that calls afterwards once a write has been carried out, before the writer has its answer.
type overtaken struct {
	policy.Transporter
	afterwards func()
}

func (o *overtaken) Do(r *http.Request) (*http.Response, error) {
	resp, err := o.Transporter.Do(r)
	if f := o.afterwards; f != nil && client.ContainerOf(r.URL.Path) != "" && !client.IsRead(r) {
		o.afterwards = nil
		f()
	}
	return resp, err
}

// A user may ask to undo an import right after its instance has renewed the job. The instance must notice it at the
// next renewal, so its write must not return what the user wrote.
func TestWriteOfAnImportJobReturnsNoLaterChange(t *testing.T) {
	transport := &overtaken{}
	store := newStore(t, func(engine policy.Transporter) policy.Transporter {
		transport.Transporter = engine
		return transport
	})
	now := domain.Timestamp(time.Now())
	user := mustUser(t, store, "ada")
	running, err := store.ImportJobs.Put(t.Context(), domain.ImportJob{ID: domain.NewID(), UserID: user.ID,
		State: domain.ImportRunning, Created: now, Changed: now})
	if err != nil {
		t.Fatal(err)
	}
	transport.afterwards = func() {
		current, err := store.ImportJobs.Get(t.Context(), user.ID)
		if err == nil {
			_, err = store.ImportJobs.Put(t.Context(), current.Change(domain.ImportUndoing, now))
		}
		if err != nil {
			t.Error(err)
		}
	}
	running.Renewed = now
	renewed, err := store.ImportJobs.Put(t.Context(), running)
	if err != nil || renewed.State != domain.ImportRunning {
		t.Errorf("the renewed job is %s (%v), want %s", renewed.State, err, domain.ImportRunning)
	}
	if _, err := store.ImportJobs.Put(t.Context(), renewed); !domain.Is(err, domain.Conflict) {
		t.Errorf("the next renewal returns %v, want a conflict", err)
	}
}
