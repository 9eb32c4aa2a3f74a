package wordpress

import (
	"time"

	"inkfeed/domain/locale"
	"inkfeed/domain/portable"
)

// setStatus sets the dates and the status of a post. It returns false for an item that is left out.
func (w *Export) setStatus(p *portable.Post, item *wxrItem) bool {
	p.Created = parseTime(item.DateGMT, item.Date, item.PubDate)
	if edited := parseTime(item.EditedGMT, item.Edited, ""); edited.After(p.Created.Add(time.Minute)) {
		p.Edited = edited
	}
	switch item.Status {
	case "publish":
		p.Status = portable.Published
		// Posts that were imported into WordPress may have a date without a time.
		if local := parseTime("", item.Date, ""); !local.IsZero() && local.Equal(local.Truncate(24*time.Hour)) {
			p.Created = local
		}
	case "future":
		switch p.Status = portable.Published; {
		case p.Created.After(w.now):
			p.Status, p.Publish = portable.Scheduled, p.Created
		case p.Created.IsZero():
			p.Status = portable.Draft
			w.blog.AddProblem(p.Where, "imported as a draft: it was scheduled without a valid date")
		}
	case "draft", "pending", "auto-draft":
		p.Status = portable.Draft
	case "private":
		p.Status = portable.Draft
		w.blog.AddProblem(p.Where, "imported as a draft: it was private")
	case "":
		p.Status = portable.Draft
		w.blog.AddProblem(p.Where, "imported as a draft: its status %s is not known", `""`)
	default: // trash, inherit
		w.blog.Remove(*p)
		w.blog.AddProblem(p.Where, "left out: its status is %s", item.Status)
		return false
	}
	if readers := item.readers(); readers != "" && p.Status != portable.Draft {
		p.Status, p.Publish = portable.Draft, time.Time{}
		w.blog.AddProblem(p.Where, "imported as a draft: only %s could read it",
			portable.Particular{Message: locale.Verbatim(readers), Name: readers})
	}
	if item.Password != "" && p.Status != portable.Draft {
		p.Status, p.Publish = portable.Draft, time.Time{}
		w.blog.AddProblem(p.Where, "imported as a draft: it had a password")
	}
	if item.Type == "page" && p.Status == portable.Published {
		p.Status = portable.Unlisted
		w.blog.AddProblem(p.Where, "imported as an unlisted post: it was a page")
	}
	return true
}
