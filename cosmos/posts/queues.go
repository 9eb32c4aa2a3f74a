package posts

import (
	"context"
	"fmt"
	"runtime/debug"
	"slices"
	"sync"

	"inkfeed/cosmos/client"
)

// maxTogether is the maximum number of calls that a queue carries out together. The longest comments, in which JSON
// escapes each character with six bytes, then stay below client.MaxBatchBytes. With a post and a parent for each, they
// are at most 49 operations.
const maxTogether = 24

// queued is the part of a call that lets it wait for its result.
type queued[T any] struct {
	ctx    context.Context
	result chan result[T]
}

type result[T any] struct {
	value T
	err   error
}

func newQueued[T any](ctx context.Context) queued[T] { return queued[T]{ctx, make(chan result[T], 1)} }

func (c queued[T]) ended() bool { return c.ctx.Err() != nil }

// wait returns the result of the call, or an error if its context ends before.
func (c queued[T]) wait() (value T, err error) {
	select {
	case <-c.ctx.Done():
		return value, client.Translate(c.ctx.Err())
	case r := <-c.result:
		return r.value, r.err
	}
}

// end gives a call its result. It is called once.
func (c queued[T]) end(value T, err error) { c.result <- result[T]{value, err} }

// fail gives a call an error if it has no result yet.
func (c queued[T]) fail(err error) {
	select {
	case c.result <- result[T]{err: err}:
	default:
	}
}

// queues holds, for each key, the calls that wait for another call of that key to end. They are then carried out
// together.
type queues[K comparable, C interface {
	ended() bool
	fail(error)
}] struct {
	mu      sync.Mutex
	waiting map[K][]C // an entry exists while calls of the key are under way
}

// enqueue adds a call to the queue of its key. It returns false if no call of the key is under way. The caller then
// carries out its call itself, and calls next afterwards.
func (q *queues[K, C]) enqueue(key K, call C) bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	queue, busy := q.waiting[key]
	if busy {
		queue = append(queue, call)
	}
	if q.waiting == nil {
		q.waiting = make(map[K][]C)
	}
	q.waiting[key] = queue
	return busy
}

// next carries out the waiting calls of a key in the background, until there are none.
func (q *queues[K, C]) next(key K, together func([]C)) {
	if calls := q.take(key); calls != nil {
		go func() {
			defer q.next(key, together)
			defer func() {
				if v := recover(); v != nil { // an unrecovered panic in a goroutine ends the process
					for _, call := range calls {
						call.fail(fmt.Errorf("panic: %v\n%s", v, debug.Stack()))
					}
				}
			}()
			together(slices.Clone(calls)) // together may change the slice
		}()
	}
}

// take removes the next calls from a queue and returns them. It discards calls that have ended, because their callers
// were told that nothing was done. If there are none, no call of the key is under way.
func (q *queues[K, C]) take(key K) []C {
	q.mu.Lock()
	defer q.mu.Unlock()
	queue := slices.DeleteFunc(q.waiting[key], C.ended)
	if len(queue) == 0 {
		delete(q.waiting, key)
		return nil
	}
	n := min(len(queue), maxTogether)
	q.waiting[key] = queue[n:]
	return queue[:n]
}
