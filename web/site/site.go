// Package site is shared by all features: sessions and viewers, forms, rendering, errors,
// middleware and limits.
package site

import (
	"context"
	"log/slog"
	"sync"
	"sync/atomic"

	"github.com/labstack/echo/v4"

	"inkfeed/domain"
	"inkfeed/domain/locale"
	"inkfeed/domain/markdown"
	"inkfeed/domain/screening"
	"inkfeed/domain/siteinfo"
	"inkfeed/domain/throttle"
	"inkfeed/web/site/botcheck"
	"inkfeed/web/site/ratelimit"
	"inkfeed/web/site/session"
)

// Site is the configuration and the services that all features share.
type Site struct {
	URL            string // see web.Config
	MailsOut       bool   // subscribers can be mailed: there are a mail server and a URL
	Users          Users
	Administrators Administrators
	Sessions       *session.Manager
	Limiter        *ratelimit.Limiter
	// Meter is that of web.Config; nil: nothing is measured.
	Meter    func(context.Context) (context.Context, func() float64)
	Markdown *markdown.Renderer
	// Screening decides which texts need a moderator's approval.
	Screening    screening.Policy
	WritingCheck botcheck.NewAccountChecker
	// Waiting counts what waits for moderators. Use it through WaitingFor.
	Waiting      func(context.Context) (domain.Waiting, error)
	Current      CurrentSettings // see web.Config
	Pages        CurrentPages    // see web.Config
	Languages    *locale.Set     // of the interface
	Shells       shells          // nil: no shells are cached
	RecentWrites recentWrites    // nil: no pages are cached
	Inspector    inspector       // nil: there is no cost inspector
	Identities   Identities      // set by package account
	Reactions    Reactions       // set by package reading
	// Follow makes a user who has logged in follow the author or tag with a path. ShowFollowing shows the personal feed
	// on the front page. Both are set by package following.
	Follow        func(c echo.Context, u domain.User, do, path string) error
	ShowFollowing echo.HandlerFunc
	ShowFront     echo.HandlerFunc // shows the front page, at any address; set by package reading
	// FrontPage reads a page of the newest posts.
	FrontPage func(ctx context.Context, page int) (domain.ListPage[domain.Summary], error)
	// PreviewSlots limits how many previews are rendered at a time.
	PreviewSlots Slots
	Throttle     *throttle.Throttle // see web.Config
	Pace         *throttle.Pace     // see web.Config
	Logger       *slog.Logger

	buffers     sync.Pool // of *bytes.Buffer, for rendering
	sharedPaths paths     // those of GetShared and GetSharedShell
}

// CurrentSettings knows the settings of the site without reading them.
type CurrentSettings interface {
	// Current returns the settings, which may be some seconds out of date. The caller must not change them.
	Current() *domain.Settings
	// Apply replaces the current settings of this process. Call it after writing settings.
	Apply(settings domain.Settings)
}

// NewCurrentSettings returns the default settings, which change by Apply only.
func NewCurrentSettings() CurrentSettings {
	var s processSettings
	s.Store(new(domain.Settings))
	return &s
}

type processSettings struct {
	atomic.Pointer[domain.Settings]
}

func (s *processSettings) Current() *domain.Settings      { return s.Load() }
func (s *processSettings) Apply(settings domain.Settings) { s.Store(&settings) }

// AdminPagesPath is the address of the list of static pages for administrators.
const AdminPagesPath = "/admin/pages"

// PagesExportPath is the path of the export of the static pages.
const PagesExportPath = AdminPagesPath + "/export"

// PagesImportPath is the path of the form that imports static pages.
const PagesImportPath = AdminPagesPath + "/import"

// PageList stores the list of static pages.
type PageList interface {
	// Get returns the list.
	Get(ctx context.Context) (siteinfo.Pages, error)
	// Change applies a change to the list and returns the result. It may call change several times.
	Change(ctx context.Context, change func(siteinfo.Pages) (siteinfo.Pages, error)) (siteinfo.Pages, error)
	// Refresh updates what the list says about a text.
	Refresh(ctx context.Context, text domain.Post) (siteinfo.Pages, error)
}

// CurrentPages knows the static pages without reading them.
type CurrentPages interface {
	// Current returns the pages, which may be some seconds out of date. The caller must not change them.
	Current() *siteinfo.Pages
	// Apply makes a list that was just written current in this process.
	Apply(pages siteinfo.Pages)
}

// NewCurrentPages returns an empty list, which changes by Apply only.
func NewCurrentPages() CurrentPages {
	var p processPages
	p.Store(new(siteinfo.Pages))
	return &p
}

type processPages struct {
	atomic.Pointer[siteinfo.Pages]
}

func (p *processPages) Current() *siteinfo.Pages   { return p.Load() }
func (p *processPages) Apply(pages siteinfo.Pages) { p.Store(&pages) }

// StaticPages returns the static pages, which may be some seconds out of date.
func (s *Site) StaticPages() *siteinfo.Pages {
	if s.Pages == nil {
		return &siteinfo.Pages{}
	}
	return s.Pages.Current()
}

// Info returns what the site says about itself.
func (s *Site) Info() siteinfo.Info { return s.Current.Current().Info }

// Closed reports whether the site accepts no new users, so that pages do not invite visitors to sign up.
func (s *Site) Closed() bool { return s.Current.Current().Registration == domain.RegistrationClosed }

// invitationOnly reports whether signing up needs an invitation.
func (s *Site) invitationOnly() bool {
	return s.Current.Current().Registration == domain.RegistrationByCode
}

// Get registers the handler of a page for GET and HEAD.
func Get(e *echo.Echo, path string, h echo.HandlerFunc) {
	e.GET(path, h)
	e.HEAD(path, h)
}
