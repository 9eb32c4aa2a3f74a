// Package views contains the templ components that the pages of several features share: the layout, forms, lists and
// comments. The pages of one feature are in the package below that is named after it, each in a file with its model and
// the fragments that htmx swaps into it. "go tool templ generate" makes the *_templ.go files.
//
// Components decide on markup and wording only. Handlers load and validate what they show. A field whose name ends in
// HTML is already sanitised; all other text is escaped.
package views
