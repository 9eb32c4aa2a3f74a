package structure

import (
	"os"
	"os/exec"
	"regexp"
	"testing"
)

// TestPatternsOfTheMakefileMatchTests checks that each alternative of a pattern by which the Makefile selects tests
// matches the name of a test. A renamed test would otherwise no longer run, without an error.
func TestPatternsOfTheMakefileMatchTests(t *testing.T) {
	makefile, err := os.ReadFile("Makefile")
	if err != nil {
		t.Fatal(err)
	}
	tests, err := exec.Command("git", "grep", "-hE", "^func (Test|Benchmark)", "--", "*_test.go").Output()
	if err != nil {
		t.Skip("this is not a Git repository: ", err)
	}
	found := 0
	patterns := regexp.MustCompile(`(?:-(?:run|skip|bench) '|(?:VARIANTS|WITHOUT_RACE) = )([^'\n$]\S*?)(?:'|\n)`)
	for _, pattern := range patterns.FindAllSubmatch(makefile, -1) {
		for _, alternative := range regexp.MustCompile(`[A-Z]\w+`).FindAll(pattern[1], -1) {
			found++
			if !regexp.MustCompile(`(?m)^func \w*` + string(alternative)).Match(tests) {
				t.Errorf("the Makefile selects the tests %q, but no test has such a name", alternative)
			}
		}
	}
	if found < 10 {
		t.Errorf("found only %d names of tests in the Makefile", found)
	}
}
