package client

import (
	"context"
	"errors"
	"net/http"
	"testing"
	"testing/synctest"
)

func TestRewriteRepeatsOnlyMarkedErrors(t *testing.T) {
	changed, missing := answered(http.StatusPreconditionFailed, ""), answered(http.StatusNotFound, "")
	for name, c := range map[string]struct {
		returned []error // by one attempt after another
		attempts int
		want     error
	}{
		"success ends it":                   {[]error{nil}, 1, nil},
		"an unmarked lost race ends it":     {[]error{missing}, 1, missing},
		"an error that is no race ends it":  {[]error{Lost(errors.ErrUnsupported)}, 1, errors.ErrUnsupported},
		"a lost race is repeated":           {[]error{Lost(changed), Lost(missing), nil}, 3, nil},
		"a marked success is repeated":      {[]error{AgainIf(true, nil), nil}, 2, nil},
		"the last lost race loses its mark": {[]error{Lost(changed)}, RewriteAttempts, changed},
	} {
		t.Run(name, func(t *testing.T) {
			n := 0
			err := Rewrite(t.Context(), func() error {
				n++
				return c.returned[min(n, len(c.returned))-1]
			})
			if err != c.want || n != c.attempts {
				t.Errorf("error %v after %d attempts, want %v after %d", err, n, c.want, c.attempts)
			}
		})
	}
}

func TestRewriteEndsWithTheContextInAPause(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		n := 0
		err := Rewrite(ctx, func() error {
			if n++; n == 3 {
				cancel()
			}
			return AgainLaterIf(true, answered(http.StatusConflict, ""))
		})
		if !errors.Is(err, context.Canceled) || n != 3 {
			t.Errorf("error %v after %d attempts", err, n)
		}
	})
}
