package ratelimit

import (
	"sync"
	"time"

	lru "github.com/hashicorp/golang-lru/v2"
	"github.com/hashicorp/golang-lru/v2/simplelru"
	"golang.org/x/time/rate"
)

// maxKeys is how many keys are counted at a time for each kind of limit. Beyond that, the least
// recently used key is forgotten. It bounds the memory to about 10 MB.
const maxKeys = 50_000

type bucketKey struct {
	rule Rule
	key  string
}

// buckets are the limits of this instance alone. Each key has a token bucket, which allows a burst
// and then a steady rate.
type buckets struct {
	mu  sync.Mutex
	all simplelru.LRUCache[bucketKey, *rate.Limiter]
}

func newBuckets() *buckets {
	all, _ := lru.New[bucketKey, *rate.Limiter](maxKeys) // fails only for a size below 1
	return &buckets{all: all}
}

// take takes tokens from a bucket, at most as many as it can hold. If there are too few, it takes none and returns
// how long to wait for them.
func (b *buckets) take(r Rule, often Rate, key string, tokens int) time.Duration {
	now := time.Now()
	reserved := b.bucket(r, often, key).ReserveN(now, min(tokens, often.Count))
	wait := reserved.DelayFrom(now)
	if wait > 0 {
		reserved.CancelAt(now)
	}
	return wait
}

// wait returns how long a bucket has no token. It takes none.
func (b *buckets) wait(r Rule, often Rate, key string) time.Duration {
	missing := 1 - b.bucket(r, often, key).Tokens()
	return max(0, time.Duration(missing*float64(often.Per)/float64(often.Count)))
}

// charge takes n tokens of a bucket, at most those of a whole period in advance. A negative n returns tokens.
func (b *buckets) charge(r Rule, often Rate, key string, n int) {
	bucket := b.bucket(r, often, key)
	bucket.ReserveN(time.Now(), min(n, often.Count, int(bucket.Tokens())+often.Count))
}

func (b *buckets) bucket(r Rule, often Rate, key string) *rate.Limiter {
	b.mu.Lock()
	defer b.mu.Unlock()
	id := bucketKey{r, key}
	bucket, ok := b.all.Get(id)
	if !ok {
		bucket = rate.NewLimiter(rate.Every(often.Per/time.Duration(often.Count)), often.Count)
		b.all.Add(id, bucket)
	}
	return bucket
}
