package cosmos

import (
	"os"
	"strings"
	"testing"
)

const (
	costsDocument = "../docs/request-costs.md"
	modelDocument = "../docs/data-model.md"
)

// checkSection compares a section of a document with the generated text. A section is the text between two comments
// with its name. With the flag -update, checkSection replaces it instead.
func checkSection(tb testing.TB, path, name, want string) {
	tb.Helper()
	document, err := os.ReadFile(path)
	if err != nil {
		tb.Fatal(err)
	}
	before, rest, ok := strings.Cut(string(document), "<!-- "+name+" -->\n")
	got, after, closed := strings.Cut(rest, "<!-- end of "+name+" -->")
	switch {
	case !ok || !closed:
		tb.Fatalf("%s has no section %q", path, name)
	case got == want:
	case *update:
		document := before + "<!-- " + name + " -->\n" + want + "<!-- end of " + name + " -->" + after
		if err := os.WriteFile(path, []byte(document), 0o644); err != nil {
			tb.Fatal(err)
		}
	default:
		tb.Errorf("%s is out of date: run make requests. Got\n%s\nwant\n%s", path, got, want)
	}
}
