package structure

import (
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"
)

// Limits of production code. A template and the file generated from it count as one file.
const (
	maxFiles   = 25  // files of a package
	maxLines   = 300 // lines of a file
	maxColumns = 120 // columns of a line; a tab counts as one
)

// excesses counts, for each folder at the top level, the known exceptions to a limit. The counts may only decrease.
type excesses map[string]int

var (
	largePackages = excesses{}
	longFiles     = excesses{}
	longLines     = excesses{}
)

func TestCodeStaysReadable(t *testing.T) {
	files := make(map[string]map[string]bool) // folder → names of production files, without extensions
	var packages, long, wide []string
	err := filepath.WalkDir(".", func(file string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && file != "." && (strings.HasPrefix(d.Name(), ".") || d.Name() == "testdata"):
			return filepath.SkipDir
		case d.IsDir() || !isProduction(d.Name()):
			return nil
		}
		file = filepath.ToSlash(file)
		dir, name := path.Split(file)
		if files[dir] == nil {
			files[dir] = make(map[string]bool)
		}
		files[dir][strings.TrimSuffix(strings.TrimSuffix(name, path.Ext(name)), "_templ")] = true
		if strings.HasSuffix(name, "_templ.go") {
			return nil // generated
		}
		text, err := os.ReadFile(file)
		if err != nil {
			return err
		}
		lines := strings.Split(strings.TrimSuffix(string(text), "\n"), "\n")
		if len(lines) > maxLines {
			long = append(long, file)
		}
		for _, line := range lines {
			if utf8.RuneCountInString(line) > maxColumns {
				wide = append(wide, file)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for dir, names := range files {
		if len(names) > maxFiles {
			packages = append(packages, dir)
		}
	}
	t.Run("packages", func(t *testing.T) { compare(t, packages, largePackages) })
	t.Run("files", func(t *testing.T) { compare(t, long, longFiles) })
	t.Run("lines", func(t *testing.T) { compare(t, wide, longLines) })
}

func isProduction(name string) bool {
	return strings.HasSuffix(name, ".templ") || strings.HasSuffix(name, ".go") && !strings.HasSuffix(name, "_test.go")
}

// compare fails unless each folder at the top level has exactly the known number of excesses.
func compare(t *testing.T, found []string, known excesses) {
	t.Helper()
	where := make(map[string][]string)
	for _, file := range found {
		top, _, _ := strings.Cut(file, "/")
		where[top] = append(where[top], file)
	}
	for top := range known {
		if len(where[top]) < known[top] {
			t.Errorf("%s has %d, fewer than the known %d: lower the count", top, len(where[top]), known[top])
		}
	}
	for top, files := range where {
		if len(files) > known[top] {
			t.Errorf("%s has %d, more than the known %d: %v", top, len(files), known[top], files)
		}
	}
}
