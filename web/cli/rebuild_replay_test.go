package cli

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"inkfeed/domain"
	"inkfeed/workers/changefeed"
	"inkfeed/workers/projection"
)

// lagging is a processor that is behind.
type lagging struct {
	projection.Processor
	lags []changefeed.RangeLag
}

func (l lagging) Lag(context.Context) ([]changefeed.RangeLag, error) { return l.lags, nil }

func TestPassedAMoment(t *testing.T) {
	const since = time.Minute // the moment
	low, high := domain.FeedRange{MaxExclusive: "1F"}, domain.FeedRange{MinInclusive: "1F", MaxExclusive: "FF"}
	for name, c := range map[string]struct {
		lags []changefeed.RangeLag
		want bool
	}{
		"all is projected":                         {[]changefeed.RangeLag{{Range: low}, {Range: high}}, true},
		"what is behind was written after it":      {[]changefeed.RangeLag{{Range: low}, {Range: high, Transactions: 9, Age: since - clockSkew - time.Second}}, true},
		"the clocks may differ":                    {[]changefeed.RangeLag{{Range: low}, {Range: high, Transactions: 9, Age: since - time.Second}}, false},
		"what is behind was written before it":     {[]changefeed.RangeLag{{Range: low, Transactions: 9, Age: since + time.Second}, {Range: high}}, false},
		"there is no lease yet":                    {nil, false},
		"there is no lease for the first range":    {[]changefeed.RangeLag{{Range: high}}, false},
		"there is no lease for the last range":     {[]changefeed.RangeLag{{Range: low}}, false},
		"the leases come in another order":         {[]changefeed.RangeLag{{Range: high}, {Range: low}}, true},
		"what is behind was written long after it": {[]changefeed.RangeLag{{Range: low}, {Range: high, Transactions: 1}}, true},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				if got, err := passed(t.Context(), lagging{lags: c.lags}, time.Now().Add(-since)); got != c.want || err != nil {
					t.Errorf("%v, %v", got, err)
				}
			})
		})
	}
}
