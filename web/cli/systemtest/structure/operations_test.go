package structure

import (
	"go/ast"
	"go/parser"
	"go/token"
	"strings"
	"testing"
)

// TestEachOperationIsDeclaredOnce walks the declarations of all storage operations. Two declarations of one name could
// differ in what they say about the writes. It also checks that package costs describes only operations that exist.
func TestEachOperationIsDeclaredOnce(t *testing.T) {
	files, declared := token.NewFileSet(), make(map[string]token.Position)
	for _, path := range goList(t, "-f", `{{$d := .ImportPath}}{{range .GoFiles}}{{$d}}/{{.}} {{end}}`,
		"./cosmos/...", "./web/cli/...") {
		path = strings.TrimPrefix(path, "inkfeed/")
		inClient := strings.HasPrefix(path, "cosmos/client/")
		ast.Inspect(parsed(t, files, path), func(n ast.Node) bool {
			call, ok := n.(*ast.CallExpr)
			if !ok || !declaresOperation(call.Fun, inClient) {
				return true
			}
			place, name := files.Position(call.Pos()), operationName(call.Args[0])
			if before, ok := declared[name]; ok {
				t.Errorf("%s: the operation %q is declared at %s, too; declare one variable", place, name, before)
			}
			declared[name] = place
			return true
		})
	}
	if len(declared) < 100 {
		t.Errorf("found only %d operations", len(declared))
	}
	ast.Inspect(parsed(t, files, "domain/costs/operations.go"), func(n ast.Node) bool {
		if entry, ok := n.(*ast.KeyValueExpr); ok {
			name, _ := literal(entry.Key)
			_, known := declared[name]
			family, _, _ := strings.Cut(name, "-")
			if _, ok := declared[family+"-"]; !ok && !known {
				t.Errorf("%s: there is no operation %q", files.Position(entry.Pos()), name)
			}
		}
		return true
	})
}

// declaresOperation reports whether a function declares an operation: client.Reads, client.Writes or client.WritesOnly.
func declaresOperation(function ast.Expr, inClient bool) bool {
	name, ok := function.(*ast.Ident)
	if selector, isSelector := function.(*ast.SelectorExpr); isSelector && lastName(selector.X) == "client" {
		name, ok = selector.Sel, true
	} else if !inClient {
		return false
	}
	return ok && (name.Name == "Reads" || name.Name == "Writes" || name.Name == "WritesOnly")
}

// operationName returns the name in a declaration, or what it begins with, as in "pages-"+container.
func operationName(argument ast.Expr) string {
	if sum, ok := argument.(*ast.BinaryExpr); ok {
		argument = sum.X
	}
	name, _ := literal(argument)
	return name
}

func parsed(t *testing.T, files *token.FileSet, path string) *ast.File {
	t.Helper()
	file, err := parser.ParseFile(files, path, nil, parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	return file
}
