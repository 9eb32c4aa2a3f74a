package model

import (
	"testing"

	"inkfeed/web/cli/systemtest/harness"
)

func TestMain(m *testing.M) { harness.Main(m) }
