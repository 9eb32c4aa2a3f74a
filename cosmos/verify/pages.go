package verify

import (
	"strings"

	"inkfeed/cosmos/schema"
	"inkfeed/domain"
	"inkfeed/domain/siteinfo"
)

// siteOwner is the author of static pages. There is no such user.
const siteOwner = "system.site"

// auditedPage holds the facts about the text of a static page that the audit checks at the end.
type auditedPage struct {
	deleted, erased, open bool
	title                 string
	version               int
	listed                bool
}

// notePage checks the text of a static page. It has no copies, and no one can add to it.
func (a *audit) notePage(subject string, i storedItem) {
	if i.ID != i.PostID || !strings.HasPrefix(i.ID, "p.") || i.UserID != siteOwner {
		a.violation(ruleIDs, subject, "a page's id is that of its partition, begins with p. and belongs to the site")
		return
	}
	subject = "page " + i.PostID
	p := &auditedPage{deleted: i.deleted(), erased: i.Erased, title: i.Title, version: i.Version,
		open: !i.deleted() && i.Held == domain.NotHeld && i.Status.Shown()}
	a.pages[i.PostID] = p
	switch {
	case p.deleted && i.text():
		a.violation(ruleDeletions, subject, "it has text")
	case p.deleted && !p.erased:
		a.violation(ruleDeletions, subject, "it is not erased yet")
	case p.deleted && !i.expires():
		a.violation(ruleDeletions, subject, "its marker does not expire")
	case !p.deleted:
		a.noteRevision(i)
		a.checkStays(subject, i)
		if i.Withdrawn || len(i.FormerTags) > 0 {
			a.violation(ruleStaleListings, subject, "withdrawn %t, former tags %v", i.Withdrawn, []string(i.FormerTags))
		}
	}
	if i.CommentCount != 0 || i.LikeCount != 0 {
		a.violation(ruleCounts, subject, "it has %d comments and %d likes", i.CommentCount, i.LikeCount)
	}
}

// notePages checks the list of static pages. It runs after the texts were read.
func (a *audit) notePages(subject string, i storedItem) {
	if i.ID != schema.PagesID || i.Queue != schema.SettingsQueue {
		a.violation(ruleIDs, subject, "the list of pages is found as %q in the queue %q", schema.PagesID,
			schema.SettingsQueue)
	}
	a.checkStays(subject, i)
	taken := make(map[string]bool)
	path := func(path string) {
		if clean, err := domain.CleanPagePath(path); err != nil || clean != path {
			a.violation(rulePages, subject, "the address %q is not in its normal form", path)
		}
		if taken[path] {
			a.violation(rulePages, subject, "two pages have the address %s", path)
		}
		taken[path] = true
	}
	for _, entry := range i.Pages {
		path(entry.Path)
		a.checkPageEntry("page "+entry.PostID+" at "+entry.Path, entry)
	}
	for _, former := range i.Former {
		path(former.Path)
		if p := a.pages[former.PostID]; p != nil && p.deleted {
			a.violation(rulePages, subject, "the former address %s leads to the deleted page %s", former.Path,
				former.PostID)
		}
	}
}

// checkPageEntry compares an entry of the list with the text. A page that was never published has no text.
func (a *audit) checkPageEntry(subject string, entry siteinfo.StaticPage) {
	p := a.pages[entry.PostID]
	switch {
	case p == nil && (entry.Published || entry.Title != "" || entry.PostVersion != 0):
		a.violation(rulePages, subject, "there is no such text")
	case p == nil:
	case p.deleted:
		a.violation(rulePages, subject, "the text is deleted")
	case entry.Title != p.title || entry.Published != p.open || entry.PostVersion != p.version:
		a.violation(rulePages, subject, "the list has %q, published %t, version %d; the text %q, %t, %d", entry.Title,
			entry.Published, entry.PostVersion, p.title, p.open, p.version)
	}
	if p != nil {
		p.listed = true
	}
}

// checkPages reports published texts without an address. It runs after the list was read.
func (a *audit) checkPages() {
	for id, p := range a.pages {
		if p.open && !p.listed {
			a.violation(rulePages, "page "+id, "it has no address")
		}
	}
}

func (a *audit) checkPageVersions(id string, newest int) {
	switch p := a.pages[id]; {
	case p.deleted && p.erased:
		a.violation(ruleDeletions, "page "+id, "versions are left")
	case !p.deleted && newest >= a.revisions[id]:
		a.violation(ruleVersions, "versions of page "+id, "the newest is %d, the page is at %d", newest,
			a.revisions[id])
	}
}
