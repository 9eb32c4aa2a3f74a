package changefeed

import (
	"fmt"
	"testing"
	"time"

	"inkfeed/domain"
)

func TestBalance(t *testing.T) {
	const expiration = time.Minute
	now := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	// A lease is written owner or owner! (expired); "-" is unowned.
	leases := func(owners ...string) []domain.Lease {
		var list []domain.Lease
		for i, owner := range owners {
			l := domain.Lease{Range: domain.FeedRange{MinInclusive: fmt.Sprint(i)}, Owner: owner, Renewed: now.Add(-time.Second)}
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
	renewed := func(at time.Duration) []domain.Lease { // as my clock has it
		return []domain.Lease{{Range: domain.FeedRange{MinInclusive: "0"}, Owner: "b", Renewed: now.Add(at)}}
	}
	for name, c := range map[string]struct {
		leases []domain.Lease
		want   string // the places of the leases to take
	}{
		"alone, takes all that are free":                 {leases("-", "-", "-"), "[0 1 2]"},
		"alone, takes those of a dead instance":          {leases("b!", "b!", "me"), "[0 1]"},
		"leaves a live instance its share":               {leases("b", "b", "-", "-"), "[2 3]"},
		"takes no more than its share of the free ones":  {leases("b", "-", "-", "-"), "[1 2]"},
		"joins: steals one from the busiest":             {leases("b", "b", "b", "c"), "[0]"},
		"is content with an uneven share":                {leases("b", "b", "me"), "[]"},
		"steals from the one above the target":           {leases("b", "b", "b", "me"), "[0]"},
		"has its share: takes nothing":                   {leases("me", "me", "b", "b"), "[]"},
		"its own expired lease is free to take":          {leases("me!", "b"), "[0]"},
		"more instances than leases: nobody is robbed":   {leases("b", "c"), "[]"},
		"a lease from the future is live: clocks differ": {renewed(expiration), "[]"},
		"one from far in the future is nobody's":         {renewed(expiration + time.Second), "[0]"},
		"no lease at all":                                {nil, "[]"},
		"an instance left: its leases are shared out":    {leases("me", "-", "-", "b", "-", "c"), "[1]"},
		"an instance died: likewise":                     {leases("me", "d!", "d!", "b", "d!", "c"), "[1]"},
		"free ones before any is stolen":                 {leases("b", "b", "b", "-"), "[3]"},
		"expired ones before any is stolen":              {leases("b", "b", "b", "c!"), "[3]"},
		"uneven: the ceiling is the share":               {leases("b", "b", "b", "-", "-", "-", "-"), "[3 4 5 6]"},
		"uneven: one above the share is enough to rob":   {leases("b", "b", "b", "c", "c", "me", "me"), "[]"},
		"the busiest of several is robbed":               {leases("b", "b", "c", "c", "c", "c"), "[2]"},
		"of two that are as busy, always the same":       {leases("c", "c", "c", "b", "b", "b"), "[3]"},
		"more instances than leases, one of them free":   {leases("b", "-"), "[1]"},
		"more instances than leases, one has two":        {leases("b", "b", "c"), "[0]"},
		"just at its expiration a lease is live":         {renewed(-expiration), "[]"},
		"my clock is 40 s ahead: the lease is live":      {renewed(-17*time.Second - 40*time.Second), "[]"},
		"my clock is 50 s ahead: I take a live lease":    {renewed(-17*time.Second - 50*time.Second), "[0]"},
		"my clock is 50 s behind: a dead one seems live": {renewed(-61*time.Second + 50*time.Second), "[]"},
		"far behind, it may take one off an even share":  {leases("b", "b", "c", "c"), "[0]"},
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

// However instances join, taking turns ends with even shares and then rests.
func TestBalanceSettles(t *testing.T) {
	now := time.Now()
	for _, size := range []struct{ leases, instances int }{{1, 1}, {2, 3}, {7, 3}, {10, 4}, {64, 5}} {
		leases := make([]domain.Lease, size.leases)
		for i := range leases {
			leases[i] = domain.Lease{Range: domain.FeedRange{MinInclusive: fmt.Sprint(i)}, Renewed: now}
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
			t.Errorf("%+v: leases go round for ever", size)
		}
	}
}
