package storm

import (
	"slices"
	"sync"
	"time"

	"inkfeed/web/cli/systemtest/harness"
)

// heardWithin is the age of the oldest state that a server may show. A server answers from its
// cache only while the last complete read of the change feeds began at most three seconds ago, by
// the clock of this machine. It keeps data that is not in the change feeds for one second more.
//
// A slow machine does not break this bound. Tests compare the time after a write was
// acknowledged with the time before a page is asked for, and the server looks at its clock in
// between: a server that lags behind bypasses its cache instead of showing something older.
const heardWithin = 4 * time.Second

// markKind is what is counted of a post.
type markKind string

const (
	commentMark markKind = "comment"
	likeMark    markKind = "like"
)

// mark is a comment on a post or a like of it, as its client has sent it and taken it back.
// Only one write of it is under way at a time.
type mark struct {
	kind   markKind
	by     *account
	word   string // a comment's first, which no other has
	writes []*markWrite
}

type markWrite struct {
	there bool
	sent  time.Time
	// acknowledged is zero of a write whose outcome is not known.
	acknowledged time.Time
	at           *harness.Process // whose cache has it at once; nil: it may have been another's write
}

// marks is what was written on posts by all clients, for those who read it.
type marks struct {
	mu   sync.Mutex
	of   map[*post]map[any]*mark // by what names them: a *comment, or the *account that likes
	left map[*account]time.Time  // since when an account is being deleted, and all that is its
}

func newMarks() *marks {
	return &marks{of: make(map[*post]map[any]*mark), left: make(map[*account]time.Time)}
}

// sends notes a write before it is sent.
func (m *marks) sends(p *post, name any, what mark, there bool) *markWrite {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.of[p] == nil {
		m.of[p] = make(map[any]*mark)
	}
	if m.of[p][name] == nil {
		m.of[p][name] = &what
	}
	w := &markWrite{there: there, sent: time.Now()}
	m.of[p][name].writes = append(m.of[p][name].writes, w)
	return w
}

// hears notes that it was acknowledged.
func (m *marks) hears(w *markWrite, at *harness.Process) {
	m.mu.Lock()
	defer m.mu.Unlock()
	w.acknowledged, w.at = time.Now(), at
}

func (m *marks) leaves(a *account) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.left[a].IsZero() {
		m.left[a] = time.Now()
	}
}

// look is of a stranger, at a server's page of a post.
type look struct {
	server          *harness.Process
	asked, answered time.Time
}

// may tells whether a look may find a mark, and whether it may not.
func (m *marks) may(one *mark, l look) (there, not bool) {
	since := 0 // the first write that the server may not know of
	for i, w := range one.writes {
		if !w.acknowledged.IsZero() && (w.at == l.server && w.acknowledged.Before(l.asked) || w.acknowledged.Add(heardWithin).Before(l.asked)) {
			there, not, since = w.there, !w.there, i+1
		}
	}
	if since == 0 {
		not = true
	}
	for _, w := range one.writes[since:] {
		if w.sent.Before(l.answered) {
			there, not = there || w.there, not || !w.there
		}
	}
	left := m.left[one.by]
	return there, not || !left.IsZero() && left.Before(l.answered)
}

// expected is what a look may find of a post.
type expected struct {
	least, most     int
	present, absent []string // words of comments
	fewer           int      // than an earlier look has found it may find, of the same server
}

func (m *marks) expected(p *post, kind markKind, l look, earlier *look) (e expected) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, one := range m.of[p] {
		if one.kind != kind {
			continue
		}
		there, not := m.may(one, l)
		if there {
			e.most++
		}
		switch {
		case there && !not:
			e.least++
			e.present = append(e.present, one.word)
		case !there:
			e.absent = append(e.absent, one.word)
		}
		if earlier != nil && not {
			if was, _ := m.may(one, *earlier); was {
				e.fewer++
			}
		}
	}
	slices.Sort(e.present)
	slices.Sort(e.absent)
	return e
}
