// Package views holds Inkfeed's pages as templ components: each page in a file
// with its model and with the fragments that htmx swaps into it. The generated
// *_templ.go files are made by "go tool templ generate".
//
// Components decide how things look and what words say it. What they are given
// is already loaded, checked and, where its name ends in HTML, sanitised.
package views
