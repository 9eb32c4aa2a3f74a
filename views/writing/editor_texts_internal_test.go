package writing

import (
	"maps"
	"os"
	"slices"
	"strings"
	"testing"
)

func TestTheScriptKnowsTheOrderOfItsTexts(t *testing.T) {
	script, err := os.ReadFile("../../static/editor/01-texts.js")
	if err != nil {
		t.Fatal(err)
	}
	_, rest, _ := strings.Cut(string(script), "const names = `")
	names, _, _ := strings.Cut(rest, "`")
	if want := slices.Sorted(maps.Keys(editorTexts())); !slices.Equal(strings.Fields(names), want) {
		t.Errorf("the script has the names\n%s, want\n%s", names, strings.Join(want, " "))
	}
}
