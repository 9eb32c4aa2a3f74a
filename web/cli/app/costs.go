package app

import (
	"context"
	"errors"
	"maps"
	"slices"

	"inkfeed/cosmos"
	"inkfeed/cosmos/costs"
	"inkfeed/workers/changefeed"
	"inkfeed/workers/projection"
)

// lags returns a function that estimates the lag of all feed ranges, those of running rebuilds included.
func (b *background) lags(store *cosmos.Store, options changefeed.Options) func(context.Context) ([]costs.RangeLag,
	error) {
	options.Metrics = nil
	estimators := b.processors.Estimators()
	maps.Copy(estimators, projection.NewRebuildEstimators(store, options))
	return func(ctx context.Context) (all []costs.RangeLag, err error) {
		for _, name := range slices.Sorted(maps.Keys(estimators)) {
			lags, failed := estimators[name].RecentLag(ctx)
			err = errors.Join(err, failed)
			for _, l := range lags {
				all = append(all, costs.RangeLag{Processor: name, Range: changefeed.RangeName(l.Range), Owner: l.Owner,
					Transactions: l.Transactions, End: l.End, Age: l.Age})
			}
		}
		return all, err
	}
}

// tailerStates returns the state of each tailer of this process.
func (b *background) tailerStates() (all []costs.Tailer) {
	for _, t := range b.tailers() {
		all = append(all, costs.Tailer{Name: t.Name(), CatchingUp: t.CatchingUp()})
	}
	return all
}
