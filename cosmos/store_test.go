package cosmos

import (
	"testing"

	"github.com/Azure/azure-sdk-for-go/sdk/azcore/policy"

	"inkfeed/cosmos/embedded"
)

// newStore opens a store on an engine of its own, through wrap.
func newStore(t *testing.T, wrap func(policy.Transporter) policy.Transporter) *Store {
	t.Helper()
	engine, err := embedded.Open(t.TempDir(), embedded.Options{Ranges: 2})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { engine.Close() })
	store, err := Open(t.Context(), Options{Endpoint: engine.Endpoint(), Key: engine.Key(),
		Transport: wrap(engine), Database: "test"})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(store.Close)
	return store
}

func direct(engine policy.Transporter) policy.Transporter { return engine }
