package importing

import (
	"sync"

	"inkfeed/domain"
	"inkfeed/domain/plaintext"
	"inkfeed/domain/portable"
)

// importability records whether a post can be imported.
type importability struct {
	once sync.Once
	can  bool
}

// canImport reports whether a post of the export can be imported. Links to posts that cannot be imported stay as
// they were. The answer depends on the export alone, so it is known before the post is written. It is true for
// a post that was imported before and deleted here.
func (r *run) canImport(n int) bool {
	a := &r.importable[n]
	a.once.Do(func() {
		var err error
		switch p := r.blog.Posts[n]; p.Status {
		case portable.Draft, portable.Scheduled:
			err = domain.CheckDraft(domain.Draft{Title: p.Title, Content: p.Content})
		default:
			_, _, _, err = adapted(p.Title, p.Content)
		}
		a.can = err == nil && r.ids[n] != ""
	})
	return a.can
}

// adapted shortens a title and adapts a text so that they keep the rules of posts, where little is lost. It
// reports whether it cut the title.
func adapted(title, content string) (_, _ string, cut bool, _ error) {
	cleaned, text, err := domain.CleanPost(title, content)
	if plaintext.Characters(cleaned) <= domain.MaxTitle && len(cleaned) <= 4*domain.MaxTitle {
		return cleaned, text, false, err
	}
	cleaned, text, err = domain.CleanPost(plaintext.Truncate(cleaned, domain.MaxTitle), content)
	return cleaned, text, true, err
}
