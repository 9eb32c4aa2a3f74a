package writing

import (
	"github.com/labstack/echo/v4"

	"inkfeed/web/site"
	"inkfeed/web/uploads"
)

// Store is the storage that the pages for authors use.
type Store struct {
	Drafts Drafts
	Posts  Posts
	Users  Users
	Images uploads.ImageDeleter
}

type Drafts interface {
	draftSaver
	draftOpener
	site.DraftGetter
	draftLister
	draftDiscarder
	scheduler
	sharer
	sharedGetter
	publisher
	unpublisher
}

type Posts interface {
	site.PostGetter
	site.LatestGetter
	site.OwnPostGetter
	versionGetter
	postDeleter
}

// Register registers the routes for authors: editor, drafts, versions, previews and pictures.
func Register(e *echo.Echo, s *site.Site, store Store, uploads *uploads.Uploads) {
	writing := editor{s, store.Drafts, store.Posts}
	newPost{writing}.register(e)
	postEdit{writing}.register(e)
	postUnpublish{s, store.Drafts, store.Posts}.register(e)
	postDelete{s, store.Posts}.register(e)
	versions{writing, store.Posts}.register(e)
	drafts{s, store.Drafts, store.Users, store.Posts}.register(e)
	draftSave{writing}.register(e)
	draftDelete{s, store.Drafts}.register(e)
	preview{s}.register(e)
	previewLink{s, store.Drafts}.register(e)
	images{s, uploads}.register(e)
	imageDelete{s, store.Images}.register(e)
}
