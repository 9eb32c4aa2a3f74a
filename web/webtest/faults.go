package webtest

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"net/http"
	"reflect"
	"regexp"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"inkfeed/cosmos"
	"inkfeed/cosmos/embedded"
)

// Faults is the transport between the store and the engine. It counts the requests of each method of the store, and
// answers those of some methods with a failure.
//
// Tests name methods as they are reached from cosmos.Store: "Posts.AddComment". A request belongs to every method of
// the store on the stack of its goroutine, so one that Drafts.Publish makes through Posts.Create belongs to both. The
// files and the search index have faults, too: "Files.Put", "Search.Tags".
type Faults struct {
	T      testing.TB
	engine *embedded.Engine

	// WriteRequests counts the requests so far that may have changed an item, also those of tests.
	WriteRequests atomic.Int64

	running sync.RWMutex // held for reading by each request, for writing to close
	closed  bool

	mu       sync.Mutex
	Failures map[string]*Failure // by method
	Requests map[string]int
	hooks    map[string]func()
	cut      *cut
	// Activity is the activity id of failed responses, which the store repeats in its errors.
	Activity string
}

// Failure is a response that replaces that of the engine.
type Failure struct {
	Status int
	writes bool // only requests that write fail
	met    bool // a request has failed
}

func newFaults(t testing.TB) *Faults {
	return &Faults{T: t, Failures: map[string]*Failure{}, Requests: map[string]int{}, hooks: map[string]func(){},
		Activity: "secret"}
}

// Statuses of the service that the store translates to kinds of errors without a retry.
const (
	StatusUnavailable = http.StatusForbidden // as from the firewall of an account
	StatusInternal    = http.StatusBadRequest
	StatusNotFound    = http.StatusNotFound
	StatusConflict    = http.StatusConflict

	statusHanging = -1 // there is no answer
)

// Fail makes a method fail as if the service were unavailable, until Recover.
func (f *Faults) Fail(method string) { f.FailWith(method, StatusUnavailable) }

// FailWith makes the service answer all requests of a method with this status, until Recover.
func (f *Faults) FailWith(method string, status int) {
	f.T.Helper()
	method = f.declared(method)
	f.mu.Lock()
	defer f.mu.Unlock()
	f.Failures[method] = &Failure{Status: status}
}

// Hang makes each request of a method wait until its context ends. Recover ends this.
func (f *Faults) Hang(method string) { f.FailWith(method, statusHanging) }

// FailWrites makes the service answer the writes of a method with this status, until Recover.
func (f *Faults) FailWrites(method string, status int) {
	f.T.Helper()
	method = f.declared(method)
	f.mu.Lock()
	defer f.mu.Unlock()
	f.Failures[method] = &Failure{Status: status, writes: true}
}

// Recover ends the failures of a method. The method must have failed at least once.
func (f *Faults) Recover(method string) {
	f.T.Helper()
	declared := f.declared(method)
	f.mu.Lock()
	defer f.mu.Unlock()
	if failure := f.Failures[declared]; failure == nil || !failure.met {
		f.T.Errorf("no request of %s has failed", method)
	}
	delete(f.Failures, declared)
}

// cut is a crash of the server after a number of writes.
type cut struct {
	left int
	met  bool
}

// CutAfter refuses all requests after this many writes, as if the server had crashed, until end is called. That reports
// whether a request was refused.
func (f *Faults) CutAfter(writes int) (end func() bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	c := &cut{left: writes}
	f.cut = c
	return func() bool {
		f.mu.Lock()
		defer f.mu.Unlock()
		f.cut = nil
		return c.met
	}
}

// Calls returns how many requests the methods have made.
func (f *Faults) Calls(methods ...string) (n int) {
	f.T.Helper()
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, method := range methods {
		n += f.Requests[f.declared(method)]
	}
	return n
}

// Before runs hook once, before the next request of a method.
func (f *Faults) Before(method string, hook func()) {
	f.T.Helper()
	method = f.declared(method)
	f.mu.Lock()
	defer f.mu.Unlock()
	f.hooks[method] = hook
}

// enter counts a call of methods and runs their hooks. It returns the status of their failure, or 0.
func (f *Faults) enter(writes bool, methods ...string) (status int) {
	f.mu.Lock()
	var hooks []func()
	for _, method := range methods {
		f.Requests[method]++
		if hook := f.hooks[method]; hook != nil {
			delete(f.hooks, method)
			hooks = append(hooks, hook)
		}
	}
	f.mu.Unlock()
	for _, hook := range hooks { // hooks may use the store
		hook()
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, method := range methods {
		if failure := f.Failures[method]; failure != nil && (writes || !failure.writes) {
			failure.met = true
			status = failure.Status
		}
	}
	if f.cut == nil || status != 0 {
		return status
	}
	if f.cut.left == 0 && (writes || f.cut.met) {
		f.cut.met = true
		return StatusUnavailable
	}
	if writes {
		f.cut.left--
	}
	return 0
}

// declared returns the name of a method by the type that declares it, as stacks have it: Export.Posts is declared by
// the type PostsExport, which Export embeds.
func (f *Faults) declared(method string) string {
	f.T.Helper()
	field, name, _ := strings.Cut(method, ".")
	if field == "Files" || field == "Search" {
		return method
	}
	if part, ok := reflect.TypeFor[cosmos.Store]().FieldByName(field); ok {
		if name, ok := declaredBy(part.Type, name); ok {
			return name
		}
	}
	f.T.Fatalf("the store has no method %s", method)
	return ""
}

func declaredBy(pointer reflect.Type, method string) (string, bool) {
	if _, ok := pointer.MethodByName(method); !ok {
		return "", false
	}
	for i := range pointer.Elem().NumField() {
		if field := pointer.Elem().Field(i); field.Anonymous {
			if name, ok := declaredBy(field.Type, method); ok {
				return name, true
			}
		}
	}
	return pointer.Elem().Name() + "." + method, true
}

// WithoutFaults returns a context whose calls neither fail nor count.
func WithoutFaults(ctx context.Context) context.Context {
	return context.WithValue(ctx, untouchedKey{}, true)
}

type untouchedKey struct{}

// close waits for the requests in progress. Later requests do not reach the engine.
func (f *Faults) close() {
	f.running.Lock()
	defer f.running.Unlock()
	f.closed = true
}

// Do implements policy.Transporter.
func (f *Faults) Do(r *http.Request) (*http.Response, error) {
	isQuery := r.Header.Get("X-Ms-Documentdb-Query") != "" || strings.Contains(r.Header.Get("Content-Type"), "query")
	writes := r.Method != http.MethodGet && !isQuery
	if writes {
		f.WriteRequests.Add(1)
	}
	status := 0
	if r.Context().Value(untouchedKey{}) == nil {
		status = f.enter(writes, storeMethods()...)
	}
	if status == statusHanging {
		<-r.Context().Done()
		return nil, r.Context().Err()
	}
	f.running.RLock()
	defer f.running.RUnlock()
	if status == 0 && !f.closed {
		return f.engine.Do(r)
	}
	// After the database is closed, a background request of the SDK gets a response that ends its retries.
	status = cmp.Or(status, StatusUnavailable)
	return &http.Response{StatusCode: status, Status: fmt.Sprint(status, " ", http.StatusText(status)), Request: r,
		Header: http.Header{"X-Ms-Activity-Id": {f.Activity}},
		Body:   io.NopCloser(strings.NewReader(`{"code":"X","message":"secret: dial tcp 10.0.0.7"}`))}, nil
}

// storeMethod matches the name of a function in package cosmos, such as inkfeed/cosmos.(*Posts).AddComment.func1.
var storeMethod = regexp.MustCompile(`^inkfeed/cosmos\b.*\.\(\*([A-Z]\w*)\)\.([A-Z]\w*)`)

// storeMethods returns the methods of the store on the stack of this goroutine.
func storeMethods() []string {
	var counters [64]uintptr
	frames := runtime.CallersFrames(counters[:runtime.Callers(3, counters[:])])
	var methods []string
	for {
		frame, more := frames.Next()
		if strings.HasPrefix(frame.Function, "inkfeed/web") || !more {
			return methods
		}
		if !strings.HasPrefix(frame.Function, "inkfeed/cosmos") {
			continue
		}
		if name := storeMethod.FindStringSubmatch(frame.Function); name != nil {
			methods = append(methods, name[1]+"."+name[2])
		}
	}
}
