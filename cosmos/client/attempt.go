package client

import (
	"context"
	"encoding/json"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/Azure/azure-sdk-for-go/sdk/azcore/policy"

	"inkfeed/domain/dependency"
)

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

// Wrote reports whether the attempt was a write and succeeded.
func (a Attempt) Wrote() bool { return a.Status >= 200 && a.Status < 300 && !IsRead(a.Request) }

// Observer is told of each attempt of each storage request. Observe runs in the request's goroutine, concurrently
// with others, and must not block.
type Observer interface {
	Observe(ctx context.Context, a Attempt)
}

// attempts is the pipeline policy that tells all observers of each attempt of each request. Nothing else does.
type attempts struct {
	observers []Observer
	onWrite   func(dependency.PartitionRef, dependency.Facets)
}

func (p *attempts) Do(r *policy.Request) (*http.Response, error) {
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
	inspected.answered(a)
	p.tell(ctx, a)
	return resp, err
}

// tell tells the observers of the context and of the process of an attempt.
func (p *attempts) tell(ctx context.Context, a Attempt) {
	if u, ok := ctx.Value(usageKey{}).(*Usage); ok && a.Status != http.StatusTooManyRequests {
		u.add(a.Charge)
	}
	for _, o := range p.observers {
		o.Observe(ctx, a)
	}
	switch {
	case a.Partition.Container == "":
	case IsRead(a.Request):
		dependency.Record(ctx, a.Partition, dependency.AllFacets)
	case p.onWrite != nil && mayHaveWritten(a.Status):
		p.onWrite(a.Partition, a.Operation.changed(isBatch(a.Request)))
	}
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
