package client

import (
	"context"
	"encoding/json"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/Azure/azure-sdk-for-go/sdk/azcore/policy"
	"github.com/Azure/azure-sdk-for-go/sdk/data/azcosmos"

	"inkfeed/cosmos/dependency"
)

// Operation is the purpose of storage requests. Its name labels their metrics, spans and costs: C1 to Q6 of the model,
// and others. It also says what the requests write, so the page cache drops what shows it. Each name is declared once,
// beside the store that carries the operation out.
type Operation struct {
	name      string
	onlyReads bool
	changes   dependency.Facets
	low       bool // see LowPriority
}

// Reads returns an operation that writes nothing.
func Reads(name string) Operation {
	return Operation{name: name, onlyReads: true, changes: dependency.AllFacets}
}

// Writes returns an operation that may change all facets of the partitions that it writes.
func Writes(name string) Operation { return Operation{name: name, changes: dependency.AllFacets} }

// WritesOnly returns an operation that may change only these facets of the partitions that it writes. With 0, no cached
// page shows its writes. Its transactions may still change the counts in the user item.
func WritesOnly(name string, changes dependency.Facets) Operation {
	return Operation{name: name, changes: changes}
}

// LowPriority returns the operation with a low priority: if an account on which priorities are enabled has too little
// throughput, it throttles the requests of such operations first.
func (o Operation) LowPriority() Operation {
	o.low = true
	return o
}

// priorityOf returns the priority of the context's operation, nil for the account's default.
func priorityOf(ctx context.Context) *azcosmos.PriorityLevel {
	if !operationOf(ctx).low {
		return nil
	}
	low := azcosmos.PriorityLevelLow
	return &low
}

// Operations of this package, and those that several packages carry out.
var (
	Erasing         = Writes("erase")       // finishes the deletion of a user or post
	PropagatingName = Writes("spread-name") // writes a user's new name to the user's texts
	CountingItems   = Reads("count-items")
	bootstrapping   = Writes("bootstrap")
	exporting       = Reads("export")
	unnamed         = Writes("sdk") // of the requests that the SDK makes for its own caches
)

func (o Operation) String() string { return o.name }

// OnlyReads reports whether the operation was declared by [Reads]. Should it write nevertheless, all facets may have
// changed.
func (o Operation) OnlyReads() bool { return o.onlyReads }

// changed returns the facets that a request, perhaps a transaction, may change.
func (o Operation) changed(transaction bool) dependency.Facets {
	if o.changes == 0 && transaction {
		return dependency.FacetAccount
	}
	return o.changes
}

type operationKey struct{}

// In returns a context whose requests are made for the operation. The outermost operation wins, so that an operation
// that consists of several others counts as one.
func (o Operation) In(ctx context.Context) context.Context {
	if _, ok := ctx.Value(operationKey{}).(Operation); ok {
		return ctx
	}
	return context.WithValue(ctx, operationKey{}, o)
}

// operationOf returns the context's operation.
func operationOf(ctx context.Context) Operation {
	if o, ok := ctx.Value(operationKey{}).(Operation); ok {
		return o
	}
	return unnamed
}

// Attempt is one attempt of one storage request. The SDK repeats a request that is throttled or fails, so one
// request can be several attempts.
type Attempt struct {
	Operation Operation
	// Partition is the logical partition that the request reads or writes. Its container is empty for requests about
	// the account, a database or a container; its key is empty for a query or change feed over several partitions.
	Partition dependency.PartitionRef
	Request   *http.Request // as sent; its body has been read
	Header    http.Header   // of the answer; nil if there was no answer
	Status    int           // HTTP status; 0 if there was no answer
	Charge    float64       // in RU
	Start     time.Time
	Latency   time.Duration // from sending the request to its answer
}

// Observer is told of each attempt of each storage request. Observe runs in the request's goroutine, concurrently
// with others, and must not block.
type Observer interface {
	Observe(ctx context.Context, a Attempt)
}

// OnWrite observes the writes of this process. It is called after each write that changed a logical partition, or may
// have changed it, and before the write returns.
type OnWrite func(partition dependency.PartitionRef, facets dependency.Facets)

// Observe implements [Observer].
func (f OnWrite) Observe(_ context.Context, a Attempt) {
	if a.Partition.Container != "" && !IsRead(a.Request) && mayHaveWritten(a.Status) {
		f(a.Partition, a.Operation.changed(isBatch(a.Request)))
	}
}

// attempts is the pipeline policy that tells all observers of each attempt of each request: those of the context and
// its own. Nothing else tells them.
type attempts []Observer

func (p attempts) Do(r *policy.Request) (*http.Response, error) {
	ctx := r.Raw().Context()
	a := Attempt{Operation: operationOf(ctx), Partition: partitionOf(r.Raw()), Request: r.Raw()}
	inspected := inspect(r)
	a.Start = time.Now()
	resp, err := r.Next()
	a.Latency = time.Since(a.Start)
	if resp != nil {
		a.Status, a.Header = resp.StatusCode, resp.Header
		a.Charge, _ = strconv.ParseFloat(resp.Header.Get("x-ms-request-charge"), 64)
	}
	inspected(a)
	if u, ok := ctx.Value(usageKey{}).(*Usage); ok && a.Status != http.StatusTooManyRequests {
		u.add(a.Charge)
	}
	if a.Partition.Container != "" && IsRead(a.Request) {
		dependency.Record(ctx, a.Partition, dependency.AllFacets)
	}
	for _, o := range p {
		o.Observe(ctx, a)
	}
	return resp, err
}

// IsRead reports whether a request only reads. Queries are POST requests with a header of their own.
func IsRead(r *http.Request) bool {
	return r.Method == http.MethodGet || strings.EqualFold(r.Header.Get("x-ms-documentdb-query"), "true")
}

func isBatch(r *http.Request) bool {
	return strings.EqualFold(r.Header.Get("x-ms-cosmos-is-batch-request"), "true")
}

// mayHaveWritten reports whether items may have changed during a write that was answered with the
// status. They may have if there was no answer (0) or if the service gave up. They may also have if a
// condition failed, because an earlier attempt of the write may have caused that.
func mayHaveWritten(status int) bool {
	switch status {
	case http.StatusRequestTimeout, http.StatusNotFound, http.StatusConflict, http.StatusPreconditionFailed:
		return true
	}
	return status < 300 || status >= 500
}

// partitionOf returns the logical partition that a request reads or writes; see Attempt.Partition.
func partitionOf(r *http.Request) dependency.PartitionRef {
	part := dependency.PartitionRef{Container: ContainerOf(r.URL.Path)}
	var key []string // the keys of all containers are single strings
	if json.Unmarshal([]byte(r.Header.Get(KeyHeader)), &key) == nil && len(key) == 1 {
		part.Key = key[0]
	}
	return part
}

// ContainerOf returns the container's name in the resource path of an item or query, and "" for other
// paths.
func ContainerOf(path string) string {
	parts := strings.Split(strings.TrimPrefix(path, "/"), "/")
	if len(parts) >= 5 && parts[0] == "dbs" && parts[2] == "colls" && parts[4] == "docs" {
		return parts[3]
	}
	return ""
}
