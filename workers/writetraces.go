package workers

import (
	"sync"

	"github.com/hashicorp/golang-lru/v2/simplelru"
	"go.opentelemetry.io/otel/trace"

	"inkfeed/cosmos/dependency"
)

// Limits of the spans that WriteTraces remembers. A write that is not projected is forgotten when newer ones need the
// room.
const (
	maxTracedPartitions = 1000
	maxTracedWrites     = 32 // of a partition
)

// WriteTraces remembers the spans of this process's traced writes until their changes are projected, so that the span
// of the projection can link to them. If another process projects a change, there is no link: a link that is stored
// with the item would change what a write costs, and later writes without a trace would leave it in place.
type WriteTraces struct {
	mu     sync.Mutex
	writes simplelru.LRUCache[dependency.PartitionRef, []tracedWrite]
}

type tracedWrite struct {
	lsn  int64
	span trace.SpanContext
}

// NewWriteTraces returns an empty WriteTraces.
func NewWriteTraces() *WriteTraces {
	writes, err := simplelru.NewLRU[dependency.PartitionRef, []tracedWrite](maxTracedPartitions, nil)
	if err != nil {
		panic(err) // the size is positive
	}
	return &WriteTraces{writes: writes}
}

// Record remembers the span of a write to a logical partition. LSN is the number of the write's transaction; 0 means
// unknown.
func (w *WriteTraces) Record(part dependency.PartitionRef, lsn int64, span trace.SpanContext) {
	w.mu.Lock()
	defer w.mu.Unlock()
	writes, _ := w.writes.Get(part)
	w.writes.Add(part, append(writes[max(0, len(writes)+1-maxTracedWrites):], tracedWrite{lsn, span}))
}

// Take returns, and forgets, the spans of the writes to a logical partition up to an LSN. With 0 it returns all.
func (w *WriteTraces) Take(part dependency.PartitionRef, lsn int64) (spans []trace.SpanContext) {
	w.mu.Lock()
	defer w.mu.Unlock()
	writes, ok := w.writes.Get(part)
	if !ok {
		return nil
	}
	var later []tracedWrite
	for _, write := range writes {
		if lsn != 0 && write.lsn > lsn {
			later = append(later, write)
		} else {
			spans = append(spans, write.span)
		}
	}
	if w.writes.Remove(part); len(later) > 0 {
		w.writes.Add(part, later)
	}
	return spans
}
