package settings

import (
	"time"

	"github.com/labstack/echo/v4"

	"inkfeed/web/credential"
	"inkfeed/web/site"
	"inkfeed/web/uploads"
)

// Store is the storage that the settings use.
type Store struct {
	Users   Users
	Export  Export
	Drafts  exportedDrafts
	Posts   site.OwnPostGetter
	Files   Files
	Imports ImportJobs
}

type Users interface {
	renamer
	blockKeeper
	profiler
	allSessionsEnder
	credential.CredentialStore
	credential.PasswordStore
	emailKeeper
	site.AccountGetter
	userDeleter
	deletionScheduler
}

type Files interface {
	site.FileOpener
	importFiles
}

// Register registers the routes of the settings. An account whose deletion is scheduled is kept for the time grace.
// wakeImports, if not nil, is called when an import needs work.
func Register(e *echo.Echo, s *site.Site, store Store, factors *credential.Factors, mailed credential.Mailing,
	uploads *uploads.Uploads,
	grace time.Duration, wakeImports func()) {
	security := settingsSecurity{mailed, factors}
	settings{s, store.Users}.register(e)
	settingsBlocks{s, store.Users}.register(e)
	settingsProfile{s, uploads, store.Users}.register(e)
	settingsSessions{s, store.Users}.register(e)
	settingsPassword{mailed, store.Users, factors.Passwords}.register(e)
	settingsEmail{mailed, store.Users}.register(e)
	newSettingsExport(s, store.Export, store.Drafts, store.Posts, store.Files).register(e)
	newSettingsImport(s, store.Imports, store.Files, wakeImports).register(e)
	security.register(e)
	settingsTOTP{security}.register(e)
	settingsRecovery{security}.register(e)
	settingsPasskeys{security}.register(e)
	settingsDelete{mailed, store.Users, factors.Passwords, grace}.register(e)
}
