package structure

import (
	"io/fs"
	"os"
	"path"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode"
)

var (
	codeSpan     = regexp.MustCompile("`[^`\\n]*`")
	markdownLink = regexp.MustCompile(`\]\(([^)\s]+)\)`)
	quotedPath   = regexp.MustCompile("`((?:cosmos|docs|domain|static|views|web|workers)/[a-zA-Z0-9_./-]*)`")
	quotedTest   = regexp.MustCompile("`((?:Test|Benchmark|Fuzz)[A-Z][A-Za-z0-9]*)`")
	heading      = regexp.MustCompile(`(?m)^#+ (.+)$`)
	testFunction = regexp.MustCompile(`(?m)^func ((?:Test|Benchmark|Fuzz)[A-Z][A-Za-z0-9]*)\(`)
)

// skipped lists the names of folders without documents or tests of this module.
var skipped = []string{"testdata", "node_modules", "data"}

// TestReferencesOfTheDocumentsExist follows each relative link of the documents, and looks up each file, folder and
// test that they name in backquotes.
func TestReferencesOfTheDocumentsExist(t *testing.T) {
	tree := os.DirFS(".")
	documents, tests := make(map[string]string), make(map[string]bool)
	err := fs.WalkDir(tree, ".", func(name string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if entry.IsDir() {
			base := entry.Name()
			if name != "." && strings.HasPrefix(base, ".") || slices.Contains(skipped, base) {
				return fs.SkipDir
			}
			return nil
		}
		if !strings.HasSuffix(name, ".md") && !strings.HasSuffix(name, "_test.go") {
			return nil
		}
		text, err := fs.ReadFile(tree, name)
		if strings.HasSuffix(name, ".md") {
			documents[name] = string(text)
		}
		for _, match := range testFunction.FindAllStringSubmatch(string(text), -1) {
			tests[match[1]] = true
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	for name, text := range documents {
		for _, match := range markdownLink.FindAllStringSubmatch(codeSpan.ReplaceAllString(text, ""), -1) {
			target, anchor, _ := strings.Cut(match[1], "#")
			if strings.Contains(target, ":") {
				continue
			}
			file := name
			if target != "" {
				file = path.Join(path.Dir(name), target)
			}
			if _, err := fs.Stat(tree, file); err != nil {
				t.Errorf("%s links to %s: %v", name, match[1], err)
				continue
			}
			if anchor != "" && !hasHeading(documents[file], anchor) {
				t.Errorf("%s links to %s, which has no such heading", name, match[1])
			}
		}
		for _, match := range quotedPath.FindAllStringSubmatch(text, -1) {
			if _, err := fs.Stat(tree, strings.TrimSuffix(strings.TrimSuffix(match[1], "..."), "/")); err != nil {
				t.Errorf("%s names %s: %v", name, match[1], err)
			}
		}
		for _, match := range quotedTest.FindAllStringSubmatch(text, -1) {
			if !tests[match[1]] {
				t.Errorf("%s names %s, which is not a test", name, match[1])
			}
		}
	}
}

// hasHeading reports whether a document has a heading with GitHub's anchor.
func hasHeading(document, anchor string) bool {
	for _, match := range heading.FindAllStringSubmatch(document, -1) {
		slug := strings.Map(func(r rune) rune {
			switch {
			case r == ' ':
				return '-'
			case r == '-' || r == '_' || unicode.IsLetter(r) || unicode.IsNumber(r):
				return unicode.ToLower(r)
			}
			return -1
		}, match[1])
		if slug == anchor {
			return true
		}
	}
	return false
}
