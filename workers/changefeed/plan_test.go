package changefeed

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"inkfeed/domain"
)

// parseRange reads "a-b".
func parseRange(text string) domain.FeedRange {
	low, high, _ := strings.Cut(text, "-")
	low = strings.TrimPrefix(low, "00")
	return domain.FeedRange{MinInclusive: low, MaxExclusive: high}
}

func parseRanges(text string) (ranges []domain.FeedRange) {
	for _, field := range strings.Fields(text) {
		ranges = append(ranges, parseRange(field))
	}
	return ranges
}

// parseLeases reads "a-b c-d@rid": leases of the present container but for those that
// name another, or none with "@".
func parseLeases(text string) (leases []domain.Lease) {
	for _, field := range strings.Fields(text) {
		r, container, named := strings.Cut(field, "@")
		if !named {
			container = "now"
		}
		leases = append(leases, domain.Lease{Range: parseRange(r), Container: container})
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
		text := "drop " + RangeName(s.Lease.Range)
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
		"no lease: one for each range":                  {"", "00-4 4-8 8-FF", "create 00-4; create 4-8; create 8-FF"},
		"each range has its own: nothing":               {"00-4 4-FF", "00-4 4-FF", ""},
		"a range without a lease":                       {"00-4", "00-4 4-FF", "create 4-FF"},
		"the rest of a range, where a lease is missing": {"00-2 4-FF", "00-4 4-FF", "create 2-4"},
		"a split":                                               {"00-4 4-FF", "00-2 2-4 4-FF", "split 00-4 into 00-2 2-4"},
		"a split of a split":                                    {"00-FF", "00-2 2-4 4-FF", "split 00-FF into 00-2 2-4 4-FF"},
		"a split that made one child":                           {"00-4 00-2", "00-2 2-4", "split 00-4 into 2-4"},
		"a split that made the other child":                     {"00-4 2-4", "00-2 2-4", "split 00-4 into 00-2"},
		"a split that made all children":                        {"00-4 00-2 2-4", "00-2 2-4", "drop 00-4"},
		"one child made, and the range split again":             {"00-4 2-4", "00-1 1-2 2-4", "split 00-4 into 00-1 1-2"},
		"one child made, which is split again":                  {"00-4 2-4", "00-2 2-3 3-4", "split 00-4 into 00-2; split 2-4 into 2-3 3-4"},
		"a hole between children":                               {"00-8 00-2 4-8", "00-2 2-4 4-8", "split 00-8 into 2-4"},
		"a merge: leases narrower than the range stay":          {"00-2 2-4 4-FF", "00-4 4-FF", ""},
		"a merge, then a split elsewhere":                       {"00-2 2-4", "00-1 1-4", "split 00-2 into 00-1 1-2"},
		"of another container: anew":                            {"00-4@gone 4-FF@gone", "00-4 4-FF", "foreign 00-4; foreign 4-FF; create 00-4; create 4-FF"},
		"of another container, others in place":                 {"00-4@gone 4-FF", "00-4 4-FF", "foreign 00-4; create 00-4"},
		"of no container, from before: adopted":                 {"00-4@ 4-FF@", "00-4 4-FF", ""},
		"of no container and to be split":                       {"00-FF@", "00-4 4-FF", "split 00-FF into 00-4 4-FF"},
		"two that cross: the first yields":                      {"00-4 2-8", "00-8", "split 00-4 into 00-2"},
		"two views of the ranges at once: the narrower go on":   {"00-4 00-2 2-4 2-3 3-4", "00-2 2-3 3-4", "drop 00-4; drop 2-4"},
		"a lease beyond all ranges is kept: others' view of it": {"00-4 4-8", "00-4", ""},
	} {
		t.Run(name, func(t *testing.T) {
			leases := parseLeases(c.leases)
			for range 3 { // the order of the listing means nothing
				if got := PlanLeases(leases, parseRanges(c.ranges), "now").String(); got != c.want {
					t.Errorf("plan %q, want %q", got, c.want)
				}
				rand.Shuffle(len(leases), func(i, j int) { leases[i], leases[j] = leases[j], leases[i] })
			}
		})
	}
}

// Whatever the leases are, carrying plans out ends with leases that tile the ranges,
// and no step on the way leaves a key that had a lease without one.
func TestPlansEndWithLeasesThatTile(t *testing.T) {
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	r := rand.New(rand.NewPCG(seed, 0))
	digits := "0123456789A"
	for range 2000 {
		ranges := cut(domain.FeedRange{MaxExclusive: "FF"}, boundsAt(digits, r))
		var leases []domain.Lease
		for range r.IntN(6) {
			i, j := r.IntN(len(digits)), r.IntN(len(digits)-1)
			if j >= i {
				j++
			}
			l := domain.Lease{Range: domain.FeedRange{MinInclusive: digits[min(i, j):][:1], MaxExclusive: digits[max(i, j):][:1]}, Container: "now"}
			if !slices.ContainsFunc(leases, func(o domain.Lease) bool { return o.Range == l.Range }) {
				leases = append(leases, l)
			}
		}
		start := slices.Clone(leases)
		covers := func(key string) bool {
			return slices.ContainsFunc(leases, func(l domain.Lease) bool {
				return l.Range.Overlaps(domain.FeedRange{MinInclusive: key, MaxExclusive: key + "0"})
			})
		}
		for round := 0; ; round++ {
			plan := PlanLeases(leases, ranges, "now")
			if plan.String() == "" {
				break
			}
			if round == 5 {
				t.Fatalf("leases %v on ranges %v never rest: %s", start, ranges, plan)
			}
			for _, r := range plan.Create {
				leases = append(leases, domain.Lease{Range: r, Container: "now"})
			}
			for _, s := range plan.Split {
				before := map[string]bool{}
				for _, key := range strings.Split(digits, "") {
					before[key] = covers(key)
				}
				for _, r := range s.Into {
					leases = append(leases, domain.Lease{Range: r, Container: "now"})
				}
				leases = slices.DeleteFunc(leases, func(l domain.Lease) bool { return l.Range == s.Lease.Range })
				for key, covered := range before {
					if covered && !covers(key) {
						t.Fatalf("leases %v on ranges %v: %s leaves %s without a lease", start, ranges, plan, key)
					}
				}
			}
		}
		for _, l := range leases {
			if parts := cut(l.Range, ranges); len(parts) != 1 {
				t.Fatalf("leases %v on ranges %v: %v spans several", start, ranges, l.Range)
			}
		}
		wantTiles(t, leases, "", "FF")
	}
}

func boundsAt(digits string, r *rand.Rand) (ranges []domain.FeedRange) {
	for i := range digits[1:] {
		if r.IntN(3) == 0 {
			ranges = append(ranges, domain.FeedRange{MinInclusive: digits[i+1 : i+2]})
		}
	}
	return ranges
}

// wantTiles wants leases that cover all from low to high once.
func wantTiles(t *testing.T, leases []domain.Lease, low, high string) {
	t.Helper()
	slices.SortFunc(leases, func(a, b domain.Lease) int {
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
