// Package gctune tunes the garbage collector to the memory that a server has in use.
package gctune

import (
	"context"
	"runtime/debug"
	"runtime/metrics"
	"time"
)

const (
	// minGarbage and maxGarbage bound the garbage, in bytes, that may collect before the collector runs. They are large
	// enough for the collector to take little processor time.
	minGarbage, maxGarbage = 16 << 20, 24 << 20
	// maxTotal is the memory, in bytes, that garbage and live memory may take together, as far as minGarbage allows. A
	// full page cache leaves less room for garbage, of which a response from the cache makes little.
	maxTotal = 56 << 20
	// minPercent and maxPercent bound the garbage as a share of the live memory. The lower bound keeps the collector
	// from running all the time when much memory is live.
	minPercent, maxPercent = 25, 150

	interval = time.Second // between two readings of the live memory
)

// Run sets GOGC once a second from the live memory, until the context ends. It lets the collector run as rarely as
// memory allows.
//
// By default, the runtime lets garbage grow to the size of the live memory. With a full page cache, that would be most
// of a server's memory, although cached responses hold no pointers for the collector to follow. A fixed share that
// suits a full cache would run the collector ten times as often as needed while the cache is empty.
func Run(ctx context.Context) {
	tick := time.NewTicker(interval)
	defer tick.Stop()
	live := []metrics.Sample{{Name: "/gc/heap/live:bytes"}}
	for current := 0; ; {
		metrics.Read(live)
		percent := percentFor(live[0].Value.Uint64())
		if change := percent - current; change*change > 4 { // setting it stops the world for a moment
			debug.SetGCPercent(percent)
			current = percent
		}
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
	}
}

// percentFor returns the value of GOGC for this many bytes of live memory.
func percentFor(live uint64) int {
	garbage := min(maxGarbage, max(maxTotal-min(live, maxTotal), minGarbage))
	return int(min(max(garbage*100/max(live, 1), minPercent), maxPercent))
}
