package cosmos

import (
	"testing"

	"inkfeed/cosmos/cosmostest/inmemory"
)

func TestMain(m *testing.M) {
	inmemory.Use()
	m.Run()
}
