package pagecache

import (
	"bytes"
	"cmp"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"reflect"
	"slices"
	"time"

	"github.com/andybalholm/brotli"
	"github.com/klauspost/compress/flate"
	"golang.org/x/time/rate"

	"inkfeed/domain"
	"inkfeed/static"
	"inkfeed/web/site"
)

// VerifyOptions say how Verify goes about it.
type VerifyOptions struct {
	// Walk is to ask for every page of the site first, as strangers and the signed-in do.
	Walk bool
	// Rate is how many pages are made anew in a second at most; 0: as many as can be.
	Rate int
}

// VerifyReport is how far Verify has come.
type VerifyReport struct {
	Compared int `json:"compared"`
	Total    int `json:"total"` // as far as is known
	// Wrong is what was found since the last report, if anything.
	Wrong *WrongPage `json:"wrong,omitempty"`
}

// WrongPage is something kept that is not what it would be if it was made now.
type WrongPage struct {
	Kind       string `json:"kind"` // page, frame or value
	Name       string `json:"name"` // its address, of a value what it stands for
	Difference string `json:"difference"`
}

func (w WrongPage) String() string { return fmt.Sprintf("%s %s: %s", w.Kind, w.Name, w.Difference) }

// Verify makes anew all that is kept, of nothing that is kept, and reports what differs. What
// changes meanwhile is no difference: a page is wrong when it is still kept although every
// change has been heard of that it lacks. It begins when all has been heard of that was changed
// before. An error says that this could not be found out.
func (c *Cache) Verify(ctx context.Context, o VerifyOptions, report func(VerifyReport)) error {
	limit := rate.Inf
	if o.Rate > 0 {
		limit = rate.Limit(o.Rate)
	}
	v := &verification{Cache: c, pace: rate.NewLimiter(limit, 1), report: report}
	if err := v.hear(ctx, time.Now()); err != nil {
		return err
	}
	if o.Walk {
		if err := v.walk(ctx); err != nil {
			return err
		}
	}
	keys := slices.Collect(c.kept.Keys())
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

// A page that differs is made again so often at most, and counts as wrong when it differed so
// often although nothing was left to hear of: what is made anew may lack something, too.
const (
	maxVerified = 6
	surelyWrong = 2
)

func (v *verification) verify(ctx context.Context, key cacheKey) error {
	wrong, err := v.compare(ctx, key)
	if err != nil {
		return fmt.Errorf("%s %s: %w", key.kind, key.name, err)
	}
	v.compared++
	v.report(VerifyReport{Compared: v.compared, Total: max(v.total, v.compared), Wrong: wrong})
	return nil
}

func (v *verification) compare(ctx context.Context, key cacheKey) (*WrongPage, error) {
	var failed error
	differed := 0
	for range maxVerified {
		if err := v.pace.Wait(ctx); err != nil {
			return nil, err
		}
		k, ok := v.get(key, time.Now())
		if !ok {
			return nil, nil // it has changed, or makes room
		}
		anew, err := v.anew(ctx, k)
		if failed = err; err == nil {
			difference := k.value.(verifiable).differs(anew)
			if difference == "" || k.isBrief() { // the latter may be of a moment ago
				return nil, nil
			}
			if err := v.hear(ctx, time.Now()); err != nil {
				return nil, err
			}
			if still, ok := v.get(key, time.Now()); !ok || still != k {
				continue // of the change, this cache was yet to hear
			}
			if differed++; differed == surelyWrong {
				return &WrongPage{key.kind.String(), key.name, difference}, nil
			}
		}
		if err := pause(ctx, verifyPause); err != nil {
			return nil, err
		}
	}
	return nil, failed
}

// verifyPause is how long it takes storage to do better, and verifyDeaf how long the cache may
// take to hear of changes.
const (
	verifyPause = 50 * time.Millisecond
	verifyDeaf  = 20 * cacheTrust
)

// hear waits until the cache has heard of every change before a time.
func (v *verification) hear(ctx context.Context, before time.Time) error {
	for deadline := time.Now().Add(verifyDeaf); v.current().Before(before); {
		if time.Now().After(deadline) {
			return errors.New("this instance does not hear of changes")
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

// anew makes what is kept again, of nothing that is kept.
func (v *verification) anew(ctx context.Context, k *entry) (any, error) {
	if k.key.kind == queryEntry {
		ctx, cancel := context.WithTimeout(ctx, fillTime)
		defer cancel()
		return k.again(ctx)
	}
	var f *site.ShellRequest
	if k.key.kind == shellEntry {
		f = new(site.ShellRequest)
	}
	answer, _ := v.pages.ask(context.WithValue(ctx, anewKey{}, true), k.key, f)
	switch {
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case answer.Incomplete || answer.status >= http.StatusInternalServerError:
		return nil, fmt.Errorf("it cannot be made anew: status %d", answer.status)
	case f != nil && !fits(f, answer):
		return (*pageShell)(nil), nil
	case f != nil:
		return newPageShell(answer.body.Bytes(), v.pages.packers), nil
	}
	v.pages.allow(answer.header)
	return newPreparedResponse(answer.status, answer.header, answer.body.Bytes(), v.pages.packers), nil
}

type anewKey struct{}

// asksAnew tells whether nothing kept is to be used.
func asksAnew(ctx context.Context) bool { return ctx.Value(anewKey{}) != nil }

// isBrief tells whether it is kept for a moment only, since not all changes are heard of.
func (k *entry) isBrief() bool { return life(k.parts) == keptBriefly }

func (kind entryKind) String() string { return [...]string{"page", "frame", "value"}[kind] }

// verifiable is all that is kept.
type verifiable interface {
	// differs says in what it differs from its like that was made anew, empty: in nothing.
	differs(anew any) string
}

func (r queryResult[T]) differs(anew any) string {
	is := anew.(queryResult[T])
	switch {
	case (r.err == nil) != (is.err == nil): // either way that it is not there
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
	if d := firstDifference(p.plain, anew.plain); d != "" {
		return d
	}
	if was, is := p.lines(), anew.lines(); !maps.EqualFunc(was, is, slices.Equal) {
		return "header: " + firstDifference([]byte(fmt.Sprint(was)), []byte(fmt.Sprint(is)))
	}
	r, err := gzip.NewReader(bytes.NewReader(p.in(static.Gzip).body))
	return cmp.Or(unpacked("gzip", r, err, p.plain),
		unpacked("brotli", brotli.NewReader(bytes.NewReader(p.in(static.Brotli).body)), nil, p.plain))
}

// lines are those of its header that do not depend on its coding.
func (p *preparedResponse) lines() map[string][]string {
	all := map[string][]string{"Etag": {p.tag}}
	for _, line := range p.header {
		all[line.name] = line.values
	}
	return all
}

func (f *pageShell) differs(made any) string {
	anew := made.(*pageShell)
	switch {
	case anew == nil:
		return "it is another one for each viewer"
	case len(f.pieces) != len(anew.pieces):
		return fmt.Sprintf("%d pieces, should be %d", len(f.pieces), len(anew.pieces))
	}
	for i, piece := range f.pieces {
		// What is deflated is to be followed by more, of which that is an empty end.
		packed := io.MultiReader(bytes.NewReader(piece.deflated), bytes.NewReader([]byte{1, 0, 0, 0xff, 0xff}))
		if d := cmp.Or(firstDifference(piece.plain, anew.pieces[i].plain),
			unpacked("deflated", flate.NewReader(packed), nil, piece.plain)); d != "" {
			return d
		}
	}
	return ""
}

// unpacked compares what is sent compressed with what is sent as it is.
func unpacked(what string, r io.Reader, err error, plain []byte) string {
	var got []byte
	if err == nil {
		got, err = io.ReadAll(r)
	}
	if err != nil {
		return what + ": " + err.Error()
	}
	if d := firstDifference(got, plain); d != "" {
		return what + ": " + d
	}
	return ""
}

// aroundDifference is how much is told of what stands around a difference, in bytes.
const aroundDifference = 40

// firstDifference tells where two texts differ first.
func firstDifference(kept, anew []byte) string {
	if bytes.Equal(kept, anew) {
		return ""
	}
	at := 0
	for at < min(len(kept), len(anew)) && kept[at] == anew[at] {
		at++
	}
	excerpt := func(b []byte) []byte { return b[max(0, at-aroundDifference):min(len(b), at+aroundDifference)] }
	return fmt.Sprintf("at %d it is %q, should be %q", at, excerpt(kept), excerpt(anew))
}

// rereading reads a value as it was read to be kept.
func rereading[T any](load func(context.Context) (T, error)) func(context.Context) (any, error) {
	return func(ctx context.Context) (any, error) {
		value, err := load(ctx)
		if err != nil && !domain.Is(err, domain.NotFound) {
			return nil, err
		}
		return queryResult[T]{value, err}, nil
	}
}
