package changefeed

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"inkfeed/cosmos/feeds"
)

// parseRange parses "a-b".
func parseRange(text string) feeds.Range {
	low, high, _ := strings.Cut(text, "-")
	low = strings.TrimPrefix(low, "00")
	return feeds.Range{MinInclusive: low, MaxExclusive: high}
}

func parseRanges(text string) (ranges []feeds.Range) {
	for _, field := range strings.Fields(text) {
		ranges = append(ranges, parseRange(field))
	}
	return ranges
}

// parseLeases parses "a-b c-d@rid". A lease belongs to the present container unless it names another after "@", or none
// with "@" alone.
func parseLeases(text string) (leases []feeds.Lease) {
	for _, field := range strings.Fields(text) {
		r, container, named := strings.Cut(field, "@")
		if !named {
			container = "now"
		}
		leases = append(leases, feeds.Lease{Range: parseRange(r), Container: container})
	}
	return leases
}

func (p LeasePlan) String() string {
	var parts []string
	for _, l := range p.Foreign {
		parts = append(parts, "foreign "+RangeName(l.Range))
	}
	for _, r := range p.Create {
		parts = append(parts, "create "+RangeName(r))
	}
	for _, s := range p.Split {
		text := "delete " + RangeName(s.Lease.Range)
		if len(s.Into) > 0 {
			text = "split " + RangeName(s.Lease.Range) + " into"
			for _, r := range s.Into {
				text += " " + RangeName(r)
			}
		}
		parts = append(parts, text)
	}
	return strings.Join(parts, "; ")
}

func TestPlanLeases(t *testing.T) {
	for name, c := range map[string]struct{ leases, ranges, want string }{
		"without leases, creates one for each range": {"", "00-4 4-8 8-FF", "create 00-4; create 4-8; create 8-FF"},
		"nothing if each range has a lease":          {"00-4 4-FF", "00-4 4-FF", ""},
		"a range without a lease":                    {"00-4", "00-4 4-FF", "create 4-FF"},
		"a part of a range without a lease":          {"00-2 4-FF", "00-4 4-FF", "create 2-4"},
		"a split":                                    {"00-4 4-FF", "00-2 2-4 4-FF", "split 00-4 into 00-2 2-4"},
		"a split of a split":                         {"00-FF", "00-2 2-4 4-FF", "split 00-FF into 00-2 2-4 4-FF"},
		"a split that created the first child":       {"00-4 00-2", "00-2 2-4", "split 00-4 into 2-4"},
		"a split that created the second child":      {"00-4 2-4", "00-2 2-4", "split 00-4 into 00-2"},
		"a split that created all children":          {"00-4 00-2 2-4", "00-2 2-4", "delete 00-4"},
		"one child, and the other range split again": {"00-4 2-4", "00-1 1-2 2-4", "split 00-4 into 00-1 1-2"},
		"one child, which is split again": {"00-4 2-4", "00-2 2-3 3-4",
			"split 00-4 into 00-2; split 2-4 into 2-3 3-4"},
		"a gap between children":         {"00-8 00-2 4-8", "00-2 2-4 4-8", "split 00-8 into 2-4"},
		"nothing after a merge":          {"00-2 2-4 4-FF", "00-4 4-FF", ""},
		"a merge and then another split": {"00-2 2-4", "00-1 1-4", "split 00-2 into 00-1 1-2"},
		"a recreated container": {"00-4@gone 4-FF@gone", "00-4 4-FF",
			"foreign 00-4; foreign 4-FF; create 00-4; create 4-FF"},
		"a recreated container that has some leases": {"00-4@gone 4-FF", "00-4 4-FF", "foreign 00-4; create 00-4"},
		"nothing for leases that name no container":  {"00-4@ 4-FF@", "00-4 4-FF", ""},
		"a split of a lease that names no container": {"00-FF@", "00-4 4-FF", "split 00-FF into 00-4 4-FF"},
		"of two that overlap, the first is narrowed": {"00-4 2-8", "00-8", "split 00-4 into 00-2"},
		"of several generations, the narrowest stay": {"00-4 00-2 2-4 2-3 3-4", "00-2 2-3 3-4",
			"delete 00-4; delete 2-4"},
		"nothing for a lease beyond the known ranges": {"00-4 4-8", "00-4", ""},
	} {
		t.Run(name, func(t *testing.T) {
			leases := parseLeases(c.leases)
			for range 3 { // the order of the list does not matter
				if got := PlanLeases(leases, parseRanges(c.ranges), "now").String(); got != c.want {
					t.Errorf("plan %q, want %q", got, c.want)
				}
				rand.Shuffle(len(leases), func(i, j int) { leases[i], leases[j] = leases[j], leases[i] })
			}
		})
	}
}

// TestPlansEndWithLeasesThatTile carries out plans for random leases and ranges. In the end the leases tile the ranges,
// and no step leaves a key without a lease that had one before.
func TestPlansEndWithLeasesThatTile(t *testing.T) {
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	r := rand.New(rand.NewPCG(seed, 0))
	digits := "0123456789A"
	for range 2000 {
		ranges := cut(feeds.Range{MaxExclusive: "FF"}, boundsAt(digits, r))
		var leases []feeds.Lease
		for range r.IntN(6) {
			i, j := r.IntN(len(digits)), r.IntN(len(digits)-1)
			if j >= i {
				j++
			}
			l := feeds.Lease{Container: "now", Range: feeds.Range{
				MinInclusive: digits[min(i, j):][:1], MaxExclusive: digits[max(i, j):][:1]}}
			if !slices.ContainsFunc(leases, func(o feeds.Lease) bool { return o.Range == l.Range }) {
				leases = append(leases, l)
			}
		}
		start := slices.Clone(leases)
		covers := func(key string) bool {
			return slices.ContainsFunc(leases, func(l feeds.Lease) bool {
				return l.Range.Overlaps(feeds.Range{MinInclusive: key, MaxExclusive: key + "0"})
			})
		}
		for round := 0; ; round++ {
			plan := PlanLeases(leases, ranges, "now")
			if plan.String() == "" {
				break
			}
			if round == 5 {
				t.Fatalf("leases %v on ranges %v are never settled: %s", start, ranges, plan)
			}
			for _, r := range plan.Create {
				leases = append(leases, feeds.Lease{Range: r, Container: "now"})
			}
			for _, s := range plan.Split {
				before := map[string]bool{}
				for _, key := range strings.Split(digits, "") {
					before[key] = covers(key)
				}
				for _, r := range s.Into {
					leases = append(leases, feeds.Lease{Range: r, Container: "now"})
				}
				leases = slices.DeleteFunc(leases, func(l feeds.Lease) bool { return l.Range == s.Lease.Range })
				for key, covered := range before {
					if covered && !covers(key) {
						t.Fatalf("leases %v on ranges %v: %s leaves %s without a lease", start, ranges, plan, key)
					}
				}
			}
		}
		for _, l := range leases {
			if parts := cut(l.Range, ranges); len(parts) != 1 {
				t.Fatalf("leases %v on ranges %v: %v spans several ranges", start, ranges, l.Range)
			}
		}
		wantTiles(t, leases, "", "FF")
	}
}

func boundsAt(digits string, r *rand.Rand) (ranges []feeds.Range) {
	for i := range digits[1:] {
		if r.IntN(3) == 0 {
			ranges = append(ranges, feeds.Range{MinInclusive: digits[i+1 : i+2]})
		}
	}
	return ranges
}

// wantTiles fails unless the leases cover the keys from low to high exactly once.
func wantTiles(t *testing.T, leases []feeds.Lease, low, high string) {
	t.Helper()
	slices.SortFunc(leases, func(a, b feeds.Lease) int {
		return strings.Compare(a.Range.MinInclusive, b.Range.MinInclusive)
	})
	at := low
	for _, l := range leases {
		if l.Range.MinInclusive != at {
			t.Fatalf("the leases do not tile at %q: %v", at, leases)
		}
		at = l.Range.MaxExclusive
	}
	if at != high {
		t.Fatalf("the leases end at %q: %v", at, leases)
	}
}
