package web

import (
	"time"

	"github.com/labstack/echo/v4"
)

// settingsStore is what the settings need of the storage.
type settingsStore struct {
	Users   settingsUsers
	Export  Export
	Drafts  exportedDrafts
	Posts   ownPostGetter
	Files   settingsFiles
	Imports ImportJobs
}

type settingsUsers interface {
	renamer
	blockKeeper
	profiler
	allSessionsEnder
	credentialsKeeper
	passwordKeeper
	emailKeeper
	accountGetter
	userDeleter
	leaver
}

type settingsFiles interface {
	fileOpener
	importFiles
}

// registerSettings registers the pages on which users change what is theirs. An account that is to be deleted stays
// for the time of grace. wakeImports, which may be nil, is called when an import needs work.
func registerSettings(e *echo.Echo, s *site, store settingsStore, factors *factors, mailed mailing, uploads *uploads,
	grace time.Duration, wakeImports func()) {
	security := settingsSecurity{mailed, factors}
	settings{s, store.Users}.register(e)
	settingsBlocks{s, store.Users}.register(e)
	settingsProfile{s, uploads, store.Users}.register(e)
	settingsSessions{s, store.Users}.register(e)
	settingsPassword{mailed, store.Users, factors.passwords}.register(e)
	settingsEmail{mailed, store.Users}.register(e)
	newSettingsExport(s, store.Export, store.Drafts, store.Posts, store.Files).register(e)
	newSettingsImport(s, store.Imports, store.Files, wakeImports).register(e)
	security.register(e)
	settingsTOTP{security}.register(e)
	settingsRecovery{security}.register(e)
	settingsPasskeys{security}.register(e)
	settingsDelete{mailed, store.Users, factors.passwords, grace}.register(e)
}
