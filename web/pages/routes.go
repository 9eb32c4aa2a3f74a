// Package pages serves the static pages of the site, and lets administrators manage them. Their texts are written in
// the editor of posts.
package pages

import (
	"context"

	"github.com/labstack/echo/v4"

	"inkfeed/domain"
	"inkfeed/domain/importing"
	"inkfeed/domain/portable"
	"inkfeed/web/exporting"
	"inkfeed/web/site"
	"inkfeed/web/uploads"
)

// handler has what the handlers of this package share.
type handler struct {
	*site.Site
	store Store
	audit site.AuditRecorder
}

// Register registers the static pages, by middleware that comes after all others, and the routes of their management.
// It returns the handler of the page with an id, for the front page. Its
// error is of kind NotFound if the page is not published.
func Register(e *echo.Echo, s *site.Site, store Store,
	exporter *exporting.Exporter, uploads *uploads.Uploads) (show func(c echo.Context, postID string) error) {
	h := handler{s, store, site.AuditRecorder{Log: store.Audit, Logger: s.Logger}}
	shown := staticPage{h}
	e.Use(shown.serve)
	adminPages{h}.register(e)
	adminPageEdit{h}.register(e)
	adminPageDelete{h}.register(e)
	adminPageOutline{h}.register(e)
	adminPagesExport{h, exporter}.register(e)
	adminPagesImport{h, uploads, make(chan struct{}, 1)}.register(e)
	return shown.page
}

// Store is the storage that static pages use. Errors are of the kinds of package domain.
type Store struct {
	Pages     site.PageList
	Posts     Posts
	Drafts    Drafts
	Redirects Redirects
	Audit     site.AuditLog
	Settings  Settings
	// Importer imports the texts of pages. Its user and time are set for each import.
	Importer importing.Importer
	// ReadUpload reads an uploaded export of pages.
	ReadUpload portable.ReadUpload
}

// Settings stores what the site says about itself.
type Settings interface {
	// Get returns the settings.
	Get(ctx context.Context) (domain.Settings, error)
	// Set stores the settings together with new pictures of the site. It fails with Conflict if the stored settings
	// have another version.
	Set(ctx context.Context, s domain.Settings, pictures ...domain.SitePicture) (domain.Settings, error)
	// Picture returns the content of the site's logo or icon. It fails with NotFound if there is no such picture.
	Picture(ctx context.Context, hash string) ([]byte, error)
}

// Posts stores the texts of pages.
type Posts interface {
	// Latest returns a text whatever its status, and the rest of a deleted one.
	Latest(ctx context.Context, postID string) (domain.Post, error)
	// Delete deletes a text. It changes nothing if the text is already deleted.
	Delete(ctx context.Context, postID, authorID string) error
}

// Drafts stores the drafts of pages.
type Drafts interface {
	// List returns a page of an author's drafts, the last saved first, with the beginning of their texts.
	List(ctx context.Context, userID string, page int) (domain.ListPage[domain.Draft], error)
	// Get returns an author's draft of a text.
	Get(ctx context.Context, userID, postID string) (domain.Draft, error)
	// Save stores a draft.
	Save(ctx context.Context, d domain.Draft) (domain.Draft, error)
	// Discard deletes a draft. It fails with Conflict if the draft is of another version.
	Discard(ctx context.Context, userID, postID string, version int) error
}

// Redirects finds the former addresses of imported posts and lists.
type Redirects interface {
	Find(ctx context.Context, path string) (domain.Redirect, error)
}
