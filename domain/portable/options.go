package portable

import "fmt"

// Options are the choices of the person who imports. The zero value is the default.
type Options struct {
	// Uploads names a folder of pictures that the export lacks. Empty means none.
	Uploads string
	// Templates chooses what happens to template code that cannot be translated.
	Templates TemplatePolicy
	// Authors says that posts go to the users of their authors: several are nothing to report.
	Authors bool
}

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
