// Package moderation lets readers report posts and comments, moderators decide about them, and
// administrators manage accounts, invitations and the site's settings.
package moderation

import (
	"github.com/labstack/echo/v4"

	"inkfeed/web/credential"
	"inkfeed/web/site"
	"inkfeed/web/uploads"
)

// handler has what the handlers of this package share.
type handler struct {
	*site.Site
	store    Store
	audit    site.AuditRecorder
	comments site.CommentViews
}

// Register registers the routes for reports, moderators and administrators.
func Register(e *echo.Echo, s *site.Site, store Store, pictures *uploads.Uploads, mailing credential.Mailing) {
	h := handler{s, store, site.AuditRecorder{Log: store.Audit, Logger: s.Logger},
		site.CommentViews{Site: s}}
	report{h}.register(e)
	moderation{h}.register(e)
	moderate{moderation{h}}.register(e)
	adminComments{moderation{h}}.register(e)
	adminUsers{h, site.Confirmation{Site: s}}.register(e)
	adminSettings{h, pictures}.register(e)
	adminSetup{adminSettings{h, pictures}}.register(e)
	adminSamples{adminSettings{h, pictures}}.register(e)
	postFeature{adminSettings{h, pictures}}.register(e)
	adminInvitations{h, mailing}.register(e)
	adminAddresses{h}.register(e)
	adminDeliveries{h, mailing.Mailer.Sends}.register(e)
	adminLog{h}.register(e)
}
