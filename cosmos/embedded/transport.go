package embedded

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"

	"inkfeed/cosmos/embedded/internal/apierror"
)

// ServeHTTP answers a request of another process.
func (e *Engine) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	resp, err := e.serve(r)
	if err != nil {
		// The client has gone. Should it listen still, having closed only its side, it must
		// not take the silence for the 200 that net/http would make of it.
		panic(http.ErrAbortHandler)
	}
	for name, values := range resp.header {
		w.Header()[wireName(name)] = values
	}
	if bodyAllowed(resp.status) {
		w.Header().Set("Content-Length", strconv.Itoa(len(resp.body)))
	}
	w.WriteHeader(resp.status)
	if r.Method != http.MethodHead {
		w.Write(resp.body) // an error means that the client has gone
	}
}

// Do answers a request of this process. It makes the engine the Transporter of an
// azcore pipeline. The error is the context's, if that ends first.
func (e *Engine) Do(r *http.Request) (*http.Response, error) {
	resp, err := e.serve(r)
	if err != nil {
		return nil, err
	}
	return &http.Response{
		Status:     strconv.Itoa(resp.status) + " " + http.StatusText(resp.status),
		StatusCode: resp.status,
		Proto:      "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
		Header:        resp.header,
		Body:          io.NopCloser(bytes.NewReader(resp.body)),
		ContentLength: int64(len(resp.body)),
		Request:       r,
	}, nil
}

// wireName returns the name of a header as the service writes it over HTTP/1.1: the service's own
// headers in lower case, as in the examples of Microsoft's REST reference. Older SDKs compare names
// case-sensitively. The case does not matter in process and over HTTP/2.
func wireName(canonical string) string {
	if canonical == "Content-Type" {
		return canonical
	}
	return strings.ToLower(canonical)
}

func bodyAllowed(status int) bool {
	return status != http.StatusNoContent && status != http.StatusNotModified
}

// serve answers a request, with an error only if its context ended.
func (e *Engine) serve(r *http.Request) (resp *response, err error) {
	ctx := r.Context()
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	q := newRequest(e, r)
	q.receive()
	e.mu.RLock()
	defer e.mu.RUnlock()
	if e.closed {
		return q.fail(apierror.Closed()), nil
	}
	defer func() {
		if p := recover(); p != nil {
			e.log.Error("request panicked", "method", r.Method, "path", r.URL.Path, "panic", p)
			resp, err = q.fail(fmt.Errorf("panic: %v", p)), nil
		}
	}()
	resp, err = e.route(q)
	if err == nil {
		return resp, nil
	}
	if ctx.Err() != nil && (errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded)) {
		return nil, ctx.Err()
	}
	return q.fail(err), nil
}
