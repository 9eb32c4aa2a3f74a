package pages

import "inkfeed/domain/locale"

// outline is the beginning of a page.
type outline struct {
	kind, path   string
	offer, title locale.Message
	parts        []locale.Message // Markdown
}

func outlines() []outline {
	return []outline{
		{"about", "/about", locale.M("Outline of an About page"), locale.M("About this site"), aboutParts()},
		{"privacy", "/privacy", locale.M("Outline of a privacy policy"), locale.M("Privacy policy"), privacyParts()},
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
