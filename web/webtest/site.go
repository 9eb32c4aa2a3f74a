// Package webtest is the harness of the tests of web. It runs the whole site on the embedded engine: NewSite returns a
// site, its methods SignUp and Anonymous return visitors, and their requests return responses that can be checked.
// Database reads and changes the stored items, Faults makes calls of the store fail, and Tab is a tab of a browser.
package webtest

import (
	"bytes"
	"context"
	"io"
	"log/slog"
	"net/http"
	"os"
	"testing"
	"time"

	"github.com/alexedwards/argon2id"

	storage "inkfeed/cosmos/client"
	"inkfeed/cosmos/costs"
	"inkfeed/domain"
	"inkfeed/domain/picture"
	"inkfeed/domain/portable"
	"inkfeed/domain/portable/formats"
	"inkfeed/domain/throttle"
	"inkfeed/web"
	"inkfeed/web/credential"
	"inkfeed/web/pagecache"
	"inkfeed/web/site"
	"inkfeed/web/site/ratelimit"
	"inkfeed/web/site/remote"
	"inkfeed/web/site/response"
)

var (
	// KeyOne is a session key.
	KeyOne = bytes.Repeat([]byte{1}, 32)
	// KeyTwo is another session key.
	KeyTwo = bytes.Repeat([]byte{2}, 32)
)

// pictures is shared by all tests of a process.
var pictures = picture.NewMaker(nil)

// testProxies trusts the address that httptest sets on requests.
var testProxies, _ = remote.ParseProxies("192.0.2.1")

// Password is the password of all test users.
const Password = "correct horse battery"

// Site is Inkfeed on a database of its own.
type Site struct {
	T       testing.TB
	Data    *Database
	Handler http.Handler
	Log     *bytes.Buffer
}

// NewSite returns a site on a new database.
func NewSite(t testing.TB) *Site {
	t.Helper()
	return NewSiteOn(t, NewDatabase(t), KeyOne)
}

// NewSiteOn returns a site on a database, with these session keys or a default one.
func NewSiteOn(t testing.TB, data *Database, keys ...[]byte) *Site {
	t.Helper()
	log := &bytes.Buffer{}
	s := &Site{T: t, Data: data, Log: log}
	s.Restart(Config(data, log, keys...))
	return s
}

// Restart starts a server with another configuration.
func (s *Site) Restart(c web.Config) {
	s.T.Helper()
	c.Composer.URL, c.Composer.Settings = c.URL, c.Current
	var err error
	s.Handler, err = web.New(c)
	if err != nil {
		s.T.Fatal(err)
	}
	s.Handler = s.Data.current(s.Handler)
}

// current returns a handler that brings all copies up to date before each request.
func (d *Database) current(h http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		d.CatchUp()
		h.ServeHTTP(w, r)
	})
}

// CheapHashing are argon2id parameters that cost next to nothing, so that a test can sign up many
// users.
var CheapHashing = &argon2id.Params{Memory: 64, Iterations: 1, Parallelism: 1, SaltLength: 16, KeyLength: 32}

// Config returns the configuration of a site on a database, with cheap hashing and a verbose log.
func Config(d *Database, log io.Writer, keys ...[]byte) web.Config {
	turns := throttle.New(true)
	stores := web.StoresOf(d.Store, d.Files, pictures)
	stores.Counters = nil // each server counts for itself
	current := site.NewCurrentSettings()
	return web.Config{Current: current, Composer: web.NewComposer(d.Store, d.Markdown, "", current),
		Stores: stores, Throttle: turns, Mailer: d.Mail, Search: d.Search, Files: d.Files,
		Pictures: pictures, ReadUpload: ReadUpload,
		Lags:      func(context.Context) ([]costs.RangeLag, error) { return d.Lags, nil },
		Passwords: credential.NewHasherWith(turns, CheapHashing, credential.MaxHashQueue),
		Markdown:  d.Markdown, SessionKeys: keys, Ready: func(context.Context) error { return nil },
		Tailers: func() []costs.Tailer { return d.Tailers },
		Meter:   storage.Measure, Embedded: true,
		Proxies: testProxies, StrictTransport: response.DefaultStrictTransport,
		Logger: slog.New(slog.NewTextHandler(log, &slog.HandlerOptions{Level: slog.LevelDebug}))}
}

// ReadUpload reads an upload in this process, which a server does in one of its own.
func ReadUpload(_ context.Context, name string, file *os.File, o portable.Options, now time.Time) (*portable.Blog,
	error) {
	info, err := file.Stat()
	if err != nil {
		return nil, err
	}
	return formats.ReadUpload(name, file, info.Size(), o, now)
}

// SetRole changes a user's role directly in the store.
func (s *Site) SetRole(v *Visitor, role domain.Role) {
	_, err := s.Data.Store.Accounts.SetRole(s.Data.Context(), v.User.ID, role)
	s.Data.Must(err)
}

// UploadPicture uploads a picture and returns its name.
func (v *Visitor) UploadPicture() string {
	v.T.Helper()
	v.Upload("/images", GreyPNG(v.T, 4))
	images, err := v.Data.Store.Images.Of(v.Data.Context(), v.User.ID, 1)
	v.Data.Must(err)
	if len(images.Items) == 0 {
		v.T.Fatal("the picture was refused")
	}
	return images.Items[0].Name.String()
}

// NewCachedSite returns a site with rate limits and a page cache, which drops what each write changes.
func NewCachedSite(t *testing.T, limits string, change ...func(*web.Config)) *Site {
	t.Helper()
	data := NewDatabase(t)
	c := Config(data, io.Discard, KeyOne)
	c.Cache = pagecache.NewCache(16 << 20)
	var err error
	if c.RateLimits, err = ratelimit.Parse(limits); err != nil {
		t.Fatal(err)
	}
	for _, f := range change {
		f(&c)
	}
	data.projection.cache = c.Cache
	s := &Site{T: t, Data: data}
	s.Restart(c)
	return s
}
