// Package web serves Inkfeed's pages: routes, forms, sessions, and the
// translation of failures into pages. It knows its data by small interfaces,
// declared beside their use and composed in Config.
//
// Each file holds one page or action under a name that follows its address, and
// begins with its routes. Handlers parse, call and render, and return their
// errors: handleError in errors.go is the one place where an error becomes a
// page.
package web
