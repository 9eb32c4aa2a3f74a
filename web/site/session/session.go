// Package session manages the sessions of signed-in users. The browser has a signed cookie with a
// random secret; the server stores the session under the secret's digest.
package session

import (
	"context"
	"crypto/hkdf"
	"crypto/sha256"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"time"

	"github.com/gorilla/securecookie"
	gorilla "github.com/gorilla/sessions"
	"github.com/labstack/echo/v4"

	"inkfeed/domain"
	"inkfeed/web/site/remote"
)

const minSessionKey = 32 // bytes

// Manager starts, finds and ends sessions.
type Manager struct{ *sessionStore }

// New returns a Manager. It derives a signing key from each secret: the first one signs cookies,
// and all of them verify. Secrets have at least 32 bytes.
func New(secrets [][]byte, store Store, logger *slog.Logger) (*Manager, error) {
	if len(secrets) == 0 {
		return nil, errors.New("web: no session key is configured")
	}
	s := &sessionStore{storage: store, cache: newSessionCache(), logger: logger}
	for i, secret := range secrets {
		if len(secret) < minSessionKey {
			return nil, fmt.Errorf("web: session key %d has %d bytes, but needs at least %d", i+1, len(secret),
				minSessionKey)
		}
		key, err := hkdf.Key(sha256.New, secret, nil, "inkfeed session id: HMAC-SHA256", 32)
		if err != nil {
			return nil, fmt.Errorf("web: derive session key %d: %w", i+1, err)
		}
		s.codecs = append(s.codecs, sessionCodec(key))
		s.settledCodecs = append(s.settledCodecs, sessionCodec(key).MinAge(int(settleTime/time.Second)))
	}
	return &Manager{s}, nil
}

// sessionCodec returns the codec that signs and verifies cookies with this key.
func sessionCodec(key []byte) *securecookie.SecureCookie {
	codec := securecookie.New(key, nil)
	return codec.SetSerializer(securecookie.NopEncoder{}).MaxAge(int(domain.SessionTime / time.Second))
}

// cookieName returns the name of the session cookie for this connection.
func cookieName(r *http.Request) string {
	if remote.TLS(r) {
		return SecureCookie
	}
	return PlainCookie
}

// LoginCookie returns the name of the cookie of a log-in that waits for its second factor.
func LoginCookie(r *http.Request) string { return cookieName(r) + "-login" }

// ReactionCookie returns the name of the cookie of a reaction that waits for its visitor to log in.
func ReactionCookie(r *http.Request) string { return cookieName(r) + "-reaction" }

// WaitingUser returns the user of a log-in that waits for its second factor, or "". It may have ended.
func (s *Manager) WaitingUser(r *http.Request) string {
	userID, _ := s.ParseCookie(r, LoginCookie(r))
	return userID
}

// session returns the session of a request. It is new if nobody is signed in.
func (s *Manager) session(c echo.Context) (*gorilla.Session, error) {
	r := c.Request()
	session, err := s.Get(r, cookieName(r))
	c.SetRequest(r)
	if err != nil || session.IsNew {
		return session, err
	}
	err = session.Save(r, c.Response())
	if domain.Is(err, domain.NotFound) { // the session has ended in the meantime
		return s.newSession(session.Name()), nil
	}
	return session, err
}

// CookieUser returns the user id in the request's cookie, or "". The session may have ended.
func (s *Manager) CookieUser(r *http.Request) string {
	userID, _ := s.ParseCookie(r, cookieName(r))
	return userID
}

// CookieSession returns the id of the session in the request's cookie, or "". The session may have ended.
func (s *Manager) CookieSession(r *http.Request) string {
	userID, secret := s.ParseCookie(r, cookieName(r))
	if userID == "" {
		return ""
	}
	return domain.SecretDigest(secret)
}

// Current returns the session of a request, or the zero session if there is none. The session may
// be invalid; see IsValid.
func (s *Manager) Current(c echo.Context) (domain.Session, error) {
	session, err := s.session(c)
	if err != nil {
		return domain.Session{}, err
	}
	record, _ := session.Values[sessionRecord].(domain.Session)
	return record, nil
}

// Recall returns the session of a user with the secret of its cookie, if this server has just read the session and its
// use need not be recorded yet. Unlike Current, it reads and writes nothing. The session may be invalid for its user.
func (s *Manager) Recall(userID, secret string) (domain.Session, bool) {
	record, ended, ok := s.cache.get(domain.SecretDigest(secret))
	return record, ok && !ended && record.UserID == userID && time.Since(record.LastUsed) < touchInterval
}

// List returns the sessions of a user, the last used first.
func (s *Manager) List(ctx context.Context, userID string) ([]domain.Session, error) {
	return s.storage.List(ctx, userID)
}

// EndByID ends one session of a user.
func (s *Manager) EndByID(ctx context.Context, userID, id string) error {
	return s.sessionStore.end(ctx, userID, id)
}

// Start signs a user in with a new session, and ends the browser's previous session.
//
// The user must have been read before any proof was checked. The session gets that user's session
// version, and a change of credentials raises the version in the transaction that writes the
// credentials. So either the proof was checked against the current credentials, or the session has
// a lower version than its user and is not valid (see viewer). This holds however long the log-in
// takes and whichever servers are involved. A stale read of the user also has a lower version, and
// the session is not valid.
func (s *Manager) Start(c echo.Context, u domain.User) error {
	r, now := c.Request(), domain.Timestamp(time.Now())
	session := s.newSession(cookieName(r))
	session.Values[sessionRecord] = domain.Session{UserID: u.ID, Device: remote.Device(r.UserAgent()),
		Created: now, LastUsed: now, Confirmed: now, SessionVersion: u.SessionVersion}
	if err := session.Save(r, c.Response()); err != nil {
		return err
	}
	if userID, secret := s.ParseCookie(r, session.Name()); userID != "" {
		if err := s.sessionStore.end(r.Context(), userID, domain.SecretDigest(secret)); err != nil {
			s.logger.WarnContext(r.Context(), "the previous session of the browser was not ended", "error", err)
		}
	}
	return nil
}

// End ends the session of a request and deletes its cookie.
func (s *Manager) End(c echo.Context) error {
	r := c.Request()
	session, err := s.New(r, cookieName(r))
	if err != nil {
		return err
	}
	session.Options.MaxAge = -1
	return session.Save(r, c.Response())
}

// DeleteCookie deletes the session's cookie. The session itself stays.
func (s *Manager) DeleteCookie(c echo.Context) {
	session := s.newSession(cookieName(c.Request()))
	session.Options.MaxAge = -1
	http.SetCookie(c.Response(), gorilla.NewCookie(session.Name(), "", session.Options))
}

// Confirmed reports whether the user has confirmed their identity in this session within this time.
// Confirmations on other servers count at once.
func (s *Manager) Confirmed(c echo.Context, within time.Duration) (bool, error) {
	session, err := s.session(c)
	if err != nil || session.IsNew {
		return false, err
	}
	record := session.Values[sessionRecord].(domain.Session)
	if time.Since(record.Confirmed) < within {
		return true, nil
	}
	record, err = s.reload(c.Request().Context(), record.UserID, record.ID)
	if domain.Is(err, domain.NotFound) {
		return false, nil
	}
	return err == nil && time.Since(record.Confirmed) < within, err
}

// Confirm records that the user has just confirmed their identity in this session.
func (s *Manager) Confirm(c echo.Context) error {
	session, err := s.session(c)
	if err != nil {
		return err
	}
	record, ok := session.Values[sessionRecord].(domain.Session)
	if !ok {
		return ErrNotSignedIn
	}
	record.Confirmed = domain.Timestamp(time.Now())
	if err := s.storage.Confirm(c.Request().Context(), record.UserID, record.ID, record.Confirmed); err != nil {
		return err
	}
	session.Values[sessionRecord] = record
	s.cache.update(record)
	return nil
}

// KeepCurrent keeps the session of a request valid after a change that has ended all of its user's
// sessions, and deletes the others. It raises the session's version by one. If the user's version
// has been raised again in the meantime, this session has ended too.
func (s *Manager) KeepCurrent(c echo.Context) error {
	session, err := s.session(c)
	if err != nil {
		return err
	}
	record, ok := session.Values[sessionRecord].(domain.Session)
	if !ok {
		return ErrNotSignedIn
	}
	ctx := c.Request().Context()
	record.SessionVersion++
	if err := s.storage.SetVersion(ctx, record.UserID, record.ID, record.SessionVersion); err != nil {
		return err
	}
	session.Values[sessionRecord] = record
	s.cache.update(record)
	s.DeleteOthers(ctx, record.UserID, record.ID)
	return nil
}

// DeleteOthers deletes all sessions of a user except keep; if keep is empty it deletes them all.
// They have already ended, so a session that cannot be deleted is harmless and expires.
func (s *Manager) DeleteOthers(ctx context.Context, userID, keep string) {
	if err := s.endOthers(ctx, userID, keep); err != nil {
		s.logger.WarnContext(ctx, "ended sessions were not deleted", "error", err, "user", userID)
	}
}

// IsValid reports whether the session of a request is still valid for its user.
func (s *Manager) IsValid(c echo.Context, u domain.User) (bool, error) {
	session, err := s.session(c)
	if err != nil {
		return false, err
	}
	record, ok := session.Values[sessionRecord].(domain.Session)
	if !ok || !record.EndedFor(u) {
		return ok, nil
	}
	return s.IsStillValid(c, u) // another server may have raised the session's version since this one cached it
}

// IsStillValid is IsValid for a session that may have ended since the request began. It reads the session from the
// storage.
func (s *Manager) IsStillValid(c echo.Context, u domain.User) (bool, error) {
	session, err := s.session(c)
	if err != nil {
		return false, err
	}
	record, ok := session.Values[sessionRecord].(domain.Session)
	if !ok {
		return false, nil
	}
	id := record.ID
	record, err = s.reload(c.Request().Context(), record.UserID, id)
	if domain.Is(err, domain.NotFound) {
		s.cache.remove(id)
		return false, nil
	}
	if err != nil {
		return false, err
	}
	session.Values[sessionRecord] = record
	return !record.EndedFor(u), nil
}

// ErrNotSignedIn is the error for requests without a session.
var ErrNotSignedIn = domain.NewError(domain.Unauthenticated, "Log in to continue.")
