package cosmos

import (
	"errors"
	"net/http"
	"strings"
	"testing"

	"inkfeed/cosmos/client"
	"inkfeed/cosmos/embedded"
)

// requests counts the requests to an engine by method.
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
		"accepts strong consistency":  {identity: embedded.Identity{Consistency: "Strong"}},
		"accepts bounded staleness":   {identity: embedded.Identity{Consistency: "BoundedStaleness"}},
		"accepts session consistency": {identity: embedded.Identity{Consistency: "Session"}},
		"rejects a consistent prefix": {embedded.Identity{Consistency: "ConsistentPrefix"},
			`the account's default consistency level is "ConsistentPrefix": Inkfeed needs Session or a stronger one`},
		"rejects eventual consistency": {embedded.Identity{Consistency: "Eventual"},
			`the account's default consistency level is "Eventual": Inkfeed needs Session or a stronger one`},
		"rejects several write regions": {embedded.Identity{MultipleWrites: true},
			"the account has multiple write regions: Inkfeed needs a single one"},
		"reports the first of two reasons": {embedded.Identity{Consistency: "Eventual", MultipleWrites: true},
			`the account's default consistency level is "Eventual": Inkfeed needs Session or a stronger one`},
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
				t.Errorf("sent the requests %v, want a single GET", engine.methods)
			}
		})
	}
	t.Run("rejects an account without a consistency level", func(t *testing.T) {
		if err := client.CheckAccount([]byte(`{"id":"a"}`)); err == nil {
			t.Error("accepted an account without a consistency level")
		}
	})
}
