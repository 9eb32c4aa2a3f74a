package session

import (
	"sync"
	"time"

	"github.com/hashicorp/golang-lru/v2/simplelru"

	"inkfeed/domain"
)

// maxSessionsKnown is how many sessions one server remembers.
const maxSessionsKnown = 10_000

// sessionCache remembers for some seconds that sessions go on, or have ended, so that a page
// and what it loads ask for theirs once. None that this server has ended comes back into it.
type sessionCache struct {
	mu    sync.Mutex
	known *simplelru.LRU[string, knownSession]
	ended uint64 // counts what was forgotten
}

type knownSession struct {
	domain.Session
	until time.Time
	ended bool // then the session has an id and a user only
}

func newSessionCache() *sessionCache {
	known, err := simplelru.NewLRU[string, knownSession](maxSessionsKnown, nil)
	if err != nil {
		panic(err) // the size is positive
	}
	return &sessionCache{known: known}
}

func (c *sessionCache) get(id string) (s domain.Session, ended, ok bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	found, ok := c.known.Get(id)
	return found.Session, found.ended, ok && time.Now().Before(found.until)
}

// generation is what put has to be told: what was read before another was forgotten may
// be what has ended.
func (c *sessionCache) generation() uint64 {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.ended
}

func (c *sessionCache) put(s domain.Session, generation uint64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.ended == generation {
		c.known.Add(s.ID, knownSession{Session: s, until: time.Now().Add(sessionKnown)})
	}
}

// update changes what is known of a session, for as long as it is.
func (c *sessionCache) update(s domain.Session) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if found, ok := c.known.Peek(s.ID); ok && !found.ended {
		c.known.Add(s.ID, knownSession{Session: s, until: found.until})
	}
}

// putEnded remembers that a session has ended. No later session has its id, which is random.
func (c *sessionCache) putEnded(userID, id string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.known.Add(id, knownSession{Session: domain.Session{UserID: userID, ID: id},
		until: time.Now().Add(sessionKnown), ended: true})
}

func (c *sessionCache) forget(id string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.ended++
	c.known.Remove(id)
}

func (c *sessionCache) forgetOthers(userID, keep string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.ended++
	for _, id := range c.known.Keys() {
		if found, ok := c.known.Peek(id); ok && found.UserID == userID && id != keep {
			c.known.Remove(id)
		}
	}
}
