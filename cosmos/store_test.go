package cosmos

import (
	"context"
	"testing"

	"github.com/Azure/azure-sdk-for-go/sdk/azcore/policy"

	"inkfeed/cosmos/client"
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
// DeclaredWrites observes that no operation writes that was declared by client.Reads.
type DeclaredWrites struct{ T *testing.T }

func (d DeclaredWrites) Observe(_ context.Context, a client.Attempt) {
	if a.Operation.OnlyReads() && a.Partition.Container != "" && !client.IsRead(a.Request) {
		d.T.Errorf("the operation %s is declared by client.Reads, but writes to %s", a.Operation, a.Partition.Container)
	}
}

func openStore(t *testing.T, engine *embedded.Engine, o Options) *Store {
	t.Helper()
	o.Endpoint, o.Key, o.Database = engine.Endpoint(), engine.Key(), "test"
	if o.Transport == nil {
		o.Transport = engine
	}
	o.Observers = append(o.Observers, DeclaredWrites{t})
	store, err := Open(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(store.Close)
	return store
}

func direct(engine policy.Transporter) policy.Transporter { return engine }
