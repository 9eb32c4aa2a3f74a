package performance

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"inkfeed/domain"
)

// coldPosts is the number of measured posts. It is large, so that a single post does not matter.
const coldPosts = 600

// measureCold requests posts that are spread over the data, each once.
func measureCold(t *testing.T, p *performance) finding {
	server := p.many.serve(t)
	posts := p.many.pages().posts
	w := dial(t, server.Address)
	must(t, w, request("/")) // the server is up
	var l load
	for i := range coldPosts {
		l.took = append(l.took, took(t, w, request(posts[i*len(posts)/coldPosts])))
	}
	server.profile(t, func(length time.Duration) {
		hammer(t, []*wire{w}, length, func(_, n int) []byte { return request(posts[n*7919%len(posts)]) })
	})
	median, slowest := l.quantile(0.5), l.quantile(0.99)
	return finding{measured: fmt.Sprintf("%s; 99th percentile %s", milliseconds(median), milliseconds(slowest)),
		holds: median <= 1800*time.Microsecond}
}

// coldFeeds is the number of measured feeds of each kind.
const coldFeeds = 200

// measureFeeds requests feeds, each once.
func measureFeeds(t *testing.T, p *performance) finding {
	server, pages := p.many.serve(t), p.many.pages()
	w := dial(t, server.Address)
	must(t, w, request("/")) // the server is up
	measured, holds := "", true
	for _, kind := range []struct {
		name  string
		paths []string
	}{{"author's", pages.authors}, {"tag's", pages.tags}} {
		var l load
		for _, path := range kind.paths[:min(coldFeeds, len(kind.paths))] {
			l.took = append(l.took, took(t, w, request(path+"/feed.atom")))
		}
		if measured != "" {
			measured += "; "
		}
		measured += fmt.Sprintf("%s %s, 99th percentile %s", kind.name, milliseconds(l.quantile(0.5)),
			milliseconds(l.quantile(0.99)))
		holds = holds && l.quantile(0.5) <= 5*time.Millisecond
	}
	server.profile(t, func(length time.Duration) {
		hammer(t, []*wire{w}, length, func(_, n int) []byte {
			return request(pages.authors[n%len(pages.authors)] + "/feed.atom")
		})
	})
	return finding{measured: measured, holds: holds}
}

const starts = 9

// measureStart starts the server several times and measures the time until it answers a page.
func measureStart(t *testing.T, p *performance) finding {
	folder := p.many.copy(t)
	var times load
	for range starts {
		begin := time.Now()
		server := serveFrom(t, folder)
		for {
			resp, err := http.Get(server.Address + "/")
			if err == nil && resp.StatusCode == http.StatusOK {
				resp.Body.Close()
				break
			}
			if time.Since(begin) > time.Minute {
				t.Fatalf("no page within a minute: %v", err)
			}
		}
		times.took = append(times.took, time.Since(begin))
		if err := server.Stop(); err != nil {
			t.Fatal(err)
		}
	}
	median, slowest := times.quantile(0.5), times.quantile(1)
	return finding{
		measured: fmt.Sprintf("%s; slowest of %d %s", milliseconds(median), starts, milliseconds(slowest)),
		holds:    median <= 300*time.Millisecond}
}

// growthTurns is the number of requests for each page on each blog.
const growthTurns = 120

// coldPages are the pages of anonymous visitors. Successive addresses of a page show different parts of the data.
var coldPages = []struct {
	name string
	path func(p samplePages, n int) string
	most func(p samplePages) int // number of different addresses of a page that is cached after its first request
}{
	{"front", func(samplePages, int) string { return "/" }, nil},
	{"last front page", func(samplePages, int) string {
		return fmt.Sprint("/?page=", domain.FeedLimit/domain.PostsPerPage)
	}, nil},
	{"post", func(p samplePages, n int) string { return scatteredOver(p.posts, n) }, nil},
	{"comments", func(p samplePages, n int) string {
		return postAddress(scatteredOver(p.posts, n)) + "/comments"
	}, nil},
	{"likes", func(p samplePages, n int) string { return postAddress(scatteredOver(p.liked, n)) + "/likes" }, nil},
	{"author", func(p samplePages, n int) string { return scatteredOver(p.authors, n) }, nil},
	{"archive", func(p samplePages, n int) string { return scatteredOver(p.authors, n) + "/archive" }, nil},
	{"author's feed", func(p samplePages, n int) string { return p.authors[n] + "/feed.atom" },
		func(p samplePages) int { return len(p.authors) }},
	{"tag page", func(p samplePages, n int) string { return scatteredOver(p.tags, n) }, nil},
	{"tag's feed", func(p samplePages, n int) string { return p.tags[n] + "/feed.atom" },
		func(p samplePages) int { return len(p.tags) }},
	{"Atom feed", func(samplePages, int) string { return "/feed.atom" }, nil},
	{"RSS feed", func(samplePages, int) string { return "/feed.rss" }, nil},
	{"JSON feed", func(samplePages, int) string { return "/feed.json" }, nil},
}

// scatteredOver returns the n-th of scattered elements of a list, so that a request needs no data that the one before
// has loaded.
func scatteredOver(list []string, n int) string {
	return list[int(uint64(n)*2654435761%uint64(len(list)))]
}

// postAddress returns the address of a post without the slug, below which its other pages are.
func postAddress(path string) string { return path[:strings.LastIndexByte(path, '/')] }

// measureGrowth compares the times of the same pages on a large and a small blog, without caches.
func measureGrowth(t *testing.T, p *performance) finding {
	off := map[string]string{"INKFEED_CACHE_MB": "0"}
	serve := func(b *sampleBlog) *wire {
		env := map[string]string{"INKFEED_DATA": b.copy(t)}
		for name, value := range off {
			env[name] = value
		}
		return dial(t, serveWith(t, env).Address)
	}
	few, many := serve(p.few), serve(p.many)
	var details table
	details.row("page", "10,000 items", "1,000,000 items", "ratio")
	details.row("---", "---:", "---:", "---:")
	f := finding{holds: true}
	worst, worstPage := 0.0, ""
	for _, page := range coldPages {
		var small, large []time.Duration
		turns := growthTurns
		if page.most != nil {
			turns = min(turns, page.most(p.few.pages()), page.most(p.many.pages()))
		}
		for n := range turns {
			first := request(page.path(p.few.pages(), n))
			second := request(page.path(p.many.pages(), n))
			if n%2 == 0 {
				small, large = append(small, took(t, few, first)), append(large, took(t, many, second))
			} else {
				large, small = append(large, took(t, many, second)), append(small, took(t, few, first))
			}
		}
		slices.Sort(small)
		slices.Sort(large)
		a, b := small[len(small)/2], large[len(large)/2]
		ratio := float64(b) / float64(a)
		details.row(page.name, milliseconds(a), milliseconds(b), fmt.Sprintf("%.2f", ratio))
		if ratio > worst {
			worst, worstPage = ratio, page.name
		}
		f.holds = f.holds && ratio <= 1.3
	}
	f.measured, f.details = fmt.Sprintf("at most %.2f times (%s)", worst, worstPage), details.String()
	return f
}
