package web

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
)

const minSessionKey = 32 // bytes

// sessions knows who is signed in, and where: see sessionStore.
type sessions struct{ *sessionStore }

// newSessions derives from each secret a key to sign with.
func newSessions(secrets [][]byte, kept Sessions, logger *slog.Logger) (*sessions, error) {
	if len(secrets) == 0 {
		return nil, errors.New("web: a session key is needed")
	}
	store := &sessionStore{kept: kept, known: newSessionCache(), logger: logger}
	for i, secret := range secrets {
		if len(secret) < minSessionKey {
			return nil, fmt.Errorf("web: session key %d has %d bytes, at least %d are needed", i+1, len(secret), minSessionKey)
		}
		key, err := hkdf.Key(sha256.New, secret, nil, "inkfeed session id: HMAC-SHA256", 32)
		if err != nil {
			return nil, err
		}
		codec := securecookie.New(key, nil)
		codec.SetSerializer(securecookie.NopEncoder{})
		codec.MaxAge(int(domain.SessionTime / time.Second))
		store.codecs = append(store.codecs, codec)
	}
	return &sessions{store}, nil
}

// cookieName is that of the session's cookie.
func cookieName(r *http.Request) string {
	if behindTLS(r) {
		return secureSessionCookie
	}
	return plainSessionCookie
}

// of is the session of a request, which is new when nobody is signed in.
func (s *sessions) of(c echo.Context) (*gorilla.Session, error) {
	r := c.Request()
	session, err := s.Get(r, cookieName(r))
	c.SetRequest(r)
	if err != nil || session.IsNew {
		return session, err
	}
	err = session.Save(r, c.Response())
	if domain.Is(err, domain.NotFound) { // it has ended since
		return s.blank(session.Name()), nil
	}
	return session, err
}

// claimedUser is whom the request's cookie once signed in, or "": the session may have ended.
func (s *sessions) claimedUser(r *http.Request) string {
	userID, _ := s.claimed(r, cookieName(r))
	return userID
}

// start signs a user in with a new session: nothing is kept of the one that the browser
// had, which ends.
func (s *sessions) start(c echo.Context, userID string) error {
	r, now := c.Request(), domain.Timestamp(time.Now())
	session := s.blank(cookieName(r))
	session.Values[sessionRecord] = domain.Session{UserID: userID, Device: deviceOf(r.UserAgent()),
		Created: now, LastUsed: now, Confirmed: now}
	if err := session.Save(r, c.Response()); err != nil {
		return err
	}
	if former, secret := s.claimed(r, session.Name()); former != "" {
		if err := s.sessionStore.end(r.Context(), former, domain.SecretDigest(secret)); err != nil {
			s.logger.WarnContext(r.Context(), "the former session of a browser goes on", "err", err)
		}
	}
	return nil
}

// end signs out.
func (s *sessions) end(c echo.Context) error {
	r := c.Request()
	session, err := s.New(r, cookieName(r))
	if err != nil {
		return err
	}
	session.Options.MaxAge = -1
	return session.Save(r, c.Response())
}

// confirmed tells whether the user has proved to be one in this session within that time.
// What another server has noted counts at once.
func (s *sessions) confirmed(c echo.Context, within time.Duration) (bool, error) {
	session, err := s.of(c)
	if err != nil || session.IsNew {
		return false, err
	}
	record := session.Values[sessionRecord].(domain.Session)
	if time.Since(record.Confirmed) < within {
		return true, nil
	}
	record, err = s.fresh(c.Request().Context(), record.UserID, record.ID)
	if domain.Is(err, domain.NotFound) {
		return false, nil
	}
	return err == nil && time.Since(record.Confirmed) < within, err
}

// confirm notes that the user has just proved to be one in this session.
func (s *sessions) confirm(c echo.Context) error {
	session, err := s.of(c)
	if err != nil {
		return err
	}
	record, ok := session.Values[sessionRecord].(domain.Session)
	if !ok {
		return errNobody
	}
	record.Confirmed = domain.Timestamp(time.Now())
	if err := s.kept.Confirm(c.Request().Context(), record.UserID, record.ID, record.Confirmed); err != nil {
		return err
	}
	session.Values[sessionRecord] = record
	s.known.update(record)
	return nil
}

// viewerKey is where a request keeps its viewer once it is known.
const viewerKey = "viewer"

// viewer is who is signed in, the zero user when nobody is. It fails when that cannot be
// found out, which is not the same.
func (s *site) viewer(c echo.Context) (domain.User, error) {
	if u, ok := c.Get(viewerKey).(domain.User); ok {
		return u, nil
	}
	session, err := s.session(c)
	if err != nil {
		return domain.User{}, err
	}
	var u domain.User
	if session.UserID != "" {
		u, err = s.users.ByID(c.Request().Context(), session.UserID)
		if err != nil && !domain.Is(err, domain.NotFound) {
			return domain.User{}, err
		}
		if err != nil {
			u = domain.User{}
		}
	}
	c.Set(viewerKey, u)
	return u, nil
}

// session is the one that a request belongs to, the zero session when there is none. Its
// user may be gone: see viewer.
func (s *site) session(c echo.Context) (domain.Session, error) {
	session, err := s.sessions.of(c)
	if err != nil {
		return domain.Session{}, err
	}
	record, _ := session.Values[sessionRecord].(domain.Session)
	return record, nil
}

type userByID interface {
	ByID(ctx context.Context, userID string) (domain.User, error)
}

// signedIn is viewer for what needs one: the error is of kind Unauthenticated
// when nobody is signed in.
func (s *site) signedIn(c echo.Context) (domain.User, error) {
	u, err := s.viewer(c)
	if err == nil && u.ID == "" {
		err = errNobody
	}
	return u, err
}

// errNobody says that nobody is signed in.
var errNobody = domain.Errorf(domain.Unauthenticated, "You need to log in first.")
