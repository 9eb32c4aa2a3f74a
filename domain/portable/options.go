package portable

import (
	"context"
	"fmt"
	"os"
	"time"
)

// ReadUpload reads an uploaded export, whose name is that from the browser. It returns a Fault if the reason for a
// failure lies in the upload. The file must stay open as long as the blog is used.
type ReadUpload func(ctx context.Context, name string, file *os.File, o Options, now time.Time) (*Blog, error)

// Options are the choices of the importing user. The zero value holds the defaults.
type Options struct {
	// Uploads names a folder of pictures that the export lacks. Empty means none.
	Uploads string
	// Templates chooses what happens to template code that cannot be translated.
	Templates TemplatePolicy
	// Language is the language of texts that are not in UTF-8, unless the export names one: see Decode.
	Language string
	// Authors reports that posts are assigned to the users of their authors. Then several authors are no problem.
	Authors bool
}

// TemplatePolicy decides what happens to template code that cannot be translated, such as a site's own shortcode.
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

// ParseTemplatePolicy returns the policy with a name.
func ParseTemplatePolicy(name string) (TemplatePolicy, error) {
	switch p := TemplatePolicy(name); p {
	case DraftTemplates, KeepTemplates, RemoveTemplates:
		return p, nil
	}
	return "", fmt.Errorf("%q is not a policy for template code: choose draft, keep or remove", name)
}

// PicturePolicy decides what happens to public posts whose pictures are not in the export.
type PicturePolicy string

const (
	// ProposedPictures means PublishWithout if fewer than one picture in ten is missing, and otherwise DraftWithout.
	// The empty policy means the same.
	ProposedPictures PicturePolicy = "auto"
	// PublishWithout publishes the posts with placeholders.
	PublishWithout PicturePolicy = "publish"
	// DraftWithout imports the posts as drafts.
	DraftWithout PicturePolicy = "draft"
)

// ParsePicturePolicy returns the policy with a name.
func ParsePicturePolicy(name string) (PicturePolicy, error) {
	switch p := PicturePolicy(name); p {
	case ProposedPictures, PublishWithout, DraftWithout:
		return p, nil
	}
	return "", fmt.Errorf("%q is not a policy for missing pictures: choose auto, publish or draft", name)
}

// For returns the policy for an export in which some of its pictures are missing: PublishWithout or DraftWithout.
func (p PicturePolicy) For(missing, all int) PicturePolicy {
	switch {
	case p == PublishWithout || p == DraftWithout:
		return p
	case 10*missing < all:
		return PublishWithout
	}
	return DraftWithout
}

// Hold makes a public post a draft whose former addresses lead to it once it is published.
func (p *Post) Hold() {
	if p.Status == Draft || p.Status == Unpublished {
		return
	}
	p.Hidden = p.Hidden || p.Status == Unlisted
	p.Status, p.Publish, p.Held = Draft, time.Time{}, true
}
