package cli

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"inkfeed/cosmos/feeds"
	"inkfeed/workers/changefeed"
	"inkfeed/workers/projection"
)

// lagging is a processor with given lags.
type lagging struct {
	projection.Processor
	lags []changefeed.RangeLag
}

func (l lagging) Lag(context.Context) ([]changefeed.RangeLag, error) { return l.lags, nil }

func TestReplayHasPassedAMomentWhenAllEarlierChangesAreProjected(t *testing.T) {
	const since = time.Minute // age of the moment
	low, high := feeds.Range{MaxExclusive: "1F"}, feeds.Range{MinInclusive: "1F", MaxExclusive: "FF"}
	for name, c := range map[string]struct {
		lags []changefeed.RangeLag
		want bool
	}{
		"all changes are projected": {[]changefeed.RangeLag{{Range: low}, {Range: high}}, true},
		"the remaining changes are newer": {[]changefeed.RangeLag{{Range: low},
			{Range: high, Transactions: 9, Age: since - clockSkew - time.Second}}, true},
		"the remaining changes are newer by less than the clock skew": {[]changefeed.RangeLag{{Range: low},
			{Range: high, Transactions: 9, Age: since - time.Second}}, false},
		"the remaining changes are older": {[]changefeed.RangeLag{
			{Range: low, Transactions: 9, Age: since + time.Second}, {Range: high}}, false},
		"there is no lease yet":                 {nil, false},
		"there is no lease for the first range": {[]changefeed.RangeLag{{Range: high}}, false},
		"there is no lease for the last range":  {[]changefeed.RangeLag{{Range: low}}, false},
		"the leases are in another order":       {[]changefeed.RangeLag{{Range: high}, {Range: low}}, true},
		"the remaining changes are much newer": {[]changefeed.RangeLag{{Range: low},
			{Range: high, Transactions: 1}}, true},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				got, err := passed(t.Context(), lagging{lags: c.lags}, time.Now().Add(-since))
				if got != c.want || err != nil {
					t.Errorf("passed is %v, want %v; error %v", got, c.want, err)
				}
			})
		})
	}
}
