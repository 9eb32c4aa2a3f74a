// Command types prints the properties and values that the resources of docs/azure may have, as JSON. It reads them from
// the source of Azure's management SDKs, which it downloads with the Go toolchain:
//
//	go run ./.ci/bicep/types > web/cli/systemtest/azure/testdata/types.json
//
// So the SDKs are no dependencies of Inkfeed: compiling two of them takes 15 s. The output has only those properties
// that are required or whose names occur in the Bicep files, and none that are read-only.
package main

import (
	"encoding/json"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"log"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// roots lists, for each SDK, the types of resources in docs/azure with the Go types of their bodies.
var roots = map[string]map[string]string{
	"cosmos/armcosmos/v3@v3.2.0": {
		"Microsoft.DocumentDB/databaseAccounts":                         "DatabaseAccountCreateUpdateParameters",
		"Microsoft.DocumentDB/databaseAccounts/sqlDatabases":            "SQLDatabaseCreateUpdateParameters",
		"Microsoft.DocumentDB/databaseAccounts/sqlDatabases/containers": "SQLContainerCreateUpdateParameters",
		"Microsoft.DocumentDB/databaseAccounts/sqlRoleAssignments":      "SQLRoleAssignmentCreateUpdateParameters"},
	"appcontainers/armappcontainers/v3@v3.1.0": {
		"Microsoft.App/containerApps":       "ContainerApp",
		"Microsoft.App/managedEnvironments": "ManagedEnvironment"},
	"storage/armstorage@v1.8.1": {
		"Microsoft.Storage/storageAccounts":                         "AccountCreateParameters",
		"Microsoft.Storage/storageAccounts/blobServices":            "BlobServiceProperties",
		"Microsoft.Storage/storageAccounts/blobServices/containers": "BlobContainer"},
	"keyvault/armkeyvault@v1.5.0": {
		"Microsoft.KeyVault/vaults":         "VaultCreateOrUpdateParameters",
		"Microsoft.KeyVault/vaults/secrets": "SecretCreateOrUpdateParameters"},
	"operationalinsights/armoperationalinsights/v2@v2.0.2": {"Microsoft.OperationalInsights/workspaces": "Workspace"},
	"applicationinsights/armapplicationinsights@v1.2.0":    {"Microsoft.Insights/components": "Component"},
	"monitor/armmonitor@v0.11.0": {
		"Microsoft.Insights/diagnosticSettings": "DiagnosticSettingsResource"},
	"authorization/armauthorization/v2@v2.2.0": {
		"Microsoft.Authorization/roleAssignments": "RoleAssignmentCreateParameters"},
	"containerregistry/armcontainerregistry@v1.2.0": {"Microsoft.ContainerRegistry/registries": "Registry"},
	"msi/armmsi@v1.2.0":                             {"Microsoft.ManagedIdentity/userAssignedIdentities": "Identity"},
	"resources/armresources@v1.2.0":                 {"Microsoft.Resources/resourceGroups": "ResourceGroup"},
	"network/armnetwork/v6@v6.2.0": {
		"Microsoft.Network/virtualNetworks":                       "VirtualNetwork",
		"Microsoft.Network/privateEndpoints":                      "PrivateEndpoint",
		"Microsoft.Network/privateEndpoints/privateDnsZoneGroups": "PrivateDNSZoneGroup"},
	"privatedns/armprivatedns@v1.3.0": {
		"Microsoft.Network/privateDnsZones":                     "PrivateZone",
		"Microsoft.Network/privateDnsZones/virtualNetworkLinks": "VirtualNetworkLink"},
}

const modules = "github.com/Azure/azure-sdk-for-go/sdk/resourcemanager/"

// output is what the command prints.
type output struct {
	Resources map[string]resource          `json:"resources"` // by their types
	Types     map[string]map[string]string `json:"types"`     // of the properties of objects, by the objects' types
}

// resource describes a type of resource.
type resource struct {
	Module   string   `json:"module"`
	Versions []string `json:"versions"` // of the API that the module speaks
	Body     string   `json:"body"`     // a type
}

func main() {
	log.SetFlags(0)
	words := wordsOf("docs/azure")
	o := output{make(map[string]resource), make(map[string]map[string]string)}
	for _, module := range slices.Sorted(maps.Keys(roots)) {
		p := load(module)
		p.words, p.types = words, o.Types
		p.prefix = regexp.MustCompile(`arm[a-z]+`).FindString(module) + "."
		for kind, body := range roots[module] {
			o.Resources[kind] = resource{modules + module, p.versions, p.object(body, body)}
		}
	}
	encoder := json.NewEncoder(os.Stdout)
	encoder.SetIndent("", " ")
	if err := encoder.Encode(o); err != nil {
		log.Fatal(err)
	}
}

// wordsOf returns all words in the Bicep files of a folder.
func wordsOf(folder string) map[string]bool {
	words := make(map[string]bool)
	err := filepath.WalkDir(folder, func(path string, _ fs.DirEntry, err error) error {
		if err != nil || !strings.HasSuffix(path, ".bicep") {
			return err
		}
		text, err := os.ReadFile(path)
		for _, word := range regexp.MustCompile(`\w+`).FindAllString(string(text), -1) {
			words[word] = true
		}
		return err
	})
	if err != nil {
		log.Fatal(err)
	}
	return words
}

// sdk is the parsed source of an SDK.
type sdk struct {
	versions []string
	structs  map[string]map[string]*ast.Field
	names    map[string]map[string]string // names of the fields by JSON names, from the methods MarshalJSON
	values   map[string][]string          // of enumerations
	variants map[string][]string          // structs by the interface that they implement

	words  map[string]bool // names of properties to print
	types  map[string]map[string]string
	prefix string // of the names of types
}

// load downloads and parses an SDK.
func load(module string) *sdk {
	out, err := exec.Command("go", "mod", "download", "-json", modules+module).Output()
	if err != nil {
		log.Fatalf("download %s: %v: %s", module, err, out)
	}
	var downloaded struct{ Dir string }
	if err := json.Unmarshal(out, &downloaded); err != nil {
		log.Fatal(err)
	}
	paths, err := filepath.Glob(filepath.Join(downloaded.Dir, "*.go"))
	if err != nil {
		log.Fatal(err)
	}
	p := &sdk{structs: map[string]map[string]*ast.Field{}, names: map[string]map[string]string{},
		values: map[string][]string{}, variants: map[string][]string{}}
	versions := make(map[string]bool)
	for _, path := range paths {
		text, err := os.ReadFile(path)
		if err != nil {
			log.Fatal(err)
		}
		for _, match := range regexp.MustCompile(`"api-version", "([^"]+)"`).FindAllSubmatch(text, -1) {
			versions[string(match[1])] = true
		}
		file, err := parser.ParseFile(token.NewFileSet(), path, text, parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			log.Fatal(err)
		}
		ast.Inspect(file, p.visit)
	}
	p.versions = slices.Sorted(maps.Keys(versions))
	return p
}

// visit collects the declarations of a file.
func (p *sdk) visit(n ast.Node) bool {
	switch n := n.(type) {
	case *ast.TypeSpec:
		if s, ok := n.Type.(*ast.StructType); ok {
			fields := make(map[string]*ast.Field)
			for _, f := range s.Fields.List {
				for _, name := range f.Names {
					fields[name.Name] = f
				}
			}
			p.structs[n.Name.Name] = fields
		}
	case *ast.ValueSpec:
		kind, typed := n.Type.(*ast.Ident)
		if typed && len(n.Values) == 1 {
			if literal, ok := n.Values[0].(*ast.BasicLit); ok && literal.Kind == token.STRING {
				p.values[kind.Name] = append(p.values[kind.Name], unquote(literal))
			}
		}
	case *ast.FuncDecl:
		if n.Recv == nil {
			return false
		}
		receiver := n.Recv.List[0].Type
		if star, ok := receiver.(*ast.StarExpr); ok {
			receiver = star.X
		}
		name, ok := receiver.(*ast.Ident)
		switch base, isVariant := strings.CutPrefix(n.Name.Name, "Get"); {
		case !ok:
		case isVariant:
			p.variants[base+"Classification"] = append(p.variants[base+"Classification"], name.Name)
		case n.Name.Name == "MarshalJSON":
			p.names[name.Name] = jsonNames(n)
		}
		return false
	}
	return true
}

// jsonNames reads the names of fields by their JSON names from a method MarshalJSON. It calls populate(object, "name",
// x.Field) for each field, and sets object["name"] for the name of a variant, whose field is empty in the result.
func jsonNames(method *ast.FuncDecl) map[string]string {
	names := make(map[string]string)
	ast.Inspect(method, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.CallExpr:
			if f, ok := n.Fun.(*ast.Ident); ok && strings.HasPrefix(f.Name, "populate") && len(n.Args) == 3 {
				if field, ok := n.Args[2].(*ast.SelectorExpr); ok {
					names[unquote(n.Args[1].(*ast.BasicLit))] = field.Sel.Name
				}
			}
		case *ast.IndexExpr:
			if key, ok := n.Index.(*ast.BasicLit); ok && key.Kind == token.STRING {
				names[unquote(key)] = ""
			}
		}
		return true
	})
	return names
}

func unquote(literal *ast.BasicLit) string {
	text, err := strconv.Unquote(literal.Value)
	if err != nil {
		log.Fatal(err)
	}
	return text
}

// object adds the properties of structs to the output, as those of one type, and returns its name.
func (p *sdk) object(name string, structs ...string) string {
	kind := p.prefix + name
	if p.types[kind] != nil {
		return kind
	}
	properties := make(map[string]string)
	p.types[kind] = properties
	for _, s := range structs {
		if p.names[s] == nil {
			log.Fatalf("there is no struct %s", s)
		}
		for property, name := range p.names[s] {
			field := p.structs[s][name]
			if field == nil { // the name of a variant
				properties[property] = "string"
				continue
			}
			comment := field.Doc.Text()
			required := strings.HasPrefix(comment, "REQUIRED;")
			if strings.HasPrefix(comment, "READ-ONLY;") || !p.words[property] && !required {
				continue
			}
			if properties[property] = p.kind(field.Type); required {
				properties[property] += "!"
			}
		}
	}
	return kind
}

// kind returns the type of a value: string, number, bool, any, "=a|b" for one of several strings, "[]" and a type for
// an array, "{}" and a type for an object with any keys, or the name of a type of objects. The output adds "!" to the
// types of required properties.
func (p *sdk) kind(of ast.Expr) string {
	switch of := of.(type) {
	case *ast.StarExpr:
		return p.kind(of.X)
	case *ast.ArrayType:
		return "[]" + p.kind(of.Elt)
	case *ast.MapType:
		return "{}" + p.kind(of.Value)
	case *ast.Ident:
		switch {
		case of.Name == "string", of.Name == "bool":
			return of.Name
		case strings.HasPrefix(of.Name, "int"), strings.HasPrefix(of.Name, "float"):
			return "number"
		case p.variants[of.Name] != nil:
			return p.object(of.Name, p.variants[of.Name]...)
		case p.structs[of.Name] != nil:
			return p.object(of.Name, of.Name)
		case p.values[of.Name] != nil:
			return "=" + strings.Join(p.values[of.Name], "|")
		}
	}
	return "any" // a time or a type of another package
}
