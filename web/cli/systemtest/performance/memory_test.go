package performance

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"net/http"
	"os"
	"regexp"
	"slices"
	"strconv"
	"testing"
	"time"

	"inkfeed/web/cli/systemtest/harness"
)

const (
	shortSoak   = time.Minute // length of a soak without INKFEED_PERFORMANCE_SOAK
	soakReaders = 8
	soakRate    = 1000 // views per second
)

// measureMemory soaks a server with an embedded engine, and then briefly a server whose engine is a process of its own,
// which uses less memory.
func measureMemory(t *testing.T, p *performance) finding {
	length := shortSoak
	if text := os.Getenv("INKFEED_PERFORMANCE_SOAK"); text != "" {
		var err error
		if length, err = time.ParseDuration(text); err != nil {
			t.Fatal(err)
		}
	}
	cache := map[string]string{"INKFEED_CACHE_MB": "64"}
	var details table
	details.row("server", "soak", "views/s", "resident at most", "of that not of files", "second half",
		"last quarter to the third")
	details.row("---", "---:", "---:", "---:", "---:", "---:", "---:")
	soaked := func(name string, server *served, length time.Duration) (most, growth float64) {
		s := soak(t, server, p.many.pages(), length)
		server.heap(t)
		if err := server.Stop(); err != nil {
			t.Fatal(err)
		}
		n := len(s.resident)
		most, growth = slices.Max(s.resident), median(s.resident[n*3/4:])/median(s.resident[n/2:n*3/4])-1
		details.row(name, length.String(), fmt.Sprintf("%.0f", s.rate), fmt.Sprintf("%.0f MB", most),
			fmt.Sprintf("%.0f MB", slices.Max(s.anonymous)),
			fmt.Sprintf("%.0f to %.0f MB", slices.Min(s.resident[n/2:]), slices.Max(s.resident[n/2:])),
			fmt.Sprintf("%+.1f %%", 100*growth))
		return most, growth
	}
	server := serveWith(t, harness.With(cache, "INKFEED_DATA", p.many.copy(t)))
	embedded, embeddedGrowth := soaked("with the engine in it", server, length)
	env := p.many.engine(t)
	maps.Copy(env, cache)
	beside, besideGrowth := soaked("with the engine beside it", serveBeside(t, p.many, env), shortSoak)
	const steady = 0.03 // variation with the cycles of the garbage collector
	return finding{
		measured: fmt.Sprintf("after %s at most %.0f MB, %+.1f %% from the third quarter to the last; "+
			"after %s with the engine beside it %.0f MB, %+.1f %%",
			length, embedded, 100*embeddedGrowth, shortSoak, beside, 100*besideGrowth),
		holds:   embedded <= 120 && beside <= 120 && max(embeddedGrowth, besideGrowth) < steady,
		details: details.String()}
}

// soaking is the memory of a server in MB, measured each second.
type soaking struct {
	resident, anonymous []float64
	rate                float64 // views per second
}

// soak requests all kinds of pages, new posts more often, and measures the memory of the server each second.
func soak(t *testing.T, server *served, pages samplePages, length time.Duration) (s soaking) {
	t.Helper()
	wires := dialAll(t, server.Address, soakReaders)
	zipfs := make([]*rand.Zipf, len(wires))
	for i := range zipfs {
		zipfs[i] = rand.NewZipf(rand.New(rand.NewPCG(2, uint64(i))), 1.1, 10, uint64(len(pages.posts)-1))
	}
	end := during(time.Second, func(int) {
		all, anonymous := memory(t, server.Cmd.Process.Pid)
		s.resident, s.anonymous = append(s.resident, all), append(s.anonymous, anonymous)
	})
	l := pace(t, wires, soakRate, length, func(wire, n int) []byte {
		k := int(zipfs[wire].Uint64())
		switch n % 10 {
		case 0, 1:
			return request("/")
		case 2:
			return request(pages.authors[k%len(pages.authors)])
		case 3:
			return request(pages.tags[k%len(pages.tags)])
		default:
			return request(pages.posts[k])
		}
	})
	end()
	if l.other(http.StatusOK) > 0 {
		t.Errorf("the statuses are %v, want only 200", l.statuses)
	}
	if len(s.resident) < 8 {
		t.Fatalf("the memory was measured only %d times", len(s.resident))
	}
	s.rate = l.perSecond()
	return s
}

var (
	residentSize  = regexp.MustCompile(`VmRSS:\s+(\d+) kB`)
	anonymousSize = regexp.MustCompile(`RssAnon:\s+(\d+) kB`)
)

// memory returns the memory of a process in MB, with and without mapped files.
func memory(t *testing.T, pid int) (resident, anonymous float64) {
	t.Helper()
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		t.Skip("there is no /proc")
	}
	of := func(size *regexp.Regexp) float64 {
		found := size.FindSubmatch(status)
		if found == nil {
			t.Fatalf("the status of the process does not match %s", size)
		}
		kb, _ := strconv.Atoi(string(found[1]))
		return float64(kb) / 1024
	}
	return of(residentSize), of(anonymousSize)
}
