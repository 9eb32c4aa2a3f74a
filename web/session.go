package web

import (
	"context"
	"crypto/hkdf"
	"crypto/rand"
	"crypto/sha256"
	"errors"
	"fmt"
	"net/http"
	"time"

	gorilla "github.com/gorilla/sessions"
	"github.com/labstack/echo/v4"

	"inkfeed/domain"
)

const (
	sessionCookie = "inkfeed_session"
	sessionAge    = 30 * 24 * time.Hour
	minSessionKey = 32 // bytes
)

// Keys of a session's values.
const (
	sessionID     = "id"   // random, new at each log-in
	sessionUserID = "user" // who is signed in
)

// sessions keeps who is signed in, in a cookie that only this site can read and
// write.
type sessions struct{ store gorilla.Store }

// newSessions derives from each secret one key to sign and one to encrypt with.
func newSessions(secrets [][]byte) (*sessions, error) {
	if len(secrets) == 0 {
		return nil, errors.New("web: a session key is needed")
	}
	var pairs [][]byte
	for i, secret := range secrets {
		if len(secret) < minSessionKey {
			return nil, fmt.Errorf("web: session key %d has %d bytes, at least %d are needed", i+1, len(secret), minSessionKey)
		}
		hash, err := hkdf.Key(sha256.New, secret, nil, "inkfeed session cookie: HMAC-SHA256", 32)
		if err != nil {
			return nil, err
		}
		block, err := hkdf.Key(sha256.New, secret, nil, "inkfeed session cookie: AES-256", 32)
		if err != nil {
			return nil, err
		}
		pairs = append(pairs, hash, block)
	}
	store := gorilla.NewCookieStore(pairs...)
	store.MaxAge(int(sessionAge / time.Second))
	return &sessions{store}, nil
}

// userID is whom the request's cookie signs in, or "". A cookie that is broken,
// foreign or too old signs nobody in, and is no error.
func (s *sessions) userID(r *http.Request) string {
	session, err := s.store.New(r, sessionCookie)
	if err != nil || session.IsNew {
		return ""
	}
	id, _ := session.Values[sessionUserID].(string)
	return id
}

// start signs a user in with a new session: nothing of an earlier one is kept.
func (s *sessions) start(c echo.Context, userID string) error {
	return s.save(c, map[any]any{sessionID: rand.Text(), sessionUserID: userID}, int(sessionAge/time.Second))
}

// end signs out.
func (s *sessions) end(c echo.Context) error { return s.save(c, map[any]any{}, -1) }

func (s *sessions) save(c echo.Context, values map[any]any, maxAge int) error {
	session := gorilla.NewSession(s.store, sessionCookie)
	session.Values = values
	session.Options = &gorilla.Options{Path: "/", MaxAge: maxAge, HttpOnly: true,
		Secure: behindTLS(c.Request()), SameSite: http.SameSiteLaxMode}
	return session.Save(c.Request(), c.Response())
}

// behindTLS reports whether the visitor's connection is encrypted. The header is
// believed from anybody: who forges it only keeps a cookie of his own from
// himself.
func behindTLS(r *http.Request) bool {
	return r.TLS != nil || r.Header.Get("X-Forwarded-Proto") == "https"
}

// viewerKey is where a request keeps its viewer once it is known.
const viewerKey = "viewer"

// viewer is who is signed in, the zero user when nobody is.
func (s *site) viewer(c echo.Context) (domain.User, error) {
	if u, ok := c.Get(viewerKey).(domain.User); ok {
		return u, nil
	}
	var u domain.User
	if id := s.sessions.userID(c.Request()); id != "" {
		var err error
		u, err = s.users.ByID(c.Request().Context(), id)
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

type userByID interface {
	ByID(ctx context.Context, userID string) (domain.User, error)
}

// signedIn is viewer for what needs one: the error is of kind Unauthenticated
// when nobody is signed in.
func (s *site) signedIn(c echo.Context) (domain.User, error) {
	u, err := s.viewer(c)
	if err == nil && u.ID == "" {
		err = domain.Errorf(domain.Unauthenticated, "You need to log in first.")
	}
	return u, err
}
