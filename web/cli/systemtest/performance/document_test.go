package performance

import (
	"bufio"
	"bytes"
	"fmt"
	"os"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
)

// finding is the result of one row of the table.
type finding struct {
	measured string
	holds    bool   // whether the result is within the bar
	details  string // section of the document in Markdown, or empty
}

func (f finding) verdict() string {
	if f.holds {
		return "met"
	}
	return "missed"
}

// TestPerformance measures the rows of docs/performance.md if INKFEED_PERFORMANCE is set. Each row can run alone, and
// -update writes the measured rows. Measurements to compare alternate, and the medians of their ratios count. A slow
// result does not fail the test.
func TestPerformance(t *testing.T) {
	if os.Getenv("INKFEED_PERFORMANCE") == "" {
		t.Skip("INKFEED_PERFORMANCE is not set")
	}
	p := newPerformance(t)
	t.Logf("%s", machine())
	for _, row := range []struct {
		name, what, bar string
		measure         func(t *testing.T, p *performance) finding
	}{
		{"start", "start to first page, a million items", "at most 300 ms", measureStart},
		{"cold", "a post page seen for the first time, a million items", "at most 1.8 ms at the median", measureCold},
		{"feeds", "an author's feed and a tag's feed seen for the first time, a million items",
			"at most 5 ms at the median", measureFeeds},
		{"growth", "growth from 10,000 to 1,000,000 items, every page, cold", "at most 1.3 times", measureGrowth},
		{"cached", "front, post, author, tag page, Atom feed; anonymous, cached",
			"at least 0.9 of the bare handler's throughput, 99th percentile within 1.5 times its", measureCached},
		{"unmodified", "the same with `If-None-Match`", "at least 0.95 of a bare handler that answers 304",
			measureUnmodified},
		{"member", "front page, signed in", "at least 0.7", measureMember},
		{"members", "post, author and tag page, signed in", "at least 0.4", measureMemberPages},
		{"wrote", "the same and the front page in the seconds after an own write, 32 connections", "at least 0.2",
			measureRecentWriter},
		{"reactions", "a like over HTTP, one connection, beside the transaction that stores it",
			"median at most 2.5 times", measureReactions},
		{"busy", "front page while 100 likes and 10 comments a second arrive",
			"at least 0.7 of the quiet figure; no reader sees counts go backwards", measureBusy},
		{"background", "front page while sitemaps, uploads, exports, imports and log-ins follow one another",
			"at least 0.7 of the quiet figure", measureBackground},
		{"search", "a search for the commonest word, a million items",
			"at most 3 ms at the median; 99th percentile of 32 connections at most 15 ms", measureSearch},
		{"spreading", "from a write to another instance's page", "99th percentile within 1.2 s", measurePropagation},
		{"charges",
			"RU for the mix 70 % front, 25 % post, 5 % author page at 1,000 views a second with one write a second",
			"at most 0.05 RU a view", measureCharges},
		{"throttled", "the same mix under an enforced 400 RU/s", "no 429 reaches a reader at 5,000 views a second",
			measureThrottled},
		{"memory", "memory, a million items, cache at 64 MB, after a soak",
			"at most 120 MB resident, no growth in its second half", measureMemory},
	} {
		t.Run(row.name, func(t *testing.T) {
			before := loadAverage()
			f := row.measure(t, p)
			t.Logf("%s\nbar: %s\n%s: %s\nload average before: %s\n\n%s", row.what, row.bar, f.verdict(), f.measured,
				before, f.details)
			if *update && !t.Failed() {
				updatePerformance(t, row.name, row.what, f)
			}
		})
	}
	if *update {
		replaceSection(t, "machine", machine()+"\n")
	}
}

const performanceDocument = "docs/performance.md"

// updatePerformance writes a result into the table, and its details into their section.
func updatePerformance(t *testing.T, name, what string, f finding) {
	t.Helper()
	document, err := os.ReadFile(performanceDocument)
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(string(document), "\n")
	at := slices.IndexFunc(lines, func(line string) bool { return strings.HasPrefix(line, "| "+what+" | ") })
	if at < 0 {
		t.Fatalf("%s has no row %q", performanceDocument, what)
	}
	cells := strings.Split(lines[at], "|") // the bar and the old measurement stay
	lines[at] = strings.Join(append(cells[:4], " "+f.measured+" ", " "+f.verdict()+" ", ""), "|")
	if err := os.WriteFile(performanceDocument, []byte(strings.Join(lines, "\n")), 0o644); err != nil {
		t.Fatal(err)
	}
	if f.details != "" {
		replaceSection(t, name, f.details)
	}
}

// replaceSection replaces the text between the comments with the name of a section.
func replaceSection(t *testing.T, name, text string) {
	t.Helper()
	document, err := os.ReadFile(performanceDocument)
	if err != nil {
		t.Fatal(err)
	}
	before, rest, begun := strings.Cut(string(document), "<!-- "+name+" -->\n")
	_, after, ended := strings.Cut(rest, "<!-- end of "+name+" -->")
	if !begun || !ended {
		t.Fatalf("%s has no section %q", performanceDocument, name)
	}
	text = before + "<!-- " + name + " -->\n" + text + "<!-- end of " + name + " -->" + after
	if err := os.WriteFile(performanceDocument, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

var processorName = regexp.MustCompile(`model name\s*:\s*(.*)`)

// machine describes the machine and the date of the measurements.
func machine() string {
	cpuinfo, _ := os.ReadFile("/proc/cpuinfo")
	cpu := runtime.GOARCH
	if found := processorName.FindSubmatch(cpuinfo); found != nil {
		cpu = string(found[1])
	}
	return fmt.Sprintf("%d cores (%s) for the server, its engine and the load together; %s, %s.",
		runtime.NumCPU(), cpu, runtime.Version(), time.Now().UTC().Format("2 January 2006"))
}

// loadAverage returns the load average of the last minute, or "" if the system has none.
func loadAverage() string {
	text, _ := os.ReadFile("/proc/loadavg")
	first, _, _ := strings.Cut(string(text), " ")
	return first
}

// median returns the median.
func median(figures []float64) float64 {
	sorted := slices.Sorted(slices.Values(figures))
	return sorted[len(sorted)/2]
}

func milliseconds(d time.Duration) string {
	if d >= time.Second {
		return fmt.Sprintf("%.2f s", d.Seconds())
	}
	return fmt.Sprintf("%.3g ms", float64(d.Microseconds())/1000)
}

// charges maps operations to request units, as a server's metrics count them.
type charges map[string]float64

var chargeLine = regexp.MustCompile(`(?m)^inkfeed_cosmos_request_charge_total\{operation="([^"]+)"\} (\S+)$`)

func (c charges) total() (sum float64) {
	for _, charge := range c {
		sum += charge
	}
	return sum
}

// since returns the charges that were added to the earlier ones.
func (c charges) since(before charges) charges {
	diff := make(charges)
	for name, charge := range c {
		if charge > before[name] {
			diff[name] = charge - before[name]
		}
	}
	return diff
}

// during calls do periodically, with increasing n, until end is called.
func during(pause time.Duration, do func(n int)) (end func()) {
	stop := make(chan struct{})
	var group sync.WaitGroup
	group.Go(func() {
		tick := time.NewTicker(pause)
		defer tick.Stop()
		for n := 0; ; n++ {
			select {
			case <-stop:
				return
			case <-tick.C:
				do(n)
			}
		}
	})
	return func() {
		close(stop)
		group.Wait()
	}
}

// table is a table in Markdown.
type table struct{ bytes.Buffer }

func (t *table) row(cells ...string) { fmt.Fprintf(t, "| %s |\n", strings.Join(cells, " | ")) }

// drain reads the output of a process, so that the process never blocks.
func drain(r *bufio.Reader) {
	for {
		if _, err := r.ReadString('\n'); err != nil {
			return
		}
	}
}
