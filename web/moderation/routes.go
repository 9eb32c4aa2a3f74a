package moderation

import (
	"github.com/labstack/echo/v4"

	"inkfeed/web/site"
)

// Store is the storage that moderation and administration use.
type Store struct {
	Posts       Posts
	Users       Users
	Sessions    site.SessionEnder
	Reports     Reports
	Reviews     Reviews
	Audit       Audit
	Settings    SiteSettings
	Invitations InvitationKeeper
}

type Posts interface {
	site.PostGetter
	site.LatestGetter
	site.CommentGetter
	holder
}

type Users interface {
	accountKeeper
	authorFinder
	truster
}

// Register registers the routes for reports, moderators and administrators.
func Register(e *echo.Echo, s *site.Site, store Store) {
	moderating := moderation{s, store.Reports, store.Reviews, store.Posts, store.Users}
	report{s, store.Posts, store.Reports}.register(e)
	moderating.register(e)
	moderate{moderating, store.Posts, store.Reports, store.Users, store.Sessions, store.Audit}.register(e)
	adminUsers{s, store.Users, store.Sessions, store.Audit}.register(e)
	adminSettings{s, store.Settings, store.Audit}.register(e)
	adminInvitations{s, store.Invitations, store.Settings, store.Audit}.register(e)
	adminLog{s, store.Audit}.register(e)
}

// Reports stores the reports about posts and comments, and the decisions about them.
type Reports interface {
	reporter
	reportLister
	decider
}
