package changefeed

import (
	"fmt"
	"testing"
	"time"

	"inkfeed/cosmos/feeds"
)

func TestBalance(t *testing.T) {
	const expiration = time.Minute
	now := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	// Each text is the owner of a lease: "b!" has not renewed it for too long, and "-" is no owner.
	leases := func(owners ...string) []feeds.Lease {
		var list []feeds.Lease
		for i, owner := range owners {
			r := feeds.Range{MinInclusive: fmt.Sprint(i)}
			l := feeds.Lease{Range: r, Owner: owner, Renewed: now.Add(-time.Second)}
			if n := len(owner) - 1; owner[n] == '!' {
				l.Owner, l.Renewed = owner[:n], now.Add(-expiration-time.Second)
			}
			if owner == "-" {
				l.Owner = ""
			}
			list = append(list, l)
		}
		return list
	}
	// renewed returns a lease of another instance, renewed at a time relative to this instance's clock.
	renewed := func(at time.Duration) []feeds.Lease {
		return []feeds.Lease{{Range: feeds.Range{MinInclusive: "0"}, Owner: "b", Renewed: now.Add(at)}}
	}
	for name, c := range map[string]struct {
		leases []feeds.Lease
		want   string // the indexes of the leases to take
	}{
		"alone, takes all leases without an owner":       {leases("-", "-", "-"), "[0 1 2]"},
		"alone, takes the leases of a dead instance":     {leases("b!", "b!", "me"), "[0 1]"},
		"leaves a live instance its share":               {leases("b", "b", "-", "-"), "[2 3]"},
		"takes only its share of the available leases":   {leases("b", "-", "-", "-"), "[1 2]"},
		"joining, takes one lease from the busiest":      {leases("b", "b", "b", "c"), "[0]"},
		"accepts the smaller share of an uneven number":  {leases("b", "b", "me"), "[]"},
		"takes one from an instance above the target":    {leases("b", "b", "b", "me"), "[0]"},
		"takes nothing when it has its share":            {leases("me", "me", "b", "b"), "[]"},
		"takes its own expired lease":                    {leases("me!", "b"), "[0]"},
		"takes nothing if instances outnumber leases":    {leases("b", "c"), "[]"},
		"a lease renewed a little in the future is live": {renewed(expiration), "[]"},
		"a lease renewed far in the future is expired":   {renewed(expiration + time.Second), "[0]"},
		"takes nothing if there are no leases":           {nil, "[]"},
		"takes its share when an instance has stopped":   {leases("me", "-", "-", "b", "-", "c"), "[1]"},
		"takes its share when an instance has died":      {leases("me", "d!", "d!", "b", "d!", "c"), "[1]"},
		"prefers leases without an owner to live ones":   {leases("b", "b", "b", "-"), "[3]"},
		"prefers expired leases to live ones":            {leases("b", "b", "b", "c!"), "[3]"},
		"rounds the share of an uneven number up":        {leases("b", "b", "b", "-", "-", "-", "-"), "[3 4 5 6]"},
		"leaves an instance one more than others":        {leases("b", "b", "b", "c", "c", "me", "me"), "[]"},
		"takes from the busiest of several":              {leases("b", "b", "c", "c", "c", "c"), "[2]"},
		"of two equally busy ones, takes from the first": {leases("c", "c", "c", "b", "b", "b"), "[3]"},
		"takes an available lease of fewer leases":       {leases("b", "-"), "[1]"},
		"takes one of two leases from an instance":       {leases("b", "b", "c"), "[0]"},
		"a lease just at its expiration is live":         {renewed(-expiration), "[]"},
		"40 s ahead, takes no live lease":                {renewed(-17*time.Second - 40*time.Second), "[]"},
		"50 s ahead, takes a live lease":                 {renewed(-17*time.Second - 50*time.Second), "[0]"},
		"50 s behind, takes a dead lease later":          {renewed(-61*time.Second + 50*time.Second), "[]"},
		"without a lease, takes one from an even share":  {leases("b", "b", "c", "c"), "[0]"},
	} {
		t.Run(name, func(t *testing.T) {
			got := []string{}
			for _, l := range balance(c.leases, "me", now, expiration) {
				got = append(got, l.Range.MinInclusive)
			}
			if fmt.Sprint(got) != c.want {
				t.Errorf("takes %v, want %s", got, c.want)
			}
		})
	}
}

// TestBalanceSettles lets instances balance in turns. They end with even shares and then stop taking leases.
func TestBalanceSettles(t *testing.T) {
	now := time.Now()
	for _, size := range []struct{ leases, instances int }{{1, 1}, {2, 3}, {7, 3}, {10, 4}, {64, 5}} {
		leases := make([]feeds.Lease, size.leases)
		for i := range leases {
			leases[i] = feeds.Lease{Range: feeds.Range{MinInclusive: fmt.Sprint(i)}, Renewed: now}
		}
		rounds, moved := 0, true
		for ; moved && rounds < 100; rounds++ {
			moved = false
			for i := range size.instances {
				me := fmt.Sprint("instance ", i)
				for _, take := range balance(leases, me, now, time.Minute) {
					for j := range leases {
						if leases[j].Range == take.Range {
							leases[j].Owner, moved = me, true
						}
					}
				}
			}
		}
		counts := map[string]int{}
		for _, l := range leases {
			counts[l.Owner]++
		}
		for owner, n := range counts {
			if n < size.leases/size.instances || n > (size.leases+size.instances-1)/size.instances {
				t.Errorf("%+v: %s has %d", size, owner, n)
			}
		}
		if rounds == 100 {
			t.Errorf("%+v: instances keep taking leases from each other", size)
		}
	}
}
