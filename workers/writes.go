package workers

import (
	"sync"

	"inkfeed/domain/dependency"
)

// Writes tells its subscribers what this process writes, so that they need not wait for the change
// feed. The zero value is ready for use.
type WriteNotifier struct {
	mu          sync.RWMutex // the first writes may come while workers subscribe
	subscribers []func(dependency.PartitionRef, dependency.Facets)
}

// Subscribe makes Notify call wrote for each later write. The write returns to its caller after wrote has.
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

// Notify passes a write of this process on to the subscribers, in the order of their subscriptions.
func (w *WriteNotifier) Notify(part dependency.PartitionRef, aspects dependency.Facets) {
	w.mu.RLock()
	defer w.mu.RUnlock()
	for _, wrote := range w.subscribers {
		wrote(part, aspects)
	}
}
