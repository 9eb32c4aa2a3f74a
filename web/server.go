package web

import (
	"net/http"
	"time"

	"github.com/labstack/echo/v4"

	prices "inkfeed/cosmos/costs"
	"inkfeed/domain"
	"inkfeed/domain/locale"
	"inkfeed/domain/screening"
	"inkfeed/domain/throttle"
	"inkfeed/web/account"
	"inkfeed/web/comments"
	"inkfeed/web/costs"
	"inkfeed/web/credential"
	"inkfeed/web/exporting"
	"inkfeed/web/following"
	"inkfeed/web/inspector"
	"inkfeed/web/mail/bounce"
	"inkfeed/web/mailings"
	"inkfeed/web/moderation"
	"inkfeed/web/pagecache"
	"inkfeed/web/pages"
	"inkfeed/web/reading"
	"inkfeed/web/seal"
	"inkfeed/web/settings"
	"inkfeed/web/site"
	"inkfeed/web/site/botcheck"
	"inkfeed/web/site/ratelimit"
	"inkfeed/web/site/response"
	"inkfeed/web/site/session"
	"inkfeed/web/site/tracing"
	"inkfeed/web/subscribing"
	"inkfeed/web/syndication"
	"inkfeed/web/uploads"
	"inkfeed/web/writing"
)

// New returns the handler of the whole site.
func New(c Config) (http.Handler, error) {
	e := echo.New()
	handler, err := addRoutes(e, c)
	if err != nil {
		return nil, err
	}
	return tracing.Handler(countRequests(handler, c.Throttle), c.Traces, c.Proxies), nil
}

// countRequests tells the throttle how busy the site is.
func countRequests(next http.Handler, throttle *throttle.Throttle) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		throttle.CountRequest()
		next.ServeHTTP(w, r)
	})
}

// addRoutes adds the middleware and the routes of the whole site to a router. It returns the handler of all requests:
// the page cache, unless there is none, before the router.
func addRoutes(e *echo.Echo, c Config) (http.Handler, error) {
	if err := c.check(); err != nil {
		return nil, err
	}
	c = c.withDefaults().cached()
	handler, err := response.Compress(e)
	if err != nil {
		return nil, err
	}
	s, err := newServices(c)
	if err != nil {
		return nil, err
	}
	var cached inspector.Cache // an interface, which must be nil without a cache
	if c.Cache != nil {
		cache := pagecache.NewMiddleware(c.Cache, pagecache.Options{Site: s.site, Writes: s.writes, Proxies: c.Proxies,
			StrictTransport: c.StrictTransport, Plain: e, Compressed: handler})
		s.site.Shells, s.site.RecentWrites, handler, cached = cache, s.writes, cache, cache
	}
	if s.inspector, err = inspector.New(s.site, cached, c.SessionKeys); err != nil {
		return nil, err
	}
	s.site.Inspector = s.inspector
	s.visits = &visitRecorder{visits: c.Visits, site: s.site, router: e, routes: make(map[string]visitor),
		start: time.Now()}
	useMiddleware(e, c, s)
	return s.visits.recorded(handler), registerFeatures(e, c, s)
}

// withDefaults fills in the optional fields that features need.
func (c Config) withDefaults() Config {
	if c.Prices == (prices.Prices{}) {
		c.Prices = prices.ListPrices
	}
	if c.Passwords == nil {
		c.Passwords = credential.NewHasher(c.Throttle)
	}
	if c.Languages == nil {
		c.Languages = locale.NewSet(locale.All()...)
	}
	if c.Current == nil {
		c.Current = site.NewCurrentSettings()
	}
	if c.CurrentPages == nil {
		c.CurrentPages = site.NewCurrentPages()
	}
	return c
}

// services are what several features or the middleware share. Most of them derive keys of their own from the session
// keys.
type services struct {
	site        *site.Site
	inspector   *inspector.Inspector
	writes      pagecache.RecentWrites
	signupCheck botcheck.Checker
	sealer      *seal.Sealer
	visits      *visitRecorder
}

// newServices makes the services other than the inspector.
func newServices(c Config) (services, error) {
	var s services
	sessions, err := session.New(c.SessionKeys, c.Sessions, c.Logger)
	if err != nil {
		return s, err
	}
	if s.sealer, err = seal.New("second factor", c.SessionKeys); err != nil {
		return s, err
	}
	if s.signupCheck, err = botcheck.New(c.SessionKeys, c.SignupTime, botcheck.MaxSignupFormAge); err != nil {
		return s, err
	}
	// Only forms of new accounts are checked. A form that stays open for longer belongs to an account that is not new.
	writingCheck, err := botcheck.New(c.SessionKeys, c.SignupTime, domain.DefaultReviewPeriod)
	if err != nil {
		return s, err
	}
	limiter := ratelimit.New(c.RateLimits, c.Counters, c.Logger)
	if s.writes, err = pagecache.NewRecentWrites(c.SessionKeys, limiter); err != nil {
		return s, err
	}
	s.site = &site.Site{URL: c.URL, MailsOut: c.URL != "" && c.Mailer.Sends(),
		Users: c.Users, Administrators: c.Administrators, Sessions: sessions,
		FrontPage: c.Feed.FrontPage, Limiter: limiter, Meter: c.Meter, Waiting: c.countWaiting(),
		Markdown:     c.Markdown.Otherwise(func() string { return c.Current.Current().Info.Language }),
		Screening:    screening.Policy{Markdown: c.Markdown, Host: screening.HostOf(c.URL), Settings: c.Settings},
		WritingCheck: botcheck.NewAccountChecker{Checker: writingCheck}, Current: c.Current, Pages: c.CurrentPages,
		Languages:    c.Languages,
		PreviewSlots: site.HalfOfCPUs(), Throttle: c.Throttle, Pace: c.Pace, Logger: c.Logger}
	return s, nil
}

// useMiddleware adds the middleware, the outermost first: the log has every request, also one that panics or is
// refused, and the limits of rates need the visitor's address. Redirects of former addresses come last, because they
// read the storage.
func useMiddleware(e *echo.Echo, c Config, s services) {
	e.HTTPErrorHandler = s.site.HandleError
	if c.Traces != nil {
		e.Use(site.TraceHandlers)
	}
	e.Use(
		s.site.MeterUnits,
		s.site.LogRequests,
		s.site.Describe,
		c.Proxies.Identify(c.Logger),
		s.site.RecoverPanic,
		site.SecureHeaders(c.StrictTransport),
		pagecache.ReadThrough(c.Cache, s.writes, routesThatReadCache()),
		s.inspector.Record,
		site.RefuseCrossSite(),
		s.site.LimitBody,
		site.LimitTime,
		s.site.LimitRates,
		s.site.WritersOnly,
		syndication.FollowLegacyRedirects(syndicationStore(c)),
	)
}

func syndicationStore(c Config) syndication.Store {
	return syndication.Store{Feed: c.Feed, Users: c.Users, UserCopies: c.UserCopies, Tags: c.Tags, Posts: c.Posts,
		Drafts: c.Drafts, Search: c.Search, Redirects: c.Redirects, Pictures: c.Settings}
}

// registerFeatures adds the routes of each feature, with the storage that it uses.
func registerFeatures(e *echo.Echo, c Config, shared services) error {
	s := shared.site
	factors := &credential.Factors{Store: credential.Store{Credentials: c.Credentials, Secrets: c.Secrets},
		Sealer: shared.sealer, Passwords: c.Passwords}
	mailing := credential.Mailing{Site: s, Mailer: c.Mailer, Deliveries: c.Deliveries, Secrets: c.Secrets}
	uploads := uploads.NewUploads(uploads.Store{Images: c.Images, Files: c.Files}, c.Pictures)
	exporter := exporting.New(s, exporting.Store{Export: c.Export, Drafts: c.Drafts, Posts: c.Posts, Files: c.Files})

	assets{}.register(e)
	health{c.Ready}.register(e)
	shared.visits.mark(monitor)
	showPage := pages.Register(e, s, pages.Store{Pages: c.Pages, Posts: c.Posts, Drafts: c.Drafts,
		Redirects: c.Redirects, Audit: c.Audit, Settings: c.Settings,
		Importer: c.Importer, ReadUpload: c.ReadUpload}, exporter, uploads)
	renderPost := reading.Register(e, s, showPage, reading.Store{Feed: c.Feed, Posts: c.Posts, Users: c.Users,
		UserCopies: c.UserCopies, Blocks: c.Blocks, Follows: c.Follows, Notifications: c.Notifications, Mutes: c.Mutes,
		Drafts: c.Drafts, Tags: c.Tags,
		Search: c.Search, Files: c.Files, Images: c.Images, Reports: c.Reports, Redirects: c.Redirects})
	newest := following.Register(e, s, following.Store{Follows: c.Follows, Users: c.Users, Profiles: c.Profiles,
		Blocks: c.Blocks, UserCopies: c.UserCopies, Tags: c.Tags, Search: c.Search, Mutes: c.Mutes,
		Redirects: c.Redirects})
	c.Composer.Store.Newest = newest
	comments.Register(e, s, comments.Store{Posts: c.Posts, Users: c.Users, Blocks: c.Blocks, Reports: c.Reports},
		renderPost)
	err := writing.Register(e, s, pages.OutlineNotes, writing.Store{Drafts: c.Drafts, Posts: c.Posts, Users: c.Users,
		UserCopies: c.UserCopies, Profiles: c.Profiles, Pages: c.Pages, Audit: c.Audit}, uploads, c.SessionKeys)
	if err != nil {
		return err
	}
	err = account.Register(e, s, account.Store{Users: c.Users, Accounts: c.Accounts, Usernames: c.Usernames,
		Credentials: c.Credentials, EmailAddresses: c.EmailAddresses,
		Settings: c.Settings, Invitations: c.Invitations, Audit: c.Audit}, factors, mailing,
		shared.signupCheck, c.SessionKeys)
	if err != nil {
		return err
	}
	settings.Register(e, s, settings.Store{Users: c.Users, Usernames: c.Usernames, Profiles: c.Profiles,
		Blocks: c.Blocks, Follows: c.Follows, Credentials: c.Credentials, EmailAddresses: c.EmailAddresses,
		AccountDeletions: c.AccountDeletions, Export: c.Export, Files: c.Files, Imports: c.Imports}, factors, mailing,
		uploads, exporter, c.DeletionGrace, c.WakeImports)
	mailings.Register(e, s, mailings.Store{Subscriptions: c.Subscriptions, Drafts: c.Drafts, Users: c.Users,
		UserCopies: c.UserCopies, Credentials: c.Credentials, Deliveries: c.Deliveries},
		mailings.Mail{Preview: c.Composer.Preview, Seal: c.Mailer.Seal, SealIn: c.Mailer.SealIn})
	subscribers := subscribing.Store{Subscriptions: c.Subscriptions, Users: c.Users, UserCopies: c.UserCopies,
		Tags: c.Tags, Posts: c.Posts, EmailAddresses: c.EmailAddresses, Deliveries: c.Deliveries}
	subscribing.Register(e, s, subscribers, subscribingMail{c.Mailer, c.Composer})
	moderation.Register(e, s, moderation.Store{Posts: c.Posts, Drafts: c.Drafts, Texts: c.Export, Users: c.Users,
		Accounts: c.Accounts, AccountRows: c.AccountRows, CommentRows: c.CommentRows, Notifications: c.Notifications,
		Reports: c.Reports, Reviews: c.Reviews, Audit: c.Audit, Settings: c.Settings, Invitations: c.Invitations,
		Redirects: c.Redirects, Deliveries: c.Deliveries}, uploads, mailing)
	costs.Register(e, s, costs.Store{Costs: c.Costs, Lags: c.Lags, Tailers: c.Tailers, DeadLetters: c.DeadLetters,
		Imports: c.Imports, Deletions: c.Deletions, Deliveries: c.Deliveries, Users: c.Users}, c.Prices, c.Embedded)
	shared.inspector.Register(e)
	shared.visits.mark(person)
	syndication.Register(e, s, syndicationStore(c), newest)
	signer, err := bounce.NewSigner(c.SessionKeys)
	if err != nil {
		return err
	}
	bounce.Endpoint{Token: c.BounceToken, Signer: signer,
		Take: bounce.Recorder{Subscribers: c.Subscriptions, Posts: c.Posts}.Take}.Register(e)
	shared.visits.mark(program)
	return nil
}
