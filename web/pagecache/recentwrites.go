package pagecache

import (
	"crypto/rand"
	"net/http"
	"strings"
	"time"

	"github.com/labstack/echo/v4"

	"inkfeed/web/site/botcheck"
	"inkfeed/web/site/ratelimit"
	"inkfeed/web/site/remote"
	"inkfeed/web/site/session"
)

// wroteCookie is the name of the cookie that marks a browser that has just changed something.
const wroteCookie = session.PlainCookie + "-wrote"

// wroteFor is the maximum age of that cookie. After trustPeriod, every instance that answers from
// its cache has seen the change; two more seconds allow for differences between the instances'
// clocks.
const wroteFor = trustPeriod + 2*time.Second

// RecentWrites lets a browser that has just changed something at another instance bypass the cache, because this
// instance may not have seen the change yet. The instance that handled the change has dropped what depends on it before
// it answered. The cookie contains a signed time, which every instance verifies, and the id of the instance, which is
// not signed: a forged one only affects what the browser itself gets to see. It has no id after writes at several
// instances, so that each of them is bypassed. The rate limit "fresh" bounds the cost that one address can cause.
type RecentWrites struct {
	times    botcheck.TimeSigner
	instance string // a random id of this process
	limiter  *ratelimit.Limiter
}

// NewRecentWrites returns a RecentWrites that signs with keys derived from the secrets and counts
// bypasses with the limiter.
func NewRecentWrites(secrets [][]byte, l *ratelimit.Limiter) (RecentWrites, error) {
	times, err := botcheck.NewTimeSigner(secrets, "time of a write")
	return RecentWrites{times, rand.Text()[:8], l}, err
}

// Mark sets the cookie, unless the request was refused and so has changed nothing.
func (w RecentWrites) Mark(c echo.Context) {
	if status := c.Response().Status; status >= 400 && status < 500 {
		return
	}
	value := w.times.Sign(time.Now()) + "."
	if !w.hasCookie(c.Request()) { // otherwise this instance may not have seen the earlier write yet
		value += w.instance
	}
	http.SetCookie(c.Response(), &http.Cookie{Name: wroteCookie, Value: value, Path: "/",
		MaxAge: int(wroteFor / time.Second), Secure: remote.TLS(c.Request()), HttpOnly: true,
		SameSite: http.SameSiteLaxMode})
}

// hasCookie reports whether the request has a valid cookie of another instance that is at most wroteFor old.
func (w RecentWrites) hasCookie(r *http.Request) bool {
	if len(r.Header["Cookie"]) == 0 {
		return false
	}
	cookie, err := r.Cookie(wroteCookie)
	if err != nil {
		return false
	}
	signed, instance := cookie.Value, ""
	if i := strings.LastIndexByte(signed, '.'); i > strings.IndexByte(signed, '.') {
		signed, instance = signed[:i], signed[i+1:]
	}
	if instance == w.instance {
		return false
	}
	at, ok := w.times.Verify(signed)
	age := time.Since(at)
	return ok && age <= wroteFor && age >= -wroteFor // the clock of the instance that signed it may be ahead
}

// bypassCache reports whether the request must be answered without the cache, and counts it. A
// request beyond the limit is not refused: the cache answers it like any other request.
func (w RecentWrites) bypassCache(r *http.Request, from remote.Client) bool {
	return w.hasCookie(r) && w.limiter.AllowFrom(r.Context(), ratelimit.Fresh, "", from) == nil
}
