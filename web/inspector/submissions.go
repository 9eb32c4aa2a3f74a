package inspector

import (
	"sync"
	"time"

	view "inkfeed/views/inspector"
)

const (
	// maxSubmissions is the maximum number of sessions whose last form is remembered.
	maxSubmissions = 100
	// submissionTime is how long the operations of a form are remembered for the page that it leads to.
	submissionTime = time.Minute
)

// submissions remembers the operations of the last form of each session until the next page shows them. Another server
// does not know them: its page has no section about the form. The zero value is ready to use.
type submissions struct {
	mu        sync.Mutex
	bySession map[string]submission
}

type submission struct {
	view.Report
	at time.Time
}

// put remembers a report. While too many sessions have one, those that have expired are dropped, and then any.
func (s *submissions) put(session string, report view.Report, now time.Time) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.bySession == nil {
		s.bySession = make(map[string]submission)
	}
	for other, submitted := range s.bySession {
		if len(s.bySession) >= maxSubmissions || now.Sub(submitted.at) > submissionTime {
			delete(s.bySession, other)
		}
	}
	s.bySession[session] = submission{report, now}
}

// take returns and forgets the report of a session.
func (s *submissions) take(session string, now time.Time) (view.Report, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	submitted, ok := s.bySession[session]
	delete(s.bySession, session)
	return submitted.Report, ok && now.Sub(submitted.at) <= submissionTime
}
