// Package following is the part of the storage contract about follows and timelines.
package following

import (
	"testing"

	"inkfeed/cosmos/cosmostest/fixture"
)

// suite holds the tests of this package as methods.
type suite struct{ *fixture.Suite }

// Run runs the tests of this part. They share the storage, but no data.
func Run(t *testing.T, shared *fixture.Suite) {
	s := &suite{shared}
	fixture.Run(t, "a follow exists once and is counted", s.follows)
	fixture.Run(t, "lists of follows and followers", s.lists)
	fixture.Run(t, "a follow brings recent posts into the timeline until it ends", s.completed)
	fixture.Run(t, "timelines", s.timelines)
	fixture.Run(t, "merged sources", s.merged)
	fixture.Run(t, "follows of a deleted account", s.erased)
	fixture.Run(t, "a new post is news once", s.news)
	fixture.Run(t, "repairing follows", s.repaired)
}
