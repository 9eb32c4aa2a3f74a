package embedded

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"
)

// TestEqualityAcrossTypes filters items of every type by a property with an index column in SQLite,
// and by one that is compared in Go. Both find the same items.
func TestEqualityAcrossTypes(t *testing.T) {
	e, _ := mustEngine(
		t,
		Options{},
		`{"id":"c","partitionKey":{"paths":["/pk"]},"indexingPolicy":{"includedPaths":[{"path":"/*"},`+
			`{"path":"/indexed/?"}]}}`,
	)
	for id, v := range map[string]string{"null": "null", "true": "true", "3": "3", "x": `"x"`, "array": "[1]",
		"object": `{"a":1}`} {
		create(t, e, `{"id":"`+id+`","pk":"a","indexed":`+v+`,"plain":`+v+`}`).want(t, 201)
	}
	create(t, e, `{"id":"none","pk":"a"}`).want(t, 201)
	for where, want := range map[string]string{
		"P != null":                    "3 array object true x",
		"P != 'x'":                     "3 array null object true",
		"P != 3":                       "array null object true x",
		"P != [1]":                     "3 null object true x",
		"P != {'a': 1}":                "3 array null true x",
		"P = null":                     "null",
		"P != undefined":               "",
		"NOT (P = 3)":                  "array null object true x",
		"NOT (P != 3)":                 "3",
		"NOT (P > 2)":                  "",
		"null != P":                    "3 array object true x",
		"P IN (3, 'x')":                "3 x",
		"P IN (3, undefined)":          "3",
		"P NOT IN (3, 'x')":            "array null object true",
		"P NOT IN (3, undefined)":      "array null object true x",
		"P BETWEEN 1 AND 5":            "3",
		"P NOT BETWEEN 5 AND 9":        "3",
		"P = 3 OR P != 'x'":            "3 array null object true",
		"NOT (P = 3 OR P = 'x')":       "array null object true",
		"NOT (P = 3 AND P != 'x')":     "array null object true x",
		"(P != null) ? P = 'x' : true": "null none x",
		"c.id = 3":                     "",
		"c.id != 3":                    "3 array none null object true x",
		"NOT (c.id = 3)":               "3 array none null object true x",
		"c.id < 3":                     "",
		"c._ts = 'x'":                  "",
		"c._ts != 'x'":                 "3 array none null object true x",
		"c.pk != 1 AND c.pk = 'a'":     "3 array none null object true x",
		"c.pk = 1":                     "",
	} {
		for _, property := range []string{"c.indexed", "c.plain"} {
			condition := strings.ReplaceAll(where, "P", property)
			t.Run(condition, func(t *testing.T) {
				a, rows := askAll(t, e, "SELECT VALUE c.id FROM c WHERE "+condition)
				a.want(t, 200)
				ids := make([]string, len(rows))
				for i, row := range rows {
					if err := json.Unmarshal([]byte(row), &ids[i]); err != nil {
						t.Fatal(err)
					}
				}
				slices.Sort(ids)
				wanted := strings.Fields(want)
				slices.Sort(wanted)
				if !slices.Equal(ids, wanted) {
					t.Errorf("got %v, want %v", ids, wanted)
				}
			})
		}
	}
}
