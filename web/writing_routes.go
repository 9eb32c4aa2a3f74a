package web

import "github.com/labstack/echo/v4"

// writingStore is what the pages for authors need of the storage.
type writingStore struct {
	Drafts writingDrafts
	Posts  writingPosts
	Users  hiddenLister
	Images imageDeleter
}

type writingDrafts interface {
	draftSaver
	draftOpener
	draftGetter
	draftLister
	draftDiscarder
	scheduler
	sharer
	sharedGetter
	publisher
	unpublisher
}

type writingPosts interface {
	postGetter
	latestGetter
	ownPostGetter
	versionGetter
	postDeleter
}

// registerWriting registers the pages for authors.
func registerWriting(e *echo.Echo, s *site, store writingStore, uploads *uploads) {
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
