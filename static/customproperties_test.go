package static_test

import (
	"io/fs"
	"os"
	"regexp"
	"testing"
)

// A declaration with an undefined custom property has no effect, and no browser reports it.
func TestCustomPropertiesAreDefined(t *testing.T) {
	styles := os.DirFS("styles")
	files, err := fs.Glob(styles, "*.css")
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	defined, used := map[string]bool{}, map[string]string{}
	for _, file := range files {
		css, err := fs.ReadFile(styles, file)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range regexp.MustCompile(`(--[\w-]+)\s*:`).FindAllStringSubmatch(string(css), -1) {
			defined[m[1]] = true
		}
		for _, m := range regexp.MustCompile(`var\((--[\w-]+)\)`).FindAllStringSubmatch(string(css), -1) {
			used[m[1]] = file
		}
	}
	for name, file := range used {
		if !defined[name] {
			t.Errorf("%s: %s is undefined", file, name)
		}
	}
}
