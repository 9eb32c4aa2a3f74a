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
	var writes workers.Writes
	writes.Tell(dependency.PartitionRef{Container: "posts"}, 0) // nobody hears yet
	var heard []string
	writes.Hear(func(part dependency.PartitionRef, _ dependency.Facets) { heard = append(heard, "all: "+part.Key) })
	writes.Wake("posts", waker(func() { heard = append(heard, "posts") }))
	writes.Wake("users", waker(func() { heard = append(heard, "users") }))

	writes.Tell(dependency.PartitionRef{Container: "posts", Key: "p"}, 0)
	writes.Tell(dependency.PartitionRef{Container: "users", Key: "u"}, 0)
	if want := []string{"all: p", "posts", "all: u", "users"}; !slices.Equal(heard, want) {
		t.Errorf("heard %q, want %q", heard, want)
	}
}
