// Package costs has the page that shows administrators what the storage costs.
package costs

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"inkfeed/cosmos/costs"
	"inkfeed/domain"
	"inkfeed/views"
)

// CostsPath is the address of the page.
const CostsPath = "/admin/costs"

// CostsPage is the model of Costs.
type CostsPage struct {
	views.LayoutData
	Report      costs.Report
	Bill        *costs.Bill // nil: nothing was measured
	Embedded    bool        // the embedded engine stores the data
	Advice      []costs.Advice
	Sizes       map[string]costs.Size // by container
	Lags        []costs.RangeLag
	DeadLetters int // at most MaxDeadLetters + 1
	Imports     []Import
	MoreImports int // at most so many others are under way
	Deletions   Deletions
	FanOut      FanOut

	// These parts could not be read, or not all of them.
	SizesUnknown, LagUnknown, DeadLettersUnknown, ImportsUnknown, DeletionsUnknown, FanOutUnknown bool
}

// MaxDeadLetters is the number up to which dead letters are counted.
const MaxDeadLetters = 100

// Import is an import that an instance works on, or that waits for its user.
type Import struct {
	domain.ImportJob
	Username string // empty: the account was deleted
}

// Deletions are the scheduled deletions of accounts.
type Deletions struct {
	Scheduled int // at most MaxDeletions
	Due       int // of them, those whose time has passed
	Next      time.Time
}

// FanOut is the adding of new posts to the timelines of followers.
type FanOut struct {
	Queues int       // with posts that are due
	Since  time.Time // when the first of them was due
}

// MaxDeletions is the number up to which scheduled deletions are counted.
const MaxDeletions = 1000

// firstOperations is the number of operations that are shown without opening the list of all.
const firstOperations = 12

// first returns the operations that are shown without opening the list of all.
func first(operations []costs.Line) []costs.Line {
	return operations[:min(len(operations), firstOperations)]
}

// rebuildPrefix begins the names of the processors of a rebuild.
const rebuildPrefix = "rebuild."

// Live returns the lags of the processors that keep copies current.
func (p CostsPage) Live() (lags []costs.RangeLag) {
	for _, l := range p.Lags {
		if !strings.HasPrefix(l.Processor, rebuildPrefix) {
			lags = append(lags, l)
		}
	}
	return lags
}

// rebuild is the progress of a rebuild of one container.
type rebuild struct {
	name, owner string
	done        float64 // share of the change feed
	left        int64   // transactions
}

// working reports whether long-running work is known.
func (p CostsPage) working() bool {
	return len(p.rebuilds()) > 0 || len(p.Imports) > 0 || p.Deletions.Scheduled > 0 || p.FanOut.Queues > 0
}

// rebuilds returns the running rebuilds.
func (p CostsPage) rebuilds() []rebuild {
	byName, ends := make(map[string]*rebuild), make(map[string]int64)
	for _, l := range p.Lags {
		name, ok := strings.CutPrefix(l.Processor, rebuildPrefix)
		if !ok {
			continue
		}
		if byName[name] == nil {
			byName[name] = &rebuild{name: name, owner: l.Owner}
		}
		byName[name].left += l.Transactions
		ends[name] += l.End
	}
	var all []rebuild
	for name, r := range byName {
		r.done = 1 - share(float64(r.left), float64(max(ends[name], r.left)))
		all = append(all, *r)
	}
	slices.SortFunc(all, func(a, b rebuild) int { return cmp.Compare(a.name, b.name) })
	return all
}

// containers returns all containers with their charges, those without a charge last.
func (p CostsPage) containers() []costs.Line {
	lines := slices.Clone(p.Report.Containers)
	var free []string
	for name := range p.Sizes {
		if !slices.ContainsFunc(lines, func(l costs.Line) bool { return l.Name == name }) {
			free = append(free, name)
		}
	}
	slices.Sort(free)
	for _, name := range free {
		lines = append(lines, costs.Line{Name: name, Rates: make([]float64, len(p.Report.Steps))})
	}
	return lines
}

// total returns the size of all containers.
func (p CostsPage) total() (all costs.Size) {
	for _, s := range p.Sizes {
		all.Items += s.Items
		all.Bytes += s.Bytes
	}
	return all
}

// measuredSteps returns the steps in which something was measured, the newest first.
func (p CostsPage) measuredSteps() (steps []costs.Step) {
	for _, s := range slices.Backward(p.Report.Steps) {
		if s.Requests > 0 {
			steps = append(steps, s)
		}
	}
	return steps
}
