package workers_test

import (
	"slices"
	"testing"

	"inkfeed/cosmos/dependency"
	"inkfeed/workers"
)

type waker func()

func (w waker) Wake() { w() }

func TestSubscribersAreNotifiedOfWrites(t *testing.T) {
	var writes workers.WriteNotifier
	writes.Notify(dependency.PartitionRef{Container: "posts"}, 0) // before the first subscription
	var calls []string
	writes.Subscribe(func(part dependency.PartitionRef, _ dependency.Facets) {
		calls = append(calls,
			"all: "+part.Key)
	})
	writes.WakeOnWrite("posts", waker(func() { calls = append(calls, "posts") }))
	writes.WakeOnWrite("users", waker(func() { calls = append(calls, "users") }))

	writes.Notify(dependency.PartitionRef{Container: "posts", Key: "p"}, 0)
	writes.Notify(dependency.PartitionRef{Container: "users", Key: "u"}, 0)
	if want := []string{"all: p", "posts", "all: u", "users"}; !slices.Equal(calls, want) {
		t.Errorf("called %q, want %q", calls, want)
	}
}
