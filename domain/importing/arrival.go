package importing

import (
	"sync"

	"inkfeed/domain"
	"inkfeed/domain/portable"
)

// arrival remembers of a post whether it can be imported.
type arrival struct {
	once sync.Once
	can  bool
}

// arrives reports whether a post of the export can be imported: links to others stay as they
// were. That follows from the export alone, so it is known before the post is written. A post
// that was deleted here had arrived.
func (r *run) arrives(n int) bool {
	a := &r.arrivals[n]
	a.once.Do(func() {
		var err error
		switch p := r.blog.Posts[n]; p.Status {
		case portable.Draft, portable.Scheduled:
			err = domain.CheckDraft(domain.Draft{Title: p.Title, Content: p.Content})
		default:
			_, _, _, err = fitting(p.Title, p.Content)
		}
		a.can = err == nil && r.ids[n] != ""
	})
	return a.can
}

// fitting makes a title and a text keep the rules of posts, where that costs little. It tells
// whether the title had to be cut.
func fitting(title, content string) (_, _ string, cut bool, _ error) {
	cleaned, text, err := domain.CleanPost(title, content)
	if domain.Characters(cleaned) <= domain.MaxTitle && len(cleaned) <= 4*domain.MaxTitle {
		return cleaned, text, false, err
	}
	cleaned, text, err = domain.CleanPost(domain.Truncate(cleaned, domain.MaxTitle), content)
	return cleaned, text, true, err
}
