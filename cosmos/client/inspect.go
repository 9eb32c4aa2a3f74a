package client

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"

	"github.com/Azure/azure-sdk-for-go/sdk/azcore/policy"

	"inkfeed/cosmos/operations"
)

// inspect describes a request for the recording of its context, before it is sent: the transport may still read the
// body after the answer has begun. The returned function adds an attempt to the recording, if there is one.
func inspect(r *policy.Request) (answered func(Attempt)) {
	recording := operations.From(r.Raw().Context())
	if recording == nil {
		return func(Attempt) {}
	}
	var body []byte
	if r.Body() != nil {
		body, _ = io.ReadAll(r.Body())
		if r.RewindBody() != nil {
			return func(Attempt) {} // the request will fail as well
		}
	}
	kind, text := describeRequest(r.Raw(), body)
	return func(a Attempt) {
		recording.Add(operations.Operation{Name: a.Operation.name, Kind: kind, Text: text, Partition: a.Partition,
			Ranges: rangesOf(a.Header), Status: a.Status, Charge: a.Charge, Start: a.Start, Latency: a.Latency})
	}
}

// rangesOf returns the number of feed ranges that answered. The answer about one range names it; the session token of
// an answer about several has one token for each.
func rangesOf(h http.Header) int {
	if h.Get("x-ms-documentdb-partitionkeyrangeid") != "" {
		return 1
	}
	if token := h.Get(SessionHeader); token != "" {
		return strings.Count(token, ",") + 1
	}
	return 0
}

// describeRequest returns the kind of a request, and the text of a query or a description of another request. Neither
// contains values of items or parameters.
func describeRequest(r *http.Request, body []byte) (kind, text string) {
	switch {
	case ContainerOf(r.URL.Path) == "":
		return "metadata", strings.ToLower(r.Method) + " the definition of " + resourceOf(r.URL.Path)
	case strings.EqualFold(r.Header.Get("x-ms-documentdb-query"), "true"),
		r.Header.Get("Content-Type") == "application/query+json":
		var query struct{ Query string }
		_ = json.Unmarshal(body, &query) // an invalid query has no text; the service refuses it
		return "query", query.Query
	case isBatch(r):
		return "batch", describeBatch(body)
	case r.Header.Get("A-IM") != "":
		return "change feed", "changes since the continuation"
	}
	switch r.Method {
	case http.MethodGet:
		return "read", "point read of one item by its id"
	case http.MethodPut:
		return "replace", "replace one item"
	case http.MethodPatch:
		return "patch", "patch one item: " + describePatch(body)
	case http.MethodDelete:
		return "delete", "delete one item"
	}
	if strings.EqualFold(r.Header.Get("x-ms-documentdb-is-upsert"), "true") {
		return "upsert", "create or replace one item"
	}
	return "create", "create one item"
}

// describeBatch lists the operations of a transactional batch in their order. Equal neighbours are listed once.
func describeBatch(body []byte) string {
	var batch []struct {
		Operation string `json:"operationType"`
	}
	_ = json.Unmarshal(body, &batch) // as in describeRequest
	var names []string
	for i, o := range batch {
		if i == 0 || o.Operation != batch[i-1].Operation {
			names = append(names, strings.ToLower(o.Operation))
		}
	}
	return fmt.Sprintf("transactional batch of %d: %s", len(batch), strings.Join(names, ", "))
}

// describePatch lists the changes of a patch with their paths.
func describePatch(body []byte) string {
	var patch struct {
		Operations []struct {
			Op   string `json:"op"`
			Path string `json:"path"`
		} `json:"operations"`
	}
	_ = json.Unmarshal(body, &patch) // as in describeRequest
	var changes []string
	for _, o := range patch.Operations {
		changes = append(changes, o.Op+" "+o.Path)
	}
	return strings.Join(changes, ", ")
}

// resourceOf returns the type of the resource that a path names: "the account", "databases" and so on.
func resourceOf(path string) string {
	parts := strings.Split(strings.Trim(path, "/"), "/")
	switch len(parts) {
	case 0, 1:
		return "the account"
	case 2:
		return "the database"
	case 3, 4:
		return "a container"
	}
	return "a container's " + parts[4]
}
