package folder

import (
	"strings"
	"time"

	"inkfeed/domain/portable"
	"inkfeed/domain/portable/frontmatter"
)

// status sets the status of a post, which must have its dates already. If it may be dated in the future, without that
// date being understood, it becomes a draft.
func (f *folder) status(p *portable.Post, m frontmatter.Values, page, mayBeFuture bool) {
	v := m.Visibility()
	if strings.Contains("/"+strings.ToLower(p.File), "/_drafts/") || f.config.unread {
		v.Audience = frontmatter.Private
	}
	expires, err := m.Time(f.config.zone, "expiryDate", "unpublishDate")
	expired := err != nil || !expires.IsZero() && expires.Before(f.now)
	for _, r := range v.Reasons {
		f.blog.Problems = append(f.blog.Problems, r.Problem(p.Where))
	}
	switch {
	case v.Scheduled && p.Publish.IsZero():
		v.Audience = frontmatter.Private
		f.blog.AddProblem(p.Where, "imported as a draft: it was scheduled without a valid date")
	case expired:
		v.Audience = frontmatter.Private
		f.blog.AddProblem(p.Where, "imported as a draft: it has expired")
	case mayBeFuture && v.Audience != frontmatter.Private:
		v.Audience = frontmatter.Private
		f.blog.AddProblem(p.Where, "imported as a draft: its date may be in the future")
	}
	switch {
	case v.Audience == frontmatter.Private:
		p.Status = portable.Draft
	case p.Publish.After(f.now) && !f.config.future:
		p.Status = portable.Scheduled
		p.Hidden = v.Audience == frontmatter.Unlisted || page
	case v.Audience == frontmatter.Unlisted, page:
		p.Status = portable.Unlisted
	}
	if p.Status != portable.Scheduled {
		p.Publish = time.Time{}
	}
}
