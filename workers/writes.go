package workers

import (
	"sync"

	"inkfeed/cosmos/dependency"
)

// WriteNotifier notifies its subscribers of the writes of this process, so that they need not wait for the change feed.
// The zero value is ready for use.
type WriteNotifier struct {
	mu          sync.RWMutex // because writes may happen while workers still subscribe
	subscribers []func(dependency.PartitionRef, dependency.Facets)
}

// Subscribe makes Notify call wrote for each later write, before the write returns to its caller.
func (w *WriteNotifier) Subscribe(wrote func(dependency.PartitionRef, dependency.Facets)) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.subscribers = append(w.subscribers, wrote)
}

// WakeOnWrite wakes a worker at each write to a container.
func (w *WriteNotifier) WakeOnWrite(container string, worker interface{ Wake() }) {
	w.Subscribe(func(part dependency.PartitionRef, _ dependency.Facets) {
		if part.Container == container {
			worker.Wake()
		}
	})
}

// Notify calls the subscribers for a write of this process, in the order of their subscriptions.
func (w *WriteNotifier) Notify(part dependency.PartitionRef, facets dependency.Facets) {
	w.mu.RLock()
	defer w.mu.RUnlock()
	for _, wrote := range w.subscribers {
		wrote(part, facets)
	}
}
