// Package writing serves the pages for authors: the editor, drafts, past versions, previews and
// pictures.
package writing

import (
	"github.com/labstack/echo/v4"

	"inkfeed/web/site"
	"inkfeed/web/uploads"
)

// handler has what the handlers of this package share.
type handler struct {
	*site.Site
	store  Store
	finder site.PostFinder
	images uploads.Images
	audit  site.AuditRecorder
	taken  func(path string) bool // whether the site has something else than a static page at a path
	// outlineNotes returns the notes of a page's outline that a text still contains.
	outlineNotes func(text string) []string
	ids          postIDs
}

// Register registers the routes for authors: editor, drafts, versions, previews and pictures.
//
// A new static page begins with an outline, whose notes in italics tell the author what to write. The function
// outlineNotes returns the notes that a text still contains. Keys derived from the secrets sign the ids of new posts.
func Register(e *echo.Echo, s *site.Site, outlineNotes func(text string) []string, store Store,
	uploads *uploads.Uploads, secrets [][]byte) error {
	ids, err := newPostIDs(secrets)
	if err != nil {
		return err
	}
	h := handler{s, store, site.PostFinder{Site: s, Posts: store.Posts}, uploads.Images,
		site.AuditRecorder{Log: store.Audit, Logger: s.Logger},
		func(path string) bool { return site.HasRoute(e, path) }, outlineNotes, ids}
	newPost{editor{h}}.register(e)
	postEdit{editor{h}}.register(e)
	postUnpublish{h}.register(e)
	trash{h}.register(e)
	postPin{h}.register(e)
	versions{editor{h}}.register(e)
	seriesRename{editor{h}}.register(e)
	drafts{h}.register(e)
	draftSave{editor{h}}.register(e)
	draftRead{h}.register(e)
	draftDelete{h}.register(e)
	editorTexts{s}.register(e)
	preview{h}.register(e)
	previewLink{h}.register(e)
	images{s, uploads}.register(e)
	imageDelete{s, uploads}.register(e)
	return nil
}
