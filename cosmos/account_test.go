package cosmos

import (
	"errors"
	"net/http"
	"strings"
	"testing"

	"inkfeed/cosmos/client"
	"inkfeed/cosmos/embedded"
)

// requests counts the requests by their methods.
type requests struct {
	*embedded.Engine
	methods map[string]int
}

func (r *requests) Do(request *http.Request) (*http.Response, error) {
	r.methods[request.Method]++
	return r.Engine.Do(request)
}

func TestOpenChecksTheAccount(t *testing.T) {
	for name, tt := range map[string]struct {
		identity embedded.Identity
		refusal  string
	}{
		"strong consistency is enough":         {identity: embedded.Identity{Consistency: "Strong"}},
		"bounded staleness is enough":          {identity: embedded.Identity{Consistency: "BoundedStaleness"}},
		"session consistency is enough":        {identity: embedded.Identity{Consistency: "Session"}},
		"a consistent prefix is too weak":      {embedded.Identity{Consistency: "ConsistentPrefix"}, `the account's default consistency level is "ConsistentPrefix": Inkfeed needs Session or a stronger one`},
		"eventual consistency is too weak":     {embedded.Identity{Consistency: "Eventual"}, `the account's default consistency level is "Eventual": Inkfeed needs Session or a stronger one`},
		"several write regions are too many":   {embedded.Identity{MultipleWrites: true}, "the account has multiple write regions: Inkfeed needs a single one"},
		"of two reasons the first is reported": {embedded.Identity{Consistency: "Eventual", MultipleWrites: true}, `the account's default consistency level is "Eventual": Inkfeed needs Session or a stronger one`},
	} {
		t.Run(name, func(t *testing.T) {
			engine := &requests{newEngine(t, embedded.Options{Identity: tt.identity}), make(map[string]int)}
			store, err := Open(t.Context(),
				Options{Endpoint: engine.Endpoint(), Key: engine.Key(), Database: "test", Transport: engine})
			if tt.refusal == "" {
				if err != nil {
					t.Fatal(err)
				}
				store.Close()
				return
			}
			if _, unsuitable := errors.AsType[*client.UnsuitableAccountError](err); !unsuitable ||
				err.Error() != "cosmos: "+tt.refusal {
				t.Errorf("got the error %v, want %q", err, tt.refusal)
			}
			if strings.Contains(err.Error(), "\n") {
				t.Error("the error has several lines")
			}
			if engine.methods["GET"] != 1 || len(engine.methods) != 1 {
				t.Errorf("requests %v, want a single GET", engine.methods)
			}
		})
	}
	t.Run("a document without a level is refused", func(t *testing.T) {
		if err := client.CheckAccount([]byte(`{"id":"a"}`)); err == nil {
			t.Error("the document is accepted")
		}
	})
}
