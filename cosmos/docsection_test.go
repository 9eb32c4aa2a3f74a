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

// checkSection compares a part of a document, between comments that name it, with what
// it should be, or makes it so if the flag -update is set.
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
		tb.Errorf("%s is stale: run make requests. It has\n%s\nnot\n%s", path, got, want)
	}
}
