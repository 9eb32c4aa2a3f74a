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

// ServeHTTP serves requests of other processes.
func (e *Engine) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	resp, err := e.serve(r)
	if err != nil {
		// The client has gone. It may have closed only its sending side. Without a panic, net/http
		// would send it the status 200.
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
		w.Write(resp.body) // an error means that the client has disconnected
	}
}

// Do serves a request of this process. It makes the engine the Transporter of an azcore pipeline.
// It fails only if the request's context ends.
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
// case-sensitively. In process and over HTTP/2 the case does not matter.
func wireName(canonical string) string {
	if canonical == "Content-Type" {
		return canonical
	}
	return strings.ToLower(canonical)
}

func bodyAllowed(status int) bool {
	return status != http.StatusNoContent && status != http.StatusNotModified
}

// serve processes a request. It returns an error only if the request's context has ended.
func (e *Engine) serve(r *http.Request) (resp *response, err error) {
	ctx := r.Context()
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	q := newRequest(e, r)
	defer func() {
		if p := recover(); p != nil {
			e.log.Error("request panicked", "method", r.Method, "path", loggedPath(r.URL.Path), "panic", p)
			resp, err = q.fail(fmt.Errorf("panic: %v", p)), nil
		}
	}()
	if err := q.authenticate(); err != nil {
		return q.fail(err), nil
	}
	q.receive()
	e.mu.RLock()
	defer e.mu.RUnlock()
	if e.closed {
		return q.fail(apierror.Closed()), nil
	}
	resp, err = e.route(q)
	if err == nil {
		return resp, nil
	}
	if ctx.Err() != nil && (errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded)) {
		return nil, ctx.Err()
	}
	return q.fail(err), nil
}
