package verify

import (
	"context"
	"strings"
	"time"

	"inkfeed/cosmos/client"
	"inkfeed/cosmos/schema"
	"inkfeed/domain"
	"inkfeed/domain/names"
)

// auditedPost holds the facts about a post, from its own partition and from its copies, that the audit checks at the
// end.
type auditedPost struct {
	present          bool
	deleted          bool
	erased           bool
	expires          bool
	text             bool // it has text by its author
	form             shortForm
	comments         int // the number of items, as in likes
	likes            int
	holders          int       // placeholders and hidden comments
	bookmarksCurrent bool      // the copies of its bookmarks show its current state
	copy             shortForm // the copy in users, if there is one
	copies           int
	tombstone        bool // users has a tombstone
	tagged           int  // the number of copies in tags where they belong
	rows             auditedRows
}

func (p *auditedPost) live() bool { return p.present && !p.deleted }

func (p *auditedPost) listed() bool { return p.live() && p.form.listed() }

func (a *audit) post(id string) *auditedPost { return entryOf(a.posts, id) }

// prepare derives the short form of a post, or the row of a comment. It ignores other items.
func (a *audit) prepare(i *storedItem) {
	switch i.Type {
	case schema.TypePost:
	case schema.TypeComment:
		a.prepareRow(i)
		return
	default:
		return
	}
	post := domain.Post{
		ID:                i.PostID,
		AuthorID:          i.UserID,
		AuthorName:        i.UserUsername,
		AuthorDisplayName: i.UserDisplayName,
		AuthorAvatar:      i.UserAvatar,
		Title:             i.Title,
		Slug:              i.Slug,
		Content:           i.Content,
		Tags:              i.Tags.Domain(),
		Details:           i.Details.Details,
		Status:            i.Status,
		CommentCount:      i.CommentCount,
		LikeCount:         i.LikeCount,
		Created:           time.Time(i.CreationDate),
		Edited:            i.EditDate.Time(),
		Held:              i.Held,
		AuthorSuspended:   i.AuthorSuspended,
		Trashed:           i.TrashedDate.Time(),
		Revision:          i.Revision,
		Version:           i.Version,
	}
	i.form, i.shown = a.shortForm(a.markdown.Summarize(post)), post.BookmarkDigest()
}

// readPosts reads the container posts. It runs after the users were read, who are the authors.
func (a *audit) readPosts(ctx context.Context, db *client.Database) error {
	kinds := postKinds()
	return readItems(ctx, a, db, schema.PostsContainer, postsQuery, a.prepare, func(i storedItem) {
		if note, ok := kinds[i.Type]; ok {
			subject := i.Type + " " + i.ID + " of post " + i.PostID
			a.checkMentions(subject, i)
			note(a, subject, i)
		} else {
			a.violation(ruleTypes, "posts item "+i.ID+" of post "+i.PostID, "type %q", i.Type)
		}
	})
}

func (a *audit) notePost(subject string, i storedItem) {
	if i.ID != i.PostID {
		a.violation(ruleIDs, subject, "a post's id is that of its partition")
		return
	}
	subject = "post " + i.PostID
	p := a.post(i.PostID)
	p.present, p.deleted, p.erased, p.expires, p.form = true, i.deleted(), i.Erased, i.expires(), i.form
	p.text = i.text() || i.Details.CoverAlt != "" || i.Details.Series != ""
	if p.deleted {
		return // its author may be deleted before the post
	}
	if !i.Status.Valid() {
		a.violation(ruleShapes, subject, "there is no status %q", i.Status)
	}
	a.checkHold(subject, i)
	if i.Withdrawn || len(i.FormerTags) > 0 {
		a.violation(ruleStaleListings, subject, "withdrawn %t, former tags %v", i.Withdrawn, []string(i.FormerTags))
	}
	p.bookmarksCurrent = i.Bookmarked == i.shown
	if i.TrashedDate != nil {
		a.trash[schema.ScheduledPostID(i.UserID, i.PostID, i.TrashedDate.Time().Add(domain.TrashTime))] = subject
	}
	a.noteRevision(i)
	a.noteNews(subject, i)
	a.checkWritten(subject, i)
}

// noteUsedAddress checks what stays of a deleted post. The post may exist again, if it was imported again.
func (a *audit) noteUsedAddress(subject string, i storedItem) {
	if i.ID != schema.UsedAddressID {
		a.violation(ruleIDs, subject, "its id should be %s", schema.UsedAddressID)
	}
	a.checkStays(subject, i)
	if i.UserID != "" || i.text() {
		a.violation(ruleDeletions, subject, "it has more than the post's id")
	}
}

func (a *audit) noteLike(subject string, i storedItem) {
	a.post(i.PostID).likes++
	if want := domain.LikeID(i.UserID); i.ID != want {
		a.violation(ruleLikeIDs, subject, "its id should be %s", want)
	}
	a.checkWritten(subject, i)
}

// checkWritten checks that an item of a user does not expire and has an author. It runs after the users were read.
func (a *audit) checkWritten(subject string, i storedItem) {
	a.checkStays(subject, i)
	a.checkAuthor(subject, i)
}

// checkMentions checks the mentions of a text. The users may have been deleted since it was written.
func (a *audit) checkMentions(subject string, i storedItem) {
	text := i.Type == schema.TypePost || i.Type == schema.TypePage || i.Type == schema.TypeComment
	if len(i.Mentions) > domain.MaxMentions || len(i.Mentions) > 0 && !text {
		a.violation(ruleShapes, subject, "it has %d mentions", len(i.Mentions))
	}
	known := map[string]bool{}
	for _, m := range i.Mentions {
		name, err := domain.CleanUsername(m.Name)
		if key := names.NameKey(name); err != nil || known[key] || !domain.IsUserID(m.UserID) ||
			i.Content != "" && !strings.Contains(i.Content, "@"+m.Name) {
			a.violation(ruleShapes, subject, "it mentions %q, the user %q", m.Name, m.UserID)
		} else {
			known[key] = true
		}
	}
}

// checkHold checks that the hold of a post or comment is valid.
func (a *audit) checkHold(subject string, i storedItem) {
	trashed := i.Held == schema.HeldInTrash && i.Type == schema.TypePost && i.TrashedDate != nil
	if !i.Held.Valid() && !trashed || i.Held == domain.HeldByAuthor && i.Type == schema.TypePost {
		a.violation(ruleShapes, subject, "it is held as %q", i.Held)
	}
	a.noteWaiting(subject, i)
}

func (a *audit) checkAuthor(subject string, i storedItem) {
	user := a.users[i.UserID]
	if user != nil && user.live() && user.suspended != i.AuthorSuspended {
		a.violation(ruleSuspended, subject, "authorSuspended is %t, of the user it is %t", i.AuthorSuspended,
			user.suspended)
	}
	switch {
	case user == nil || !user.present:
		a.violation(ruleAuthors, subject, "there is no user %s", i.UserID)
	case user.deleted:
		user.authored++
		a.violation(ruleAuthors, subject, "the account %s is deleted", i.UserID)
	}
	a.checkName(subject, i.UserID, i.author())
}

// checkName compares a copy of a user's names and avatar with the user. Another rule checks that the user exists.
func (a *audit) checkName(subject, userID string, copied domain.Author) {
	user := a.users[userID]
	switch {
	case user == nil || !user.live():
	case user.name != copied.Name:
		a.violation(ruleCurrentNames, subject, "the name is %q, the user's is %q", copied.Name, user.name)
	case user.displayName != copied.DisplayName:
		a.violation(ruleCurrentNames, subject, "the display name is %q, the user's is %q", copied.DisplayName,
			user.displayName)
	case user.avatar != copied.Avatar:
		a.violation(ruleCurrentNames, subject, "the avatar is %q, the user's is %q", copied.Avatar, user.avatar)
	}
}

// author returns the author's names and avatar that the item holds.
func (i storedItem) author() domain.Author {
	return domain.Author{Name: i.UserUsername, DisplayName: i.UserDisplayName,
		Avatar: i.UserAvatar + i.Details.Avatar} // only copies have it among their details
}

func (a *audit) checkPosts() {
	for id, p := range a.posts {
		subject := "post " + id
		a.checkCounts(subject, p)
		a.checkCommentRows(subject, p)
		if p.copies > 1 {
			a.violation(ruleOneCopy, subject, "there are %d copies", p.copies)
		}
		if p.copies > 0 {
			a.checkName("copy of post "+id+" in users", p.copy.author.Value(),
				domain.Author{Name: p.copy.name.Value(), DisplayName: p.copy.displayName.Value(),
					Avatar: p.copy.avatar.Value()})
		}
		switch {
		case p.live():
			a.checkLivePost(id, p)
			a.checkTags(subject, p)
		case p.copies > 0 && p.deleted:
			a.violation(ruleOrphans, "copy of post "+id+" in users", "the post is deleted")
		case p.copies > 0:
			a.violation(ruleOrphans, "copy of post "+id+" in users", "there is no such post")
		}
		if p.deleted {
			a.checkDeletedPost(subject, p)
		}
	}
}

func (a *audit) checkCounts(subject string, p *auditedPost) {
	if !p.present {
		if p.comments+p.holders+p.likes > 0 {
			a.violation(ruleOrphans, subject, "it has %d comments and %d likes but does not exist",
				p.comments+p.holders, p.likes)
		}
		return
	}
	if p.form.comments != p.comments {
		a.violation(ruleCounts, subject, "commentCount is %d, there are %d", p.form.comments, p.comments)
	}
	if p.form.likes != p.likes {
		a.violation(ruleCounts, subject, "likeCount is %d, there are %d", p.form.likes, p.likes)
	}
}

func (a *audit) checkLivePost(id string, p *auditedPost) {
	if p.copies > 0 {
		a.checkCopy("users", id, p.copy, p.form)
	} else {
		a.violation(ruleCopies, "post "+id, "users has no copy")
	}
	if p.tombstone {
		a.violation(ruleTombstones, "tombstone of post "+id+" in users", "the post is live")
	}
}

// checkDeletedPost checks that only an expiring marker is left of a deleted post.
func (a *audit) checkDeletedPost(subject string, p *auditedPost) {
	if p.text {
		a.violation(ruleDeletions, subject, "it has text")
	}
	if !p.erased {
		a.violation(ruleDeletions, subject, "it is not erased yet")
		return
	}
	if !p.expires {
		a.violation(ruleDeletions, subject, "its marker does not expire")
	}
	if p.comments+p.holders+p.likes > 0 {
		a.violation(ruleDeletions, subject, "%d comments and %d likes are left", p.comments+p.holders, p.likes)
	}
}
