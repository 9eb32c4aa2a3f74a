package embedded

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
)

// TestQuotedKeyPaths restricts queries to one partition by keys whose paths must be quoted. The
// queries must not cross partitions, so each is refused unless its filter is recognised.
func TestQuotedKeyPaths(t *testing.T) {
	for _, name := range []string{"a/b", "a b", "a-b", "a.b", "a~1b", "~0", "it's", "naïve", "😀", "order", "value", "0",
		"*", "?"} {
		t.Run(name, func(t *testing.T) {
			path, _ := json.Marshal(`/"` + name + `"`)
			e, _ := mustEngine(t, Options{Ranges: 4}, fmt.Sprintf(`{"id":"c","partitionKey":{"paths":[%s]}}`, path))
			property, _ := json.Marshal(name)
			send(t, e, "POST", docs, fmt.Sprintf(`{"id":"1",%s:"k"}`, property), pk("k")...).want(t, 201)
			send(t, e, "POST", docs, fmt.Sprintf(`{"id":"2",%s:"other"}`, property), pk("other")...).want(t, 201)
			for _, filter := range []string{"c[%s] = 'k'", "'k' = c[%s]", "c[%s] = 'k' AND c.id != 'x'"} {
				body, _ := json.Marshal(
					map[string]string{"query": "SELECT VALUE c.id FROM c WHERE " + fmt.Sprintf(filter, property)},
				)
				a := send(t, e, "POST", docs, string(body), "Content-Type", "application/query+json").want(t, 200)
				if !strings.Contains(a.body, `["1"]`) {
					t.Errorf("%s: %s", filter, a.body)
				}
			}
		})
	}
}
