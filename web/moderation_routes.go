package web

import "github.com/labstack/echo/v4"

// moderationStore is what moderators and administrators need of the storage.
type moderationStore struct {
	Posts       moderationPosts
	Users       moderationUsers
	Sessions    sessionEnder
	Reports     Reports
	Reviews     Reviews
	Audit       Audit
	Settings    SiteSettings
	Invitations invitationKeeper
}

type moderationPosts interface {
	postGetter
	latestGetter
	commentGetter
	holder
}

type moderationUsers interface {
	accountKeeper
	authorFinder
	truster
}

// registerModeration registers the pages for moderators and administrators, and those on which readers report.
func registerModeration(e *echo.Echo, s *site, store moderationStore) {
	moderating := moderation{s, store.Reports, store.Reviews, store.Posts, store.Users}
	report{s, store.Posts, store.Reports}.register(e)
	moderating.register(e)
	moderate{moderating, store.Posts, store.Reports, store.Users, store.Sessions, store.Audit}.register(e)
	adminUsers{s, store.Users, store.Sessions, store.Audit}.register(e)
	adminSettings{s, store.Settings, store.Audit}.register(e)
	adminInvitations{s, store.Invitations, store.Settings, store.Audit}.register(e)
	adminLog{s, store.Audit}.register(e)
}

// Reports is what the pages need of what was reported.
type Reports interface {
	reporter
	reportLister
	decider
}

