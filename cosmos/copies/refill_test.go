package copies

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"inkfeed/cosmos/schema"
)

func TestNewestBefore(t *testing.T) {
	end := time.Date(2026, 6, 1, 0, 0, 0, 0, time.UTC)
	// A blog is a list of the ages of its posts.
	type blog []time.Duration
	search := func(t *testing.T, b blog, n int) (found []place, reads, rows int) {
		t.Helper()
		found, err := newestBefore(n, end, func(from, to time.Time, limit int) ([]place, bool, error) {
			var in []place
			for i, ago := range b {
				if at := end.Add(-ago); !at.Before(from) && !at.After(to) {
					in = append(in, place{ID: fmt.Sprintf("%05d", i), CreationDate: schema.Instant(at)})
				}
			}
			if reads++; reads > 200 {
				t.Fatal("the search does not end")
			}
			rows += min(len(in), limit)
			if len(in) > limit {
				return nil, true, nil
			}
			return in, false, nil
		})
		if err != nil {
			t.Fatal(err)
		}
		return found, reads, rows
	}
	wantNewest := func(t *testing.T, b blog, n int, got []place) {
		t.Helper()
		want := slices.Sorted(slices.Values(b))
		want = want[:min(n, len(want))]
		if len(got) != len(want) {
			t.Fatalf("%d found, want %d", len(got), len(want))
		}
		for i := range want {
			if at := end.Add(-want[i]); !time.Time(got[i].CreationDate).Equal(at) {
				t.Fatalf("place %d is of %s, want %s", i, time.Time(got[i].CreationDate), at)
			}
		}
	}
	const day = 24 * time.Hour
	spread := func(n int, every time.Duration) (b blog) {
		for i := range n {
			b = append(b, time.Duration(i+1)*every)
		}
		return b
	}
	for name, c := range map[string]struct {
		blog     blog
		n, reads int // at most
	}{
		"an empty blog":                {nil, 3, 5},
		"one post a week":              {spread(100, 7*day), 2, 3},
		"fewer posts than requested":   {spread(2, day), 5, 5},
		"old posts only":               {blog{5000 * day, 5001 * day}, 1, 4},
		"many posts before a long gap": {append(spread(5000, time.Minute), 3000*day), 3, 25},
		"many posts after one old post": {func() (b blog) {
			return append(spread(5000, time.Second)[4000:],
				0)
		}(), 2, 25},
		"very many posts of one moment": {slices.Repeat(blog{40 * day}, 3000), 2, 45},
	} {
		t.Run(name, func(t *testing.T) {
			found, reads, _ := search(t, c.blog, c.n)
			wantNewest(t, c.blog, c.n, found)
			if reads > c.reads {
				t.Errorf("%d reads, expected at most %d", reads, c.reads)
			}
		})
	}
	t.Run("random blogs", func(t *testing.T) {
		seed := rand.Uint64()
		random := rand.New(rand.NewPCG(seed, 1))
		for range 200 {
			var b blog
			for range random.IntN(3000) {
				age := time.Duration(random.Int64N(int64(time.Millisecond) << random.IntN(43)))
				b = append(b, age.Truncate(time.Millisecond))
			}
			n := 1 + random.IntN(100)
			found, _, _ := search(t, b, n)
			if wantNewest(t, b, n, found); t.Failed() {
				t.Fatalf("seed %d", seed)
			}
		}
	})
	t.Run("a failed read is returned", func(t *testing.T) {
		failure := errors.New("throttled")
		if _, err := newestBefore(1, end, func(time.Time, time.Time, int) ([]place, bool, error) {
			return nil, false,
				failure
		}); !errors.Is(err, failure) {
			t.Errorf("error %v", err)
		}
	})
}

func TestRefillSkipsPostsWithoutADate(t *testing.T) {
	store := newFeedStore(t)
	for _, p := range []map[string]any{
		{"id": "bad", "postId": "bad", "type": "post", "creationDate": "2026-01-01Tsome time"},
		{"id": "good", "postId": "good", "type": "post", "creationDate": "2026-01-01T00:00:00.000Z"},
	} {
		if err := store.Container(schema.PostsContainer).Create(t.Context(), p["id"].(string), p); err != nil {
			t.Fatal(err)
		}
	}
	next, err := store.Feed.nextInLine(t.Context(), nil, 5)
	if err != nil || len(next) != 1 || next[0].ID != "good" {
		t.Errorf("%v, %v", next, err)
	}
}
