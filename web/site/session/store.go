package session

import (
	"context"
	"crypto/rand"
	"log/slog"
	"net/http"
	"strings"
	"time"

	"github.com/gorilla/securecookie"
	gorilla "github.com/gorilla/sessions"

	"inkfeed/domain"
)

// Store is where the sessions are kept. NotFound says that one has ended.
type Store interface {
	Create(ctx context.Context, session domain.Session) error
	Get(ctx context.Context, userID, id string) (domain.Session, error)
	// Touch notes that a session is used, which lets it last; Confirm that the user has
	// proved to be one in it.
	Touch(ctx context.Context, userID, id string, at time.Time) error
	Confirm(ctx context.Context, userID, id string, at time.Time) error
	// SetVersion gives a session the user's current version, so that it stays valid when the others
	// are ended.
	SetVersion(ctx context.Context, userID, id string, version int) error
	// List is a user's sessions, the last used first.
	List(ctx context.Context, userID string) ([]domain.Session, error)
	Delete(ctx context.Context, userID, id string) error
	// DeleteOthers ends all sessions of a user's but one; an empty keep ends them all.
	DeleteOthers(ctx context.Context, userID, keep string) error
}

const (
	// The prefix has browsers refuse the cookie from a subdomain, and without encryption.
	SecureCookie = "__Host-inkfeed"
	PlainCookie  = "inkfeed"

	sessionKnown = 3 * time.Second // that a session goes on, before it is asked again
	touchEvery   = 5 * time.Minute
	touchTime    = time.Second // more is not spent on it
	renewEvery   = 24 * time.Hour

	// settleTime is how old a cookie must be before its session counts as ended because it was
	// not found: another server may have begun it, and this one's reading may be behind.
	settleTime = 10 * time.Second
)

// Keys of a session's values.
const (
	sessionRecord = "session" // a domain.Session
	sessionSecret = "secret"  // what the browser is given
)

// sessionStore is gorilla's Store of sessions that are kept on the server: the browser has
// "<user>.<random text>", signed, and nothing else.
type sessionStore struct {
	kept   Store
	known  *sessionCache
	codecs []securecookie.Codec
	// settled are the codecs for reading alone. They refuse a cookie younger than settleTime.
	settled []securecookie.Codec
	logger  *slog.Logger
}

var _ gorilla.Store = (*sessionStore)(nil)

func (s *sessionStore) Get(r *http.Request, name string) (*gorilla.Session, error) {
	return gorilla.GetRegistry(r).Get(s, name)
}

// New is the session of a request. One whose cookie is missing, broken or foreign, or that
// has ended, is new and no error; the error says that the storage could not be asked.
func (s *sessionStore) New(r *http.Request, name string) (*gorilla.Session, error) {
	session := s.blank(name)
	userID, secret := s.Claimed(r, name)
	if userID == "" {
		return session, nil
	}
	id := domain.SecretDigest(secret)
	record, err := s.load(r.Context(), userID, id)
	if domain.Is(err, domain.NotFound) {
		if err != errSessionEnded && s.isSettled(r, name) {
			s.known.putEnded(userID, id)
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

// blank is a session that is to begin.
func (s *sessionStore) blank(name string) *gorilla.Session {
	session := gorilla.NewSession(s, name)
	session.IsNew = true
	session.Options = &gorilla.Options{Path: "/", MaxAge: int(domain.SessionTime / time.Second), HttpOnly: true,
		Secure: name == SecureCookie, SameSite: http.SameSiteLaxMode}
	return session
}

// Claimed is what a cookie of ours says, whether or not the session goes on.
func (s *sessionStore) Claimed(r *http.Request, name string) (userID, secret string) {
	cookie, err := r.Cookie(name)
	if err != nil {
		return "", ""
	}
	var text []byte
	if securecookie.DecodeMulti(name, cookie.Value, &text, s.codecs...) != nil {
		return "", ""
	}
	cut := strings.LastIndexByte(string(text), '.') // ids of users have dots
	if cut < 0 || !domain.IsUserID(string(text[:cut])) {
		return "", ""
	}
	return string(text[:cut]), string(text[cut+1:])
}

// isSettled reports whether the session of a cookie of ours began, or was renewed, settleTime ago.
func (s *sessionStore) isSettled(r *http.Request, name string) bool {
	cookie, err := r.Cookie(name)
	var text []byte
	return err == nil && securecookie.DecodeMulti(name, cookie.Value, &text, s.settled...) == nil
}

// load is the session of a cookie, from the cache or the storage. NotFound says that it has ended.
func (s *sessionStore) load(ctx context.Context, userID, id string) (domain.Session, error) {
	if record, ended, ok := s.known.get(id); ok && record.UserID == userID {
		if ended {
			return domain.Session{}, errSessionEnded
		}
		return record, nil
	}
	return s.fresh(ctx, userID, id)
}

var errSessionEnded = domain.Errorf(domain.NotFound, "The session has ended.")

// fresh asks the storage, and remembers the answer.
func (s *sessionStore) fresh(ctx context.Context, userID, id string) (domain.Session, error) {
	seen := s.known.generation()
	record, err := s.kept.Get(ctx, userID, id)
	if err == nil {
		s.known.put(record, seen)
	}
	return record, err
}

// Save begins a session that is new, ends one whose MaxAge is negative, and notes of any
// other that it is used. What it cannot note is no error: the session goes on.
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
		if err := s.kept.Create(r.Context(), record); err != nil {
			return err
		}
		session.ID, session.IsNew = record.ID, false
		session.Values[sessionRecord], session.Values[sessionSecret] = record, secret
		return s.give(w, session)
	}
	return s.touch(r, w, session, record)
}

// Encode returns the signed value of a session's cookie.
func (s *sessionStore) Encode(name, userID, secret string) (string, error) {
	return securecookie.EncodeMulti(name, []byte(userID+"."+secret), s.codecs...)
}

// give gives the browser its cookie.
func (s *sessionStore) give(w http.ResponseWriter, session *gorilla.Session) error {
	record := session.Values[sessionRecord].(domain.Session)
	text, err := s.Encode(session.Name(), record.UserID, session.Values[sessionSecret].(string))
	if err != nil {
		return err
	}
	http.SetCookie(w, gorilla.NewCookie(session.Name(), text, session.Options))
	return nil
}

// touch notes that a session is used if that was noted some minutes ago, and gives the
// browser its cookie anew about once a day, so that it lasts as long.
func (s *sessionStore) touch(r *http.Request, w http.ResponseWriter, session *gorilla.Session,
	record domain.Session) error {
	now, before := domain.Timestamp(time.Now()), record.LastUsed
	if now.Sub(before) < touchEvery {
		return nil
	}
	record.LastUsed = now
	session.Values[sessionRecord] = record
	s.known.update(record) // other requests of this moment need not note it as well
	ctx, cancel := context.WithTimeout(r.Context(), touchTime)
	defer cancel()
	err := s.kept.Touch(ctx, record.UserID, record.ID, now)
	if domain.Is(err, domain.NotFound) {
		s.known.forget(record.ID)
		return err
	}
	if err != nil {
		s.logger.WarnContext(r.Context(), "the use of a session was not noted", "err", err)
	}
	if now.Sub(record.Created)/renewEvery != before.Sub(record.Created)/renewEvery {
		return s.give(w, session)
	}
	return nil
}

// end ends a session, here at once and at other servers as soon as they ask again.
func (s *sessionStore) end(ctx context.Context, userID, id string) error {
	err := s.kept.Delete(ctx, userID, id)
	s.known.forget(id)
	if err == nil {
		s.known.putEnded(userID, id)
	}
	return err
}

// endOthers ends all sessions of a user's but one; an empty keep ends them all.
func (s *sessionStore) endOthers(ctx context.Context, userID, keep string) error {
	err := s.kept.DeleteOthers(ctx, userID, keep)
	s.known.forgetOthers(userID, keep)
	return err
}
