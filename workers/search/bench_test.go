package search_test

import (
	"context"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"inkfeed/cosmos/feeds"
	"inkfeed/domain"
	"inkfeed/domain/markdown"
	"inkfeed/workers/search"
	"inkfeed/workers/tailer"
)

// corpusSize returns the number of posts in the benchmarks: INKFEED_SEARCH_POSTS, or 100,000.
func corpusSize() int {
	if n, err := strconv.Atoi(os.Getenv("INKFEED_SEARCH_POSTS")); err == nil {
		return n
	}
	return 100_000
}

// corpus generates posts of some 300 words whose frequencies are like those of a natural language: nearly every post
// has the most frequent word, one in 30 the thousandth. One post in ten is written in Chinese characters, a few hundred
// of which make up most of the text.
type corpus struct {
	random *rand.Rand
	words  *rand.Zipf
	signs  *rand.Zipf
	n      int
}

func newCorpus() *corpus {
	r := rand.New(rand.NewPCG(1, 2))
	return &corpus{random: r, words: rand.NewZipf(r, 1.1, 8, 200_000), signs: rand.NewZipf(r, 1.2, 40, 5000)}
}

func (c *corpus) text(words int) string {
	var b strings.Builder
	for range words {
		b.WriteString(word(c.words.Uint64()) + " ")
	}
	return b.String()
}

// word returns the n-th word of an invented language, which has two to four syllables.
func word(n uint64) string {
	const consonants, vowels = "bcdfghjklmnprstvwxyz", "aeiou"
	h := (n + 1) * 0x9e3779b97f4a7c15
	var b strings.Builder
	for range 2 + h%3 {
		h ^= h >> 29
		h *= 0xbf58476d1ce4e5b9
		b.WriteByte(consonants[h>>40%20])
		b.WriteByte(vowels[h>>50%5])
	}
	return b.String()
}

func (c *corpus) han(signs int) string {
	var b strings.Builder
	for i := range signs {
		b.WriteRune(rune(0x4e00 + c.signs.Uint64()))
		if i%20 == 19 {
			b.WriteRune('。')
		}
	}
	return b.String()
}

func (c *corpus) post() domain.Post {
	c.n++
	created := time.Date(2020, 1, 1, 0, 0, 0, 0, time.UTC).Add(time.Duration(c.n) * 7 * time.Minute)
	p := domain.Post{ID: domain.NewIDFrom(seeded{c.random}), AuthorID: "u.x",
		AuthorName: fmt.Sprint("author", c.random.IntN(5000)),
		Title:      c.text(6), Content: c.text(150 + c.random.IntN(300)), Created: created, Revision: 1, Version: 1}
	if c.n%10 == 0 {
		p.Title, p.Content = c.han(12), c.han(600)
	}
	p.Tags = domain.TagsOf([]string{fmt.Sprint("tag", c.words.Uint64()/10), "blog"})
	return p
}

type seeded struct{ *rand.Rand }

func (s seeded) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = byte(s.Uint32())
	}
	return len(p), nil
}

// built returns an index of n posts and its folder.
func built(b *testing.B, n int) (*search.Index, string) {
	b.Helper()
	dir := b.TempDir()
	x, err := search.Open(dir, markdown.New(), slog.New(slog.DiscardHandler))
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { x.Close() })
	ctx, whole := context.Background(), feeds.Range{MaxExclusive: "FF"}
	if err := x.Begin(ctx, "rid"); err != nil {
		b.Fatal(err)
	}
	if err := x.Replace(ctx, nil, []tailer.Mark{{Range: whole}}); err != nil {
		b.Fatal(err)
	}
	c := newCorpus()
	for c.n < n {
		var page []feeds.Change[feeds.PostChange]
		for range min(200, n-c.n) {
			p := c.post()
			page = append(page, feeds.Change[feeds.PostChange]{Item: feeds.ItemRef{PartitionKey: p.ID, ID: p.ID},
				Value: feeds.PostChange{Post: &p}})
		}
		if err := x.Follow(ctx, page, tailer.Mark{Range: whole, Continuation: "x", Read: time.Now(),
			Complete: true}); err != nil {
			b.Fatal(err)
		}
	}
	return x, dir
}

func BenchmarkSearch(b *testing.B) {
	n := corpusSize()
	begin := time.Now()
	x, dir := built(b, n)
	b.Logf("built in %v: %v a post", time.Since(begin), time.Since(begin)/time.Duration(n))
	for _, name := range []string{"search.db", "search.db-wal"} {
		if info, err := os.Stat(filepath.Join(dir, name)); err == nil {
			b.Logf("%s: %d bytes, %d a post", name, info.Size(), info.Size()/int64(n))
		}
	}
	w := word
	for _, q := range []string{w(0) + " ", w(3) + " .", w(30) + " .", w(300) + " .", w(3000) + " .", w(30000) + " .",
		w(0) + " " + w(1) + " .",
		w(3) + " " + w(50) + " .", w(300) + " " + w(77), w(0)[:2], w(0)[:3], w(0)[:4], w(300)[:3],
		`"` + w(0) + " " + w(1) + `"`, "tag:blog", "@author7", w(3) + " -" + w(4) +
			" .", "一", "一丁", "三三", "七万丈", "世丗丘丙", "zzzzz"} {
		b.Run(q, func(b *testing.B) {
			var found domain.Found
			var err error
			for b.Loop() {
				if found, err = x.Search(context.Background(), q, 1); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(found.Total), "found")
		})
	}
	b.Run("suggest", func(b *testing.B) {
		for b.Loop() {
			if _, err := x.Tags(context.Background(), "tag1", 10); err != nil {
				b.Fatal(err)
			}
		}
	})
}
