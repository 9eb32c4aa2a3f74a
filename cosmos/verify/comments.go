package verify

import (
	"fmt"
	"hash/maphash"
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
		rows := &a.post(i.PostID).rows
		rows.missing, rows.differ = rows.missing+1, rows.differ+i.row
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

// auditedRows compares the comments of a post with their rows in the overview. Both numbers are zero if they agree.
type auditedRows struct {
	missing int    // comments without rows; negative: rows without comments
	differ  uint64 // the sum of the digests of the comments, less that of the rows
}

// rowDigest returns a digest of a row and of everything in it that is derived from the comment.
func (a *audit) rowDigest(r domain.CommentRow, id, place string, state domain.CommentState) uint64 {
	return maphash.String(a.seed, fmt.Sprintf("%q", []string{r.PostID, r.CommentID, r.AuthorID, r.AuthorName,
		r.AuthorDisplayName, r.Text, r.Created.UTC().Format(time.RFC3339Nano), r.Edited.UTC().Format(time.RFC3339Nano),
		string(r.Held), fmt.Sprint(r.AuthorSuspended), id, place, string(state)}))
}

// prepareRow derives the row of a comment.
func (a *audit) prepareRow(i *storedItem) {
	if i.deleted() {
		return
	}
	row := domain.CommentRow{Target: domain.Target{PostID: i.PostID, CommentID: i.ID}, AuthorID: i.UserID,
		AuthorName: i.UserUsername, AuthorDisplayName: i.UserDisplayName,
		Text:    a.markdown.Text(i.Content, domain.CommentRowText),
		Created: time.Time(i.CreationDate), Edited: i.EditDate.Time(), Held: i.Held, AuthorSuspended: i.AuthorSuspended}
	i.row = a.rowDigest(row, row.Target.ID(), row.Place(), row.State())
}

// noteCommentRow records a row of a comment, for checkCommentRows.
func (a *audit) noteCommentRow(subject string, i storedItem) {
	a.checkStays(subject, i)
	rows := &a.post(i.PostID).rows
	rows.missing--
	rows.differ -= a.rowDigest(domain.CommentRow{Target: domain.Target{PostID: i.PostID, CommentID: i.CommentID},
		AuthorID: i.UserID, AuthorName: i.UserUsername, AuthorDisplayName: i.UserDisplayName, Text: i.Content,
		Created: time.Time(i.CreationDate), Edited: i.EditDate.Time(), Held: i.Held,
		AuthorSuspended: i.AuthorSuspended}, i.ID, i.SortKey, domain.CommentState(i.State))
}

func (a *audit) checkCommentRows(subject string, p *auditedPost) {
	switch {
	case !a.hasOverviews:
	case p.rows.missing > 0:
		a.violation(ruleCommentRows, subject, "%d of its comments have no row", p.rows.missing)
	case p.rows.missing < 0:
		a.violation(ruleCommentRows, subject, "%d rows have no comment", -p.rows.missing)
	case p.rows.differ != 0:
		a.violation(ruleCommentRows, subject, "the rows of its comments differ from them")
	}
}

// noteDeletedComment checks the marker of a deleted comment.
func (a *audit) noteDeletedComment(subject string, i storedItem) {
	if !i.deleted() || !i.expires() {
		a.violation(ruleTombstones, subject, "the marker does not expire, or has no date")
	}
	if i.text() || i.UserID != "" {
		a.violation(ruleDeletions, subject, "the marker has text or an author")
	}
}
