package session

import (
	"context"
	"crypto/rand"
	"fmt"
	"log/slog"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/gorilla/securecookie"
	gorilla "github.com/gorilla/sessions"

	"inkfeed/domain"
)

// Store stores sessions. Its methods fail with NotFound if a session has ended.
type Store interface {
	Create(ctx context.Context, session domain.Session) error
	Get(ctx context.Context, userID, id string) (domain.Session, error)
	// Touch records that a session was used, which extends it.
	Touch(ctx context.Context, userID, id string, at time.Time) error
	// RecordActivity records that the user is signed in on a day. Only the first call for a day changes the user.
	RecordActivity(ctx context.Context, userID string, day domain.ActiveDay) error
	// Confirm records that the user has confirmed their identity in the session.
	Confirm(ctx context.Context, userID, id string, at time.Time) error
	// SetVersion gives a session the user's current version, so that it stays valid when the others
	// are ended.
	SetVersion(ctx context.Context, userID, id string, version int) error
	// List returns the sessions of a user, the last used first.
	List(ctx context.Context, userID string) ([]domain.Session, error)
	Delete(ctx context.Context, userID, id string) error
	// DeleteOthers ends all sessions of a user except keep; if keep is empty it ends them all.
	DeleteOthers(ctx context.Context, userID, keep string) error
}

const (
	// SecureCookie is the name of the session cookie on encrypted connections. Because of its
	// prefix, browsers reject it from a subdomain or without encryption.
	SecureCookie = "__Host-inkfeed"
	// PlainCookie is the name of the session cookie on connections without encryption.
	PlainCookie = "inkfeed"

	cacheTime      = 3 * time.Second // how long a session is cached
	touchInterval  = 5 * time.Minute
	touchTimeout   = time.Second // touching must not delay the response for longer
	cookieInterval = 24 * time.Hour

	// settleTime is how old a cookie must be before a missing session is cached as ended. A replica
	// that this server reads may not yet have a session that another server has just started.
	settleTime = 10 * time.Second
)

// Keys of the values in a gorilla session.
const (
	sessionRecord = "session" // a domain.Session
	sessionSecret = "secret"  // the random part of the cookie
)

// sessionStore is a gorilla.Store whose sessions are stored on the server. The browser has only the
// signed text "<user>.<secret>".
type sessionStore struct {
	storage Store
	cache   *sessionCache
	codecs  []securecookie.Codec
	// settledCodecs verify cookies and reject those younger than settleTime.
	settledCodecs []securecookie.Codec
	logger        *slog.Logger
}

var _ gorilla.Store = (*sessionStore)(nil)

// Get returns the session of a request, cached in the request's context.
func (s *sessionStore) Get(r *http.Request, name string) (*gorilla.Session, error) {
	return gorilla.GetRegistry(r).Get(s, name)
}

// New returns the session of a request. The session is new if the cookie is missing or invalid, or
// if the session has ended. An error says that the storage failed.
func (s *sessionStore) New(r *http.Request, name string) (*gorilla.Session, error) {
	session := s.newSession(name)
	userID, secret := s.ParseCookie(r, name)
	if userID == "" {
		return session, nil
	}
	id := domain.SecretDigest(secret)
	record, err := s.load(r.Context(), userID, id)
	if domain.Is(err, domain.NotFound) {
		if err != errSessionEnded && s.isSettled(r, name) {
			s.cache.putEnded(userID, id)
		}
		return session, nil
	}
	if err != nil {
		return session, err
	}
	session.IsNew = false
	session.Values[sessionRecord], session.Values[sessionSecret] = record, secret
	return session, nil
}

// newSession returns an empty session that Save will start.
func (s *sessionStore) newSession(name string) *gorilla.Session {
	session := gorilla.NewSession(s, name)
	session.IsNew = true
	session.Options = &gorilla.Options{Path: "/", MaxAge: int(domain.SessionTime / time.Second), HttpOnly: true,
		Secure: name == SecureCookie, SameSite: http.SameSiteLaxMode}
	return session
}

// ParseCookie returns the user id and the secret in the signed cookie of this name, or empty
// strings. The session may have ended.
func (s *sessionStore) ParseCookie(r *http.Request, name string) (userID, secret string) {
	cookie, err := r.Cookie(name)
	if err != nil {
		return "", ""
	}
	var text []byte
	if securecookie.DecodeMulti(name, cookie.Value, &text, s.codecs...) != nil {
		return "", ""
	}
	cut := strings.LastIndexByte(string(text), '.') // user ids contain dots
	if cut < 0 || !domain.IsUserID(string(text[:cut])) {
		return "", ""
	}
	return string(text[:cut]), string(text[cut+1:])
}

// isSettled reports whether the request's cookie was issued at least settleTime ago.
func (s *sessionStore) isSettled(r *http.Request, name string) bool {
	cookie, err := r.Cookie(name)
	var text []byte
	return err == nil && securecookie.DecodeMulti(name, cookie.Value, &text, s.settledCodecs...) == nil
}

// load returns a session from the cache or the storage. It fails with NotFound if the session has
// ended.
func (s *sessionStore) load(ctx context.Context, userID, id string) (domain.Session, error) {
	if record, ended, ok := s.cache.get(id); ok && record.UserID == userID {
		if ended {
			return domain.Session{}, errSessionEnded
		}
		return record, nil
	}
	return s.reload(ctx, userID, id)
}

var errSessionEnded = domain.NewError(domain.NotFound, "The session has ended.")

// reload reads a session from the storage and caches it.
func (s *sessionStore) reload(ctx context.Context, userID, id string) (domain.Session, error) {
	seen := s.cache.generation()
	record, err := s.storage.Get(ctx, userID, id)
	if err == nil {
		s.cache.put(record, seen)
	}
	return record, err
}

// Save starts a new session, ends one with a negative MaxAge, and touches any other. Failing to
// touch a session is no error.
func (s *sessionStore) Save(r *http.Request, w http.ResponseWriter, session *gorilla.Session) error {
	record, _ := session.Values[sessionRecord].(domain.Session)
	switch {
	case session.Options.MaxAge < 0:
		if record.ID != "" {
			if err := s.end(r.Context(), record.UserID, record.ID); err != nil {
				return err
			}
		}
		http.SetCookie(w, gorilla.NewCookie(session.Name(), "", session.Options))
		return nil
	case session.IsNew:
		secret := rand.Text()
		record.ID = domain.SecretDigest(secret)
		recorded := s.recordActivity(r.Context(), record.UserID, record.LastUsed)
		err := s.storage.Create(r.Context(), record)
		recorded()
		if err != nil {
			return err
		}
		session.ID, session.IsNew = record.ID, false
		session.Values[sessionRecord], session.Values[sessionSecret] = record, secret
		return s.setCookie(w, session)
	}
	return s.touch(r, w, session, record)
}

// Encode returns the signed value of a session's cookie.
func (s *sessionStore) Encode(name, userID, secret string) (string, error) {
	return securecookie.EncodeMulti(name, []byte(userID+"."+secret), s.codecs...)
}

// setCookie sends the session's cookie to the browser.
func (s *sessionStore) setCookie(w http.ResponseWriter, session *gorilla.Session) error {
	record := session.Values[sessionRecord].(domain.Session)
	text, err := s.Encode(session.Name(), record.UserID, session.Values[sessionSecret].(string))
	if err != nil {
		return fmt.Errorf("sign a session cookie: %w", err)
	}
	http.SetCookie(w, gorilla.NewCookie(session.Name(), text, session.Options))
	return nil
}

// recordActivity records the day of a user's activity, while the caller writes the session. The returned function waits
// for it, at most for touchTimeout. A failure is logged, and the day may then be missing.
func (s *sessionStore) recordActivity(ctx context.Context, userID string, at time.Time) (wait func()) {
	var recording sync.WaitGroup
	recording.Go(func() {
		limited, cancel := context.WithTimeout(context.WithoutCancel(ctx), touchTimeout)
		defer cancel()
		if err := s.storage.RecordActivity(limited, userID, domain.ActiveDayOf(at)); err != nil {
			s.logger.WarnContext(ctx, "cannot record the activity of a user", "error", err, "user", userID)
		}
	})
	return recording.Wait
}

// touch records the use of a session every touchInterval, and the activity of its user once a day. It sends the cookie
// again about once a day, so that it expires no earlier than the session.
func (s *sessionStore) touch(r *http.Request, w http.ResponseWriter, session *gorilla.Session,
	record domain.Session) error {
	now, before := domain.Timestamp(time.Now()), record.LastUsed
	if now.Sub(before) < touchInterval {
		return nil
	}
	record.LastUsed = now
	session.Values[sessionRecord] = record
	s.cache.update(record) // concurrent requests need not record it again
	ctx, cancel := context.WithTimeout(r.Context(), touchTimeout)
	defer cancel()
	if domain.ActiveDayOf(before) != domain.ActiveDayOf(now) {
		defer s.recordActivity(r.Context(), record.UserID, now)()
	}
	err := s.storage.Touch(ctx, record.UserID, record.ID, now)
	if domain.Is(err, domain.NotFound) {
		s.cache.remove(record.ID)
		return err
	}
	if err != nil {
		s.logger.WarnContext(r.Context(), "the use of a session was not recorded", "error", err)
	}
	if now.Sub(record.Created)/cookieInterval != before.Sub(record.Created)/cookieInterval {
		return s.setCookie(w, session)
	}
	return nil
}

// end ends a session. Other servers notice when their cached session expires.
func (s *sessionStore) end(ctx context.Context, userID, id string) error {
	err := s.storage.Delete(ctx, userID, id)
	s.cache.remove(id)
	if err == nil {
		s.cache.putEnded(userID, id)
	}
	return err
}

// endOthers ends all sessions of a user except keep; if keep is empty it ends them all.
func (s *sessionStore) endOthers(ctx context.Context, userID, keep string) error {
	err := s.storage.DeleteOthers(ctx, userID, keep)
	s.cache.removeOthers(userID, keep)
	return err
}
