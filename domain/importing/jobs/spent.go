package jobs

import (
	"cmp"
	"slices"
	"sync"
	"time"

	"inkfeed/domain"
)

// spent is the time that this instance took to read each user's uploads in the last hour.
type spent struct {
	mu     sync.Mutex
	byUser map[string]time.Duration
	since  time.Time
}

// add adds the time since start to that of a user. After an hour it begins anew.
func (s *spent) add(userID string, start time.Time) {
	s.mu.Lock()
	defer s.mu.Unlock()
	now := time.Now()
	if s.byUser == nil || now.Sub(s.since) > time.Hour {
		s.byUser, s.since = make(map[string]time.Duration), now
	}
	s.byUser[userID] += now.Sub(start)
}

// sort sorts entries by the time of their users, the least first.
func (s *spent) sort(entries []domain.ImportEntry) {
	s.mu.Lock()
	defer s.mu.Unlock()
	slices.SortStableFunc(entries, func(a, b domain.ImportEntry) int {
		return cmp.Compare(s.byUser[a.UserID], s.byUser[b.UserID])
	})
}
