package reading_test

import (
	"strings"
	"testing"

	"github.com/chromedp/chromedp/kb"

	"inkfeed/web/webtest"
)

func TestPicturesOfAPostAreEnlarged(t *testing.T) {
	w, b := webtest.OpenWorld(t)
	upload := func(side int) string {
		return w.Ada.Scripted().Upload("/images", webtest.GreyPNG(t, side)).Want(201).JSON().URL
	}
	first, second := upload(40), upload(50)
	post := w.Ada.CreatePost("Pictures", "Text.\n\n![A cat]("+first+")\n\n[![linked]("+second+")](/about)\n\n"+
		"![A dog]("+second+"#wide)")
	const shown = `document.querySelector(".lightbox[open] figcaption")?.textContent ?? "nothing"`
	b.OpenAndWait(post.Path())
	b.WantValue(`String(document.querySelectorAll(".enlarge").length)`, "2")
	b.WantValue(shown, "nothing")
	b.Press(`[aria-label="Enlarge the picture: A cat"]`)
	b.WantValue(shown, "A cat")
	b.WantValue(`getComputedStyle(document.documentElement).overflow`, "hidden")
	b.PressKey(kb.ArrowRight)
	b.WantValue(shown, "A dog")
	b.PressKey(kb.ArrowRight)
	b.WantValue(shown, "A cat")
	b.Press(".lightbox .previous")
	b.WantValue(shown, "A dog")
	b.PressKey(kb.Escape)
	b.WaitUntil(`!document.querySelector(".lightbox[open]")`)
	b.WantValue(`document.activeElement.ariaLabel`, "Enlarge the picture: A cat")
	b.WantQuietConsole()
}

func TestCodeOfAPostIsCopied(t *testing.T) {
	w, b := webtest.OpenWorld(t)
	post := w.Ada.CreatePost("Code", "```go\nfunc main() {}\n```\n\n"+strings.Repeat("text ", 10))
	b.OpenAndWait(post.Path())
	b.Eval(`(Object.defineProperty(navigator, "clipboard",
		{ value: { writeText: async (t) => { window.copied = t; } } }), "")`)
	b.Press(".copy-code")
	b.WaitForText(".code-box [role=status]", "Copied")
	b.WantValue(`window.copied`, "func main() {}\n")
	b.WantQuietConsole()
}

func TestTextsWithoutPicturesAndCodeLoadNoScript(t *testing.T) {
	s := webtest.NewSite(t)
	ada := s.SignUp("ada")
	ada.Get(ada.CreatePost("Plain", "Only words and $x^2$.").Path()).Want(200).HasNo(`script[src*="text."]`)
	ada.Get(ada.CreatePost("Code", "```\na\n```").Path()).Want(200).Has(`script[src*="text."]`, "").
		Has(".prose[data-copied]", "")
}
