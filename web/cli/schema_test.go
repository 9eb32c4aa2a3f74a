package cli

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"

	"github.com/Azure/azure-sdk-for-go/sdk/data/azcosmos"

	"inkfeed/cosmos/schema"
)

func TestSchemaPrintsTheDefinitionsOfTheContainers(t *testing.T) {
	out, err := runWith(t, nil, "schema")
	if err != nil {
		t.Fatal(err)
	}
	var printed struct {
		Containers []azcosmos.ContainerProperties `json:"containers"`
	}
	if err := json.Unmarshal([]byte(out), &printed); err != nil {
		t.Fatal(err)
	}
	want := schema.ContainerDefinitions()
	for i := range want {
		want[i].IndexingPolicy.IndexingMode = "consistent" // the service's own form
	}
	if !reflect.DeepEqual(printed.Containers, want) {
		t.Errorf("inkfeed schema prints %+v, want %+v", printed.Containers, want)
	}
}

func TestBicepLiterals(t *testing.T) {
	for name, c := range map[string]struct {
		value any
		want  string
	}{
		"text with quotes and expressions": {"it's ${x} \\ $5\n", `'it\'s \${x} \\ $5\n'`},
		"number":                           {json.Number("31536000"), "31536000"},
		"boolean":                          {true, "true"},
		"null":                             {nil, "null"},
		"empty list":                       {[]any{}, "[]"},
		"short list":                       {[]any{"/a", "/b"}, "['/a', '/b']"},
		"object with a key in quotes":      {map[string]any{"b": 1, "a-b": "c"}, "{ 'a-b': 'c', b: 1 }"},
		"long list": {[]any{strings.Repeat("x", bicepWidth), map[string]any{"a": 1}},
			"[\n  '" + strings.Repeat("x", bicepWidth) + "'\n  { a: 1 }\n]"},
	} {
		t.Run(name, func(t *testing.T) {
			if got := bicepLiteral(c.value, ""); got != c.want {
				t.Errorf("got %s, want %s", got, c.want)
			}
		})
	}
}
