package explorer

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"

	"inkfeed/cosmos/embedded"
)

// client sends the engine the requests of one page and adds up their charges.
type client struct {
	operator embedded.Operator
	charge   float64 // request charge so far, in RU
	requests int
}

// answer is a response of the engine.
type answer struct {
	status int
	header http.Header
	body   []byte
	charge float64 // in RU
}

// refusal is an error that the engine answered.
type refusal struct {
	status    int
	substatus string
	Code      string `json:"code"`
	Message   string `json:"message"`
}

func (r *refusal) Error() string { return fmt.Sprintf("%d %s: %s", r.status, r.Code, r.Message) }

// send sends a request. Headers are pairs of a name and a value. A status of 400 or more becomes a *refusal.
func (c *client) send(
	ctx context.Context, method string, path []string, body []byte, headers ...string,
) (answer, error) {
	header := make(http.Header)
	for i := 0; i+1 < len(headers); i += 2 {
		header.Set(headers[i], headers[i+1])
	}
	resp, err := c.operator.Send(ctx, method, path, header, body)
	if err != nil {
		return answer{}, fmt.Errorf("%s %s: %w", method, strings.Join(path[:min(len(path), 5)], "/"), err)
	}
	defer resp.Body.Close()
	a := answer{status: resp.StatusCode, header: resp.Header}
	if a.body, err = io.ReadAll(resp.Body); err != nil {
		return a, fmt.Errorf("read the engine's response: %w", err)
	}
	a.charge, _ = strconv.ParseFloat(a.header.Get("X-Ms-Request-Charge"), 64) // no header: no charge
	c.charge += a.charge
	c.requests++
	if a.status < http.StatusBadRequest {
		return a, nil
	}
	r := &refusal{status: a.status, substatus: a.header.Get("X-Ms-Substatus")}
	if err := json.Unmarshal(a.body, r); err != nil || r.Message == "" {
		r.Message = http.StatusText(a.status)
	}
	return a, r
}

// read sends a GET request and decodes the response.
func (c *client) read(ctx context.Context, into any, path []string, headers ...string) (answer, error) {
	a, err := c.send(ctx, http.MethodGet, path, nil, headers...)
	if err != nil || a.status == http.StatusNotModified {
		return a, err
	}
	if err := json.Unmarshal(a.body, into); err != nil {
		return a, fmt.Errorf("decode the engine's response: %w", err)
	}
	return a, nil
}

// resource is the part of a database or container that pages need.
type resource struct {
	ID           string        `json:"id"`
	PartitionKey keyDefinition `json:"partitionKey"`
	DefaultTTL   *int          `json:"defaultTtl"`
	Statistics   []struct {
		ID    string `json:"id"`
		Size  int64  `json:"sizeInKB"`
		Items int64  `json:"documentCount"`
		Keys  int64  `json:"sampledDistinctPartitionKeyCount"`
	} `json:"statistics"`
}

// databases lists the databases.
func (c *client) databases(ctx context.Context) (list []resource, err error) {
	return c.list(ctx, []string{"dbs"})
}

// containers lists the containers of a database.
func (c *client) containers(ctx context.Context, database string) (list []resource, err error) {
	return c.list(ctx, []string{"dbs", database, "colls"})
}

// list reads all pages of a list of databases or containers.
func (c *client) list(ctx context.Context, path []string) (list []resource, err error) {
	for continuation := ""; ; {
		var page struct{ Databases, DocumentCollections []resource }
		a, err := c.read(ctx, &page, path, "X-Ms-Continuation", continuation)
		if err != nil {
			return nil, err
		}
		list = append(append(list, page.Databases...), page.DocumentCollections...)
		if continuation = a.header.Get("X-Ms-Continuation"); continuation == "" {
			return list, nil
		}
	}
}

// feedRange is a feed range of a container.
type feedRange struct {
	ID           string   `json:"id"`
	MinInclusive string   `json:"minInclusive"`
	MaxExclusive string   `json:"maxExclusive"`
	Parents      []string `json:"parents"`
}

// feedRanges lists the feed ranges of a container.
func (c *client) feedRanges(ctx context.Context, at containerRef) ([]feedRange, error) {
	var list struct{ PartitionKeyRanges []feedRange }
	_, err := c.read(ctx, &list, at.path("pkranges"))
	return list.PartitionKeyRanges, err
}

// container reads the definition of a container.
func (c *client) container(ctx context.Context, at containerRef, headers ...string) (resource, answer, error) {
	var r resource
	a, err := c.read(ctx, &r, at.path(), headers...)
	return r, a, err
}

// documents is a page of items.
type documents struct{ Documents []json.RawMessage }

// containerRef names a container.
type containerRef struct{ database, name string }

// path returns the path of the container or of a resource in it.
func (at containerRef) path(below ...string) []string {
	return append([]string{"dbs", at.database, "colls", at.name}, below...)
}

// usage returns a number of a header such as "documentsCount=3;documentsSize=1;".
func usage(header, name string) int64 {
	for field := range strings.SplitSeq(header, ";") {
		if key, text, _ := strings.Cut(field, "="); key == name {
			n, _ := strconv.ParseInt(text, 10, 64) // the engine writes numbers
			return n
		}
	}
	return 0
}
