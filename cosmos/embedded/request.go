package embedded

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
	"strconv"
	"strings"

	"inkfeed/cosmos/embedded/internal/apierror"
	"inkfeed/cosmos/embedded/internal/catalog"
	"inkfeed/cosmos/embedded/internal/items"
	"inkfeed/cosmos/embedded/internal/value"
)

// request is an HTTP request with the state of its processing.
type request struct {
	*http.Request
	engine  *Engine
	segs    []string // decoded segments of the path
	byRID   bool     // the path contains rids, which resolve replaces by ids
	itemRID int64    // rid of the addressed item; 0: addressed by id
	coll    *catalog.Container
	rng     *catalog.FeedRange // feed range that the request concerns, if it is a single one
	now     int64
	ours    bool // the request is an extension of the service's protocol

	body    string // set by receive
	bodyErr error
}

func newRequest(e *Engine, r *http.Request) *request {
	return &request{Request: r, engine: e, now: e.now().Unix()}
}

// ctx returns the request's context.
func (q *request) ctx() context.Context { return q.Request.Context() }

// header returns a header by its canonical name, without the cost of canonicalising it.
func (q *request) header(canonical string) string {
	if v := q.Header[canonical]; len(v) > 0 {
		return v[0]
	}
	return ""
}

// isTrue reports whether a header's value is true. SDKs differ in its case.
func isTrue(text string) bool { return strings.EqualFold(text, "true") }

// authenticate divides the path and checks the credential. It runs before receive, so that only clients with a
// credential can make the engine read a body and keep it in memory.
func (q *request) authenticate() error {
	q.segs = splitPath(q.URL)
	return q.engine.authorize(q)
}

// receive reads the body before the request takes the engine's lock, because a client may send
// slowly.
func (q *request) receive() { q.body, q.bodyErr = q.read() }

// readBody returns the body or the error of reading it. The error matters only if a handler needs
// the body.
func (q *request) readBody() (string, error) { return q.body, q.bodyErr }

// read reads the body up to the protocol's maximum size.
func (q *request) read() (string, error) {
	if q.Body == nil {
		return "", nil
	}
	if q.ContentLength > items.MaxBody {
		return "", apierror.TooLarge()
	}
	// bytes.Buffer finds the end of the body without growing if this much space is left after it.
	b := bytes.NewBuffer(make([]byte, 0, max(q.ContentLength, 0)+bytes.MinRead))
	n, err := b.ReadFrom(io.LimitReader(q.Body, items.MaxBody+1))
	if err != nil {
		if errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
			return "", err
		}
		return "", apierror.BadRequest("The request body cannot be read.")
	}
	if n > items.MaxBody {
		return "", apierror.TooLarge()
	}
	return b.String(), nil
}

// json parses the body as a JSON object.
func (q *request) json() (value.Value, error) {
	text, err := q.readBody()
	if err != nil {
		return value.Value{}, err
	}
	v, err := value.Parse(text)
	if err != nil {
		return value.Value{}, apierror.BadRequest("The request body is not valid: %v.", err)
	}
	if v.Kind() != value.Object {
		return value.Value{}, apierror.BadRequest("The request body is not a JSON object.")
	}
	return v, nil
}

// container returns the container in the path.
func (q *request) container(missing func() *apierror.Error) (*catalog.Container, error) {
	c, err := q.engine.catalog.Load().Container(q.segs[1], q.segs[3])
	if err != nil {
		return nil, missing()
	}
	q.coll = c
	return c, nil
}

// pageSize returns the maximum number of items on a page. -1 in the request means as many as fit.
func (q *request) pageSize() (int, error) {
	text := q.header("X-Ms-Max-Item-Count")
	if text == "" {
		return defaultPageSize, nil
	}
	n, err := strconv.Atoi(text)
	switch {
	case err != nil || n < -1:
		return 0, apierror.BadRequest("The maximum item count %q is not valid.", text)
	case n == 0:
		return defaultPageSize, nil
	case n == -1:
		return 1 << 30, nil
	}
	return n, nil
}
