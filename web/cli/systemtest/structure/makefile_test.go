package structure

import (
	"os"
	"os/exec"
	"regexp"
	"testing"
)

// TestPatternsOfTheMakefile holds that each alternative of a pattern by which the Makefile selects tests matches the
// name of a test. A test that is renamed would otherwise silently no longer run.
func TestPatternsOfTheMakefile(t *testing.T) {
	makefile, err := os.ReadFile("Makefile")
	if err != nil {
		t.Fatal(err)
	}
	tests, err := exec.Command("git", "grep", "-hE", "^func (Test|Benchmark)", "--", "*_test.go").Output()
	if err != nil {
		t.Skip("this is no Git repository: ", err)
	}
	found := 0
	for _, pattern := range regexp.MustCompile(`(?:-(?:run|skip|bench) '|VARIANTS = )([^'\n$]\S*?)(?:'|\n)`).FindAllSubmatch(makefile, -1) {
		for _, alternative := range regexp.MustCompile(`[A-Z]\w+`).FindAll(pattern[1], -1) {
			found++
			if !regexp.MustCompile(`(?m)^func \w*` + string(alternative)).Match(tests) {
				t.Errorf("the Makefile selects the tests %q, and there is none", alternative)
			}
		}
	}
	if found < 10 {
		t.Errorf("found only %d names of tests in the Makefile", found)
	}
}
