package web

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"time"

	"github.com/labstack/echo/v4"

	"inkfeed/domain"
	"inkfeed/domain/markdown"
	"inkfeed/domain/screening"
	"inkfeed/web/factor"
)

// Users is what the pages need of the users. Errors are of the domain's kinds.
type Users interface {
	userByID
	readingUsers
	commentsUsers
	hiddenLister
	accountUsers
	settingsUsers
	moderationUsers
	syndicationUsers
}

// Posts is what the pages need of the posts, their comments and their likes.
type Posts interface {
	readingPosts
	commentsPosts
	writingPosts
	moderationPosts
	syndicationPosts
}

// Feed is what the front page needs.
type Feed interface {
	frontPager
}

// Tags is what the pages need of the posts by their tags.
type Tags interface {
	readingTags
}

// Files is where pictures are kept, under names of domain.ImageName.
type Files interface {
	fileKeeper
	settingsFiles
}

// Config is what the site is made of. All of it is required but the URL, the StrictTransport, the Proxies, the RateLimits, Closed, the Counters and the Cache.
type Config struct {
	// URL is where the world finds the site, such as https://blog.example.org, see
	// ParseURL. When it is empty, each answer says what its request was sent to.
	URL      string
	Users    Users
	Sessions Sessions
	Secrets  Secrets
	Mailer   Mailer
	Posts    Posts
	Drafts   Drafts
	Feed     Feed
	Tags     Tags
	Images   Images
	Files    Files
	Pictures pictureMaker
	Search   Search
	Markdown *markdown.Renderer
	Export   Export
	// Imports stores the imports that users make in the browser. WakeImports, if set, tells the runner of this
	// process that a job needs work.
	Imports     ImportJobs
	WakeImports func()
	// Redirects lead from the addresses that imported posts had elsewhere.
	Redirects redirectFinder
	// SignupTime is the least that people take to sign up and, while their accounts are new,
	// to write: who is faster is asked to try again. At 0 nobody is.
	SignupTime time.Duration
	// DeletionGrace is how long an account that is to be deleted stays, so that its user can
	// think again. At 0 it goes at once.
	DeletionGrace time.Duration
	// Reports are what users report to the moderators.
	Reports Reports
	// Reviews is what waits for a moderator.
	Reviews Reviews
	// Settings are those of the whole site.
	Settings    SiteSettings
	Invitations Invitations
	// Closed tells at once whether nobody can sign up, for pages to say so; without it they
	// invite everybody to.
	Closed func() bool
	// Audit is told what moderators and administrators do.
	Audit Audit
	// SessionKeys are secrets of at least 32 bytes each. The first signs new cookies;
	// what any of them has signed is believed.
	SessionKeys [][]byte
	Ready       func(context.Context) error // whether the data can be reached
	// Behind tells, in lines for an operator's eyes, what the workers are behind
	// with; nothing when all is well. It must answer soon.
	Behind func(context.Context) []string
	// StrictTransport is the header Strict-Transport-Security of answers that come
	// encrypted, see ParseStrictTransport; without it there is none.
	StrictTransport string
	// Proxies are believed about where a request comes from; by default nobody is.
	Proxies Proxies
	// RateLimits are what visitors may do how often; by default nothing is limited.
	RateLimits RateLimits
	// Counters are those of all instances together; without them each counts alone.
	Counters Counters
	// Cache keeps pages ready; without it each is made anew. It is this site's alone.
	Cache  *Cache
	Logger *slog.Logger
}

func (c Config) check() error {
	switch {
	case c.Search == nil, c.Users == nil, c.Sessions == nil, c.Secrets == nil, c.Mailer == nil, c.Posts == nil, c.Drafts == nil, c.Feed == nil, c.Tags == nil, c.Images == nil, c.Files == nil, c.Pictures == nil,
		c.Export == nil, c.Imports == nil, c.Redirects == nil, c.Reports == nil, c.Reviews == nil, c.Audit == nil, c.Settings == nil, c.Invitations == nil,
		c.Markdown == nil, c.Ready == nil, c.Behind == nil, c.Logger == nil:
		return errors.New("web: the configuration is incomplete")
	}
	return nil
}

// New makes the handler of the whole site.
func New(c Config) (http.Handler, error) { return newHandler(c, newPasswords()) }

func newHandler(c Config, passwords passwordHasher) (http.Handler, error) {
	kept := newPages(c.Cache, c.URL, c.Proxies, c.StrictTransport, c.Logger)
	e, err := newRouter(c, passwords, kept)
	if err != nil {
		return nil, err
	}
	handler, err := compressed(e)
	if err != nil || kept == nil {
		return handler, err
	}
	kept.route(e, handler)
	return kept, nil
}

func newRouter(c Config, passwords passwordHasher, kept *pages) (*echo.Echo, error) {
	if err := c.check(); err != nil {
		return nil, err
	}
	c = c.remembering()
	sessions, err := newSessions(c.SessionKeys, c.Sessions, c.Logger)
	if err != nil {
		return nil, err
	}
	screening := screening.Policy{Markdown: c.Markdown, Host: screening.HostOf(c.URL), Settings: c.Settings}
	s := &site{url: c.URL, users: c.Users, sessions: sessions, markdown: c.Markdown, screening: screening,
		known: c.Reports, logger: c.Logger, limiter: newLimiter(c.RateLimits, c.Counters, c.Logger), closed: c.Closed,
		rendering: halfOfCPUs()}
	if kept != nil {
		s.shells = kept
	}
	sealer, err := factor.NewSealer(c.SessionKeys)
	if err != nil {
		return nil, err
	}
	factors := &factors{c.Users, c.Secrets, sealer, passwords}
	mailed := mailing{s, c.Mailer, c.Secrets}
	signupTrap, err := newTrap(c.SessionKeys, c.SignupTime, stampAge)
	if err != nil {
		return nil, err
	}
	// A page may stay open until its reader has something to say, and is new no more.
	forms, err := newTrap(c.SessionKeys, c.SignupTime, domain.NewAccountTime)
	if err != nil {
		return nil, err
	}
	s.writing = writingTrap{forms}
	writes, err := newRecentWrites(c.SessionKeys, s.limiter)
	if err != nil {
		return nil, err
	}
	if kept != nil {
		kept.connect(sessions, writes, s.limiter)
	}
	if s.closed == nil {
		s.closed = func() bool { return false }
	}
	published := syndicationStore{c.Feed, c.Users, c.Tags, c.Posts, c.Drafts, c.Search, c.Redirects}
	e := echo.New()
	e.HTTPErrorHandler = s.handleError
	e.Use(s.observe, c.Proxies.identify(c.Logger), s.recoverPanic, secure(c.StrictTransport),
		remember(c.Cache, writes), refuseCrossSite(), s.limitBody, limitTime, s.limitRates, s.writersOnly,
		followFormer(published))

	uploads := newUploads(c.Images, c.Files, c.Pictures)
	assets{}.register(e)
	health{c.Ready, c.Behind}.register(e)
	posts := registerReading(e, s, readingStore{c.Feed, c.Posts, c.Users, c.Tags, c.Search, c.Files, c.Images})
	registerComments(e, s, commentsStore{c.Posts, c.Users}, posts)
	registerWriting(e, s, writingStore{c.Drafts, c.Posts, c.Users, c.Images}, uploads)
	err = registerAccount(e, s, accountStore{c.Users, c.Settings, c.Invitations, c.Audit}, factors, mailed, signupTrap, c.SessionKeys)
	if err != nil {
		return nil, err
	}
	registerSettings(e, s, settingsStore{c.Users, c.Export, c.Drafts, c.Posts, c.Files, c.Imports}, factors, mailed, uploads,
		c.DeletionGrace, c.WakeImports)
	registerModeration(e, s, moderationStore{c.Posts, c.Users, c.Sessions, c.Reports, c.Reviews, c.Audit, c.Settings, c.Invitations})
	registerSyndication(e, s, published)
	return e, nil
}

// Search is what the search and the tag suggestions need: an index of this process's own.
type Search interface {
	readingSearch
	postIndex
}

// Drafts is what the pages of writing need of what is not published yet. Errors are of
// the domain's kinds.
type Drafts interface {
	writingDrafts
}

// Invitations let people sign up where not everybody may.
type Invitations interface {
	invitationUser
	invitationKeeper
}
