// Package sending is the part of the storage contract about deliveries and their destinations.
package sending

import (
	"testing"

	"inkfeed/cosmos/cosmostest/fixture"
)

// suite holds the tests of this package as methods.
type suite struct{ *fixture.Suite }

// Run runs the tests of this part. They share the storage, but no data.
func Run(t *testing.T, shared *fixture.Suite) {
	s := &suite{shared}
	fixture.Run(t, "deliveries", s.deliveries)
	fixture.Run(t, "destinations of deliveries", s.destinations)
	fixture.Run(t, "administrators list, repeat and drop deliveries", s.deliveryLists)
}
