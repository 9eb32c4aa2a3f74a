package portable

import (
	"fmt"
	"time"
)

// TemplatePolicy decides about template code that cannot be translated, such as a site's own shortcode.
type TemplatePolicy string

const (
	// DraftTemplates keeps the code and imports the post as a draft. The empty policy means
	// the same.
	DraftTemplates TemplatePolicy = "draft"
	// KeepTemplates keeps the code in a public post, where readers see it.
	KeepTemplates TemplatePolicy = "keep"
	// RemoveTemplates removes the code and keeps the text around and inside of it.
	RemoveTemplates TemplatePolicy = "remove"
)

// ParseTemplatePolicy reads a policy by its name.
func ParseTemplatePolicy(name string) (TemplatePolicy, error) {
	switch p := TemplatePolicy(name); p {
	case DraftTemplates, KeepTemplates, RemoveTemplates:
		return p, nil
	}
	return "", fmt.Errorf("%q is not a policy for template code: use draft, keep or remove", name)
}

// template reports template code that cannot be translated and returns the text that
// replaces it: the code as it was typed or, if the code is to be removed, the text that it
// contains.
func (t *translator) template(what, code, contained string) string {
	switch t.templates {
	case KeepTemplates:
		t.lose(what + " is not known and stays in the text")
		return code
	case RemoveTemplates:
		t.lose(what + " is not known and was removed")
		return contained
	}
	t.lose(what + " is not known and stays in the text, so the post is a draft")
	t.holds = true
	return code
}

// hold makes a post with untranslated template code a draft, unless another policy is set.
func (t *translator) hold(p *Post) {
	if !t.holds || p.Status == Draft || p.Status == Unpublished {
		return
	}
	p.Hidden = p.Hidden || p.Status == Unlisted
	p.Status, p.Publish, p.Held = Draft, time.Time{}, true
}
