package harness

import (
	"context"
	"encoding/binary"
	"math/rand/v2"
	"net/http"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/Azure/azure-sdk-for-go/sdk/data/azcosmos"

	"inkfeed/cosmos"
	"inkfeed/cosmos/client"
	"inkfeed/cosmos/schema"
	"inkfeed/domain"
)

// IsStorageCall reports whether a request is about items or feed ranges, and not about databases and containers, which
// only a starting program requests.
func IsStorageCall(r *http.Request) bool {
	parts := strings.Split(strings.Trim(r.URL.Path, "/"), "/")
	return len(parts) >= 5 && (parts[4] == "docs" || parts[4] == "pkranges")
}

// IsWrite reports whether a request writes.
func IsWrite(r *http.Request) bool {
	return r.Method != http.MethodGet && !strings.EqualFold(r.Header.Get("x-ms-documentdb-query"), "true")
}

// AllPages returns the items of all pages of a list.
func AllPages[T any](page func(number int) (domain.ListPage[T], error)) ([]T, error) {
	var items []T
	for n := 1; ; n++ {
		p, err := page(n)
		items = append(items, p.Items...)
		if err != nil || !p.More {
			return items, err
		}
	}
}

// IsExhaustive reports whether tests run in all variants, as in make check and make chaos. By default they run in the
// variants that find most mistakes.
func IsExhaustive() bool {
	return os.Getenv("INKFEED_EXHAUSTIVE") != "" || os.Getenv("INKFEED_CHAOS") != ""
}

// OnlyExhaustive skips a test unless tests run in all variants.
func OnlyExhaustive(t *testing.T) {
	t.Helper()
	if !IsExhaustive() {
		t.Skip("make exhaustive runs this test, which is a variant of another one")
	}
}

// Size of a storm. It is short by default and longer in make chaos.
const (
	ShortStorm     = 6 * time.Second
	StormClients   = 16
	StormFaults    = 0.05 // of the storage calls
	StormProcesses = 2
)

// ChaosTime returns the length of a storm: INKFEED_CHAOS or ShortStorm.
func ChaosTime(t *testing.T) time.Duration {
	t.Helper()
	value := os.Getenv("INKFEED_CHAOS")
	if value == "" {
		return ShortStorm
	}
	d, err := time.ParseDuration(value)
	if err != nil || d < ShortStorm {
		t.Fatalf("INKFEED_CHAOS: %q is no duration from %s", value, ShortStorm)
	}
	return d
}

// ChaosSeed returns and logs the seed of all random choices: INKFEED_SEED or a new one.
func ChaosSeed(t *testing.T) uint64 {
	t.Helper()
	seed := rand.Uint64()
	if value := os.Getenv("INKFEED_SEED"); value != "" {
		var err error
		if seed, err = strconv.ParseUint(value, 10, 64); err != nil {
			t.Fatalf("INKFEED_SEED: %q is no number", value)
		}
	}
	t.Logf("INKFEED_SEED=%d replays the choices of this test", seed)
	return seed
}

// RandomBytes is a reader of seeded random bytes, from which IDs are made.
type RandomBytes struct{ Random *rand.Rand }

func (b RandomBytes) Read(p []byte) (int, error) {
	for i := 0; i < len(p); i += 8 {
		var eight [8]byte
		binary.LittleEndian.PutUint64(eight[:], b.Random.Uint64())
		copy(p[i:], eight[:])
	}
	return len(p), nil
}

// AddFollowers stores followers of a source without accounts, and their number.
func AddFollowers(store *cosmos.Store, source domain.Source, n int) error {
	users, key := store.Container(schema.UsersContainer), schema.FollowersKey(source)
	var batch azcosmos.TransactionalBatch
	for i := range n {
		if i%client.MaxBatch == 0 {
			batch = users.Batch(key)
		}
		at := time.Now().Add(time.Duration(i-n) * time.Millisecond)
		batch.CreateItem(client.Encode(map[string]any{"id": domain.NewUserID(nil), "type": schema.TypeFollower,
			"userId": key, "creationDate": schema.Instant(at), "version": 1}), nil)
		if i%client.MaxBatch == client.MaxBatch-1 || i == n-1 {
			if _, err := users.Execute(context.Background(), batch, false); err != nil {
				return err
			}
		}
	}
	return users.Create(context.Background(), key, map[string]any{"id": schema.FollowersID,
		"type": schema.TypeFollowers, "userId": key, "count": n})
}
