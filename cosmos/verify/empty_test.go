package verify

import (
	"context"
	"testing"

	"inkfeed/domain/markdown"
)

// TestEmptyBlogNeedsNoLeases verifies a new blog, on which no worker has run.
func TestEmptyBlogNeedsNoLeases(t *testing.T) {
	store := newWorldStore(t)
	counts, err := Verify(t.Context(), store.Database, markdown.New(), func(int) {},
		func(v Violation) { t.Errorf("violation: %s", v) }, "posts", "users")
	if err != nil || counts != (Counts{}) {
		t.Errorf("%+v, %v", counts, err)
	}
}

func TestVerifyEndsWithItsContext(t *testing.T) {
	store := newWorldStore(t)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := Verify(ctx, store.Database, markdown.New(), func(int) {}, func(Violation) {}); err == nil {
		t.Error("no error")
	}
}
