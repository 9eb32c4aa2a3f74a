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
	"inkfeed/web/account"
	"inkfeed/web/comments"
	"inkfeed/web/credential"
	"inkfeed/web/factor"
	"inkfeed/web/moderation"
	"inkfeed/web/pagecache"
	"inkfeed/web/reading"
	"inkfeed/web/settings"
	"inkfeed/web/site"
	"inkfeed/web/site/botcheck"
	"inkfeed/web/site/client"
	"inkfeed/web/site/ratelimit"
	"inkfeed/web/site/response"
	"inkfeed/web/site/session"
	"inkfeed/web/syndication"
	"inkfeed/web/uploads"
	"inkfeed/web/writing"
)

// Users is what the pages need of the users. Errors are of the domain's kinds.
type Users interface {
	site.UserByID
	reading.Users
	comments.Users
	writing.Users
	account.Users
	settings.Users
	moderation.Users
	syndication.Users
}

// Posts is what the pages need of the posts, their comments and their likes.
type Posts interface {
	reading.Posts
	comments.Posts
	writing.Posts
	moderation.Posts
	syndication.Posts
}

// Feed is what the front page needs.
type Feed interface {
	site.FrontPager
}

// Tags is what the pages need of the posts by their tags.
type Tags interface {
	reading.Tags
}

// Files is where pictures are kept, under names of domain.ImageName.
type Files interface {
	uploads.FileStore
	settings.Files
}

// Config configures the site. Every field is required except URL, StrictTransport, Proxies, RateLimits, Closed,
// Counters, WakeImports and Cache.
type Config struct {
	// URL is where the world finds the site, such as https://blog.example.org, see
	// ParseURL. When it is empty, each answer says what its request was sent to.
	URL      string
	Users    Users
	Sessions session.Store
	Secrets  credential.SecretStore
	Mailer   credential.Mailer
	Posts    Posts
	Drafts   Drafts
	Feed     Feed
	Tags     Tags
	Images   uploads.Images
	Files    Files
	Pictures uploads.PictureMaker
	Search   Search
	Markdown *markdown.Renderer
	Export   settings.Export
	// Imports stores the imports that users make in the browser. WakeImports, if set, tells the runner of this
	// process that a job needs work.
	Imports     settings.ImportJobs
	WakeImports func()
	// Redirects lead from the addresses that imported posts had elsewhere.
	Redirects syndication.RedirectFinder
	// SignupTime is the least that people take to sign up and, while their accounts are new,
	// to write: who is faster is asked to try again. At 0 nobody is.
	SignupTime time.Duration
	// DeletionGrace is how long an account that is to be deleted stays, so that its user can
	// think again. At 0 it goes at once.
	DeletionGrace time.Duration
	// Reports are what users report to the moderators.
	Reports moderation.Reports
	// Reviews is what waits for a moderator.
	Reviews moderation.Reviews
	// Settings are those of the whole site.
	Settings    moderation.SiteSettings
	Invitations Invitations
	// Closed tells at once whether nobody can sign up, for pages to say so; without it they
	// invite everybody to.
	Closed func() bool
	// Audit is told what moderators and administrators do.
	Audit moderation.Audit
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
	Proxies client.Proxies
	// RateLimits are what visitors may do how often; by default nothing is limited.
	RateLimits ratelimit.Limits
	// Counters are those of all instances together; without them each counts alone.
	Counters ratelimit.Counters
	// Cache keeps pages ready; without it each is made anew. It is this site's alone.
	Cache  *pagecache.Cache
	Logger *slog.Logger
}

func (c Config) check() error {
	switch {
	case c.Search == nil, c.Users == nil, c.Sessions == nil, c.Secrets == nil, c.Mailer == nil, c.Posts == nil,
		c.Drafts == nil, c.Feed == nil, c.Tags == nil, c.Images == nil, c.Files == nil, c.Pictures == nil,
		c.Export == nil, c.Imports == nil, c.Redirects == nil, c.Reports == nil, c.Reviews == nil, c.Audit == nil,
		c.Settings == nil, c.Invitations == nil,
		c.Markdown == nil, c.Ready == nil, c.Behind == nil, c.Logger == nil:
		return errors.New("web: the configuration is incomplete")
	}
	return nil
}

// New makes the handler of the whole site.
func New(c Config) (http.Handler, error) { return newHandler(c, credential.NewHasher()) }

func newHandler(c Config, passwords credential.Hasher) (http.Handler, error) {
	kept := pagecache.NewMiddleware(c.Cache, c.URL, c.Proxies, c.StrictTransport, c.Logger)
	e := echo.New()
	if err := addRoutes(e, c, passwords, kept); err != nil {
		return nil, err
	}
	handler, err := response.Compress(e)
	if err != nil || kept == nil {
		return handler, err
	}
	kept.Route(e, handler)
	return kept, nil
}

// addRoutes adds the middleware and the routes of the whole site to a router.
func addRoutes(e *echo.Echo, c Config, passwords credential.Hasher, kept *pagecache.Middleware) error {
	if err := c.check(); err != nil {
		return err
	}
	c = c.remembering()
	sessions, err := session.New(c.SessionKeys, c.Sessions, c.Logger)
	if err != nil {
		return err
	}
	screening := screening.Policy{Markdown: c.Markdown, Host: screening.HostOf(c.URL), Settings: c.Settings}
	s := &site.Site{URL: c.URL, Users: c.Users, Sessions: sessions, Markdown: c.Markdown, Screening: screening,
		Reports: c.Reports, Logger: c.Logger, Limiter: ratelimit.New(c.RateLimits, c.Counters, c.Logger),
		Closed:       c.Closed,
		PreviewSlots: site.HalfOfCPUs()}
	if kept != nil {
		s.Shells = kept
	}
	sealer, err := factor.NewSealer(c.SessionKeys)
	if err != nil {
		return err
	}
	factors := &credential.Factors{Users: c.Users, Secrets: c.Secrets, Sealer: sealer, Passwords: passwords}
	mailed := credential.Mailing{Site: s, Mailer: c.Mailer, Secrets: c.Secrets}
	signupTrap, err := botcheck.New(c.SessionKeys, c.SignupTime, botcheck.MaxSignupFormAge)
	if err != nil {
		return err
	}
	// A page may stay open until its reader has something to say, and is new no more.
	forms, err := botcheck.New(c.SessionKeys, c.SignupTime, domain.NewAccountTime)
	if err != nil {
		return err
	}
	s.WritingCheck = botcheck.WritingChecker{Checker: forms}
	writes, err := pagecache.NewRecentWrites(c.SessionKeys, s.Limiter)
	if err != nil {
		return err
	}
	if kept != nil {
		kept.Connect(sessions, writes, s.Limiter)
	}
	if s.Closed == nil {
		s.Closed = func() bool { return false }
	}
	published := syndication.Store{Feed: c.Feed, Users: c.Users, Tags: c.Tags, Posts: c.Posts, Drafts: c.Drafts,
		Search: c.Search, Redirects: c.Redirects}
	e.HTTPErrorHandler = s.HandleError
	e.Use(s.Observe, c.Proxies.Identify(c.Logger), s.RecoverPanic, site.SecureHeaders(c.StrictTransport),
		pagecache.ReadThrough(c.Cache, writes), site.RefuseCrossSite(), s.LimitBody, site.LimitTime, s.LimitRates,
		s.WritersOnly,
		syndication.FollowLegacyRedirects(published))

	uploads := uploads.NewUploads(c.Images, c.Files, c.Pictures)
	assets{}.register(e)
	health{c.Ready, c.Behind}.register(e)
	posts := reading.Register(e, s, reading.Store{Feed: c.Feed, Posts: c.Posts, Users: c.Users, Tags: c.Tags,
		Search: c.Search, Files: c.Files, Images: c.Images})
	comments.Register(e, s, comments.Store{Posts: c.Posts, Users: c.Users}, posts)
	writing.Register(e, s, writing.Store{Drafts: c.Drafts, Posts: c.Posts, Users: c.Users, Images: c.Images}, uploads)
	err = account.Register(e, s, account.Store{Users: c.Users, Settings: c.Settings, Invitations: c.Invitations,
		Audit: c.Audit}, factors, mailed, signupTrap, c.SessionKeys)
	if err != nil {
		return err
	}
	settings.Register(e, s, settings.Store{Users: c.Users, Export: c.Export, Drafts: c.Drafts, Posts: c.Posts,
		Files: c.Files, Imports: c.Imports}, factors, mailed, uploads,
		c.DeletionGrace, c.WakeImports)
	moderation.Register(e, s, moderation.Store{Posts: c.Posts, Users: c.Users, Sessions: c.Sessions, Reports: c.Reports,
		Reviews: c.Reviews, Audit: c.Audit, Settings: c.Settings, Invitations: c.Invitations})
	syndication.Register(e, s, published)
	return nil
}

// Search is what the search and the tag suggestions need: an index of this process's own.
type Search interface {
	reading.Search
	syndication.PostIndex
}

// Drafts is what the pages of writing need of what is not published yet. Errors are of
// the domain's kinds.
type Drafts interface {
	writing.Drafts
}

// Invitations let people sign up where not everybody may.
type Invitations interface {
	account.InvitationUser
	moderation.InvitationKeeper
}
