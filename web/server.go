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
	userCreator
	accountKeeper
	allSessionsEnder
	userByID
	userByName
	passwordKeeper
	credentialsKeeper
	emailKeeper
	accountByEmail
	renamer
	profiler
	userDeleter
	deletionScheduler
	postLister
	bookmarkSaver
	bookmarkLister
	hiddenLister
	archiver
	neighbourFinder
	authorFinder
	accountGetter
	suspender
	truster
	blockKeeper
	blockChecker
}

// Posts is what the pages need of the posts, their comments and their likes.
type Posts interface {
	postGetter
	latestGetter
	ownPostGetter
	versionGetter
	postDeleter
	commentLister
	commentFollower
	commentCounter
	commentGetter
	commentAdder
	commentEditor
	commentDeleter
	liker
	likeLister
	marksReader
	bookmarker
	holder
	commentHider
	commentCloser
}

// Feed is what the front page needs.
type Feed interface {
	frontPager
}

// Tags is what the pages need of the posts by their tags.
type Tags interface {
	tagLister
	relatedFinder
}

// Files is where pictures are kept, under names of domain.ImageName.
type Files interface {
	fileKeeper
	fileOpener
	importFiles
}

// Reports is what the pages need of what was reported.
type Reports interface {
	reporter
	reportLister
	decider
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
	guard, err := newGuard(s.limiter, c.SessionKeys)
	if err != nil {
		return nil, err
	}
	sealer, err := factor.NewSealer(c.SessionKeys)
	if err != nil {
		return nil, err
	}
	factors := &factors{c.Users, c.Secrets, sealer, passwords}
	admission := admission{c.Settings, c.Invitations}
	mailed := mailing{s, c.Mailer, c.Secrets}
	security := settingsSecurity{mailed, factors}
	writing := editor{s, c.Drafts, c.Posts}
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
	moderating := moderation{s, c.Reports, c.Reviews, c.Posts, c.Users}
	e := echo.New()
	e.HTTPErrorHandler = s.handleError
	e.Use(s.observe, c.Proxies.identify(c.Logger), s.recoverPanic, secure(c.StrictTransport),
		remember(c.Cache, writes), refuseCrossSite(), s.limitBody, limitTime, s.limitRates, s.writersOnly,
		former{c.Redirects, c.Posts, c.Drafts, c.Users}.follow)

	posts := post{s, c.Posts, around{c.Users, c.Tags}}
	uploads := newUploads(c.Images, c.Files, c.Pictures)
	assets{}.register(e)
	health{c.Ready, c.Behind}.register(e)
	for _, page := range []interface{ register(*echo.Echo) }{
		home{s, c.Feed},
		signup{mailed, c.Users, passwords, guard, factors, signupTrap, admission, c.Audit},
		login{s, c.Users, passwords, guard, factors},
		loginSecond{s, c.Users, factors},
		passkeyChallenge{s, factors, c.Users, admission},
		confirm{s, factors},
		logout{s},
		newPost{writing},
		posts,
		postEdit{writing},
		postUnpublish{s, c.Drafts, c.Posts},
		versions{writing, c.Posts},
		drafts{s, c.Drafts, c.Users, c.Posts},
		draftSave{writing},
		draftDelete{s, c.Drafts},
		preview{s},
		previewLink{s, c.Drafts},
		postDelete{s, c.Posts},
		comments{s, c.Posts},
		comment{s, c.Posts},
		commentNew{s, c.Posts, c.Users, posts},
		commentHide{s, c.Posts, c.Users},
		commentsClose{s, c.Posts},
		commentReply{s, c.Posts},
		commentEdit{s, c.Posts, c.Users},
		commentDelete{s, c.Posts},
		report{s, c.Posts, c.Reports},
		moderating,
		moderate{moderating, c.Posts, c.Reports, c.Users, c.Sessions, c.Audit},
		like{s, c.Posts, c.Users},
		likes{s, c.Posts},
		bookmark{s, c.Posts, c.Users},
		bookmarks{s, c.Users},
		tag{s, c.Tags},
		user{s, c.Users},
		search{s, c.Search, halfOfCPUs()},
		tagSuggest{c.Search, tag{s, c.Tags}},
		archive{s, c.Users},
		settings{s, c.Users},
		settingsBlocks{s, c.Users},
		images{s, uploads},
		imageDelete{s, c.Images},
		newMediaFiles(s, c.Files, c.Images),
		settingsProfile{s, uploads, c.Users},
		settingsSessions{s, c.Users},
		settingsPassword{mailed, c.Users, passwords},
		settingsEmail{mailed, c.Users},
		reset{mailed, c.Users, passwords},
		newSettingsExport(s, c.Export, c.Drafts, c.Posts, c.Files),
		newSettingsImport(s, c.Imports, c.Files, c.WakeImports),
		security,
		settingsTOTP{security},
		settingsRecovery{security},
		settingsPasskeys{security},
		settingsDelete{mailed, c.Users, passwords, c.DeletionGrace},
		adminUsers{s, c.Users, c.Sessions, c.Audit},
		adminSettings{s, c.Settings, c.Audit},
		adminInvitations{s, c.Invitations, c.Settings, c.Audit},
		adminLog{s, c.Audit},
		newFeeds(s, c.Feed, c.Users, c.Tags, c.Posts),
		oembed{s, c.Posts},
		robots{s},
		sitemap{s, c.Search, make(slots, 1)},
		manifest{},
	} {
		page.register(e)
	}
	return e, nil
}

// Search is what the search and the tag suggestions need: an index of this process's own.
type Search interface {
	searcher
	tagSuggester
	postIndex
}

// Drafts is what the pages of writing need of what is not published yet. Errors are of
// the domain's kinds.
type Drafts interface {
	draftSaver
	draftOpener
	draftGetter
	draftLister
	draftDiscarder
	scheduler
	sharer
	sharedGetter
	publisher
	unpublisher
}

// Invitations let people sign up where not everybody may.
type Invitations interface {
	invitationUser
	invitationKeeper
}
