package performance

import (
	"os"
	"testing"

	"inkfeed/web/cli/systemtest/harness"
)

func TestMain(m *testing.M) {
	if file := os.Getenv(asBare); file != "" {
		serveBare(file)
		return
	}
	harness.MainOnDisk(m)
}
