package structure

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// TestEachOperationIsDeclaredOnce walks the declarations of all storage operations. Two declarations of one name could
// differ in what they say about the writes. It also checks that package costs describes only operations that exist.
func TestEachOperationIsDeclaredOnce(t *testing.T) {
	files, declared := token.NewFileSet(), make(map[string]token.Position)
	for _, file := range storageFiles(t, files) {
		for _, call := range calls(file) {
			if !slices.Contains([]string{"Reads", "Writes", "WritesOnly"}, called(call)) {
				continue
			}
			place, name := files.Position(call.Pos()), operationName(call.Args[0])
			if before, ok := declared[name]; ok {
				t.Errorf("%s: the operation %q is declared at %s, too; declare one variable", place, name, before)
			}
			declared[name] = place
		}
	}
	if len(declared) < 100 {
		t.Errorf("found only %d operations", len(declared))
	}
	ast.Inspect(parsed(t, files, "cosmos/costs/operations.go"), func(n ast.Node) bool {
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

// operationName returns the name in a declaration, or what it begins with, as in "pages-"+container.
func operationName(argument ast.Expr) string {
	if sum, ok := argument.(*ast.BinaryExpr); ok {
		argument = sum.X
	}
	name, _ := literal(argument)
	return name
}

// TestReadingOperationsReachNoWrite follows the calls of each method that begins an operation of client.Reads, as far
// as they pass a context on. The tests of the stores find a write of such an operation only on a path that they take.
func TestReadingOperationsReachNoWrite(t *testing.T) {
	s := storageCalls{T: t, files: token.NewFileSet(), functions: make(map[string][]*ast.FuncDecl)}
	for name, file := range storageFiles(t, s.files) {
		if strings.HasPrefix(name, "cosmos/client/") || strings.HasPrefix(name, "web/") {
			continue // the ends of the paths, and a command that opens its store first
		}
		ast.Inspect(file, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.FuncDecl:
				s.functions[n.Name.Name] = append(s.functions[n.Name.Name], n)
			case *ast.ValueSpec:
				for i, value := range n.Values {
					if call, ok := value.(*ast.CallExpr); ok && called(call) == "Reads" {
						s.reading = append(s.reading, n.Names[i].Name)
					}
				}
			}
			return true
		})
	}
	begun := 0
	for _, list := range s.functions {
		for _, f := range list {
			if slices.ContainsFunc(calls(f), s.beginsReading) {
				begun++
				s.follow(f, "", make(map[*ast.FuncDecl]bool))
			}
		}
	}
	if begun < 50 {
		t.Errorf("found only %d methods that begin a reading operation", begun)
	}
}

// storageCalls are the functions of the stores by their names, and the variables with reading operations.
type storageCalls struct {
	*testing.T
	files     *token.FileSet
	functions map[string][]*ast.FuncDecl
	reading   []string
}

// beginsReading reports whether a call is like client.Reads("Q2").In(ctx) or readingUser.In(ctx).
func (s *storageCalls) beginsReading(call *ast.CallExpr) bool {
	in, ok := call.Fun.(*ast.SelectorExpr)
	if !ok || in.Sel.Name != "In" {
		return false
	}
	declaration, ok := in.X.(*ast.CallExpr)
	return ok && called(declaration) == "Reads" || slices.Contains(s.reading, lastName(in.X))
}

// writes matches the functions of package client and of the SDK that send a write.
var writes = regexp.MustCompile(`^((Create|Upsert|Replace|Patch|Delete)(Item|Version)?(Returning)?` +
	`|PatchVersionReturning|Execute|ExecuteTransactionalBatch|FinishErasure|PatchErasing)$`)

// follow fails the test if a function sends a write, or calls one that does. It resolves calls by their names alone, so
// it may follow too many.
func (s *storageCalls) follow(from *ast.FuncDecl, trail string, seen map[*ast.FuncDecl]bool) {
	if seen[from] {
		return
	}
	seen[from], trail = true, trail+" → "+from.Name.Name
	for _, call := range calls(from) {
		name := called(call)
		if !slices.ContainsFunc(call.Args, isContext) {
			continue
		}
		if writes.MatchString(name) {
			s.Errorf("%s: a reading operation writes:%s → %s", s.files.Position(call.Pos()), trail, name)
			continue
		}
		if function, ok := call.Fun.(*ast.SelectorExpr); ok && lastName(function.X) == "client" {
			continue // it reads
		}
		for _, to := range s.functions[name] {
			if ast.IsExported(name) || s.folder(to) == s.folder(from) {
				s.follow(to, trail, seen)
			}
		}
	}
}

func (s *storageCalls) folder(f *ast.FuncDecl) string {
	return path.Dir(s.files.Position(f.Pos()).Filename)
}

// isContext reports whether an argument is like ctx, r.ctx or operation.In(ctx).
func isContext(argument ast.Expr) bool {
	if call, ok := argument.(*ast.CallExpr); ok {
		return called(call) == "In"
	}
	return strings.HasSuffix(strings.ToLower(lastName(argument)), "ctx")
}

// storageFiles parses the files that declare operations, except tests.
func storageFiles(t *testing.T, files *token.FileSet) map[string]*ast.File {
	t.Helper()
	all := make(map[string]*ast.File)
	for _, name := range goList(t, "-f", `{{$d := .ImportPath}}{{range .GoFiles}}{{$d}}/{{.}} {{end}}`,
		"./cosmos/...", "./web/cli") {
		name = strings.TrimPrefix(name, "inkfeed/")
		if !strings.HasPrefix(name, "cosmos/embedded/") && !strings.HasPrefix(name, "cosmos/cosmostest/") &&
			!strings.HasPrefix(name, "cosmos/article/") {
			all[name] = parsed(t, files, name)
		}
	}
	return all
}

func parsed(t *testing.T, files *token.FileSet, name string) *ast.File {
	t.Helper()
	file, err := parser.ParseFile(files, name, nil, parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	return file
}

// calls returns the calls in a part of a file, in their order.
func calls(in ast.Node) (all []*ast.CallExpr) {
	ast.Inspect(in, func(n ast.Node) bool {
		if call, ok := n.(*ast.CallExpr); ok {
			all = append(all, call)
		}
		return true
	})
	return all
}

// called returns the name of the function or method that is called, without its package or receiver.
func called(call *ast.CallExpr) string {
	function := call.Fun
	if generic, ok := function.(*ast.IndexExpr); ok {
		function = generic.X
	}
	return lastName(function)
}
