package structure

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// TestKeysOfTelemetryAreDocumented compares docs/telemetry.md with the source code. The document lists each key of log
// entries and each attribute of spans, and none that is not used.
func TestKeysOfTelemetryAreDocumented(t *testing.T) {
	text, err := os.ReadFile("docs/telemetry.md")
	if err != nil {
		t.Fatal(err)
	}
	keys := telemetryKeys(t)
	for section, used := range map[string]map[string]token.Position{
		"Keys of log entries": keys.log, "Attributes of spans": keys.spans,
	} {
		t.Run(section, func(t *testing.T) {
			documented := firstColumn(string(text), section)
			for _, key := range slices.Sorted(maps.Keys(used)) {
				if !slices.Contains(documented, key) {
					t.Errorf("%s: docs/telemetry.md lacks the key %q", used[key], key)
				}
			}
			for _, key := range documented {
				if _, ok := used[key]; !ok {
					t.Errorf("docs/telemetry.md lists the key %q, which nothing uses", key)
				}
			}
		})
	}
}

// codeSpans matches the keys in the first column of a table.
var codeSpans = regexp.MustCompile("`([^`]+)`")

// firstColumn returns the texts in backquotes in the first column of the tables in a section of a document.
func firstColumn(document, section string) (keys []string) {
	_, text, _ := strings.Cut(document, "\n## "+section+"\n")
	text, _, _ = strings.Cut(text, "\n## ")
	for line := range strings.Lines(text) {
		if row, ok := strings.CutPrefix(line, "| "); ok {
			cell, _, _ := strings.Cut(row, "|")
			for _, match := range codeSpans.FindAllStringSubmatch(cell, -1) {
				keys = append(keys, match[1])
			}
		}
	}
	return keys
}

// usedKeys are the keys in the source code, with a place of each.
type usedKeys struct{ log, spans map[string]token.Position }

// firstKey is the number of arguments of a logger's method before the first key.
var firstKey = map[string]int{"With": 0, "Debug": 1, "Info": 1, "Warn": 1, "Error": 1, "DebugContext": 2,
	"InfoContext": 2, "WarnContext": 2, "ErrorContext": 2, "Log": 3, "LogAttrs": 3}

// isLogger matches the names of variables and fields that are loggers.
var isLogger = regexp.MustCompile(`(?i)(log|logger)$`)

func telemetryKeys(t *testing.T) usedKeys {
	keys := usedKeys{make(map[string]token.Position), make(map[string]token.Position)}
	files := token.NewFileSet()
	err := fs.WalkDir(os.DirFS("."), ".", func(name string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case entry.IsDir():
			if name != "." && strings.HasPrefix(entry.Name(), ".") || slices.Contains(skipped, entry.Name()) {
				return fs.SkipDir
			}
			return nil
		case !strings.HasSuffix(name, ".go"), strings.HasSuffix(name, "_test.go"), strings.HasSuffix(name, "_templ.go"):
			return nil
		}
		file, err := parser.ParseFile(files, name, nil, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		ast.Inspect(file, func(n ast.Node) bool {
			if call, ok := n.(*ast.CallExpr); ok {
				keys.add(t, files, call)
			}
			return true
		})
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return keys
}

// add adds the keys of a call. A key that is not a literal cannot be checked and fails the test.
func (k usedKeys) add(t *testing.T, files *token.FileSet, call *ast.CallExpr) {
	method, ok := call.Fun.(*ast.SelectorExpr)
	if !ok {
		return
	}
	place := files.Position(call.Pos())
	receiver := lastName(method.X)
	if (receiver == "slog" || receiver == "attribute") && len(call.Args) == 2 {
		if key, ok := literal(call.Args[0]); ok {
			if receiver == "slog" {
				k.log[key] = place
			} else {
				k.spans[key] = place
			}
		}
		return
	}
	first, ok := firstKey[method.Sel.Name]
	if !ok || !isLogger.MatchString(receiver) {
		return
	}
	for i := first; i < len(call.Args); i++ {
		if _, ok := call.Args[i].(*ast.CallExpr); ok && method.Sel.Name == "LogAttrs" {
			continue // slog.String and the like
		}
		key, ok := literal(call.Args[i])
		if !ok {
			t.Errorf("%s: a key is not a literal", place)
			return
		}
		k.log[key] = place
		i++
	}
}

// lastName returns the last name of an expression such as s.Logger, and "" for others.
func lastName(x ast.Expr) string {
	switch x := x.(type) {
	case *ast.Ident:
		return x.Name
	case *ast.SelectorExpr:
		return x.Sel.Name
	case *ast.CallExpr: // logger.With(…).Info
		if method, ok := x.Fun.(*ast.SelectorExpr); ok && method.Sel.Name == "With" {
			return lastName(method.X)
		}
	}
	return ""
}

// literal returns the value of a string literal.
func literal(x ast.Expr) (string, bool) {
	basic, ok := x.(*ast.BasicLit)
	if !ok || basic.Kind != token.STRING {
		return "", false
	}
	value, err := strconv.Unquote(basic.Value)
	return value, err == nil
}
