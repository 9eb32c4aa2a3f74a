package workers

import (
	"sync"

	"inkfeed/domain/dependency"
)

// Writes tells those who wait for changes what this process itself writes, so that they need
// not wait for the change feed. The zero value tells nobody yet.
type Writes struct {
	mu    sync.RWMutex // writes may come before everybody hears
	heard []func(dependency.PartitionRef, dependency.Facets)
}

// Hear calls back for each write from now on, before the write is answered.
func (w *Writes) Hear(wrote func(dependency.PartitionRef, dependency.Facets)) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.heard = append(w.heard, wrote)
}

// Wake wakes a worker at each write to a container.
func (w *Writes) Wake(container string, worker interface{ Wake() }) {
	w.Hear(func(part dependency.PartitionRef, _ dependency.Facets) {
		if part.Container == container {
			worker.Wake()
		}
	})
}

// Tell is told of each write of this process, and passes it on in the order in which
// the others began to hear.
func (w *Writes) Tell(part dependency.PartitionRef, aspects dependency.Facets) {
	w.mu.RLock()
	defer w.mu.RUnlock()
	for _, wrote := range w.heard {
		wrote(part, aspects)
	}
}
