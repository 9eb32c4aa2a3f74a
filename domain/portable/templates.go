package portable

import "fmt"

// TemplatePolicy says what happens to template code of the former generator that cannot be
// translated, such as a shortcode of the site's own.
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
