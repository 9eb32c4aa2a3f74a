package explorer

import (
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"net/http"
	"strings"
	"sync"
	"time"

	"inkfeed/domain/locale"
	view "inkfeed/views/explorer"
)

const (
	cookieName = "inkfeed-explorer"
	// sessionTime is how long a session lasts. Sessions also end with the process.
	sessionTime = 12 * time.Hour
	// maxLogIn is the maximum size of the log-in form in bytes. Anyone who reaches the address can send it.
	maxLogIn = 64 << 10
)

// sessions are the sessions of browsers that sent the account key. A session is a random token in a cookie.
type sessions struct {
	mu   sync.Mutex
	ends map[[sha256.Size]byte]time.Time // by hash of the token
}

func (s *sessions) begin(now time.Time) (token string) {
	token = rand.Text()
	s.mu.Lock()
	defer s.mu.Unlock()
	for hash, end := range s.ends {
		if now.After(end) {
			delete(s.ends, hash)
		}
	}
	s.ends[sha256.Sum256([]byte(token))] = now.Add(sessionTime)
	return token
}

func (s *sessions) valid(token string, now time.Time) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	end, ok := s.ends[sha256.Sum256([]byte(token))]
	return ok && now.Before(end)
}

func (s *sessions) end(token string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.ends, sha256.Sum256([]byte(token)))
}

// token returns the request's session token, or "".
func token(r *http.Request) string {
	cookie, err := r.Cookie(cookieName)
	if err != nil {
		return ""
	}
	return cookie.Value
}

// setCookie sets or deletes the session cookie. It has no Secure attribute, because the explorer is served without TLS
// on loopback addresses, where Safari ignores secure cookies.
func setCookie(w http.ResponseWriter, token string, maxAge int) {
	http.SetCookie(w, &http.Cookie{Name: cookieName, Value: token, Path: view.Root, MaxAge: maxAge, HttpOnly: true,
		SameSite: http.SameSiteStrictMode})
}

// accepts reports whether a text is one of the account keys. Its time does not depend on the text's content.
func (e *explorer) accepts(text string) bool {
	given, found := sha256.Sum256([]byte(text)), 0
	for _, key := range e.keys {
		found |= subtle.ConstantTimeCompare(given[:], key[:])
	}
	return found == 1
}

// showLogIn shows the form that asks for the key.
func (e *explorer) showLogIn(w http.ResponseWriter, r *http.Request) error {
	if e.sessions.valid(token(r), e.now()) {
		http.Redirect(w, r, view.Root, http.StatusSeeOther)
		return nil
	}
	return e.render(w, r, http.StatusOK, view.LogIn(view.LogInForm{Next: nextPath(r)}))
}

// logIn begins a session if the form contains an account key.
func (e *explorer) logIn(w http.ResponseWriter, r *http.Request) error {
	r.Body = http.MaxBytesReader(w, r.Body, maxLogIn)
	form := view.LogInForm{Next: nextPath(r)}
	if !e.accepts(strings.TrimSpace(r.PostFormValue("key"))) {
		form.Errors.Fields = map[string]locale.Message{"key": locale.Verbatim("This is not the engine's key.")}
		return e.render(w, r, http.StatusUnprocessableEntity, view.LogIn(form))
	}
	setCookie(w, e.sessions.begin(e.now()), int(sessionTime.Seconds()))
	http.Redirect(w, r, form.Next, http.StatusSeeOther)
	return nil
}

func (e *explorer) logOut(w http.ResponseWriter, r *http.Request) error {
	e.sessions.end(token(r))
	setCookie(w, "", -1)
	http.Redirect(w, r, view.LogInPath, http.StatusSeeOther)
	return nil
}

// nextPath returns the page that logging in leads to. It is always a page of the explorer.
func nextPath(r *http.Request) string {
	if next := r.FormValue("next"); strings.HasPrefix(next, view.Root) {
		return next
	}
	return view.Root
}
