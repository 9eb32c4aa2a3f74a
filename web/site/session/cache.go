package session

import (
	"sync"
	"time"

	"github.com/hashicorp/golang-lru/v2/simplelru"

	"inkfeed/domain"
)

// maxCachedSessions is the capacity of a sessionCache.
const maxCachedSessions = 10_000

// sessionCache caches for cacheTime which sessions are valid and which have ended. So a page and
// the requests that it causes read the session once. A session that this server has ended does not
// come back as valid.
type sessionCache struct {
	mu       sync.Mutex
	sessions simplelru.LRUCache[string, cachedSession]
	removals uint64 // counts calls of remove and removeOthers
}

type cachedSession struct {
	domain.Session
	until time.Time
	ended bool // then only UserID and ID are set
}

func newSessionCache() *sessionCache {
	known, err := simplelru.NewLRU[string, cachedSession](maxCachedSessions, nil)
	if err != nil {
		panic(err) // the size is positive
	}
	return &sessionCache{sessions: known}
}

func (c *sessionCache) get(id string) (s domain.Session, ended, ok bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	found, ok := c.sessions.Get(id)
	return found.Session, found.ended, ok && time.Now().Before(found.until)
}

// generation returns the number of removals. The caller reads it before it reads a session from the
// storage, and passes it to put.
func (c *sessionCache) generation() uint64 {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.removals
}

// put caches a session that was read from the storage, unless a session was removed after
// generation: it may be the one that was read.
func (c *sessionCache) put(s domain.Session, generation uint64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.removals == generation {
		c.sessions.Add(s.ID, cachedSession{Session: s, until: time.Now().Add(cacheTime)})
	}
}

// update replaces a cached session without extending its time in the cache.
func (c *sessionCache) update(s domain.Session) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if found, ok := c.sessions.Peek(s.ID); ok && !found.ended {
		c.sessions.Add(s.ID, cachedSession{Session: s, until: found.until})
	}
}

// putEnded caches that a session has ended. Session ids are random, so no later session has this
// id.
func (c *sessionCache) putEnded(userID, id string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.sessions.Add(id, cachedSession{Session: domain.Session{UserID: userID, ID: id},
		until: time.Now().Add(cacheTime), ended: true})
}

func (c *sessionCache) remove(id string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.removals++
	c.sessions.Remove(id)
}

func (c *sessionCache) removeOthers(userID, keep string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.removals++
	for _, id := range c.sessions.Keys() {
		if found, ok := c.sessions.Peek(id); ok && found.UserID == userID && id != keep {
			c.sessions.Remove(id)
		}
	}
}
