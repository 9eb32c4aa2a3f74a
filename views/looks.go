package views

import (
	"github.com/a-h/templ"

	"inkfeed/domain/siteinfo"
	"inkfeed/static"
)

// LookAttributes are the attributes of the html element by which the style sheets know the looks of the site.
func LookAttributes(l siteinfo.Looks) templ.Attributes {
	attributes := templ.Attributes{}
	for f := range siteinfo.LookFields() {
		if value := f.Of(l); value != "" {
			attributes["data-"+f.Name] = value
		}
	}
	return attributes
}

// preloadedFonts are the files that most pages need with a typeface, by the value of siteinfo.Looks.
var preloadedFonts = map[string][]string{
	"":                   {"serif-common.woff2"},
	siteinfo.PairedSerif: {"serif-common.woff2", "source-sans-common.woff2"},
	"sans":               {"inter-common.woff2"},
	"book":               {"garamond-common.woff2", "source-sans-common.woff2"},
	"slab":               {"bitter-common.woff2", "source-sans-common.woff2"},
}

// TypefacePath returns the address of the style sheet with the fonts of a typeface. There is none for "", and for a
// typeface of a newer release.
func TypefacePath(typeface string) string {
	if typeface == "" || preloadedFonts[typeface] == nil {
		return ""
	}
	return static.URL("typeface-" + typeface + ".css")
}

// themeMedia returns when a colour for the browser's own controls applies, which belongs to a colour scheme.
func themeMedia(l siteinfo.Looks, scheme string) string {
	switch l.Scheme {
	case "":
		return "(prefers-color-scheme: " + scheme + ")"
	case scheme:
		return "all"
	}
	return "not all"
}
