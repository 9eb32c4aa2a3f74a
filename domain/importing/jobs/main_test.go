package jobs_test

import (
	"testing"

	"inkfeed/cosmos/cosmostest/inmemory"
)

func TestMain(m *testing.M) {
	inmemory.Use()
	m.Run()
}
