package cli

import (
	"encoding/json"
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
	defined := schema.ContainerDefinitions()
	if len(printed.Containers) != len(defined) {
		t.Fatalf("inkfeed schema prints %d containers, want %d", len(printed.Containers), len(defined))
	}
	for i, container := range defined {
		container.IndexingPolicy.IndexingMode = "consistent" // the service's own form
		if got, want := encoded(t, printed.Containers[i]), encoded(t, container); got != want {
			t.Errorf("inkfeed schema prints %s, want %s", got, want)
		}
	}
}

func encoded(t *testing.T, container azcosmos.ContainerProperties) string {
	t.Helper()
	text, err := json.Marshal(container)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
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
