package importing

import (
	"strings"

	"inkfeed/domain"
	"inkfeed/domain/plaintext"
	"inkfeed/domain/portable"
	"inkfeed/domain/portable/markup"
)

// findMissing counts the pictures of the old blog in the posts, and those of them that the export lacks. It leaves out
// covers that are not in the export, and holds the posts with other missing pictures if that is the policy.
func (r *run) findMissing() {
	missing := make([]int, len(r.blog.Posts))
	for n := range r.blog.Posts {
		p := &r.blog.Posts[n]
		if p.ID != "" || !strings.Contains(p.Content, "![") {
			continue
		}
		if text, ok := strings.CutPrefix(p.Content, p.Lead); ok && p.Lead != "" {
			if here, _, other := r.picturesIn(n, p.Lead); here == 0 {
				r.addProblem(n, "its cover %s was left out: it is not in the export", plaintext.Truncate(other, 200))
				p.Content = text
			}
		}
		here, lacking, _ := r.picturesIn(n, p.Content)
		missing[n] = lacking
		r.report.Shown += here + lacking
		r.report.Missing += lacking
	}
	if r.MissingPictures.For(r.report.Missing, r.report.Shown) == portable.PublishWithout {
		return
	}
	for n := range r.blog.Posts {
		if p := &r.blog.Posts[n]; missing[n] > 0 && !p.Held {
			if p.Hold(); p.Held {
				r.lacking[n] = missing[n]
			}
		}
	}
}

// picturesIn counts the pictures of the old blog in a text: those that are in the export, and those that are missing.
// Other is the first address of any picture that is not in the export.
func (r *run) picturesIn(n int, text string) (here, missing int, other string) {
	markup.Rewrite(text, func(l markup.Link) (string, bool) {
		if !l.Image {
			return "", false
		}
		switch name, ok := r.directory.File(n, l.Destination); {
		case ok && portable.IsImage(name):
			here++
			return "", false
		case !ok && !r.directory.Foreign(l.Destination):
			missing++
		}
		if other == "" {
			other = l.Destination
		}
		return "", false
	})
	return here, missing, other
}

// missingAddress returns the address of a missing picture in a text. It tells pages that the picture is missing.
func missingAddress(old string) (string, bool) {
	if strings.Contains(old, "://") && !strings.Contains(old, "#") {
		return old + domain.MissingPicture, true
	}
	return "", false // an address of no other site
}

// noteLacking reports that a post is a draft because of its missing pictures, or stays public as it is here.
func (r *run) noteLacking(n int, public bool) {
	switch lacking := r.lacking[n]; {
	case lacking == 0:
	case public:
		r.addProblem(n, "it stays as it is here: %d of its pictures are not in the export", lacking)
	default:
		r.addProblem(n, "imported as a draft: %d of its pictures are not in the export", lacking)
	}
}
