package cosmos

import (
	"testing"

	"github.com/Azure/azure-sdk-for-go/sdk/azcore/policy"

	"inkfeed/cosmos/embedded"
)

// newStore opens a store on an engine of its own, through wrap.
func newStore(t *testing.T, wrap func(policy.Transporter) policy.Transporter) *Store {
	t.Helper()
	engine := newEngine(t, embedded.Options{Ranges: 2})
	return openStore(t, engine, Options{Transport: wrap(engine)})
}

func newEngine(t *testing.T, o embedded.Options) *embedded.Engine {
	t.Helper()
	engine, err := embedded.Open(t.TempDir(), o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { engine.Close() })
	return engine
}

// openStore opens the database "test" of an engine.
func openStore(t *testing.T, engine *embedded.Engine, o Options) *Store {
	t.Helper()
	o.Endpoint, o.Key, o.Database = engine.Endpoint(), engine.Key(), "test"
	if o.Transport == nil {
		o.Transport = engine
	}
	store, err := Open(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(store.Close)
	return store
}

func direct(engine policy.Transporter) policy.Transporter { return engine }
