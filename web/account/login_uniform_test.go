package account_test

import (
	"bytes"
	"context"
	"regexp"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"inkfeed/web"
	"inkfeed/web/credential"
	"inkfeed/web/site/ratelimit"
	"inkfeed/web/webtest"
)

// Log-ins with an unknown name must not be distinguishable from those with a known one: the server hashes, counts and
// answers the same.
func TestLogInsDoNotRevealWhichAccountsExist(t *testing.T) {
	data, counters := webtest.NewDatabase(t), webtest.NewCounters()
	var compared atomic.Int64
	c := webtest.Config(data, &bytes.Buffer{}, webtest.KeyOne)
	c.Counters = counters
	c.RateLimits, _ = ratelimit.Parse("login=3/15m")
	c.Passwords = countingHasher{c.Passwords, &compared}
	handler, err := web.New(c)
	if err != nil {
		t.Fatal(err)
	}
	s := &webtest.Site{T: t, Data: data, Handler: handler}
	s.SignUp("ada")

	type observation struct {
		status int
		header string
		body   string
		hashes int64
		counts int
	}
	try := func(name string) (all []observation) {
		v := s.Anonymous()
		for range 5 { // the last ones exceed the limit
			hashes, counts := compared.Load(), counters.Calls
			a := v.LogIn(name, "wrong "+webtest.Password)
			var names []string
			for name := range a.Header {
				names = append(names, name)
			}
			all = append(all, observation{
				a.StatusCode, strings.Join(sorted(names), " "),
				strings.ReplaceAll(waits.ReplaceAllString(a.Body, "N"), name, "NAME"),
				compared.Load() - hashes, counters.Calls - counts,
			})
		}
		return all
	}
	known := try("ada")
	if known[0].hashes != 1 || known[0].counts == 0 || known[4].hashes != 0 || known[4].status != 429 {
		t.Fatalf("the observations for a known name are %+v", known)
	}
	for _, name := range []string{"nobody", "-qq-", "qq q"} {
		unknown := try(name)
		for i := range known {
			if unknown[i] != known[i] {
				t.Errorf("attempt %d as %q:\n%+v\nas ada:\n%+v", i+1, name, unknown[i], known[i])
			}
		}
	}
}

// waits matches the waiting times in responses, which differ between attempts.
var waits = regexp.MustCompile(`\d+ (second|minute)s?`)

func sorted(names []string) []string {
	slices.Sort(names)
	return names
}

// countingHasher counts the comparisons of passwords.
type countingHasher struct {
	credential.Hasher
	compared *atomic.Int64
}

func (p countingHasher) Verify(ctx context.Context, password, hash string) (bool, error) {
	p.compared.Add(1)
	return p.Hasher.Verify(ctx, password, hash)
}
