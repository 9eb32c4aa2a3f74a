package structure

import (
	"os"
	"testing"
)

// TestMain runs the tests at the top level of the module.
func TestMain(m *testing.M) {
	if err := os.Chdir("../../../.."); err != nil {
		panic(err)
	}
	os.Exit(m.Run())
}
