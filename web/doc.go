// Package web composes the features of the site into one HTTP handler.
//
// Each feature is a package of its own: reading, comments, writing, account, settings, pages, moderation,
// syndication, costs and inspector. A feature's store.go declares its Store, the storage that it uses, and its
// routes.go registers its handlers. File names follow the routes; docs/routes.md lists every route with its file and
// view. Features never import each other. Package site has what they share: sessions, forms, rendering, and the one
// place where an error becomes a page. Package pagecache serves prepared responses before the router.
package web
