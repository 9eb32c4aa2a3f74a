package azure

import (
	"encoding/json"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/goccy/go-yaml"
)

func bicepFiles(t *testing.T) (paths []string) {
	t.Helper()
	err := filepath.WalkDir(project, func(path string, _ fs.DirEntry, err error) error {
		if strings.HasSuffix(path, ".bicep") {
			paths = append(paths, path)
		}
		return err
	})
	if err != nil || len(paths) == 0 {
		t.Fatalf("found %d Bicep files: %v", len(paths), err)
	}
	return paths
}

// TestEveryNameIsUsed reports parameters and variables without a use, as Bicep's linter does, and parameters without
// a description.
func TestEveryNameIsUsed(t *testing.T) {
	for _, path := range bicepFiles(t) {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		f := parse(path, string(text))
		names := make([]string, 0, len(f.parameters)+len(f.variables))
		for name, p := range f.parameters {
			if names = append(names, name); len(p.decorators["description"]) != 1 {
				t.Errorf("%s: the parameter %s has no description", path, name)
			}
		}
		for name := range f.variables {
			names = append(names, name)
		}
		for _, name := range names {
			if uses := regexp.MustCompile(`\b`+name+`\b`).FindAllString(string(text), -1); len(uses) < 2 {
				t.Errorf("%s: %s is not used", path, name)
			}
		}
	}
}

// azdVariables are the variables that azd sets by itself.
var azdVariables = []string{"AZURE_ENV_NAME", "AZURE_LOCATION", "AZURE_PRINCIPAL_ID", "SERVICE_INKFEED_IMAGE_NAME"}

// TestParameterFiles checks that each parameter file gives a value to parameters that exist, to all without a default,
// and from variables that azd, an earlier deployment or the operator sets.
func TestParameterFiles(t *testing.T) {
	readme, err := os.ReadFile(filepath.Join(project, "README.md"))
	if err != nil {
		t.Fatal(err)
	}
	known := slices.Clone(azdVariables)
	for _, name := range []string{"main", "inkfeed"} {
		path := filepath.Join(project, "infra", name)
		source, err := os.ReadFile(path + ".bicep")
		if err != nil {
			t.Fatal(err)
		}
		text, err := os.ReadFile(path + ".parameters.json")
		if err != nil {
			t.Fatal(err)
		}
		var given struct {
			Parameters map[string]struct{ Value string }
		}
		if err := json.Unmarshal(text, &given); err != nil {
			t.Fatalf("%s.parameters.json: %v", path, err)
		}
		f := parse(path, string(source))
		for parameter, value := range given.Parameters {
			match := regexp.MustCompile(`^\$\{([A-Z_]+)(=.*)?\}$`).FindStringSubmatch(value.Value)
			switch {
			case f.parameters[parameter] == nil:
				t.Errorf("%s.bicep has no parameter %s", path, parameter)
			case match == nil:
				t.Errorf("%s: %s is %q, want a variable", path, parameter, value.Value)
			case match[2] == "" && !slices.Contains(known, match[1]):
				t.Errorf("%s: %s comes from %s, which is neither an output nor set by azd", path, parameter, match[1])
			case match[2] != "" && !slices.Contains(known, match[1]) && !strings.Contains(string(readme), match[1]):
				t.Errorf("%s: %s comes from %s, which README.md does not explain", path, parameter, match[1])
			}
		}
		for parameter, p := range f.parameters {
			if _, ok := given.Parameters[parameter]; !ok && p.value == nil {
				t.Errorf("%s.parameters.json gives no value to %s", path, parameter)
			}
		}
		for output := range f.outputs {
			known = append(known, output)
		}
	}
}

// TestHooksReadOnlyDeploymentOutputs checks that the hooks decide by outputs of the deployment. Unlike variables that
// a hook sets, `azd env refresh` also gives them to an environment on another machine, so the hooks do not draw a
// second session key.
func TestHooksReadOnlyDeploymentOutputs(t *testing.T) {
	text, err := os.ReadFile(filepath.Join(project, "azure.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	outputs := evaluate(t, nil, nil).outputs
	read := regexp.MustCompile(`azd env get-value (\w+)`).FindAllStringSubmatch(string(text), -1)
	for _, m := range read {
		if outputs[m[1]] == nil {
			t.Errorf("a hook reads %s, which main.bicep does not output", m[1])
		}
	}
	if len(read) < 2 {
		t.Errorf("found %d variables", len(read))
	}
}

func TestTheProjectFileNamesWhatExists(t *testing.T) {
	text, err := os.ReadFile(filepath.Join(project, "azure.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	var file struct {
		Infra    struct{ Path, Module string }
		Services map[string]struct {
			Project, Host string
			Docker        struct{ Path, Context string }
		}
	}
	if err := yaml.Unmarshal(text, &file); err != nil {
		t.Fatal(err)
	}
	infra := filepath.Join(project, file.Infra.Path)
	paths := []string{filepath.Join(infra, file.Infra.Module+".bicep")}
	for name, service := range file.Services {
		paths = append(paths, filepath.Join(project, service.Project, service.Docker.Path),
			filepath.Join(infra, name+".bicep"), filepath.Join(infra, name+".parameters.json"))
		tags := evaluate(t, nil, nil).one(t, "Microsoft.App/containerApps")["tags"]
		want(t, tags, "azd-service-name", name)
		if service.Host != "containerapp" {
			t.Errorf("the host of %s is %q", name, service.Host)
		}
	}
	for _, path := range paths {
		if _, err := os.Stat(path); err != nil {
			t.Errorf("azure.yaml needs %s: %v", path, err)
		}
	}
	if len(file.Services) != 1 {
		t.Errorf("the services are %v", file.Services)
	}
}
