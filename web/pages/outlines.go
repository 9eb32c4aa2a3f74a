package pages

import (
	"context"

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
