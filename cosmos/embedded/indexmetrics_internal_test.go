package embedded

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
)

func TestIndexMetrics(t *testing.T) {
	e, _ := mustEngine(
		t,
		Options{},
		`{"id":"c","partitionKey":{"paths":["/pk"]},
		"indexingPolicy":{"includedPaths":[{"path":"/*"}],"excludedPaths":[{"path":"/hidden/*"}],
		"compositeIndexes":[[{"path":"/a"},{"path":"/b","order":"descending"}]]}}`,
	)
	for _, tt := range []struct{ sql, want string }{
		{"SELECT * FROM c", ""},
		{"SELECT * FROM c WHERE c.x = 1", "uses /x/?"},
		{"SELECT * FROM c WHERE c.x = 1 OR STARTSWITH(c.o['y z'], 'a') OR c.x = 2", `uses /x/? uses /o/"y z"/?`},
		{"SELECT * FROM c WHERE c.l[0] = 1", "uses /l/[]/?"},
		{"SELECT * FROM c WHERE c.l[0] = 1 AND c.x = 1 AND c.m[0] > 1", "uses /l/[]/? uses /x/? uses /m/[]/?"},
		{"SELECT * FROM c WHERE c.hidden.x > 1 AND LOWER(c.n) = 'a'", "lacks /hidden/x/?"},
		{"SELECT * FROM c WHERE c.a = 1 ORDER BY c.b", "uses /a/? uses /b/? uses [/a ASC /b DESC]"},
		{"SELECT * FROM c WHERE c.a = 1 AND c.b > 2", "uses /a/? uses /b/? uses [/a ASC /b DESC]"},
		{"SELECT * FROM c WHERE c.b = 1 AND c.a > 2", "uses /b/? uses /a/? lacks [/b ASC /a ASC]"},
		{"SELECT * FROM c WHERE c.x = 1 ORDER BY c.y DESC", "uses /x/? uses /y/? lacks [/x ASC /y DESC]"},
		{"SELECT * FROM c ORDER BY c.a DESC, c.b", "uses /a/? uses /b/? uses [/a ASC /b DESC]"},
	} {
		a := send(t, e, "POST", docs, fmt.Sprintf(`{"query":%q}`, tt.sql), append(pk("a"), "Content-Type",
			"application/query+json", "X-Ms-Cosmos-Populateindexmetrics", "true")...).want(t, 200)
		text, err := base64.StdEncoding.DecodeString(a.header.Get("X-Ms-Cosmos-Index-Utilization"))
		if err != nil {
			t.Fatal(err)
		}
		type entry struct {
			IndexSpec  string
			IndexSpecs []string
		}
		var u struct {
			UtilizedSingleIndexes, PotentialSingleIndexes, UtilizedCompositeIndexes,
			PotentialCompositeIndexes []entry
		}
		if err := json.Unmarshal(text, &u); err != nil {
			t.Fatalf("%s: %v", text, err)
		}
		var got []string
		add := func(verb string, list []entry) {
			for _, e := range list {
				if e.IndexSpecs != nil {
					e.IndexSpec = fmt.Sprint(e.IndexSpecs)
				}
				got = append(got, verb+e.IndexSpec)
			}
		}
		add("uses ", u.UtilizedSingleIndexes)
		add("lacks ", u.PotentialSingleIndexes)
		add("uses ", u.UtilizedCompositeIndexes)
		add("lacks ", u.PotentialCompositeIndexes)
		if strings.Join(got, " ") != tt.want {
			t.Errorf("%s: got %q, want %q", tt.sql, strings.Join(got, " "), tt.want)
		}
	}
}
