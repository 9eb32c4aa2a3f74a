// Package garbage decides how much garbage a server leaves lying about.
package garbage

import (
	"context"
	"runtime/debug"
	"runtime/metrics"
	"time"
)

const (
	// most is how much garbage there may be before it is collected, in bytes, about: so much
	// that collecting takes little of the processors' time.
	most = 24 << 20
	// together is about how much there may be of it and of what is in use: what a full cache
	// takes leaves less of the machine to garbage, of which a page that is ready makes little.
	together = 72 << 20
	// Of what is in use garbage is never less than the one share, so that the collector does
	// not run all the time when that is much, nor more than the other.
	leastPercent, mostPercent = 15, 150

	look = time.Second
)

// Bound has garbage collected as late as memory allows, until the context ends. The
// runtime lets there be as much of it as is in use. That would be most of a server's memory
// when its cache is full, although pages that are kept ready have nothing that the collector
// would have to look into; and a share that is right for a full cache would collect ten times
// as often as needed while it is empty.
func Bound(ctx context.Context) {
	tick := time.NewTicker(look)
	defer tick.Stop()
	live := []metrics.Sample{{Name: "/gc/heap/live:bytes"}}
	for set := 0; ; {
		metrics.Read(live)
		percent := percentFor(live[0].Value.Uint64())
		if change := percent - set; change*change > 4 { // it stops the world for a moment
			debug.SetGCPercent(percent)
			set = percent
		}
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
	}
}

// percentFor is what GOGC is to be when so much is in use.
func percentFor(live uint64) int {
	garbage := min(most, together-min(live, together))
	return int(min(max(garbage*100/max(live, 1), leastPercent), mostPercent))
}
