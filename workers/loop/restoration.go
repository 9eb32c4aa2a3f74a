package loop

import "time"

// RestoredAfter is how long what is read may stay older than what was known before a reader concludes that the storage
// was restored to an older state, as from a backup. A replica that lags catches up sooner.
const RestoredAfter = time.Minute

// Restoration detects that the storage was restored. The zero value is ready for use. It is not safe for concurrent
// use.
type Restoration struct {
	since time.Time // when the first of the reads was made that were all older; zero if the last one was not
}

// Read records whether a read was older than what was known, and reports whether all reads of RestoredAfter were.
func (r *Restoration) Read(older bool) bool {
	switch {
	case !older:
		r.since = time.Time{}
	case r.since.IsZero():
		r.since = time.Now()
	}
	return older && time.Since(r.since) >= RestoredAfter
}
