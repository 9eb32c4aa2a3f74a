package workers_test

import (
	"slices"
	"testing"

	"inkfeed/domain/dependency"
	"inkfeed/workers"
)

type waker func()

func (w waker) Wake() { w() }

func TestWrites(t *testing.T) {
	var writes workers.WriteNotifier
	writes.Notify(dependency.PartitionRef{Container: "posts"}, 0) // nobody hears yet
	var heard []string
	writes.Subscribe(func(part dependency.PartitionRef, _ dependency.Facets) { heard = append(heard, "all: "+part.Key) })
	writes.WakeOnWrite("posts", waker(func() { heard = append(heard, "posts") }))
	writes.WakeOnWrite("users", waker(func() { heard = append(heard, "users") }))

	writes.Notify(dependency.PartitionRef{Container: "posts", Key: "p"}, 0)
	writes.Notify(dependency.PartitionRef{Container: "users", Key: "u"}, 0)
	if want := []string{"all: p", "posts", "all: u", "users"}; !slices.Equal(heard, want) {
		t.Errorf("heard %q, want %q", heard, want)
	}
}
