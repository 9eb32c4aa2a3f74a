package performance

import (
	"cmp"
	"fmt"
	"maps"
	"math/rand/v2"
	"net/http"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"inkfeed/domain/names"
)

const (
	mixTime = 20 * time.Second
	mixRate = 1000 // views per second
	mixFast = 5000 // views per second
)

// mix returns random requests of readers: 70 % for the front page, 25 % for a post of the front pages, 5 % for the
// author of such a post.
func (p samplePages) mix(wires int) func(wire, n int) []byte {
	front := request("/")
	var posts, authors [][]byte
	for _, post := range p.fed {
		posts = append(posts, request(post.Path()))
		authors = append(authors, request(names.UserPath(post.AuthorName)))
	}
	randoms := make([]*rand.Rand, wires)
	for i := range randoms {
		randoms[i] = rand.New(rand.NewPCG(1, uint64(i)))
	}
	return func(wire, _ int) []byte {
		random := randoms[wire]
		switch n := random.IntN(100); {
		case n < 70:
			return front
		case n < 95:
			return posts[random.IntN(len(posts))]
		default:
			return authors[random.IntN(len(authors))]
		}
	}
}

// readMix requests every page of the mix once.
func (p samplePages) readMix(t *testing.T, w *wire) {
	t.Helper()
	must(t, w, request("/"))
	for _, post := range p.fed {
		must(t, w, request(post.Path()))
		must(t, w, request(names.UserPath(post.AuthorName)))
	}
}

// measureCharges measures the charges of comments, one per second, in three cases: without a page cache and readers,
// with a page cache, and with a page cache and readers. The differences are the charges of serving readers: those of
// the tailers and of rendering pages.
func measureCharges(t *testing.T, p *performance) finding {
	pages := p.many.pages()
	charged := func(server *served, w *writer, views func() int) (charges, int) {
		before := server.charges(t)
		// The posts are the same in each case. The pages of other posts are cached already.
		end := during(time.Second, func(n int) {
			post := pages.fed[n*7%len(pages.fed)]
			status, err := w.submit(server.Address, "/posts/"+post.ID+"/comments", fmt.Sprint("content=Remark+", n))
			if err != nil || status != http.StatusSeeOther {
				t.Errorf("a comment: status %d, %v", status, err)
			}
		})
		n := views()
		end()
		return server.charges(t).since(before), n
	}
	idle := func() int { <-time.After(mixTime); return 0 }

	plain := serveWith(t, map[string]string{"INKFEED_DATA": p.many.copy(t), "INKFEED_CACHE_MB": "0"})
	without, _ := charged(plain, signedUp(t, plain.Address, 1)[0], idle)
	if err := plain.Stop(); err != nil {
		t.Fatal(err)
	}
	server := p.many.serve(t)
	w := signedUp(t, server.Address, 1)[0]
	pages.readMix(t, dial(t, server.Address))
	alone, _ := charged(server, w, idle)
	pages.readMix(t, dial(t, server.Address)) // fills the cache again after the first comments
	wires := dialAll(t, server.Address, 32)
	read, views := charged(server, w, func() int {
		l := pace(t, wires, mixRate, mixTime, pages.mix(len(wires)))
		if l.other(http.StatusOK) > 0 {
			t.Errorf("the statuses are %v, want only 200", l.statuses)
		}
		return len(l.took)
	})

	var details table
	details.row("operation", "RU/s without cache or readers", "with the cache", "and readers")
	details.row("---", "---:", "---:", "---:")
	seconds := mixTime.Seconds()
	row := func(name string, figures ...float64) {
		cells := []string{name}
		for _, f := range figures {
			cells = append(cells, fmt.Sprintf("%.2f", f/seconds))
		}
		details.row(cells...)
	}
	byCharge := func(a, b string) int { return cmp.Compare(read[b], read[a]) }
	for _, name := range slices.SortedFunc(maps.Keys(read), byCharge) {
		row(name, without[name], alone[name], read[name])
	}
	row("together", without.total(), alone.total(), read.total())
	each := func(charge float64) float64 { return max(charge, 0) / float64(views) }
	serving := each(read.total() - without.total())
	return finding{
		measured: fmt.Sprintf("%.3f RU a view: %.3f for reading, %.3f for the tailers; "+
			"%.3f with the write, its projection and the leases; at %.0f views/s",
			serving, each(read.total()-alone.total()), each(alone.total()-without.total()), each(read.total()),
			float64(views)/seconds),
		holds: serving <= 0.05, details: details.String()}
}

// measureThrottled reads from a server whose engine refuses requests beyond its throughput.
func measureThrottled(t *testing.T, p *performance) finding {
	env := p.few.engine(t, "--enforce-throughput", "--throughput", "400")
	server := serveBeside(t, p.few, env)
	pages, w := p.few.pages(), signedUp(t, server.Address, 1)[0]
	var refusedWrites, writes atomic.Int64
	pages.readMix(t, dial(t, server.Address))
	end := during(time.Second, func(n int) {
		post := pages.fed[n*7%len(pages.fed)]
		writes.Add(1)
		status, err := w.submit(server.Address, "/posts/"+post.ID+"/comments", fmt.Sprint("content=Remark+", n))
		if err != nil || status != http.StatusSeeOther {
			refusedWrites.Add(1)
		}
	})
	wires := dialAll(t, server.Address, 64)
	l := pace(t, wires, mixFast, mixTime, pages.mix(len(wires)))
	end()
	refused := l.statuses[http.StatusTooManyRequests] + l.statuses[http.StatusServiceUnavailable]
	if other := l.other(http.StatusOK) - refused; other > 0 {
		t.Errorf("the statuses are %v, want only 200, 429 and 503", l.statuses)
	}
	rate := l.perSecond()
	return finding{
		measured: fmt.Sprintf("%d of %d views refused, at %.0f views/s; 99th percentile %s; %d of %d writes refused",
			refused, len(l.took), rate, milliseconds(l.quantile(0.99)), refusedWrites.Load(), writes.Load()),
		holds: refused == 0 && rate >= 0.98*mixFast}
}
