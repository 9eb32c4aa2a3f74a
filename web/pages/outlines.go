package pages

import "inkfeed/domain/locale"

// outline is the beginning of a page.
type outline struct {
	kind, path   string
	offer, title locale.Message
	navigation   bool             // the page is linked in the navigation, not in the footer
	parts        []locale.Message // Markdown
}

func outlines() []outline {
	return []outline{
		{"about", "/about", locale.M("Outline of an About page"), locale.M("About this site"), true,
			aboutParts()},
		{"privacy", "/privacy", locale.M("Outline of a privacy policy"), locale.M("Privacy policy"), false,
			privacyParts()},
	}
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
