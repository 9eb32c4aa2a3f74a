package storm

import (
	"slices"
	"sync"
	"time"

	"inkfeed/web/cli/systemtest/harness"
)

// maxStaleness is the age of the oldest state that a server may show. A server answers from its
// cache only while the last complete read of the change feeds began at most three seconds ago, by
// the clock of this machine. It keeps data that is not in the change feeds for one second more.
//
// A slow machine does not break this bound. Tests compare the time after the acknowledgement of a write with the time
// before the request for a page, and the server reads its clock in between. A server that lags behind bypasses its
// cache instead of showing something older.
const maxStaleness = 4 * time.Second

// reactionKind is a kind of reaction to a post, as pages name it.
type reactionKind string

const (
	commentReaction reactionKind = "comment"
	likeReaction    reactionKind = "like"
)

// reaction is a comment on a post or a like, with the writes that created and removed it. Only one write of it is in
// progress at a time.
type reaction struct {
	kind   reactionKind
	by     *account
	word   string // the unique first word of a comment
	writes []*reactionWrite
}

type reactionWrite struct {
	there bool
	sent  time.Time
	// acknowledged is the time of the answer. It is zero if the outcome is unknown.
	acknowledged time.Time
	at           *harness.Process // the server whose cache is current at once, or nil if it is unknown
}

// reactions records the comments and likes of all clients. Readers compare pages with it.
type reactions struct {
	mu      sync.Mutex
	of      map[*post]map[any]*reaction // by the *comment, or by the *account that likes the post
	removed map[*account]time.Time      // start of the first deletion or suspension, which removes reactions
}

func newReactions() *reactions {
	return &reactions{of: make(map[*post]map[any]*reaction), removed: make(map[*account]time.Time)}
}

// recordSent records a write before it is sent.
func (m *reactions) recordSent(p *post, name any, what reaction, there bool) *reactionWrite {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.of[p] == nil {
		m.of[p] = make(map[any]*reaction)
	}
	if m.of[p][name] == nil {
		m.of[p][name] = &what
	}
	w := &reactionWrite{there: there, sent: time.Now()}
	m.of[p][name].writes = append(m.of[p][name].writes, w)
	return w
}

// recordAcknowledged records that a server acknowledged a write.
func (m *reactions) recordAcknowledged(w *reactionWrite, at *harness.Process) {
	m.mu.Lock()
	defer m.mu.Unlock()
	w.acknowledged, w.at = time.Now(), at
}

// recordRemoval records that an account is about to be deleted or suspended.
func (m *reactions) recordRemoval(a *account) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.removed[a].IsZero() {
		m.removed[a] = time.Now()
	}
}

// pageRead is a request of an anonymous visitor for a page of a post.
type pageRead struct {
	server          *harness.Process
	asked, answered time.Time
}

// may reports whether a page may show a reaction, and whether it may lack it.
func (m *reactions) may(one *reaction, l pageRead) (there, not bool) {
	since := 0 // index of the first write that the page need not show
	for i, w := range one.writes {
		shows := w.at == l.server && w.acknowledged.Before(l.asked) || w.acknowledged.Add(maxStaleness).Before(l.asked)
		if !w.acknowledged.IsZero() && shows {
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
	removed := m.removed[one.by]
	return there, not || !removed.IsZero() && removed.Before(l.answered)
}

// expected describes the reactions that a page may show.
type expected struct {
	least, most     int
	present, absent []string // words of comments that the page must and must not show
	fewer           int      // number of reactions that an earlier page may have shown and this one may lack
}

// expected returns the reactions of a kind that a page may show. The earlier page may be nil.
func (m *reactions) expected(p *post, kind reactionKind, l pageRead, earlier *pageRead) (e expected) {
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
