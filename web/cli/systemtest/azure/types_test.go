package azure

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"
)

// sdkTypes are the types of Azure's management SDKs, as .ci/bicep/types prints them.
type sdkTypes struct {
	Resources map[string]struct {
		Module   string
		Versions []string
		Body     string
	}
	Types map[string]map[string]string
}

func loadTypes(t *testing.T) (types sdkTypes) {
	t.Helper()
	text, err := os.ReadFile("web/cli/systemtest/azure/testdata/types.json")
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(text, &types); err != nil {
		t.Fatal(err)
	}
	return types
}

func TestEveryBodyFitsTheTypesOfTheSDK(t *testing.T) {
	types := loadTypes(t)
	seen := make(map[string]bool)
	eachVariant(t, func(t *testing.T, d deployment) {
		for _, r := range d.resources {
			definition, known := types.Resources[r.kind]
			seen[r.kind] = true
			switch {
			case !known:
				t.Errorf("%s: %s is not in types.json: add it to .ci/bicep/types", r.file, r.kind)
				continue
			case !slices.Contains(definition.Versions, r.version):
				t.Errorf("%s: %s has the version %s, but %s knows %v", r.file, r.kind, r.version, definition.Module,
					definition.Versions)
			}
			body := make(map[string]any)
			for name, value := range r.body {
				if !slices.Contains([]string{"name", "parent", "scope", "dependsOn"}, name) { // Bicep's own
					body[name] = value
				}
			}
			for _, problem := range types.compare(body, definition.Body, r.file+": "+r.kind) {
				t.Error(problem)
			}
		}
	})
	for kind := range types.Resources {
		if !seen[kind] {
			t.Errorf("no file has a resource of the type %s: remove it from .ci/bicep/types", kind)
		}
	}
}

// compare reports where a value differs from a type. The path is where the value is.
func (types sdkTypes) compare(value any, kind, path string) (problems []string) {
	differs := []string{fmt.Sprintf("%s: %v is not %s", path, value, kind)}
	if value == nil || kind == "any" {
		return nil // null leaves a property out
	}
	switch {
	case kind == "string":
		if !isString(value) {
			return differs
		}
	case kind == "number":
		if !isType[float64](value) {
			return differs
		}
	case kind == "bool":
		if !isType[bool](value) {
			return differs
		}
	case strings.HasPrefix(kind, "="):
		if !slices.Contains(strings.Split(kind[1:], "|"), sprint(value)) {
			return differs
		}
	case strings.HasPrefix(kind, "[]"):
		list, ok := value.([]any)
		if !ok {
			return differs
		}
		for i, item := range list {
			problems = append(problems, types.compare(item, kind[2:], fmt.Sprintf("%s.%d", path, i))...)
		}
	default:
		object, ok := value.(map[string]any)
		if !ok {
			return differs
		}
		for name, member := range object {
			memberKind, any := strings.CutPrefix(kind, "{}")
			if !any {
				memberKind = types.Types[kind][name]
			}
			if memberKind == "" {
				problems = append(problems,
					fmt.Sprintf("%s: %s has no property %s; if the service has it, run make bicep-types",
						path, kind, name))
				continue
			}
			problems = append(problems, types.compare(member, strings.TrimSuffix(memberKind, "!"), path+"."+name)...)
		}
		for name, memberKind := range types.Types[kind] {
			if _, ok := object[name]; !ok && strings.HasSuffix(memberKind, "!") {
				problems = append(problems, fmt.Sprintf("%s: %s requires the property %s", path, kind, name))
			}
		}
	}
	return problems
}

func TestCompareFindsWhatTheServiceWouldRefuse(t *testing.T) {
	types := loadTypes(t)
	const account = "Microsoft.DocumentDB/databaseAccounts"
	for name, c := range map[string]struct {
		properties map[string]any
		want       string
	}{
		"a misspelt property":          {map[string]any{"disableLocalAuthentication": true}, "has no property"},
		"a property at another place":  {map[string]any{"defaultConsistencyLevel": "Session"}, "has no property"},
		"a value of another type":      {map[string]any{"disableLocalAuth": "true"}, "is not bool"},
		"a value that does not exist":  {map[string]any{"minimalTlsVersion": "TLS1_2"}, "is not =Tls"},
		"a property that is read-only": {map[string]any{"documentEndpoint": "https://here/"}, "has no property"},
		"an object without a required property": {map[string]any{"consistencyPolicy": map[string]any{}},
			"requires the property defaultConsistencyLevel"},
		"a list instead of an object": {map[string]any{"backupPolicy": []any{}}, "is not armcosmos.BackupPolicy"},
	} {
		t.Run(name, func(t *testing.T) {
			properties := map[string]any{"databaseAccountOfferType": "Standard", "locations": []any{}}
			maps.Copy(properties, c.properties)
			problems := types.compare(map[string]any{"properties": properties}, types.Resources[account].Body, account)
			if len(problems) != 1 || !strings.Contains(problems[0], c.want) {
				t.Errorf("found %q, want one problem: %s", problems, c.want)
			}
		})
	}
}
