package embedded

import (
	"strings"
	"testing"
)

// TestElementsAreNotMembersOfTheirName stores arrays beside objects whose member is named like the
// index of an element. The policy names the member.
func TestElementsAreNotMembersOfTheirName(t *testing.T) {
	e, _ := mustEngine(t, Options{Ranges: 4, Permissive: true}, `{"id":"c","partitionKey":{"paths":["/k/\"[0]\""]},
		"indexingPolicy":{"includedPaths":[{"path":"/*"},{"path":"/a/\"[0]\"/?"}],
		"compositeIndexes":[[{"path":"/a/\"[0]\""},{"path":"/n"}]]}}`)
	create(t, e, `{"id":"element","a":[1],"n":1,"k":{"[0]":"x"}}`, keyHeader, `["x"]`).want(t, 201)
	create(t, e, `{"id":"member","a":{"[0]":1},"n":2,"k":{"[0]":"y"}}`, keyHeader, `["y"]`).want(t, 201)
	create(t, e, `{"id":"both","a":[2],"n":3,"k":["y"]}`, keyHeader, `[{}]`).want(t, 201)
	ask := func(text string) answer {
		q := sql(text, "")
		q.headers = []string{"Content-Type", "application/query+json",
			"X-Ms-Documentdb-Query-Enablecrosspartition", "True"}
		return q.send(t, e)
	}
	for text, want := range map[string]string{
		"SELECT VALUE c.id FROM c WHERE c.a[0] = 1":                  `["element"]`,
		"SELECT VALUE c.id FROM c WHERE c.a['[0]'] = 1":              `["member"]`,
		"SELECT VALUE c.id FROM c WHERE c.k[0] = 'y'":                `["both"]`,
		"SELECT VALUE c.id FROM c WHERE c.k['[0]'] = 'y'":            `["member"]`,
		"SELECT VALUE c.id FROM c WHERE c.k[0] IN ('x', 'y')":        `["both"]`,
		"SELECT VALUE COUNT(1) FROM c WHERE IS_DEFINED(c.a[0])":      `[2]`,
		"SELECT VALUE c.id FROM c WHERE c.n = 2 ORDER BY c.a['[0]']": `["member"]`,
		"SELECT VALUE c.id FROM c ORDER BY c.a[0]":                   `["member","element","both"]`,
		"SELECT VALUE c.id FROM c ORDER BY c.a['[0]'] DESC":          `["member","both","element"]`,
	} {
		if a := ask(text).want(t, 200); !strings.Contains(a.body, `"Documents":`+want) {
			t.Errorf("%s: %s", text, a.body)
		}
	}
	refusal(t, ask("SELECT * FROM c ORDER BY c.a[0], c.n"), 400)
}
