// Package azure checks the Azure project in docs/azure against the program: its containers, variables, probes and
// times.
package azure

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"inkfeed/web/cli"
)

// project is the folder of the Azure project.
const project = "docs/azure"

// TestMain runs the tests at the top level of the module.
func TestMain(m *testing.M) {
	if err := os.Chdir("../../../.."); err != nil {
		panic(err)
	}
	os.Exit(m.Run())
}

// deployment is an evaluated deployment: the infrastructure, and the container app on it.
type deployment struct {
	resources []resource
	outputs   map[string]any // of the infrastructure
	address   any
}

// variants are the arguments of deployments that together use every resource and every branch of an expression.
var variants = map[string]struct{ infrastructure, app map[string]any }{
	"the smallest": {map[string]any{}, map[string]any{"tracing": false}},
	"with everything": {map[string]any{"secondRegion": "northeurope", "privateEndpoints": true,
		"operatorId": "11111111-1111-1111-1111-111111111111", "sessionKeys": sessionKey,
		"smtpUrl": "smtps://user:password@mail.example.org"},
		map[string]any{"secondRegion": "northeurope", "siteUrl": "https://blog.example.org",
			"certificateId": "/certificate", "mailFrom": "Inkfeed <blog@example.org>"}},
}

const sessionKey = "abababababababababababababababababababababababababababababababab"

// eachVariant deploys each variant and calls a test with it.
func eachVariant(t *testing.T, test func(t *testing.T, d deployment)) {
	for name, v := range variants {
		t.Run(name, func(t *testing.T) { test(t, evaluate(t, v.infrastructure, v.app)) })
	}
}

// evaluate deploys the project. The container app gets the arguments that inkfeed.parameters.json passes on, with
// samples for those that only Azure knows.
func evaluate(t *testing.T, infrastructure, app map[string]any) (d deployment) {
	t.Helper()
	defer func() {
		if reason := recover(); reason != nil {
			t.Fatal(reason)
		}
	}()
	arguments := map[string]any{"environmentName": "blog", "location": "westeurope"}
	for name, value := range infrastructure {
		arguments[name] = value
	}
	d.resources, d.outputs = deploy(filepath.Join(project, "infra/main.bicep"), arguments)
	arguments = map[string]any{"environmentName": "blog", "location": "westeurope", "imageName": "registry/inkfeed:1",
		"appsEnvironmentName": "apps", "registryServer": "registry", "identityId": "/identity",
		"identityClientId": "22222222-2222-2222-2222-222222222222", "vaultUri": "https://v.vault.azure.net/",
		"cosmosEndpoint": "https://account.documents.azure.com:443/", "databaseName": "inkfeed",
		"blobContainerUrl": "https://account.blob.core.windows.net/media",
		"apps":             map[string]any{"id": "/apps", "properties": map[string]any{"defaultDomain": "example.org"}}}
	for name, value := range app {
		arguments[name] = value
	}
	made, outputs := deploy(filepath.Join(project, "infra/inkfeed.bicep"), arguments)
	d.resources = append(d.resources, made...)
	d.address = outputs["INKFEED_ADDRESS"]
	return d
}

// all returns the resources of a type.
func (d deployment) all(kind string) (found []map[string]any) {
	for _, r := range d.resources {
		if r.kind == kind {
			found = append(found, r.body)
		}
	}
	return found
}

// one returns the only resource of a type.
func (d deployment) one(t *testing.T, kind string) map[string]any {
	t.Helper()
	found := d.all(kind)
	if len(found) != 1 {
		t.Fatalf("there are %d resources of the type %s, want one", len(found), kind)
	}
	return found[0]
}

// at returns a value within an evaluated one. The path has names and indexes separated by dots. It is nil if there is
// no such value.
func at(value any, path string) any {
	for name := range strings.SplitSeq(path, ".") {
		switch list := value.(type) {
		case map[string]any:
			value = list[name]
		case []any:
			var i int
			if _, err := fmt.Sscan(name, &i); err != nil || i >= len(list) {
				return nil
			}
			value = list[i]
		default:
			return nil
		}
	}
	return value
}

func sprint(value any) string { return fmt.Sprint(value) }

// want reports a value that differs from the expected one.
func want(t *testing.T, value any, path string, expected any) {
	t.Helper()
	if got := at(value, path); got != expected {
		t.Errorf("%s is %v, want %v", path, got, expected)
	}
}

// schemaOutput returns what inkfeed schema prints.
func schemaOutput(t *testing.T, format string) string {
	t.Helper()
	var out, errors bytes.Buffer
	none := func(string) string { return "" }
	if err := cli.Run(t.Context(), []string{"schema", "--format", format}, none, &out, &errors); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

// decoded returns a value as encoding/json would decode it.
func decoded(t *testing.T, text string) (value any) {
	t.Helper()
	if err := json.Unmarshal([]byte(text), &value); err != nil {
		t.Fatal(err)
	}
	return value
}
