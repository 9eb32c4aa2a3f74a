package pagecache

import (
	"bytes"
	"cmp"
	"compress/gzip"
	"context"
	"fmt"
	"maps"
	"net/http"
	"reflect"
	"slices"
	"time"

	"github.com/andybalholm/brotli"
	"golang.org/x/time/rate"

	"inkfeed/domain"
	"inkfeed/static"
	"inkfeed/web/site"
)

// VerifyOptions configure Verify.
type VerifyOptions struct {
	// Walk requests every page of the site first, as anonymous visitors and signed-in users do.
	Walk bool
	// Rate is the maximum number of pages rendered per second; 0: no limit.
	Rate int
}

// VerifyReport is the progress of Verify.
type VerifyReport struct {
	Compared int `json:"compared"`
	Total    int `json:"total"` // as far as known
	// Wrong is the wrong entry found since the last report, if any.
	Wrong *WrongEntry `json:"wrong,omitempty"`
}

// WrongEntry is a cached entry that differs from what would be made now.
type WrongEntry struct {
	Kind       string `json:"kind"` // page, shell or query
	Name       string `json:"name"` // the page's address, or the query's name
	Difference string `json:"difference"`
}

func (w WrongEntry) String() string { return fmt.Sprintf("%s %s: %s", w.Kind, w.Name, w.Difference) }

// Verify makes every entry again, bypassing the cache, and reports the entries that differ. An
// entry is wrong only if it is still cached after the cache has received every change that it
// lacks. Verify begins when all earlier changes have been received. It calls report after each
// comparison. An error says that the comparison could not be completed.
func (c *Cache) Verify(ctx context.Context, o VerifyOptions, report func(VerifyReport)) error {
	limit := rate.Inf
	if o.Rate > 0 {
		limit = rate.Limit(o.Rate)
	}
	v := &verification{Cache: c, pace: rate.NewLimiter(limit, 1), report: report}
	if err := v.awaitChanges(ctx, time.Now()); err != nil {
		return err
	}
	if o.Walk {
		if err := v.walk(ctx); err != nil {
			return err
		}
	}
	keys := slices.Collect(c.entries.Keys())
	v.total = v.compared + len(keys)
	for _, key := range keys {
		if err := v.verify(ctx, key); err != nil {
			return err
		}
	}
	return nil
}

type verification struct {
	*Cache
	pace            *rate.Limiter
	report          func(VerifyReport)
	compared, total int
}

// An entry that differs is compared again. It counts as wrong after maxDifferences differences with
// no change left to receive: one comparison may be wrong because the new page is incomplete.
const (
	maxComparisons = 6
	maxDifferences = 2
)

func (v *verification) verify(ctx context.Context, key cacheKey) error {
	wrong, err := v.compare(ctx, key)
	if err != nil {
		return fmt.Errorf("verify %s %s: %w", key.kind, key.name, err)
	}
	v.compared++
	v.report(VerifyReport{Compared: v.compared, Total: max(v.total, v.compared), Wrong: wrong})
	return nil
}

func (v *verification) compare(ctx context.Context, key cacheKey) (*WrongEntry, error) {
	var failed error
	differed := 0
	for range maxComparisons {
		if err := v.pace.Wait(ctx); err != nil {
			return nil, err
		}
		e, ok := v.get(key, time.Now())
		if !ok {
			return nil, nil // dropped or evicted in the meantime
		}
		difference, err := v.difference(ctx, e)
		if failed = err; err == nil {
			if difference == "" || e.isBrief() { // brief entries may lag behind
				return nil, nil
			}
			if err := v.awaitChanges(ctx, time.Now()); err != nil {
				return nil, err
			}
			if still, ok := v.get(key, time.Now()); !ok || still != e {
				continue // the cache had not yet received the change
			}
			if differed++; differed == maxDifferences {
				return &WrongEntry{key.kind.String(), key.name, difference}, nil
			}
		}
		if err := pause(ctx, verifyPause); err != nil {
			return nil, err
		}
	}
	return nil, failed
}

// verifyPause is the time between two attempts, and maxChangeDelay the time limit for the cache to
// receive all changes.
const (
	verifyPause    = 50 * time.Millisecond
	maxChangeDelay = 20 * trustPeriod
)

// awaitChanges waits until the cache has received every change before this time.
func (v *verification) awaitChanges(ctx context.Context, before time.Time) error {
	for deadline := time.Now().Add(maxChangeDelay); v.followedUntil().Before(before); {
		if time.Now().After(deadline) {
			return fmt.Errorf("this instance did not receive all changes within %s", maxChangeDelay)
		}
		if err := pause(ctx, verifyPause); err != nil {
			return err
		}
	}
	return nil
}

func pause(ctx context.Context, d time.Duration) error {
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(d):
		return nil
	}
}

// remake makes an entry again, bypassing the cache.
func (v *verification) remake(ctx context.Context, e *entry) (any, error) {
	if e.key.kind == queryEntry {
		ctx, cancel := context.WithTimeout(ctx, fillTime)
		defer cancel()
		return e.reload(ctx)
	}
	var f *site.ShellRequest
	if e.key.kind == shellEntry {
		f = &site.ShellRequest{ViewerID: e.key.viewer}
	}
	answer, _ := v.middleware.render(context.WithValue(ctx, bypassKey{}, true), e.key, f)
	switch {
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case answer.Incomplete || answer.status >= http.StatusInternalServerError:
		return nil, fmt.Errorf("cannot render the page again: status %d", answer.status)
	case f != nil && !isShell(f, answer):
		return (*pageShell)(nil), nil
	case f != nil:
		return newPageShell(answer, f.Gaps, v.middleware.encoders), nil
	}
	v.middleware.setSharedHeader(answer.header)
	return newPreparedResponse(answer.status, answer.header, answer.body.Bytes(), v.middleware.encoders), nil
}

type bypassKey struct{}

// bypassesCache reports whether nothing under this context may be answered from the cache.
func bypassesCache(ctx context.Context) bool { return ctx.Value(bypassKey{}) != nil }

// isBrief reports whether the entry depends on data that is not followed, and so expires soon.
func (e *entry) isBrief() bool { return maxAgeFor(e.dependencies) == briefEntryAge }

func (kind entryKind) String() string { return [...]string{"page", "shell", "query"}[kind] }

// difference makes an entry anew and describes how the cached one differs; empty: not at all.
func (v *verification) difference(ctx context.Context, e *entry) (string, error) {
	anew, err := v.remake(ctx, e)
	if err != nil {
		return "", err
	}
	difference := e.value.(verifiable).differs(anew)
	if shell, ok := anew.(*pageShell); ok && difference == "" {
		return gapsDifference(ctx, e.key, e.value.(*pageShell), shell)
	}
	return difference, nil
}

func (r queryResult[T]) differs(anew any) string {
	is := anew.(queryResult[T])
	switch {
	case (r.err == nil) != (is.err == nil): // errors are always NotFound
		return fmt.Sprintf("%v, should be %v", r.err, is.err)
	case r.err == nil && !reflect.DeepEqual(r.value, is.value):
		return cmp.Or(firstDifference([]byte(fmt.Sprintf("%+v", r.value)), []byte(fmt.Sprintf("%+v", is.value))),
			"it differs")
	}
	return ""
}

func (p *preparedResponse) differs(made any) string {
	anew := made.(*preparedResponse)
	if p.status != anew.status {
		return fmt.Sprintf("status %d, should be %d", p.status, anew.status)
	}
	text, err := p.text()
	if err != nil {
		return err.Error()
	}
	if d := firstDifference(text, anew.mustText()); d != "" {
		return d
	}
	if was, is := p.plainHeader(), anew.plainHeader(); !maps.EqualFunc(was, is, slices.Equal) {
		return "header: " + firstDifference([]byte(fmt.Sprint(was)), []byte(fmt.Sprint(is)))
	}
	r, err := gzip.NewReader(bytes.NewReader(p.encodedAs(static.Gzip).body))
	return cmp.Or(decodedDifference("gzip", r, err, text),
		decodedDifference("brotli", brotli.NewReader(bytes.NewReader(p.encodedAs(static.Brotli).body)), nil, text))
}

// plainHeader returns the header lines that do not depend on the coding.
func (p *preparedResponse) plainHeader() map[string][]string {
	all := map[string][]string{"Etag": {p.tag}}
	for _, line := range p.header {
		all[line.name] = line.values
	}
	return all
}

// reloader returns a function that runs a query again and returns its queryResult.
func reloader[T any](load func(context.Context) (T, error)) func(context.Context) (any, error) {
	return func(ctx context.Context) (any, error) {
		value, err := load(ctx)
		if err != nil && !domain.Is(err, domain.NotFound) {
			return nil, err
		}
		return queryResult[T]{value, err}, nil
	}
}
