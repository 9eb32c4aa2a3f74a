package verify

import (
	"testing"

	"inkfeed/cosmos"
	"inkfeed/cosmos/embedded"
)

// newWorldStore opens a store on an engine of its own.
func newWorldStore(t *testing.T) *cosmos.Store {
	t.Helper()
	engine, err := embedded.Open(t.TempDir(), embedded.Options{Ranges: 2})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { engine.Close() })
	store, err := cosmos.Open(t.Context(),
		cosmos.Options{Endpoint: engine.Endpoint(), Key: engine.Key(), Database: "test", Transport: engine})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(store.Close)
	return store
}
