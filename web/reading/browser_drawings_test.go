package reading_test

import (
	"testing"

	"github.com/chromedp/cdproto/emulation"

	"inkfeed/web/webtest"
)

// A drawing may be black on a transparent background.
func TestDrawingsHaveAWhiteBackgroundInTheDarkScheme(t *testing.T) {
	w, b := webtest.OpenWorld(t)
	const line = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 900 300">` +
		`<path d="M0 0L900 300" stroke="#000"/></svg>`
	drawing := w.Ada.Scripted().Upload("/images", []byte(line)).Want(201).JSON().URL
	w.Ada.Upload("/settings/header", nil, "picture", drawing[len("/media/"):], "alt", "").Want(303)
	post := w.Ada.CreatePost("A drawing", "![a]("+drawing+")\n\nText.\n\n![b]("+drawing+")")
	b.SignInAs(w.Ada)
	webtest.Call(b, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{
		Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: "dark"}}})
	for name, place := range map[string]struct{ path, selector string }{
		"in a text":               {post.Path(), ".prose img"},
		"as a cover":              {post.Path(), ".post-cover img"},
		"as a thumbnail":          {"/@ada", ".thumb img"},
		"as the header of a blog": {"/@ada", ".blog-header img"},
		"among pictures":          {"/images", ".pictures img"},
		"as a choice":             {"/settings/header", ".picture-choice img"},
	} {
		t.Run(name, func(t *testing.T) {
			b.Open(place.path)
			b.WantValue(`getComputedStyle(document.querySelector('`+place.selector+`[src$=".svg"]')).backgroundColor`,
				"rgb(255, 255, 255)")
		})
	}
	b.WantQuietConsole()
}
