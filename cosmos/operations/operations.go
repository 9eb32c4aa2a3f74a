// Package operations records the storage operations that a response was made from. The cost inspector puts a Recording
// into the context of a request; the storage layer and the cache of query results add their operations to it. Without a
// Recording in the context, nothing is recorded and nothing is allocated.
package operations

import (
	"context"
	"slices"
	"sync"
	"time"

	"inkfeed/cosmos/dependency"
)

// Operation is one attempt of one storage request, or a result that was served from memory in place of one.
type Operation struct {
	// Name is the name in the data model, such as Q2, or of the query result that was served from memory.
	Name string
	// Kind says what was done, such as "query" or "read".
	Kind string
	// Text is the text of a query without the values of its parameters, or a description of another operation.
	Text string
	// Partition is the logical partition. Its key is empty for operations on several partitions.
	Partition dependency.PartitionRef
	// Ranges is the number of feed ranges that took part; 0 if the answer does not tell.
	Ranges int
	// Status is the HTTP status of the answer; 0 if there was none.
	Status int
	Charge float64 // in RU
	Start  time.Time
	// Latency is the time from sending the request to its answer.
	Latency time.Duration
	// Cached reports that the result came from memory: nothing was sent and nothing was charged.
	Cached bool
}

// Several is the container of a result from memory that was made from several containers.
const Several = "several"

// maxOperations is the maximum number of operations that a Recording holds. Totals include the others.
const maxOperations = 200

// Recording collects the operations of one request. It is safe for concurrent use.
type Recording struct {
	mu         sync.Mutex
	operations []Operation
	totals     Totals
}

// Totals are the sums over all operations of a recording.
type Totals struct {
	Requests int     // sent to the storage, each attempt counted
	Charge   float64 // in RU
	Cached   int     // results that were served from memory
	Omitted  int     // operations beyond those that the recording holds
	// Waiting is the time during which at least one request was on its way.
	Waiting time.Duration
	until   time.Time // the end of the last interval that Waiting counts
}

// Add adds an operation.
func (r *Recording) Add(o Operation) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if o.Cached {
		r.totals.Cached++
	} else {
		r.totals.Requests++
		r.totals.Charge += o.Charge
	}
	if len(r.operations) == maxOperations {
		r.totals.Omitted++
		return
	}
	r.operations = append(r.operations, o)
}

// Operations returns the operations so far in the order in which they began, and their totals.
func (r *Recording) Operations() ([]Operation, Totals) {
	r.mu.Lock()
	defer r.mu.Unlock()
	list := slices.Clone(r.operations)
	slices.SortStableFunc(list, func(a, b Operation) int { return a.Start.Compare(b.Start) })
	totals := r.totals
	for _, o := range list {
		totals.wait(o)
	}
	return list, totals
}

// wait adds the part of an operation's time that no earlier operation covers. Operations come in the order of their
// beginnings.
func (t *Totals) wait(o Operation) {
	begin, end := o.Start, o.Start.Add(o.Latency)
	if begin.Before(t.until) {
		begin = t.until
	}
	if end.After(begin) {
		t.Waiting += end.Sub(begin)
		t.until = end
	}
}

type recordingKey struct{}

// With returns a context whose operations are recorded in r. A nil r ends the recording of an outer context.
func With(ctx context.Context, r *Recording) context.Context {
	return context.WithValue(ctx, recordingKey{}, r)
}

// From returns the recording of a context, or nil if there is none.
func From(ctx context.Context) *Recording {
	r, _ := ctx.Value(recordingKey{}).(*Recording)
	return r
}
