package harness

import (
	"crypto/tls"
	"fmt"
	"io"
	"log"
	"log/slog"
	"maps"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"

	"inkfeed/cosmos"
	"inkfeed/web/cli/config"
)

// isWithoutKey reports whether stories run on accounts that are used without their keys, as in make exhaustive.
func isWithoutKey() bool { return os.Getenv("INKFEED_TEST_WITHOUT_KEY") != "" }

// NewBlog returns an environment of an empty blog on the embedded engine, or one of NewAccount.
func NewBlog(t testing.TB) (env map[string]string) {
	t.Helper()
	if isWithoutKey() {
		return WithoutKey(t)
	}
	return map[string]string{"INKFEED_DATA": t.TempDir()}
}

// NewAccount returns an environment of an empty blog on an account, by default that of OnEngine.
func NewAccount(t testing.TB, engineArgs ...string) (env map[string]string) {
	t.Helper()
	if isWithoutKey() {
		return WithoutKey(t, engineArgs...)
	}
	return OnEngine(t, engineArgs...)
}

// WithoutKey serves an engine with an empty database, and returns an environment in which commands use it as their
// account with the tokens of an identity alone. At the end of the test it logs how many requests of each kind there
// were, and reports those that a data plane role does not allow.
func WithoutKey(t testing.TB, engineArgs ...string) (env map[string]string) {
	t.Helper()
	env = OnEngine(t, engineArgs...)
	c := config.New(Environment(env))
	_, closeStore, err := c.Open(t.Context(), cosmos.Options{}, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	closeStore()
	target, err := url.Parse(env["COSMOS_ENDPOINT"])
	if err != nil {
		t.Fatal(err)
	}
	record := &recording{counts: make(map[string]int)}
	t.Cleanup(func() { record.check(t) })
	transport := &http.Transport{TLSClientConfig: &tls.Config{InsecureSkipVerify: true}, MaxIdleConnsPerHost: 64}
	t.Cleanup(transport.CloseIdleConnections)
	forward := &httputil.ReverseProxy{Transport: transport, ErrorLog: log.New(io.Discard, "", 0),
		Rewrite: func(r *httputil.ProxyRequest) {
			r.SetURL(target)
			r.Out.Host = r.In.Host // the engine tells clients to send further requests to this host
		}}
	server := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		record.add(r)
		forward.ServeHTTP(w, r)
	}))
	t.Cleanup(func() { server.CloseClientConnections(); server.Close() })
	env["COSMOS_ENDPOINT"] = server.URL
	delete(env, "COSMOS_KEY")
	return env
}

// recording counts the requests to an account.
type recording struct {
	mu      sync.Mutex
	counts  map[string]int
	refused []string // requests that a data plane role does not allow
	keyed   int      // requests without a token
}

func (r *recording) add(request *http.Request) {
	kind, isAllowed := kindOf(request)
	r.mu.Lock()
	defer r.mu.Unlock()
	r.counts[kind]++
	if !isAllowed {
		r.refused = append(r.refused, request.Method+" "+request.URL.Path)
	}
	if !strings.HasPrefix(request.Header.Get("Authorization"), "type=aad&") {
		r.keyed++
	}
}

func (r *recording) check(t testing.TB) {
	r.mu.Lock()
	defer r.mu.Unlock()
	var table strings.Builder
	for _, kind := range slices.Sorted(maps.Keys(r.counts)) {
		fmt.Fprintf(&table, "\n%6d %s", r.counts[kind], kind)
	}
	t.Logf("%d requests to the control plane; requests by kind:%s", len(r.refused), table.String())
	if len(r.refused) > 0 {
		t.Errorf("requests to the control plane: %q", r.refused)
	}
	if r.keyed > 0 {
		t.Errorf("%d requests had no token", r.keyed)
	}
	if len(r.counts) == 0 {
		t.Error("there was no request")
	}
}

// kindOf describes a request and reports whether the action readMetadata, or one on items, allows it. See the section
// "Metadata requests" of "Configure role-based access control for your Azure Cosmos DB account",
// learn.microsoft.com/azure/cosmos-db/how-to-setup-rbac.
func kindOf(r *http.Request) (kind string, isAllowed bool) {
	segments := strings.Split(strings.Trim(r.URL.Path, "/"), "/")
	isQuery := strings.EqualFold(r.Header.Get("x-ms-documentdb-query"), "true")
	if len(segments) > 4 && segments[4] == "docs" {
		switch {
		case isQuery:
			return "query items", true
		case r.Header.Get("x-ms-cosmos-is-batch-request") != "":
			return "transactional batch", true
		case r.Method == http.MethodGet && len(segments) == 5:
			return "read the change feed", true
		}
		return r.Method + " item", true
	}
	for i := range segments {
		if i%2 == 1 {
			segments[i] = "*"
		}
	}
	shape := strings.Join(segments, "/")
	switch shape {
	case "", "dbs/*", "dbs/*/colls/*", "dbs/*/colls/*/pkranges":
		isAllowed = r.Method == http.MethodGet
	}
	return r.Method + " /" + shape, isAllowed
}
