package structure

import (
	"flag"
	"go/ast"
	"go/constant"
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"inkfeed/domain/locale"
)

// update brings the catalogues up to the texts of the code: see `make catalogues`.
var update = flag.Bool("update-catalogues", false, "write the catalogues")

// translating names the functions that take an English text, with the number of the argument that is the text.
var translating = map[string]int{
	"locale.T":          1,
	"locale.M":          0,
	"site.T":            1,
	"domain.NewError":   1,
	"domain.FieldError": 1,
	"NewError":          1,
	"FieldError":        1,
	"T":                 1,
	"M":                 0,
	"invalid":           0,
	"refuse":            0,
	"add":               1,
	"errs.add":          1,
}

// formatting names the functions, and methods, that take an English format of package fmt, with the number of the
// argument that is the format: see locale.FromFormat.
var formatting = map[string]int{"NewProblem": 1, "AddProblem": 1, "addProblem": 1, "leave": 1, "decline": 1,
	"addBlogProblem": 0}

// TestCataloguesAreComplete finds each text that the code translates. The English catalogue lists all of them, with the
// plural forms of those with a number. All other catalogues must have a translation of each, with the same slots and
// tags and with all plural forms of their language.
func TestCataloguesAreComplete(t *testing.T) {
	texts := make(map[string]string) // to the place of a text
	for _, folder := range []string{"domain", "views", "web", "cosmos", "workers"} {
		if err := filepath.WalkDir(folder, func(path string, d fs.DirEntry, err error) error {
			if err != nil || !d.IsDir() {
				return err
			}
			if strings.HasSuffix(path, "test") { // packages for tests, such as web/webtest
				return filepath.SkipDir
			}
			return collectTexts(path, texts)
		}); err != nil {
			t.Fatal(err)
		}
	}
	for text, place := range texts {
		if strings.HasPrefix(text, notConstant) {
			function, _, _ := strings.Cut(text[len(notConstant):], " ")
			t.Errorf("%s: the text of %s is no constant, so that the catalogues cannot list it", place, function)
			delete(texts, text)
		}
	}
	all := readCatalogues(t)
	if *update {
		for _, line := range all.update(texts) {
			t.Log(line)
		}
		all.write(t)
	}
	for code, c := range all.byCode {
		for text, place := range texts {
			if _, listed := c[text]; !listed && code == "en" {
				t.Errorf("%s: %q is not in en.json: run make catalogues", place, text)
			} else if !listed && !*update { // the update has named it
				t.Errorf("%s: %s.json has no translation of %q", place, code, text)
			}
		}
		for text, value := range c {
			if _, used := texts[text]; !used {
				t.Errorf("%s.json: %q is not in the code any more: run make catalogues", code, text)
			}
			for _, problem := range problemsOf(code, text, value) {
				t.Errorf("%s.json: %q %s", code, text, problem)
			}
		}
	}
	for code, toReview := range all.review {
		for _, text := range toReview {
			if _, translated := all.byCode[code][text]; !translated {
				t.Errorf("review.json: %s.json has no translation of %q to review: run make catalogues", code, text)
			}
		}
	}
}

// collectTexts adds the texts in a folder that are arguments of translating functions.
func collectTexts(folder string, texts map[string]string) error {
	paths, err := filepath.Glob(filepath.Join(folder, "*.go"))
	if err != nil {
		return err
	}
	set, files, constants := token.NewFileSet(), make(map[string]*ast.File), make(map[string]string)
	for _, path := range paths {
		if strings.HasSuffix(path, "_test.go") {
			continue
		}
		if files[path], err = parser.ParseFile(set, path, nil, parser.SkipObjectResolution); err != nil {
			return err
		}
		maps.Copy(constants, constantsOf(files[path]))
	}
	for path, file := range files {
		path = filepath.ToSlash(path)
		ast.Inspect(file, func(n ast.Node) bool {
			if in := filepath.ToSlash(folder); strings.HasPrefix(in, "domain/portable") || in == "domain/importing" {
				for _, text := range problemTexts(n, constants) {
					texts[text] = path + ":" + strconv.Itoa(set.Position(n.Pos()).Line)
				}
			}
			call, ok := n.(*ast.CallExpr)
			if !ok {
				return true
			}
			function := calledName(call.Fun)
			i, ok := translating[function]
			if !ok || i >= len(call.Args) || !translatesIn(filepath.ToSlash(folder), function) {
				return true
			}
			place := path + ":" + strconv.Itoa(set.Position(call.Pos()).Line)
			if text, ok := constantText(call.Args[i], constants); ok && text != "" {
				texts[text] = place
			} else if !ok && !passedOn[path+" "+function] {
				texts[notConstant+function+" "+place] = place
			}
			return true
		})
	}
	return nil
}

// problemTexts returns the texts of a problem of an import: see portable.NewProblem.
func problemTexts(n ast.Node, constants map[string]string) []string {
	if pair, ok := n.(*ast.KeyValueExpr); ok {
		if key, ok := pair.Key.(*ast.Ident); ok && key.Name == "format" {
			if format, ok := constantText(pair.Value, constants); ok {
				text, _ := locale.FromFormat(format)
				return []string{text}
			}
		}
	}
	call, ok := n.(*ast.CallExpr)
	if !ok {
		return nil
	}
	name := calledName(call.Fun)
	if method, ok := call.Fun.(*ast.SelectorExpr); ok {
		name = method.Sel.Name
	}
	if i, ok := formatting[name]; ok && i < len(call.Args) {
		if format, ok := constantText(call.Args[i], constants); ok {
			text, _ := locale.FromFormat(format)
			return []string{text}
		}
	}
	return nil
}

// notConstant begins the entry of a text that is not constant. No text begins with it.
const notConstant = "\x00"

// passedOn are the calls that pass on a text that is listed elsewhere, by file: an argument, or a stored text.
var passedOn = map[string]bool{"domain/locale/message.go M": true, "web/site/viewer.go locale.T": true,
	"domain/errors.go locale.M": true, "domain/picture/picture.go domain.FieldError": true,
	"domain/portable/problem.go locale.M": true, "domain/importing/jobs/work.go locale.M": true}

// translatesIn reports whether an unqualified function of a package is one that translates.
func translatesIn(folder, function string) bool {
	switch function {
	case "T", "M":
		return folder == "domain/locale"
	case "NewError", "FieldError", "errs.add", "add":
		return folder == "domain"
	case "invalid":
		return folder == "domain/picture"
	case "refuse":
		return folder == "domain/importing/jobs"
	}
	return true
}

// calledName returns the name of a called function, such as locale.T.
func calledName(f ast.Expr) string {
	switch f := f.(type) {
	case *ast.Ident:
		return f.Name
	case *ast.SelectorExpr:
		if of, ok := f.X.(*ast.Ident); ok {
			return of.Name + "." + f.Sel.Name
		}
	}
	return ""
}

// constantsOf returns the texts of a file's constants by name.
func constantsOf(file *ast.File) map[string]string {
	found := make(map[string]string)
	ast.Inspect(file, func(n ast.Node) bool {
		spec, ok := n.(*ast.ValueSpec)
		if !ok {
			return true
		}
		for i, name := range spec.Names {
			if i < len(spec.Values) {
				if text, ok := constantText(spec.Values[i], nil); ok {
					found[name.Name] = text
				}
			}
		}
		return true
	})
	return found
}

// constantText returns the value of an expression that is a text, a constant or a concatenation of these.
func constantText(e ast.Expr, constants map[string]string) (string, bool) {
	switch e := e.(type) {
	case *ast.BasicLit:
		if e.Kind == token.STRING {
			return constant.StringVal(constant.MakeFromLiteral(e.Value, e.Kind, 0)), true
		}
	case *ast.Ident:
		text, ok := constants[e.Name]
		return text, ok
	case *ast.ParenExpr:
		return constantText(e.X, constants)
	case *ast.BinaryExpr:
		if e.Op == token.ADD {
			left, ok1 := constantText(e.X, constants)
			right, ok2 := constantText(e.Y, constants)
			return left + right, ok1 && ok2
		}
	}
	return "", false
}

// TestTextsWithContextsAllHaveOne finds English texts that are used with a context in one place and without in another.
func TestTextsWithContextsAllHaveOne(t *testing.T) {
	english := readCatalogues(t).byCode["en"]
	contexts := make(map[string][]string)
	for text := range english {
		plain, _, _ := strings.Cut(text, "|")
		contexts[plain] = append(contexts[plain], text)
	}
	for plain, texts := range contexts {
		if len(texts) > 1 && slices.Contains(texts, plain) {
			t.Errorf("%q is used with and without a context: %v", plain, slices.Sorted(slices.Values(texts)))
		}
	}
}
