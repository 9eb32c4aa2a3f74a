// Package settings serves the settings of a user: profile, email, password, second factors,
// passkeys, sessions, blocked users, export, import and the deletion of the account.
package settings

import (
	"time"

	"github.com/labstack/echo/v4"

	"inkfeed/web/credential"
	"inkfeed/web/exporting"
	"inkfeed/web/site"
	"inkfeed/web/uploads"
)

// handler has what the handlers of this package share.
type handler struct {
	credential.Mailing
	store        Store
	factors      *credential.Factors
	confirmation site.Confirmation
}

// Register registers the routes of the settings. An account whose deletion is scheduled is kept for the time grace.
// wakeImports, if not nil, is called when an import needs work.
func Register(e *echo.Echo, s *site.Site, store Store, factors *credential.Factors, mailing credential.Mailing,
	uploads *uploads.Uploads, exporter *exporting.Exporter, grace time.Duration, wakeImports func()) {
	h := handler{mailing, store, factors, site.Confirmation{Site: s}}
	settings{h}.register(e)
	settingsBlocks{h}.register(e)
	settingsProfile{h, uploads}.register(e)
	settingsHeader{h, uploads}.register(e)
	settingsSessions{h}.register(e)
	settingsPassword{h}.register(e)
	settingsEmail{h}.register(e)
	settingsExport{h, exporter}.register(e)
	newSettingsImport(h, wakeImports).register(e)
	security := settingsSecurity{h}
	security.register(e)
	settingsTOTP{security}.register(e)
	settingsRecovery{security}.register(e)
	settingsPasskeys{security}.register(e)
	settingsDelete{h, grace}.register(e)
}
