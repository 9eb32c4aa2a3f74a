package pages

import (
	"context"
	"regexp"
	"strings"
	"sync"

	"inkfeed/domain"
	"inkfeed/domain/locale"
)

// outline is the beginning of a page.
type outline struct {
	kind string
	// address is the page's path in the site's language: see path.
	address      locale.Message
	offer, title locale.Message
	navigation   bool             // the page is linked in the navigation, not in the footer
	parts        []locale.Message // Markdown
}

func outlines() []outline {
	return []outline{
		{"about", locale.M("/about|address of a page"), locale.M("Outline of an About page"),
			locale.M("About this site"), true, aboutParts()},
		{"privacy", locale.M("/privacy|address of a page"), locale.M("Outline of a privacy policy"),
			locale.M("Privacy policy"), false, privacyParts()},
	}
}

// path returns the path of the page in the language of the context, or "/" and the outline's kind if the translation is
// no path.
func (o outline) path(ctx context.Context) string {
	path, err := domain.CleanPagePath(o.address.In(ctx))
	if err != nil {
		return "/" + o.kind
	}
	return path
}

func aboutParts() []locale.Message {
	return []locale.Message{
		locale.M("*Say in a sentence or two what this site is about and who writes here.*"),
		locale.M("## Who we are"),
		locale.M("*Introduce the people behind the site.*"),
		locale.M("## Contact"),
		locale.M("*Say how readers can reach you.*"),
	}
}

// OutlineNotes returns the notes of the outlines that a text still contains, in whatever language the outline was.
func OutlineNotes(text string) (found []string) {
	text = oneSpace(text)
	for _, note := range outlineNotes() {
		if strings.Contains(text, note) {
			found = append(found, note)
		}
	}
	return found
}

// outlineNotes returns what the outlines tell the author of the page to do: their words in italics, in all languages.
var outlineNotes = sync.OnceValue(func() (notes []string) {
	for _, language := range locale.All() {
		for _, o := range outlines() {
			for _, part := range o.parts {
				for _, note := range inItalics.FindAllStringSubmatch(language.Text(part), -1) {
					notes = append(notes, oneSpace(note[1]))
				}
			}
		}
	}
	return notes
})

var inItalics = regexp.MustCompile(`\*([^*]+)\*`)

// oneSpace makes texts equal that differ only in where their lines break.
func oneSpace(text string) string { return strings.Join(strings.Fields(text), " ") }
