package verify

import (
	"time"

	"inkfeed/domain"
)

// auditedThread holds the facts about a comment with replies or a placeholder, and about its replies, that the audit
// checks at the end.
type auditedThread struct {
	postID  string
	present bool
	reply   bool // the comment is a reply itself
	deleted bool
	count   int
	created int64 // Unix milliseconds, as from and to
	replies int
	// The range of dates that the replies have for their parent.
	from, to int64
}

func (a *audit) thread(id string) *auditedThread {
	t := a.threads[id]
	if t == nil {
		t = &auditedThread{}
		a.threads[id] = t
	}
	return t
}

func (a *audit) noteComment(subject string, i storedItem) {
	a.checkStays(subject, i)
	if i.deleted() {
		a.post(i.PostID).holders++
		if i.text() || i.UserID != "" {
			a.violation(ruleDeletions, subject, "the placeholder has text or an author")
		}
	} else {
		if i.Held != domain.NotHeld || i.AuthorSuspended {
			a.post(i.PostID).holders++
		} else {
			a.post(i.PostID).comments++
		}
		a.checkHold(subject, i)
		a.checkAuthor(subject, i)
	}
	place := domain.Comment{ID: i.ID, Created: time.Time(i.CreationDate), ParentID: i.ParentID,
		ParentCreated: i.ParentDate.Time()}.Place()
	if i.Place != place {
		a.violation(ruleThreads, subject, "its place is %q, should be %q", i.Place, place)
	}
	if i.ReplyCount != 0 || i.deleted() {
		t := a.thread(i.ID)
		t.postID, t.present, t.reply, t.deleted = i.PostID, true, i.ParentID != "", i.deleted()
		t.count, t.created = i.ReplyCount, time.Time(i.CreationDate).UnixMilli()
	}
	if i.ParentID != "" {
		t, parentDate := a.thread(i.ParentID), i.ParentDate.Time().UnixMilli()
		if t.replies++; t.replies == 1 || parentDate < t.from {
			t.from = parentDate
		}
		if t.replies == 1 || parentDate > t.to {
			t.to = parentDate
		}
		if !t.present {
			t.postID = i.PostID
		}
	}
}

// checkThreads checks the comments on live posts. Each must have as many replies as it counts, and its replies
// must have its date.
func (a *audit) checkThreads() {
	for id, t := range a.threads {
		subject := "comment " + id + " of post " + t.postID
		if p := a.posts[t.postID]; p == nil || !p.live() {
			continue
		}
		switch {
		case !t.present:
			a.violation(ruleThreads, subject, "it does not exist or has no replyCount, and has %d replies", t.replies)
			continue
		case t.reply && t.replies > 0:
			a.violation(ruleThreads, subject, "it is a reply, and has %d replies", t.replies)
		case t.replies > 0 && (t.from != t.created || t.to != t.created):
			a.violation(ruleThreads, subject, "its replies have another date for it")
		}
		if t.count != t.replies {
			a.violation(ruleCounts, subject, "replyCount is %d, there are %d", t.count, t.replies)
		}
		if t.deleted && t.replies == 0 {
			a.violation(ruleThreads, subject, "it is a placeholder, and has no replies")
		}
	}
}
