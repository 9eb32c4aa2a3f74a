package commands

import (
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"

	"inkfeed/web/cli/systemtest/harness"
	"inkfeed/web/webtest"
)

// TestTelemetry runs a server that exports to a collector, with a user who publishes a post and visitors who read it.
func TestTelemetry(t *testing.T) {
	collector := webtest.NewCollector(t)
	t.Setenv("OTEL_EXPORTER_OTLP_ENDPOINT", collector.URL)
	t.Setenv("OTEL_RESOURCE_ATTRIBUTES", "deployment.environment.name=test")
	base, stop := harness.Serve(t, map[string]string{"INKFEED_DATA": t.TempDir()}, "--addr", "127.0.0.1:0",
		"--trusted-proxies", "loopback")
	ada := harness.NewVisitor(t, base)
	ada.SignUp("Lovelace")
	// The author does not open the post, so that the first visitor's page is read from the storage.
	post := ada.TryForm("/posts", url.Values{"title": {"A title of mine"}, "content": {"Its text."}})
	harness.Eventually(t, "the post is on the front page", func() bool {
		return strings.Contains(harness.NewVisitor(t, base).Get("/").Text(), "A title of mine")
	})
	harness.Eventually(t, "the post is in the cache", func() bool {
		return get(t, base+post, "Traceparent", "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01").
			Get("Cache-Status") == "Inkfeed; hit"
	})
	get(t, base+"/@Lovelace/nowhere", "User-Agent", "Sneaky/1.0")
	stop()

	spans := collector.Spans()
	find := func(name string, is func(webtest.Span) bool) webtest.Span {
		t.Helper()
		for _, s := range spans {
			if s.Name == name && is(s) {
				return s
			}
		}
		t.Fatalf("there is no such span %q among %v", name, names(spans))
		return webtest.Span{}
	}
	children := func(parent webtest.Span) (all []webtest.Span) {
		for _, s := range spans {
			if s.Parent == parent.ID && s.Trace == parent.Trace {
				all = append(all, s)
			}
		}
		return all
	}

	t.Run("traces a page through the cache and Echo to the storage", func(t *testing.T) {
		page := find("GET /posts/:id/:slug", func(s webtest.Span) bool {
			return s.Attributes["inkfeed.cache.status"] == "fwd=miss; stored"
		})
		if page.Kind != "SERVER" || page.Attributes["http.response.status_code"] != "200" {
			t.Errorf("the request is %+v", page)
		}
		miss := children(page)
		if len(miss) != 1 || miss[0].Name != "page cache miss" {
			t.Fatalf("below the request are %v", names(miss))
		}
		// The page is rendered again if the workers drop something that it shows meanwhile, at most three times.
		handlers := children(miss[0])
		if !slices.Equal(names(handlers), []string{"handler /posts/:id/:slug"}) || len(handlers) > 3 {
			t.Fatalf("below the cache are %d spans named %v", len(handlers), names(handlers))
		}
		var requests []webtest.Span
		for _, handler := range handlers {
			requests = append(requests, children(handler)...)
		}
		var read webtest.Span
		for _, s := range requests {
			if s.Name == "Q2 posts" {
				read = s
			}
		}
		for key, want := range map[string]string{"db.system.name": "azure.cosmosdb", "db.collection.name": "posts",
			"db.response.status_code": "200", "inkfeed.storage.retries": "0"} {
			if read.Attributes[key] != want {
				t.Errorf("%s is %q, want %q: %+v", key, read.Attributes[key], want, requests)
			}
		}
		if read.Kind != "CLIENT" || len(read.Attributes["inkfeed.storage.partition"]) != 16 ||
			strings.Contains(post, read.Attributes["inkfeed.storage.partition"]) ||
			strings.HasPrefix(read.Attributes["azure.cosmosdb.operation.request_charge"], "0") {
			t.Errorf("the read is %+v", read)
		}
	})
	t.Run("traces a response from the cache by its route, with a link to the span of the proxy", func(t *testing.T) {
		hit := find("GET /posts/:id/:slug", func(s webtest.Span) bool {
			return s.Attributes["inkfeed.cache.status"] == "hit"
		})
		if hit.Trace == "0af7651916cd43dd8448eb211c80319c" || hit.Parent != "" ||
			!slices.Equal(hit.Links, []string{"b7ad6b7169203331"}) || len(children(hit)) > 0 {
			t.Errorf("%+v with %v", hit, names(children(hit)))
		}
	})
	t.Run("links the projection of a write to it", func(t *testing.T) {
		write := find("C2 posts", func(s webtest.Span) bool {
			return s.Attributes["db.operation.name"] != "read_item"
		})
		projection := find("project posts", func(s webtest.Span) bool { return slices.Contains(s.Links, write.ID) })
		if projection.Trace == write.Trace || projection.Kind != "CONSUMER" || projection.Parent != "" {
			t.Errorf("%+v", projection)
		}
		var copies []string
		for _, s := range children(projection) {
			copies = append(copies, s.Attributes["db.collection.name"])
		}
		for _, container := range []string{"users", "feed", "leases"} {
			if !slices.Contains(copies, container) {
				t.Errorf("the projection writes to %v, not to %s", copies, container)
			}
		}
	})
	t.Run("makes no span of background work without a traced cause", func(t *testing.T) {
		for _, s := range spans {
			if s.Parent == "" && s.Kind != "SERVER" && len(s.Links) == 0 {
				t.Errorf("%+v", s)
			}
		}
	})
	t.Run("describes the process", func(t *testing.T) {
		for key, want := range map[string]string{"service.name": "inkfeed", "deployment.environment.name": "test"} {
			if got := collector.Resource()[key]; got != want {
				t.Errorf("%s is %q", key, got)
			}
		}
	})
	t.Run("exports the metrics of Prometheus", func(t *testing.T) {
		for _, name := range []string{"inkfeed_cosmos_requests_total", "inkfeed_cosmos_request_seconds",
			"inkfeed_page_cache_requests_total", "go_goroutines"} {
			if !slices.Contains(collector.Metrics(), name) {
				t.Errorf("%s is missing among %v", name, collector.Metrics())
			}
		}
	})
	t.Run("exports no personal data", func(t *testing.T) {
		for _, s := range spans {
			text := fmt.Sprintf("%+v", s)
			for _, secret := range []string{"Lovelace", "lovelace", "A title", "a-title", "127.0.0.1", "Sneaky",
				"correct horse"} {
				if strings.Contains(text, secret) {
					t.Errorf("a span has %q: %s", secret, text)
				}
			}
		}
	})
}

func names(spans []webtest.Span) []string {
	all := make(map[string]int)
	for _, s := range spans {
		all[s.Name]++
	}
	return slices.Sorted(maps.Keys(all))
}

// get requests a page with a header and returns the header of the response.
func get(t *testing.T, address, name, value string) http.Header {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, address, nil)
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set(name, value)
	resp, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	resp.Body.Close()
	return resp.Header
}
