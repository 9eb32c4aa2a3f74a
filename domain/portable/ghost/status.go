package ghost

import (
	"strconv"
	"time"

	"inkfeed/domain/locale"
	"inkfeed/domain/portable"
)

// setStatus sets the status of a post, which has its dates already.
func (g postData) setStatus(b *portable.Blog, p *portable.Post, now time.Time) {
	switch g.Status {
	case "published", "sent":
		p.Status = portable.Published
		if g.Status == "sent" {
			p.Status = portable.Unlisted
			b.AddProblem(p.Where, "imported as an unlisted post: it was sent by email only")
		}
	case "scheduled":
		switch p.Status = portable.Published; {
		case p.Created.After(now):
			p.Status, p.Publish = portable.Scheduled, p.Created
		case time.Time(g.Published).IsZero():
			p.Status = portable.Draft
			b.AddProblem(p.Where, "imported as a draft: it was scheduled without a valid date")
		}
	case "draft":
		p.Status = portable.Draft
	default:
		p.Status = portable.Draft
		b.AddProblem(p.Where, "imported as a draft: its status %s is not known", strconv.Quote(g.Status))
	}
	if g.Visibility != "" && g.Visibility != "public" && p.Status != portable.Draft {
		b.AddProblem(p.Where, "imported as a draft: only %s could read it", audience(g.Visibility))
		p.Status, p.Publish = portable.Draft, time.Time{}
	}
	if (bool(g.Page) || g.Type != "" && g.Type != "post") && p.Status == portable.Published {
		p.Status = portable.Unlisted
		b.AddProblem(p.Where, "imported as an unlisted post: it was a page")
	}
}

// audience returns the readers of a post that not everybody could read.
func audience(visibility string) portable.Particular {
	readers := locale.Verbatim(visibility)
	switch visibility {
	case "members":
		readers = locale.M("members|audience")
	case "paid":
		readers = locale.M("paid|audience")
	case "tiers":
		readers = locale.M("tiers|audience")
	}
	return portable.Particular{Message: readers, Name: visibility}
}
