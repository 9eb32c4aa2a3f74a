package structure

import (
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"
)

// Limits of the code. A template and the file generated from it count as one file.
const (
	maxFiles   = 25  // production files of a package
	maxLines   = 300 // lines of a production file
	maxColumns = 120 // columns of a line, in tests too; a tab counts as four
)

func TestCodeStaysReadable(t *testing.T) {
	files := make(map[string]map[string]bool) // folder → names of production files, without extensions
	var long, wide []string
	err := filepath.WalkDir(".", func(file string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && file != "." && (strings.HasPrefix(d.Name(), ".") || d.Name() == "testdata"):
			return filepath.SkipDir
		case d.IsDir() || !isCode(d.Name()):
			return nil
		}
		text, err := os.ReadFile(file)
		if err != nil {
			return err
		}
		lines := strings.Split(strings.TrimSuffix(string(text), "\n"), "\n")
		file = filepath.ToSlash(file)
		for i, line := range lines {
			if utf8.RuneCountInString(strings.ReplaceAll(line, "\t", "    ")) > maxColumns && !isGenerated(file) {
				wide = append(wide, fmt.Sprintf("%s:%d", file, i+1))
			}
		}
		if strings.HasSuffix(file, "_test.go") {
			return nil
		}
		dir, name := path.Split(file)
		if files[dir] == nil {
			files[dir] = make(map[string]bool)
		}
		files[dir][strings.TrimSuffix(strings.TrimSuffix(name, path.Ext(name)), "_templ")] = true
		if len(lines) > maxLines && !isGenerated(file) {
			long = append(long, file)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for dir, names := range files {
		if len(names) > maxFiles {
			t.Errorf("the package %s has %d production files, more than %d", dir, len(names), maxFiles)
		}
	}
	for _, file := range long {
		t.Errorf("%s has more than %d lines", file, maxLines)
	}
	for _, line := range wide {
		t.Errorf("%s has more than %d columns", line, maxColumns)
	}
}

func isCode(name string) bool {
	return strings.HasSuffix(name, ".templ") || strings.HasSuffix(name, ".go")
}

func isGenerated(file string) bool { return strings.HasSuffix(file, "_templ.go") }
